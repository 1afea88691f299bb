use crate::{
    model::{Argument, Operation, Role, Target, camel},
    names::{parameter, without_default},
    rule::hidden,
};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{GenericParam, Type};

pub(crate) enum Receiver<'r> {
    None(&'r Ident),
    Struct,
    Operand,
    Variable,
}

pub(crate) struct Function {
    pub(crate) signature: TokenStream,
    pub(crate) body: TokenStream,
    pub(crate) docs: TokenStream,
    pub(crate) cfgs: TokenStream,
}

/// What a function takes, and the nodes, kinds and types of its operands.
#[derive(Default)]
struct Taken {
    parameters: Vec<TokenStream>,
    generics: Vec<TokenStream>,
    bounds: Vec<TokenStream>,
    opening: Vec<TokenStream>,
    nodes: Vec<TokenStream>,
    kinds: Vec<TokenStream>,
    operands: Vec<TokenStream>,
}

fn spelled(ty: &Type) -> String {
    let tokens = quote!(#ty).to_string();
    let spaces = [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        (" ,", ","),
        ("& ", "&"),
    ];
    spaces
        .iter()
        .fold(tokens, |text, (from, to)| text.replace(from, to))
}

fn operand(arg: &Argument) -> Ident {
    format_ident!("{}Operand", camel(&arg.ident))
}

impl Operation {
    pub(crate) fn has_function(&self) -> bool {
        self.options.rule_only.is_none() && matches!(self.target, Target::New(_))
    }

    pub(crate) fn is_member(&self) -> bool {
        self.options.rule_only.is_none() && !matches!(self.target, Target::Operator(_))
    }

    fn evaluates(&self) -> bool {
        let several = self.outputs().next().is_some() || self.results().is_some();
        self.options.passive.is_some() || self.error.is_some() || several
    }

    pub(crate) fn function(&self, receiver: Receiver<'_>) -> Function {
        let (krate, m) = (&self.krate, &self.mode);
        let method = matches!(receiver, Receiver::Operand | Receiver::Variable);
        let mut taken = Taken::default();
        for (i, arg) in self.args.iter().enumerate() {
            let (name, ty, is_self) = (&arg.ident, &arg.ty, method && i == 0);
            match &arg.role {
                Role::Passive => taken.parameters.push(quote!(#name: #ty)),
                Role::In(_) | Role::InP => self.take_operand(arg, is_self, &mut taken),
                _ => self.take_output(arg, is_self, &mut taken),
            }
        }
        let (body, out) = match self.options.passive {
            Some(_) => self.passive_call(m),
            None => self.recorded_call(m, &taken.nodes, &taken.operands),
        };
        let Taken {
            parameters,
            generics,
            mut bounds,
            opening,
            kinds,
            ..
        } = taken;
        if self.options.elementwise.is_some() {
            let op = self.op_type();
            bounds.push(quote!(#op: #krate::rule::Rule<#(#kinds),*>));
        }
        let (mut own, where_own) = self.generics_of(method);
        if let Receiver::Struct = receiver {
            let outer = self.struct_generics();
            let has = |p: &GenericParam| outer.params.iter().any(|o| parameter(o) == parameter(p));
            own.retain(|p| !has(p));
        }
        let mode_parameter = (!method).then(|| quote!(#m: #krate::mode::AnyMode,));
        let name = match receiver {
            Receiver::None(name) => name,
            Receiver::Struct => &format_ident!("of"),
            _ => &self.name,
        };
        let (ret, cfgs) = (out.map(|out| quote!(-> #out)), &self.cfgs);
        Function {
            signature: quote!(fn #name<#(#own,)* #mode_parameter #(#generics),*>(#(#parameters),*) #ret where #(#where_own,)* #(#bounds),*),
            body: quote!(#(#opening)* #body),
            docs: self.documentation(),
            cfgs: quote!(#(#cfgs)*),
        }
    }

    fn take_operand(&self, arg: &Argument, is_self: bool, taken: &mut Taken) {
        let (krate, m, name, ty) = (&self.krate, &self.mode, &arg.ident, &arg.ty);
        let (evaluates, elementwise) = (self.evaluates(), self.options.elementwise.is_some());
        // Only evaluation needs the nodes of arguments.
        let operands = match evaluates {
            true => quote!(#krate::expr::Operand),
            false => quote!(#krate::expr::IntoExpr),
        };
        let into_expr = quote!(#krate::expr::IntoExpr::<#m>::into_expr(#name));
        taken.nodes.push(into_expr);
        if is_self {
            taken.parameters.push(quote!(self));
            taken.opening.push(quote!(let #name = self;));
            if evaluates {
                taken.bounds.push(quote!(Self: #operands<#m>));
            }
            let kind = quote!(<Self as #krate::expr::IntoExpr<#m>>::Kind);
            taken.kinds.push(kind);
            taken.operands.push(quote!(Self));
            return;
        }
        let operand = operand(arg);
        taken.parameters.push(quote!(#name: #operand));
        taken.generics.push(quote!(#operand));
        // The kind that determines the precision of a literal.
        let rhs = match (elementwise, taken.kinds.first()) {
            // Values of storage kinds would be copied, so pass these by reference.
            (false, _) => (!arg.by_ref).then(|| quote!(#ty, #m)),
            (true, Some(first)) => {
                let third = (self.args.len() > 2).then(|| quote!(, #first));
                let op = self.op_type();
                Some(quote!(#first, #m, #op #third))
            }
            (true, None) => None,
        };
        let kind = (!elementwise).then(|| quote!(, Kind = #ty));
        let Some(rhs) = rhs else {
            let of = quote!(<#operand as #krate::expr::IntoExpr<#m>>);
            taken.bounds.push(quote!(#operand: #operands<#m #kind>));
            taken.kinds.push(quote!(#of::Kind));
            taken.operands.push(quote!(#operand));
            return;
        };
        let of = quote!(<#operand as #krate::expr::Rhs<#rhs>>);
        let node = evaluates.then(|| quote!(, Node: #krate::node::Node<Kind = #of::Kind>));
        let bound = quote!(#operand: #krate::expr::Rhs<#rhs #kind #node>);
        taken.bounds.push(bound);
        taken
            .opening
            .push(quote!(let #name = #of::into_rhs(#name);));
        taken.kinds.push(quote!(#of::Kind));
        let operand = quote!(#krate::expr::RhsExpr<#operand, #rhs>);
        taken.operands.push(operand);
    }

    fn take_output(&self, arg: &Argument, is_self: bool, taken: &mut Taken) {
        let (krate, m, name, ty) = (&self.krate, &self.mode, &arg.ident, &arg.ty);
        let mut written = quote!(#krate::expr::Active<#ty, #m>);
        if is_self {
            taken.parameters.push(quote!(&mut self));
            let opening = quote!(let #name: &mut #written = self;);
            taken.opening.push(opening);
        } else {
            let operand = operand(arg);
            written = quote!(#operand);
            let bound = quote!(#operand: #krate::mode::Writable<#ty, #m> + ?Sized);
            taken.bounds.push(bound);
            taken.parameters.push(quote!(#name: &mut #operand));
            taken.generics.push(written.clone());
        }
        if let Role::InOut { .. } = arg.role {
            let of = quote!(<#written as #krate::mode::Writable<#ty, #m>>);
            taken.nodes.push(quote!(#of::old(#name)));
            taken.kinds.push(quote!(#ty));
        }
    }

    fn documentation(&self) -> TokenStream {
        let docs = &self.docs;
        let title = format!("Applies [`{}`].", self.op_type());
        let docs = match docs.is_empty() {
            true if self.options.passive.is_none() => quote!(#[doc = #title]),
            true => {
                quote!(/** An operation without derivatives, on the values of its operands. */)
            }
            false => quote!(#(#docs)*),
        };
        let kind = self.kind_of_expression();
        let kind = kind.map(|kind| format!("\nAn expression of kind `{kind}`."));
        let kind = kind.map(|kind| quote!(#[doc = #kind]));
        quote!(#docs #kind)
    }

    fn generics_of(&self, method: bool) -> (Vec<GenericParam>, Vec<syn::WherePredicate>) {
        if self.options.elementwise.is_some() {
            return Default::default();
        }
        let generics = if method {
            &self.own_generics
        } else {
            &self.generics
        };
        let params = generics.params.iter().map(without_default).collect();
        let predicates = generics
            .where_clause
            .iter()
            .flat_map(|w| w.predicates.iter().cloned());
        (params, predicates.collect())
    }

    fn kind_of_expression(&self) -> Option<String> {
        let kind = match (self.evaluates(), &self.options.elementwise) {
            (false, None) => self.result.as_ref()?,
            _ => return None,
        };
        Some(spelled(kind))
    }

    fn recorded_call(
        &self,
        m: &Ident,
        nodes: &[TokenStream],
        operands: &[TokenStream],
    ) -> (TokenStream, Option<TokenStream>) {
        let (krate, op, value) = (&self.krate, self.op_type(), self.op_value());
        let new = ["unary", "binary", "ternary"].map(|n| format_ident!("{n}"));
        let Some(new) = nodes.len().checked_sub(1).and_then(|n| new.get(n)) else {
            return Default::default();
        };
        let node = quote!(#krate::expr::Apply::#new(#value, #(#krate::expr::node_of(#nodes)),*));
        let expr = quote!(#krate::expr::Expr::new(#node));
        if let (Some(error), Some(kind)) = (&self.error, &self.result) {
            let variable = quote!(#krate::expr::Active<#kind, #m>);
            return (
                quote!(#node.try_eval::<#m>()),
                Some(quote!(::core::result::Result<#variable, #error>)),
            );
        }
        if let Some(results) = self.results() {
            let variables = results
                .iter()
                .map(|ty| quote!(#krate::expr::Active<#ty, #m>));
            let out = self.out();
            return (
                quote!({ let expr: #krate::expr::Expr<#out, #m, _> = #expr; expr.split() }),
                Some(quote!((#(#variables),*))),
            );
        }
        let outputs: Vec<&Ident> = self.outputs().map(|a| &a.ident).collect();
        if outputs.is_empty() {
            let applied = ["Unary", "Binary", "Ternary"].map(|n| format_ident!("{n}"));
            let applied = &applied[nodes.len() - 1];
            return (
                expr,
                Some(quote!(#krate::expr::#applied<#op, #m, #(#operands),*>)),
            );
        }
        self.writing_call(m, &expr, &outputs)
    }
    fn writing_call(
        &self,
        m: &Ident,
        expr: &TokenStream,
        outputs: &[&Ident],
    ) -> (TokenStream, Option<TokenStream>) {
        let (krate, out) = (&self.krate, self.out());
        let expr = quote!({ let expr: #krate::expr::Expr<#out, #m, _> = #expr; expr });
        let ret = self
            .result
            .as_ref()
            .map(|ty| quote!(#krate::expr::Active<#ty, #m>));
        let result = hidden("result");
        let body = match (outputs, &ret) {
            ([one], None) => {
                quote!(#krate::mode::Writable::write(#one, #krate::expr::node_of(#expr));)
            }
            (_, None) => quote!(#expr.assign_to((#(#outputs),*));),
            (_, Some(ret)) => quote! {
                let mut #result: ::core::option::Option<#ret> = ::core::option::Option::None;
                #expr.assign_to((&mut #result, #(#outputs),*));
                #result.expect("each output is written")
            },
        };
        (body, ret)
    }

    /// Binds the values of operands to the names of the arguments.
    fn passive_values(&self, m: &Ident) -> TokenStream {
        let krate = &self.krate;
        let inputs = self.args.iter().enumerate();
        let inputs = inputs.filter(|(_, a)| matches!(a.role, Role::InP));
        let values = inputs.map(|(i, arg)| {
            let [node, value, held] = ["node", "value", "held"].map(|n| hidden(&format!("{n}_{i}")));
            let (name, ty, mutable) = (&arg.ident, &arg.ty, &arg.mutable);
            let argument = |bind: TokenStream| {
                quote!(let #bind: #krate::kind::Arg<'_, #ty> = #krate::node::Evaluated::arg(&#value);)
            };
            let bind = match arg.by_ref {
                true => {
                    let (argument, bind) = (argument(quote!(#held)), self.by_reference(name, &quote!(#ty), &held));
                    quote!(#argument #bind)
                }
                false => argument(quote!(#mutable #name)),
            };
            quote! {
                let #node = #krate::expr::node_of(#krate::expr::IntoExpr::<#m>::into_expr(#name));
                let (#value, _) = #krate::node::Node::evaluate(&#node);
                let #value = #krate::node::Produce::ready(#value);
                #bind
            }
        });
        quote!(#(#values)*)
    }

    fn passive_call(&self, m: &Ident) -> (TokenStream, Option<TokenStream>) {
        let (krate, values) = (&self.krate, self.passive_values(m));
        let old = |arg: &Argument| {
            let name = &arg.ident;
            quote!({
                let old = #krate::expr::node_of(#krate::mode::Writable::old(&*#name));
                let (old, _) = #krate::node::Node::evaluate(&old);
                #krate::node::Produce::value(old)
            })
        };
        let outputs: Vec<&Ident> = self.outputs().map(|a| &a.ident).collect();
        let result = hidden("result");
        let (run, all) = self.compute(old, true);
        let parts: Vec<_> = (0..outputs.len())
            .map(|i| hidden(&format!("part_{i}")))
            .collect();
        let body = match (outputs.as_slice(), &self.result) {
            ([], _) => quote!(#run #all),
            ([one], None) => {
                quote!(#run #krate::mode::OutputPlace::set(#one, #krate::expr::Active::passive(#all));)
            }
            (_, ret) => {
                let ret = ret.as_ref().map(|_| &result);
                let first = ret.map(|r| quote!(#r,));
                quote! {
                    #run
                    let (#first #(#parts),*) = #all;
                    #(#krate::mode::OutputPlace::set(#outputs, #krate::expr::Active::passive(#parts));)*
                    #ret
                }
            }
        };
        (
            quote!(#values #body),
            self.result.as_ref().map(|ty| quote!(#ty)),
        )
    }
}

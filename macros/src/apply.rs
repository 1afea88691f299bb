use crate::{
    model::{Argument, Operation, Role, Target},
    rule::hidden,
};
use proc_macro2::{Ident, Span, TokenStream};
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

fn parameter(param: &GenericParam) -> Option<&Ident> {
    match param {
        GenericParam::Type(t) => Some(&t.ident),
        GenericParam::Const(c) => Some(&c.ident),
        GenericParam::Lifetime(_) => None,
    }
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
    let name = arg.ident.to_string();
    let name = name.trim_start_matches("r#").trim_matches('_');
    let parts = name.split('_').filter(|p| !p.is_empty());
    let camel: String = parts.map(|p| p[..1].to_uppercase() + &p[1..]).collect();
    format_ident!("{camel}Operand", span = Span::call_site())
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
        let krate = &self.krate;
        let m = self.mode.clone();
        let into_expr = quote!(#krate::expr::IntoExpr<#m>);
        // Only evaluation needs the nodes of arguments.
        let evaluates = self.evaluates();
        let operands = match evaluates {
            true => quote!(#krate::expr::Operand),
            false => quote!(#krate::expr::IntoExpr),
        };
        let elementwise = self.options.elementwise.is_some();
        let method = matches!(receiver, Receiver::Operand | Receiver::Variable);

        let (mut parameters, mut generics, mut bounds, mut opening) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut nodes, mut kinds, mut operand_types) = (Vec::new(), Vec::new(), Vec::new());
        for (i, arg) in self.args.iter().enumerate() {
            let (name, ty, is_self) = (&arg.ident, &arg.ty, method && i == 0);
            match &arg.role {
                Role::Passive => parameters.push(quote!(#name: #ty)),
                Role::In(_) | Role::InP => {
                    let operand = if is_self {
                        format_ident!("Self")
                    } else {
                        operand(arg)
                    };
                    let mut of = quote!(<#operand as #into_expr>);
                    let mut operand_type = quote!(#operand);
                    if is_self {
                        parameters.push(quote!(self));
                        opening.push(quote!(let #name = self;));
                        if evaluates {
                            bounds.push(quote!(Self: #operands<#m>));
                        }
                    } else {
                        parameters.push(quote!(#name: #operand));
                        generics.push(quote!(#operand));
                        // The kind that determines the precision of a literal.
                        let rhs = match (elementwise, kinds.first()) {
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
                        match rhs {
                            None => bounds.push(quote!(#operand: #operands<#m #kind>)),
                            Some(rhs) => {
                                of = quote!(<#operand as #krate::expr::Rhs<#rhs>>);
                                operand_type = quote!(#krate::expr::RhsExpr<#operand, #rhs>);
                                let node = evaluates
                                    .then(|| quote!(, Node: #krate::node::Node<Kind = #of::Kind>));
                                bounds.push(quote!(#operand: #krate::expr::Rhs<#rhs #kind #node>));
                                opening.push(quote!(let #name = #of::into_rhs(#name);));
                            }
                        }
                    }
                    nodes.push((
                        quote!(#of::Node),
                        quote!(#krate::expr::IntoExpr::<#m>::into_expr(#name)),
                    ));
                    kinds.push(quote!(#of::Kind));
                    operand_types.push(operand_type);
                }
                role => {
                    let mut written = quote!(#krate::expr::Active<#ty, #m>);
                    if is_self {
                        parameters.push(quote!(&mut self));
                        opening.push(quote!(let #name: &mut #written = self;));
                    } else {
                        let operand = operand(arg);
                        bounds.push(quote!(#operand: #krate::mode::Writable<#ty, #m> + ?Sized));
                        parameters.push(quote!(#name: &mut #operand));
                        written = quote!(#operand);
                        generics.push(written.clone());
                    }
                    if let Role::InOut { .. } = role {
                        let of = quote!(<#written as #krate::mode::Writable<#ty, #m>>);
                        nodes.push((quote!(#of::Old), quote!(#of::old(#name))));
                        kinds.push(quote!(#ty));
                    }
                }
            }
        }
        let (body, out) = match self.options.passive {
            Some(_) => self.passive_call(&m),
            None => self.recorded_call(&m, &nodes, &operand_types),
        };
        if elementwise {
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
        let ret = out.map(|out| quote!(-> #out));
        let (docs, cfgs) = (&self.docs, &self.cfgs);
        let cfgs = quote!(#(#cfgs)*);
        let title = format!("Applies [`{}`].", self.op_type());
        let docs = match docs.is_empty() {
            true if self.options.passive.is_none() => quote!(#[doc = #title]),
            true => {
                quote!(/** An operation without derivatives, on the values of its operands. */)
            }
            false => quote!(#(#docs)*),
        };
        let kind = self
            .kind_of_expression()
            .map(|kind| format!("\nAn expression of kind `{kind}`."));
        let docs = match kind {
            Some(kind) => quote!(#docs #[doc = #kind]),
            None => docs,
        };
        Function {
            signature: quote!(fn #name<#(#own,)* #mode_parameter #(#generics),*>(#(#parameters),*) #ret where #(#where_own,)* #(#bounds),*),
            body: quote!(#(#opening)* #body),
            docs,
            cfgs,
        }
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
        let mut params: Vec<_> = generics.params.iter().cloned().collect();
        for param in &mut params {
            if let GenericParam::Type(t) = param {
                t.default = None;
            }
        }
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
        nodes: &[(TokenStream, TokenStream)],
        operands: &[TokenStream],
    ) -> (TokenStream, Option<TokenStream>) {
        let (krate, op, value) = (&self.krate, self.op_type(), self.op_value());
        let exprs: Vec<_> = nodes.iter().map(|(_, expr)| expr).collect();
        let new = ["unary", "binary", "ternary"].map(|n| format_ident!("{n}"));
        let Some(new) = nodes.len().checked_sub(1).and_then(|n| new.get(n)) else {
            return Default::default();
        };
        let args = exprs.iter().map(|e| quote!(#krate::expr::node_of(#e)));
        let expr = quote!(#krate::expr::Expr::new(#krate::expr::Apply::#new(#value, #(#args),*)));
        if let (Some(error), Some(kind)) = (&self.error, &self.result) {
            let node =
                quote!(#krate::expr::Apply::#new(#value, #(#krate::expr::node_of(#exprs)),*));
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
    /// Evaluates an expression in one statement, and writes its parts to output arguments.
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

    fn passive_call(&self, m: &Ident) -> (TokenStream, Option<TokenStream>) {
        let krate = &self.krate;
        let mut values = Vec::new();
        for (i, arg) in self
            .args
            .iter()
            .enumerate()
            .filter(|(_, a)| matches!(a.role, Role::InP))
        {
            let (node, value) = (hidden(&format!("node_{i}")), hidden(&format!("value_{i}")));
            let (name, ty, mutable) = (&arg.ident, &arg.ty, &arg.mutable);
            let bind = match arg.by_ref {
                true => {
                    let held = hidden(&format!("held_{i}"));
                    let bind = self.by_reference(name, &quote!(#ty), &held);
                    quote!(let #held: #krate::kind::Arg<'_, #ty> = #krate::node::Evaluated::arg(&#value); #bind)
                }
                false => {
                    quote!(let #mutable #name: #krate::kind::Arg<'_, #ty> = #krate::node::Evaluated::arg(&#value);)
                }
            };
            values.push(quote! {
                let #node = #krate::expr::node_of(#krate::expr::IntoExpr::<#m>::into_expr(#name));
                let (#value, _) = #krate::node::Node::forward(&#node);
                let #value = #krate::node::Produce::ready(#value);
                #bind
            });
        }
        let old = |arg: &Argument| {
            let name = &arg.ident;
            quote!({
                let old = #krate::expr::node_of(#krate::mode::Writable::old(&*#name));
                let (old, _) = #krate::node::Node::forward(&old);
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
            quote!(#(#values)* #body),
            self.result.as_ref().map(|ty| quote!(#ty)),
        )
    }

    pub(crate) fn first_kind(&self) -> Option<&Type> {
        self.args.first().map(|a| &a.ty)
    }
}

//! From the model: the operation's struct and its rule.
use crate::{
    model::{Argument, Operation, Role, Target, reached},
    names::{Names, leaves_early, mentions},
    options::Named,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, GenericParam, Generics, Type, parse_quote, spanned::Spanned};

/// A local variable that no formula can see.
fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A formula that adds nothing: `{}`.
fn is_zero(formula: &Expr) -> bool {
    matches!(formula, Expr::Block(b) if b.block.stmts.is_empty())
}

impl Operation {
    /// The generic parameters of the operation's struct: those of its passive fields, and those that
    /// no argument kind determines.
    fn struct_generics(&self) -> Generics {
        let belongs = |ident: &Ident| {
            self.passives().any(|a| mentions(&a.ty, ident))
                || !self.inputs().any(|a| mentions(&a.ty, ident))
        };
        let params = self.generics.params.iter().filter(|p| match p {
            GenericParam::Type(t) => belongs(&t.ident),
            GenericParam::Const(c) => belongs(&c.ident),
            GenericParam::Lifetime(_) => false,
        });
        let mut generics = Generics::default();
        if self.options.elementwise.is_none() {
            generics.params = params.cloned().collect();
        }
        for param in &mut generics.params {
            if let GenericParam::Type(t) = param {
                t.default = None;
            }
        }
        generics
    }

    /// The operation as a type.
    pub(crate) fn op_type(&self) -> TokenStream {
        let krate = &self.krate;
        match &self.target {
            Target::Operator(path) => quote!(#krate::op::#path),
            Target::Existing(path) => quote!(#path),
            Target::New(name) => {
                let generics = self.struct_generics();
                let (_, ty_generics, _) = generics.split_for_impl();
                quote!(#name #ty_generics)
            }
        }
    }

    /// The operation as a value, its fields from variables of their names.
    pub(crate) fn op_value(&self) -> TokenStream {
        let krate = &self.krate;
        let fields: Vec<_> = self.passives().map(|a| &a.ident).collect();
        let path = match &self.target {
            Target::Operator(path) => quote!(#krate::op::#path),
            Target::Existing(path) => quote!(#path),
            Target::New(name) => {
                let generics = self.struct_generics();
                let (_, ty_generics, _) = generics.split_for_impl();
                let turbofish = ty_generics.as_turbofish();
                if generics.type_params().next().is_some() {
                    return quote!(#name #turbofish { #(#fields,)* of: ::core::marker::PhantomData });
                }
                quote!(#name #turbofish)
            }
        };
        if fields.is_empty() {
            path
        } else {
            quote!(#path { #(#fields),* })
        }
    }

    /// The struct and what a tape needs of it.
    pub(crate) fn structure(&self) -> TokenStream {
        let Target::New(name) = &self.target else {
            return TokenStream::new();
        };
        let (krate, vis, docs, cfgs) = (&self.krate, &self.vis, &self.docs, &self.cfgs);
        let (fields, types): (Vec<_>, Vec<_>) = self.passives().map(|a| (&a.ident, &a.ty)).unzip();
        let generics = self.struct_generics();
        let (impl_generics, ty_generics, _) = generics.split_for_impl();
        let params: Vec<_> = generics.type_params().map(|t| &t.ident).collect();
        let phantom = (!params.is_empty())
            .then(|| quote!(of: ::core::marker::PhantomData<fn() -> (#(#params,)*)>,));
        let phantom_value = (!params.is_empty()).then(|| quote!(of: ::core::marker::PhantomData,));
        let title = format!(
            "The operation of [`{}`]: its rule, and what a statement keeps of it.",
            self.name
        );
        let docs = if docs.is_empty() {
            quote!(#[doc = #title])
        } else {
            quote!(#(#docs)*)
        };
        let field_docs = fields
            .iter()
            .map(|f| format!("The passive parameter `{f}`."));
        let plain = types.iter().all(|ty| is_copy(ty));
        let copy = plain.then(
            || quote!(#(#cfgs)* impl #impl_generics ::core::marker::Copy for #name #ty_generics {}),
        );
        let clone = match plain {
            true => quote!(*self),
            false => {
                quote!(Self { #(#fields: ::core::clone::Clone::clone(&self.#fields),)* #phantom_value })
            }
        };
        let mut stash = generics.clone();
        if !params.is_empty() {
            let clause = stash.make_where_clause();
            params
                .iter()
                .for_each(|p| clause.predicates.push(parse_quote!(#p: 'static)));
            types.iter().for_each(|ty| {
                clause
                    .predicates
                    .push(parse_quote!(#ty: #krate::kind::Stash))
            });
        }
        let (_, _, stash_where) = stash.split_for_impl();
        let shape = match types.is_empty() && phantom.is_none() {
            true => quote!(;),
            false => quote!({ #(#[doc = #field_docs] pub #fields: #types,)* #phantom }),
        };
        let text = name.to_string();
        quote! {
            #(#cfgs)* #docs
            #[allow(unreachable_pub, dead_code)]
            #vis struct #name #generics #shape
            #(#cfgs)*
            impl #impl_generics ::core::clone::Clone for #name #ty_generics {
                #[inline(always)]
                fn clone(&self) -> Self { #clone }
            }
            #copy
            #(#cfgs)*
            impl #impl_generics ::core::fmt::Debug for #name #ty_generics {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { f.write_str(#text) }
            }
            #(#cfgs)*
            impl #impl_generics #krate::kind::Stash for #name #ty_generics #stash_where {
                const BYTES: usize = 0 #(+ <#types as #krate::kind::Stash>::BYTES)*;
                #[inline(always)]
                fn stash(self, writer: &mut #krate::tape::Writer<'_>) {
                    let _ = &writer;
                    #(<#types as #krate::kind::Stash>::stash(self.#fields, writer);)*
                }
                #[inline(always)]
                fn fetch(reader: &mut #krate::tape::Reader<'_>) -> Self {
                    let _ = &reader;
                    Self { #(#fields: <#types as #krate::kind::Stash>::fetch(reader),)* #phantom_value }
                }
            }
        }
    }

    /// The slot of an input: the name of its value in `Primals`, of its sink, of its bit.
    fn slot(&self, arg: &Argument) -> usize {
        self.inputs()
            .position(|a| a.ident == arg.ident)
            .unwrap_or(0)
    }

    /// Which of `a`, `b`, `c`, `r` a formula reads, through what is shared, too.
    fn reads(&self, names: &Names) -> TokenStream {
        let krate = &self.krate;
        let mut all = vec![names.clone()];
        all.extend(
            reached(&self.options.shared, names)
                .iter()
                .map(|s| Names::of(&s.expr)),
        );
        let accesses: Vec<_> = all.iter().flat_map(|n| self.accesses(n)).collect();
        all.extend(accesses);
        let has = |name: &Ident| all.iter().any(|n| n.has(name));
        let bits = ["A", "B", "C"].map(|b| format_ident!("{b}"));
        let mut reads: Vec<_> = self
            .inputs()
            .zip(bits)
            .filter(|(a, _)| has(&a.ident))
            .map(|(_, bit)| bit)
            .collect();
        let result = format_ident!("r");
        if has(&result)
            || self
                .args
                .iter()
                .any(|a| matches!(a.role, Role::Out { .. }) && has(&a.ident))
        {
            reads.push(format_ident!("R"));
        }
        quote!(0 #(| #krate::rule::#reads)*)
    }

    /// The formula of an input; linear operations apply themselves to the result's adjoint.
    fn formula<'o>(&'o self, arg: &'o Argument) -> Option<&'o Expr> {
        match &arg.role {
            Role::In(formula) => formula.as_ref(),
            Role::InOut { adjoint, .. } => Some(adjoint),
            _ => None,
        }
    }

    fn names_of(&self, arg: &Argument) -> Names {
        match self.formula(arg) {
            Some(formula) if is_zero(formula) => Names::default(),
            Some(formula) => Names::of(formula),
            // The body applied to the adjoint: it reads parameters, but not the argument itself.
            None => Names::default(),
        }
    }

    /// `READS`.
    fn all_reads(&self) -> TokenStream {
        let mut reads: Vec<_> = self
            .inputs()
            .map(|a| self.reads(&self.names_of(a)))
            .collect();
        reads.resize(3, quote!(0));
        quote!([#(#reads),*])
    }

    /// Binds the passive parameters that `names` mentions; all if there are none to look at.
    fn bind_passives(&self, names: Option<&Names>) -> TokenStream {
        let bind = self.passives().filter_map(|a| {
            let name = match names {
                Some(names) => names.get(&a.ident)?,
                None => a.ident.clone(),
            };
            let (mutable, field) = (names.is_none().then_some(a.mutable), &a.ident);
            Some(quote!(#[allow(unused_variables)] let #mutable #name = ::core::clone::Clone::clone(&self.#field);))
        });
        quote!(#(#bind)*)
    }

    /// Binds what `names` mentions of the primals and of the saved intermediates.
    fn bind_values(&self, names: &Names) -> TokenStream {
        let krate = &self.krate;
        let (primals, saved) = (hidden("primals"), hidden("saved"));
        let mut binds = vec![self.bind_passives(Some(names))];
        let slots = ["a", "b", "c"].map(|s| format_ident!("{s}"));
        for (arg, slot) in self.inputs().zip(slots) {
            let Some(name) = names.get(&arg.ident) else {
                continue;
            };
            let (ty, held) = (&arg.ty, hidden("held"));
            binds.push(match arg.by_ref {
                false => quote!(let #name = #primals.#slot();),
                true => quote! {
                    let #held = #primals.#slot();
                    let #name: &#krate::kind::Val<#ty> = ::core::borrow::Borrow::borrow(&#held);
                },
            });
        }
        for (i, item) in self.options.save.iter().enumerate() {
            if let Some(name) = names.get(&item.name) {
                let i = syn::Index::from(i);
                binds.push(match item.by_ref {
                    true => quote!(let #name = &#saved.#i;),
                    false => quote!(let #name = ::core::clone::Clone::clone(&#saved.#i);),
                });
            }
        }
        let single = self.out_kinds().len() == 1;
        let first = usize::from(self.result.is_some());
        if let Some(r) = names.get("r") {
            let part = self.part(&quote!(#primals.r()), 0, !single && first == 1);
            binds.push(quote!(let #r = #part;));
        }
        for (i, arg) in self.outputs().enumerate() {
            if let (Role::Out { .. }, Some(name)) = (&arg.role, names.get(&arg.ident)) {
                let part = self.part(&quote!(#primals.r()), first + i, !single);
                binds.push(quote!(let #name = #part;));
            }
        }
        quote!(#(#binds)*)
    }

    /// One of several results, as a rule receives it; the only one as it is.
    fn part(&self, whole: &TokenStream, i: usize, tuple: bool) -> TokenStream {
        if !tuple {
            return whole.clone();
        }
        let (krate, kind, i) = (&self.krate, self.out_kinds()[i], syn::Index::from(i));
        quote!(#krate::kind::arg::<#kind>(&#whole.#i))
    }

    /// Binds the adjoints of the results that `names` mentions.
    fn bind_adjoints(&self, names: &Names) -> TokenStream {
        let r_b = hidden("r_b");
        let single = self.out_kinds().len() == 1;
        let first = usize::from(self.result.is_some());
        let whole = quote!(::core::clone::Clone::clone(&#r_b));
        let mut binds = Vec::new();
        if let Some(name) = names.get("r_b") {
            let part = self.part(&whole, 0, !single && first == 1);
            binds.push(quote!(let #name = #part;));
        }
        for (i, arg) in self.outputs().enumerate() {
            let Some(name) = names.get(arg.adjoint_name()) else {
                continue;
            };
            let part = self.part(&whole, first + i, !single);
            let (Role::Out { access, .. } | Role::InOut { access, .. }) = &arg.role else {
                continue;
            };
            binds.push(match access {
                None => quote!(let #name = #part;),
                Some(access) => {
                    let inner = Names::of(access);
                    let values = self.bind_values(&inner);
                    let own = inner.get(arg.adjoint_name()).unwrap_or(name.clone());
                    quote!(let #name = { #values #[allow(unused_variables)] let #own = #part; #access };)
                }
            });
        }
        quote!(#(#binds)*)
    }

    /// What the formulas mention that access the adjoints of outputs.
    fn accesses(&self, names: &Names) -> Vec<Names> {
        let accesses = self.outputs().filter_map(|a| match &a.role {
            Role::Out {
                access: Some(e), ..
            }
            | Role::InOut {
                access: Some(e), ..
            } if names.has(a.adjoint_name()) => Some(Names::of(e)),
            _ => None,
        });
        accesses.collect()
    }

    /// The rule.
    pub(crate) fn rule(&self) -> TokenStream {
        match self.options.elementwise {
            Some(_) => self.elementwise_rule(),
            None => self.kind_rule(),
        }
    }

    fn inline(&self) -> TokenStream {
        match self.body.stmts.len() {
            0 | 1 => quote!(#[inline(always)]),
            _ => quote!(#[inline]),
        }
    }

    /// The body as an expression.
    fn body(&self, out: &TokenStream) -> TokenStream {
        let (body, run) = (&self.body, hidden("run"));
        match leaves_early(body) {
            false => quote!(#body),
            true => quote!({ let mut #run = || -> #out #body; #run() }),
        }
    }

    /// Computes the result from arguments of their names: `(value, before, after)`, where `before` makes
    /// places for the outputs and `after` collects what came out.
    pub(crate) fn compute(
        &self,
        outputs_of: impl Fn(&Argument) -> TokenStream,
        plain: bool,
    ) -> (TokenStream, TokenStream) {
        let krate = &self.krate;
        let ret = match (&self.result, plain) {
            (None, _) => quote!(()),
            (Some(ty), true) => quote!(#ty),
            (Some(ty), false) => quote!(#krate::kind::Val<#ty>),
        };
        let (mut places, mut refs, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (i, arg) in self.outputs().enumerate() {
            let (place, ty, name) = (hidden(&format!("place_{i}")), &arg.ty, &arg.ident);
            let init = match &arg.role {
                Role::Out {
                    init: Some(init), ..
                }
                | Role::OutP { init: Some(init) } => quote!(#init),
                Role::Out { .. } | Role::OutP { .. } => quote!(::core::default::Default::default()),
                _ => outputs_of(arg),
            };
            places.push(quote!(let mut #place: #krate::kind::Val<#ty> = #init;));
            refs.push(quote!(let #name = &mut #place;));
            parts.push(quote!(#place));
        }
        let body = self.body(&ret);
        let value = hidden("value");
        let bind = match &self.result {
            Some(_) => quote!(let #value: #ret =),
            None => quote!(let () =),
        };
        let run = quote!(#(#places)* #bind { #(#refs)* #body };);
        let mut all: Vec<_> = self.result.iter().map(|_| quote!(#value)).collect();
        all.extend(parts);
        let all = match all.as_slice() {
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        };
        (run, all)
    }

    fn kind_rule(&self) -> TokenStream {
        let (krate, op, cfgs) = (&self.krate, self.op_type(), &self.cfgs);
        let (impl_generics, _, where_clause) = self.generics.split_for_impl();
        let kinds = self.kinds();
        let [a, b, c] = &kinds;
        let (out, reads) = (self.out(), self.all_reads());
        let Options {
            saved_types,
            saves_result,
        } = self.saved();
        let (primal, adjoint, inline) = (self.primal(), self.adjoint(), self.inline());
        let mut inputs = self.inputs().map(|arg| {
            let (mutable, name) = (if arg.is_output() { None } else { arg.mutable }, &arg.ident);
            quote!(#[allow(unused_variables)] #mutable #name)
        });
        let patterns = [(); 3].map(|()| inputs.next().unwrap_or(quote!(_)));
        let [pa, pb, pc] = &patterns;
        let (primals, saved, r_b, sinks) = (
            hidden("primals"),
            hidden("saved"),
            hidden("r_b"),
            hidden("sinks"),
        );
        quote! {
            #(#cfgs)*
            #[allow(clippy::all)]
            impl #impl_generics #krate::rule::Rule<#a, #b, #c> for #op #where_clause {
                type Out = #out;
                type Saved = #saved_types;
                const READS: [u8; 3] = #reads;
                #saves_result
                #inline
                fn primal<'p>(
                    &self,
                    #pa: #krate::kind::Arg<'p, #a>,
                    #pb: #krate::kind::Arg<'p, #b>,
                    #pc: #krate::kind::Arg<'p, #c>,
                ) -> (#krate::kind::Val<#out>, Self::Saved) { #primal }
                #inline
                #[allow(unused_variables, unused_mut)]
                fn adjoint(
                    &self,
                    #primals: #krate::rule::Primals<'_, #a, #b, #c, #out>,
                    #saved: &Self::Saved,
                    #r_b: #krate::kind::Arg<'_, #out>,
                    mut #sinks: impl #krate::rule::Sinks<#a, #b, #c>,
                ) { #adjoint }
            }
        }
    }

    /// The type of what is saved, and the items of `Rule` that tell about a saved result.
    fn saved(&self) -> Options {
        let (krate, out) = (&self.krate, self.out());
        let mut types: Vec<_> = self
            .options
            .save
            .iter()
            .map(|s| {
                let ty = &s.ty;
                quote!(#ty)
            })
            .collect();
        let mut saves_result = None;
        if self.options.save_result.is_some() {
            let i = syn::Index::from(types.len());
            types.push(quote!(#krate::rule::annotation::Kept<#out>));
            saves_result = Some(quote! {
                const SAVES_RESULT: bool = true;
                #[inline]
                fn result(saved: &Self::Saved) -> ::core::option::Option<#krate::kind::Val<#out>> {
                    ::core::option::Option::Some(saved.#i.value())
                }
            });
        }
        let saved_types = if types.is_empty() {
            quote!(())
        } else {
            quote!((#(#types,)*))
        };
        Options {
            saved_types,
            saves_result,
        }
    }

    fn primal(&self) -> TokenStream {
        let (krate, out) = (&self.krate, self.out());
        let passives = self.bind_passives(None);
        let by_refs = self.inputs().filter(|a| a.by_ref).map(|a| {
            let (name, ty) = (&a.ident, &a.ty);
            quote!(let #name: &#krate::kind::Val<#ty> = ::core::borrow::Borrow::borrow(&#name);)
        });
        let (mut before, mut after, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (
            i,
            Named {
                name,
                ty,
                expr,
                by_ref,
            },
        ) in self.options.save.iter().enumerate()
        {
            let kept = hidden(&format!("saved_{i}"));
            let bind = match by_ref {
                true => quote!(&#kept),
                false => quote!(::core::clone::Clone::clone(&#kept)),
            };
            let tokens =
                quote!(let #kept: #ty = #expr; #[allow(unused_variables)] let #name = #bind;);
            if Names::of(expr).has("r") {
                after.push(tokens)
            } else {
                before.push(tokens)
            }
            parts.push(quote!(#kept));
        }
        let old = |arg: &Argument| {
            let (name, ty) = (&arg.ident, &arg.ty);
            quote!(::core::clone::Clone::clone(<_ as ::core::borrow::Borrow<#krate::kind::Val<#ty>>>::borrow(&#name)))
        };
        let (run, all) = self.compute(old, false);
        let result = hidden("result");
        let bind_r = self
            .options
            .save
            .iter()
            .find_map(|s| Names::of(&s.expr).get("r"))
            .map(|r| {
                let whole = quote!(#krate::kind::arg::<#out>(&#result));
                quote!(let #r = #whole;)
            });
        if self.options.save_result.is_some() {
            parts.push(quote!(#krate::rule::annotation::Kept::<#out>::new(&#result)));
        }
        let saved = if parts.is_empty() {
            quote!(())
        } else {
            quote!((#(#parts,)*))
        };
        let saving = hidden("saving");
        quote! {
            #passives #(#by_refs)* #(#before)* #run
            let #result: #krate::kind::Val<#out> = #all;
            let #saving: Self::Saved = { #bind_r #(#after)* #saved };
            (#result, #saving)
        }
    }

    fn adjoint(&self) -> TokenStream {
        let krate = &self.krate;
        let sinks = hidden("sinks");
        let slots = ["a", "b", "c"].map(|s| format_ident!("{s}"));
        let wants = |arg: &Argument| {
            let slot = &slots[self.slot(arg)];
            quote!(#sinks.#slot().wants())
        };
        // What a formula mentions, with what it takes to access the adjoints of outputs.
        let names: Vec<(&Argument, Names)> = self.inputs().map(|a| (a, self.names_of(a))).collect();

        let mut shared = Vec::new();
        for item in &self.options.shared {
            let users = names.iter().filter(|(_, n)| {
                reached(&self.options.shared, n)
                    .iter()
                    .any(|s| s.name == item.name)
            });
            let users: Vec<_> = users.map(|(a, _)| wants(a)).collect();
            if users.is_empty() {
                continue;
            }
            let (holder, expr) = (self.shared_holder(item), &item.expr);
            let inner = Names::of(expr);
            let bind = self.bind_formula(&inner);
            shared.push(quote!(let #holder = if #(#users)||* { #bind ::core::option::Option::Some(#expr) } else { ::core::option::Option::None };));
        }

        let formulas = names.iter().map(|(arg, names)| {
            let slot = &slots[self.slot(arg)];
            let wants = wants(arg);
            let Some(formula) = self.formula(arg) else { return self.linear_adjoint(arg) };
            if is_zero(formula) {
                return TokenStream::new();
            }
            let bind = self.bind_formula(names);
            match names.get(arg.adjoint_name()).filter(|_| !arg.is_output()) {
                Some(sink) => quote! {{
                    let mut #sink = #sinks.#slot();
                    if #sink.wants() { #bind #formula; }
                }},
                None => {
                    // Written where the formula stands, for messages about its type.
                    let mut contribution = hidden("contribution");
                    contribution.set_span(contribution.span().located_at(formula.span()));
                    quote!(if #wants { #bind let #contribution = #formula; #sinks.#slot().add(#contribution); })
                }
            }
        });
        quote! {
            use #krate::rule::{Sink as _, Sinks as _};
            #(#shared)*
            #(#formulas)*
        }
    }

    fn shared_holder(&self, item: &Named) -> Ident {
        hidden(&format!("shared_{}", item.name))
    }

    /// Binds everything that a formula mentions.
    fn bind_formula(&self, names: &Names) -> TokenStream {
        let (values, adjoints) = (self.bind_values(names), self.bind_adjoints(names));
        let shared = self.options.shared.iter().filter_map(|item| {
            let (name, holder) = (names.get(&item.name)?, self.shared_holder(item));
            let some = if item.by_ref { quote!(&#holder) } else { quote!(::core::clone::Clone::clone(&#holder)) };
            Some(quote!(let ::core::option::Option::Some(#name) = #some else { ::core::unreachable!() };))
        });
        quote!(#adjoints #values #(#shared)*)
    }

    /// The body once more, for the adjoint of the result instead of the argument.
    fn linear_adjoint(&self, arg: &Argument) -> TokenStream {
        let krate = &self.krate;
        let (sinks, r_b, contribution) = (hidden("sinks"), hidden("r_b"), hidden("contribution"));
        let (name, mutable, kind, out) = (&arg.ident, &arg.mutable, &arg.ty, self.out());
        let passives = self.bind_passives(None);
        let value = quote!(#krate::kind::Val<#kind>);
        let body = self.body(&value);
        let bind = match arg.by_ref {
            true => {
                quote!(let #name: &#krate::kind::Val<#out> = ::core::borrow::Borrow::borrow(&#r_b);)
            }
            false => quote!(let #mutable #name = ::core::clone::Clone::clone(&#r_b);),
        };
        quote! {
            if #sinks.a().wants() {
                let #contribution: #value = { #passives #bind #body };
                #sinks.a().add(#contribution);
            }
        }
    }

    fn elementwise_rule(&self) -> TokenStream {
        let (krate, op, cfgs) = (&self.krate, self.op_type(), &self.cfgs);
        let Some(lane) = self.generics.type_params().next().map(|t| &t.ident) else {
            return TokenStream::new();
        };
        let inputs: Vec<_> = self.inputs().collect();
        let (n, reads) = (inputs.len(), self.all_reads());
        let passives = self.bind_passives(None);
        let names: Vec<_> = inputs.iter().map(|a| &a.ident).collect();
        let mutables: Vec<_> = inputs.iter().map(|a| a.mutable).collect();
        let mut flows: Vec<_> = inputs
            .iter()
            .map(|a| self.formula(a).is_none_or(|f| !is_zero(f)))
            .collect();
        flows.resize(3, false);
        let body = self.body(&quote!(#lane));
        let (x, r, r_b, i) = (hidden("x"), hidden("r"), hidden("r_b"), hidden("i"));
        let formulas = inputs.iter().map(|arg| {
            let Some(formula) = self.formula(arg) else {
                let (name, mutable) = (&arg.ident, &arg.mutable);
                return quote!({ #passives let #mutable #name = #r_b; #body });
            };
            if is_zero(formula) {
                return quote!(#krate::rule::Lane::splat(#r_b, 0.0));
            }
            let bind = |names: &Names| {
                let args = inputs.iter().enumerate().filter_map(|(k, a)| {
                    let name = names.get(&a.ident)?;
                    Some(quote!(let #name = #x[#k];))
                });
                let r = names.get("r").map(|name| quote!(let #name = #r;));
                let r_b = names.get("r_b").map(|name| quote!(let #name = #r_b;));
                let passives = self.bind_passives(Some(names));
                quote!(#(#args)* #r #r_b #passives)
            };
            let names = Names::of(formula);
            let shared = reached(&self.options.shared, &names)
                .into_iter()
                .map(|item| {
                    let (name, expr) = (&item.name, &item.expr);
                    let bind = bind(&Names::of(expr));
                    quote!(let #name = { #bind #expr };)
                });
            let bind = bind(&names);
            quote!({ #(#shared)* #bind #formula })
        });
        let arms = formulas
            .enumerate()
            .map(|(k, formula)| quote!(#k => #formula,));
        quote! {
            #(#cfgs)*
            #[allow(clippy::all)]
            impl #krate::rule::Elementwise<#n> for #op {
                const READS: [u8; 3] = #reads;
                const FLOWS: [bool; 3] = [#(#flows),*];
                #[inline(always)]
                fn primal<#lane: #krate::rule::Lane>(&self, [#(#mutables #names),*]: [#lane; #n]) -> #lane { #passives #body }
                #[inline(always)]
                #[allow(unused_variables)]
                fn adjoint<#lane: #krate::rule::Lane>(&self, #i: usize, #x: [#lane; #n], #r: #lane, #r_b: #lane) -> #lane {
                    match #i { #(#arms)* _ => ::core::unreachable!() }
                }
            }
        }
    }
}

/// What a rule saves.
struct Options {
    saved_types: TokenStream,
    saves_result: Option<TokenStream>,
}

/// Types that are known to be `Copy`, so that the operation is, too.
fn is_copy(ty: &Type) -> bool {
    const PRIMITIVES: [&str; 16] = [
        "f64", "f32", "bool", "char", "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8",
        "i16", "i32", "i64", "i128",
    ];
    match ty {
        Type::Path(p) => p
            .path
            .get_ident()
            .is_some_and(|i| PRIMITIVES.iter().any(|k| i == k)),
        Type::Tuple(t) => t.elems.iter().all(is_copy),
        Type::Array(a) => is_copy(&a.elem),
        Type::Paren(p) => is_copy(&p.elem),
        _ => false,
    }
}

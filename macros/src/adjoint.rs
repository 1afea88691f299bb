use crate::{
    model::{Argument, Operation, Role, reached},
    names::Names,
    options::Named,
    rule::{hidden, is_zero},
};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, spanned::Spanned};

impl Operation {
    /// `incoming` is the adjoint of the result.
    pub(crate) fn adjoint(&self, incoming: &Ident) -> TokenStream {
        let (r_b, both) = (hidden("r_b"), self.adjoint_of_both());
        match self.moving_adjoint(incoming) {
            Some(adjoint) => adjoint,
            None => {
                let formulas = self.adjoint_of_first(usize::MAX);
                quote!(let #r_b = #incoming.get(); #both #formulas)
            }
        }
    }

    fn moving_adjoint(&self, incoming: &Ident) -> Option<TokenStream> {
        self.options.moves.as_ref()?;
        let (last, slot) = self.slotted().last()?;
        let (formula, names) = (last.formula()?, self.names_of(last));
        let (krate, sinks) = (&self.krate, hidden("sinks"));
        let (r_b, owned) = (hidden("r_b"), hidden("owned"));
        let contribution = hidden("contribution");
        let others = self.adjoint_of_first(self.inputs().count() - 1);
        let values = self.bind_values(&names);
        let bind = names.get("r_b").map(|name| quote!(let #name = #owned;));
        let lent = self.bind_adjoints(&names);
        Some(quote! {
            {
                let #r_b = #incoming.get();
                #others
            }
            use #krate::rule::{Sink as _, Sinks as _};
            if #sinks.#slot().wants() {
                #values
                match #incoming.take() {
                    ::core::result::Result::Ok(#owned) => {
                        #bind
                        let #contribution = #formula;
                        #sinks.#slot().add(#contribution);
                    }
                    ::core::result::Result::Err(#incoming) => {
                        let #r_b = #incoming.get();
                        #lent
                        let #contribution = #formula;
                        #sinks.#slot().add(#contribution);
                    }
                }
            }
        })
    }

    fn adjoint_of_both(&self) -> Option<TokenStream> {
        let (_, formula) = self.options.same.as_ref()?;
        let bind = self.bind_formula(&Names::of(formula));
        let (krate, sinks, sum) = (&self.krate, hidden("sinks"), hidden("sum"));
        let [a, ..] = &self.kinds();
        Some(quote! {
            if let ::core::option::Option::Some(mut #sinks) = #krate::rule::Sinks::both(&mut #sinks) {
                let #sum: #krate::kind::Val<#a> = { #bind #formula };
                #krate::rule::Sink::add(&mut #sinks, #sum);
                return;
            }
        })
    }

    fn adjoint_of_first(&self, count: usize) -> TokenStream {
        let krate = &self.krate;
        let names: Vec<(&Argument, Names)> = self
            .inputs()
            .take(count)
            .map(|a| (a, self.names_of(a)))
            .collect();

        let shared = self.compute_shared(&names, |_| None);

        let formulas = names.iter().map(|(arg, names)| {
            let Some(formula) = arg.formula() else {
                return self.linear_adjoint(arg);
            };
            if is_zero(formula) {
                return TokenStream::new();
            }
            self.add_formula(
                arg,
                formula,
                names,
                &self.wants(arg),
                &self.bind_formula(names),
            )
        });
        quote! {
            use #krate::rule::{Sink as _, Sinks as _};
            #(#shared)*
            #(#formulas)*
        }
    }

    /// Adds the result of a formula to its argument's sink, unless the formula does so.
    pub(crate) fn add_formula(
        &self,
        arg: &Argument,
        formula: &Expr,
        names: &Names,
        wants: &TokenStream,
        bind: &TokenStream,
    ) -> TokenStream {
        let (sinks, slot) = (hidden("sinks"), self.slot(arg));
        match names.get(arg.adjoint_name()).filter(|_| !arg.is_output()) {
            // A variable with the sink's name makes a lost value a type error.
            Some(sink) => {
                let nothing = quote_spanned!(formula.span()=> ());
                quote! {
                    if #wants {
                        let mut #sink = #sinks.#slot();
                        #bind
                        #[allow(clippy::let_unit_value)]
                        let #nothing = #formula;
                    }
                }
            }
            None => {
                // The span of the formula, for messages about its type.
                let mut contribution = hidden("contribution");
                contribution.set_span(contribution.span().located_at(formula.span()));
                quote! {
                    if #wants {
                        #bind
                        let #contribution = #formula;
                        #sinks.#slot().add(#contribution);
                    }
                }
            }
        }
    }

    /// `more` binds additional names, and states when shared intermediates are available.
    pub(crate) fn compute_shared(
        &self,
        formulas: &[(&Argument, Names)],
        more: impl Fn(&Names) -> Option<(TokenStream, TokenStream)>,
    ) -> Vec<TokenStream> {
        let mut shared = Vec::new();
        for item in &self.options.shared {
            let users = formulas.iter().filter(|(_, n)| {
                reached(&self.options.shared, n)
                    .iter()
                    .any(|s| s.name == item.name)
            });
            let users: Vec<_> = users.map(|(a, _)| self.wants(a)).collect();
            if users.is_empty() {
                continue;
            }
            let (holder, expr) = (self.shared_holder(item), &item.expr);
            let inner = Names::of(expr);
            let bind = self.bind_formula(&inner);
            let (more, there) = more(&inner).unzip();
            let there = there.map(|there| quote!(&& (#there)));
            shared.push(quote!(let #holder = if (#(#users)||*) #there { #bind #more ::core::option::Option::Some(#expr) } else { ::core::option::Option::None };));
        }
        shared
    }

    fn shared_holder(&self, item: &Named) -> Ident {
        hidden(&format!("shared_{}", item.name))
    }

    pub(crate) fn bind_formula(&self, names: &Names) -> TokenStream {
        let (values, adjoints) = (self.bind_values(names), self.bind_adjoints(names));
        let shared = self.options.shared.iter().filter_map(|item| {
            let (name, holder) = (names.get(&item.name)?, self.shared_holder(item));
            let some = if item.by_ref { quote!(&#holder) } else { quote!(::core::clone::Clone::clone(&#holder)) };
            Some(quote!(let ::core::option::Option::Some(#name) = #some else { ::core::unreachable!() };))
        });
        quote!(#adjoints #values #(#shared)*)
    }

    fn linear_adjoint(&self, arg: &Argument) -> TokenStream {
        let krate = &self.krate;
        let (sinks, r_b, contribution) = (hidden("sinks"), hidden("r_b"), hidden("contribution"));
        let (name, mutable, kind, out) = (&arg.ident, &arg.mutable, &arg.ty, self.out());
        let passives = self.bind_passives(None);
        let saved = self.bind_saved(&Names::of_block(&self.body));
        let value = quote!(#krate::kind::Val<#kind>);
        let body = self.body(&value);
        let bind = match arg.by_ref {
            true => self.by_reference(name, &out, &r_b),
            false => quote!(let #mutable #name = ::core::clone::Clone::clone(&#r_b);),
        };
        quote! {
            if #sinks.a().wants() {
                let #contribution: #value = { #passives #saved #bind #body };
                #sinks.a().add(#contribution);
            }
        }
    }

    pub(crate) fn by_reference(
        &self,
        name: &Ident,
        kind: &TokenStream,
        held: &Ident,
    ) -> TokenStream {
        let krate = &self.krate;
        quote!(let #name: &#krate::kind::Val<#kind> =
            <<#kind as #krate::kind::Kind>::Policy as #krate::kind::Policy<_>>::value(&#held);)
    }

    /// `None` binds all passive parameters.
    pub(crate) fn bind_passives(&self, names: Option<&Names>) -> TokenStream {
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

    pub(crate) fn bind_values(&self, names: &Names) -> TokenStream {
        let primals = hidden("primals");
        let mut binds = vec![self.bind_passives(Some(names))];
        for (arg, slot) in self.slotted() {
            let Some(name) = names.get(&arg.ident) else {
                continue;
            };
            let (ty, held) = (&arg.ty, hidden(&format!("held_{slot}")));
            binds.push(match arg.by_ref {
                false => quote!(let #name = #primals.#slot();),
                true => {
                    let bind = self.by_reference(&name, &quote!(#ty), &held);
                    quote!(let #held = #primals.#slot(); #bind)
                }
            });
        }
        binds.push(self.bind_saved(names));
        binds.push(self.bind_results(names, &quote!(#primals.r())));
        quote!(#(#binds)*)
    }

    fn bind_saved(&self, names: &Names) -> TokenStream {
        let (saved, mut binds) = (hidden("saved"), Vec::new());
        for (i, item) in self.options.save.iter().enumerate() {
            if let Some(name) = names.get(&item.name) {
                let i = syn::Index::from(i);
                let rest = self.options.save_result.as_ref().map(|_| quote!(1.));
                binds.push(match item.by_ref {
                    true => quote!(let #name = &#saved.#rest #i;),
                    false => quote!(let #name = ::core::clone::Clone::clone(&#saved.#rest #i);),
                });
            }
        }
        quote!(#(#binds)*)
    }

    pub(crate) fn bind_results(&self, names: &Names, whole: &TokenStream) -> TokenStream {
        let single = self.out_kinds().len() == 1;
        let first = usize::from(self.result.is_some());
        let result = self.result.iter();
        let r = names.get("r").map(|r| {
            let part = self.part(whole, 0, !single && first == 1);
            match self.result_by_ref {
                false => quote!(let #r = #part;),
                true => {
                    let held = hidden("held_r");
                    let bind = self.by_reference(&r, &quote!(#(#result)*), &held);
                    quote!(let #held = #part; #bind)
                }
            }
        });
        let outputs = self.outputs().enumerate().filter_map(|(i, arg)| {
            let Role::Out { .. } = arg.role else {
                return None;
            };
            let (name, part) = (names.get(&arg.ident)?, self.part(whole, first + i, !single));
            Some(quote!(let #name = #part;))
        });
        quote!(#r #(#outputs)*)
    }

    pub(crate) fn reads_result(&self, names: &Names) -> bool {
        let mut outputs = self
            .args
            .iter()
            .filter(|a| matches!(a.role, Role::Out { .. }));
        names.has("r") || outputs.any(|a| names.has(&a.ident))
    }

    pub(crate) fn part(&self, whole: &TokenStream, i: usize, tuple: bool) -> TokenStream {
        if !tuple {
            return whole.clone();
        }
        let (krate, kind, i) = (&self.krate, self.out_kinds()[i], syn::Index::from(i));
        quote!(#krate::kind::arg::<#kind>(&#whole.#i))
    }

    pub(crate) fn bind_adjoints(&self, names: &Names) -> TokenStream {
        let r_b = hidden("r_b");
        let single = self.out_kinds().len() == 1;
        let first = usize::from(self.result.is_some());
        let whole = quote!(::core::clone::Clone::clone(&#r_b));
        let mut binds = Vec::new();
        if let Some(name) = names.get("r_b") {
            let part = self.part(&whole, 0, !single && first == 1);
            binds.push(match &self.result {
                Some(ty) if self.result_by_ref => {
                    let held = hidden("held_r_b");
                    let bind = self.by_reference(&name, &quote!(#ty), &held);
                    quote!(let #held = #part; #bind)
                }
                _ => quote!(let #name = #part;),
            });
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
}

use crate::{
    errors::Errors,
    model::{Argument, Operation, reached},
    names::Names,
    options::{Formulas, Options},
    rule::{hidden, is_zero},
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Expr;

fn tangent_of(name: &Ident) -> Ident {
    format_ident!("{name}_t")
}
fn optional_tangent_of(name: &Ident) -> Ident {
    format_ident!("some_{name}_t")
}

impl Operation {
    pub(crate) fn tangents(&self) -> TokenStream {
        let krate = &self.krate;
        let (options, linear) = (&self.options, self.options.linear.is_some());
        let bilinear = options.bilinear.as_ref();
        let [derived, primals, saved] = ["tangent", "primals", "saved"].map(hidden);
        let push = match &options.tangent {
            Some(formulas) => self.terms(formulas),
            None if linear => quote!(#krate::rule::linear_tangent(self, #derived)),
            None if bilinear.is_some() => {
                quote!(#krate::rule::bilinear_tangent(self, #primals, #derived))
            }
            None => return TokenStream::new(),
        };
        let pull = match &options.second {
            Some(formulas) => Some(self.second_body(formulas, true)),
            None => bilinear.map(|_| {
                let (incoming, sinks) = (hidden("incoming"), hidden("sinks"));
                quote!(#krate::rule::bilinear_second(self, #saved, #derived, #incoming, #sinks))
            }),
        };
        let interacts = match linear {
            true => Some(quote!([0, 0, 0])),
            false => bilinear.map(|_| quote!([#krate::rule::B, #krate::rule::A, 0])),
        };
        let interacts = interacts.map(|bits| quote!(const INTERACTS: [u8; 3] = #bits;));
        let order = match (&options.order, &pull) {
            (Some(order), _) => quote!(#order),
            (None, None) if !linear => quote!(#krate::rule::Order::Tangent),
            _ => quote!(#krate::rule::Order::Second),
        };
        let pull = pull.map(|pull| self.tangent_method("adjoint_tangent", &pull));
        let along = options.along.as_ref().map(|formulas| {
            self.tangent_method("directional_adjoint", &self.second_body(formulas, false))
        });
        let marks = options.marks.as_ref().map(|_| {
            quote!(
                const MARKS: bool = true;
            )
        });
        let ([a, b, c], out) = (&self.kinds(), self.out());
        quote! {
            #interacts
            #marks
            const ORDER: #krate::rule::Order = #order;
            #[allow(unused_variables)]
            fn tangent(
                &self,
                #primals: #krate::rule::Primals<'_, #a, #b, #c, #out>,
                #saved: &Self::Saved,
                #derived: #krate::rule::ArgumentTangent<'_, #a, #b, #c>,
            ) -> ::core::option::Option<#krate::kind::Val<#out>> { #push }
            #pull
            #along
        }
    }
    fn tangent_method(&self, name: &str, body: &TokenStream) -> TokenStream {
        let (krate, [a, b, c], out) = (&self.krate, &self.kinds(), self.out());
        let [primals, saved, derived] = ["primals", "saved", "tangent"].map(hidden);
        let [r_t, incoming, sinks] = ["r_t", "incoming", "sinks"].map(hidden);
        let name = format_ident!("{name}");
        quote! {
            #[allow(unused_variables, unused_mut, clippy::needless_late_init)]
            fn #name(
                &self,
                #primals: #krate::rule::Primals<'_, #a, #b, #c, #out>,
                #saved: &Self::Saved,
                #derived: #krate::rule::ArgumentTangent<'_, #a, #b, #c>,
                #r_t: ::core::option::Option<&#krate::kind::Val<#out>>,
                #incoming: #krate::kind::Incoming<'_, #out>,
                mut #sinks: impl #krate::rule::Sinks<#a, #b, #c>,
            ) { #body }
        }
    }
    fn second_body(&self, formulas: &Formulas, moved: bool) -> TokenStream {
        let (incoming, r_b, derived) = (hidden("incoming"), hidden("r_b"), hidden("tangent"));
        let (primals, saved, sinks) = (hidden("primals"), hidden("saved"), hidden("sinks"));
        let (krate, [a, b, c]) = (&self.krate, &self.kinds());
        // Without a direction the adjoint is the ordinary one.
        let rests = (!moved).then(|| {
            quote! {
                if #derived.a.is_none() && #derived.b.is_none() && #derived.c.is_none() {
                    return <Self as #krate::rule::Rule<#a, #b, #c>>::adjoint(self, #primals, #saved, #incoming, #sinks);
                }
            }
        });
        let (beyond, formulas) = (
            self.reads_too_much(formulas),
            self.second_formulas(formulas, moved),
        );
        quote!(#beyond #rests let #r_b = #incoming.get(); #formulas)
    }

    /// Rejects formulas that read values that adjoints do not store.
    fn reads_too_much(&self, formulas: &Formulas) -> TokenStream {
        let adjoints = self.inputs().flat_map(|a| self.read_by(&self.names_of(a)));
        let kept: Vec<Ident> = adjoints.map(|(bit, _)| bit).collect();
        let beyond = formulas.each.iter().flat_map(|named| {
            let reads = self.read_by(&Names::of(&named.expr)).into_iter();
            reads.filter(|(bit, _)| !kept.contains(bit)).map(|(_, name)| {
                let name = name.unwrap_or_else(|| named.name.clone());
                let message = format!(
                    "the adjoint formulas do not read `{name}`, so it is not available here: compute it from the values that they read, or save it with `save(..)`"
                );
                syn::Error::new(name.span(), message).to_compile_error()
            })
        });
        beyond.collect()
    }

    fn terms(&self, formulas: &Formulas) -> TokenStream {
        let (krate, out) = (&self.krate, self.out());
        let (derived, terms) = (hidden("tangent"), hidden("terms"));
        let each = self.slotted().filter_map(|(arg, slot)| {
            let formula = formulas.of(&arg.ident).filter(|f| !is_zero(f))?;
            let (names, kind) = (Names::of(formula), &arg.ty);
            let bind = self.bind_values(&names);
            let held = hidden("held_t");
            let own = names
                .get(tangent_of(&arg.ident))
                .map(|name| self.bind_direction(&name, &kind.to_token_stream(), &held, arg.by_ref));
            let one_sided = bind_one_sided(&names);
            Some(quote! {
                if let ::core::option::Option::Some(#held) = #derived.#slot {
                    #bind #own #one_sided
                    #terms.add(#formula);
                }
            })
        });
        quote! {
            let mut #terms = #krate::rule::Terms::<#out>::default();
            #(#each)*
            #terms.sum()
        }
    }

    /// If `moved`, contributions are linear in the tangents, and need one.
    fn second_formulas(&self, formulas: &Formulas, moved: bool) -> TokenStream {
        let krate = &self.krate;
        let given = self.inputs().filter_map(|arg| {
            let formula = formulas.of(&arg.ident).filter(|f| !is_zero(f))?;
            Some((arg, formula))
        });
        let given: Vec<(&Argument, &Expr)> = given.collect();
        let names: Vec<_> = given.iter().map(|(a, f)| (*a, Names::of(f))).collect();
        let (derived, r_t) = (hidden("tangent"), hidden("r_t"));
        let any = quote!(#derived.a.is_some() || #derived.b.is_some() || #derived.c.is_some() || #r_t.is_some());
        let shared = self.compute_shared(&names, |names| {
            Some((self.bind_tangents(names), any.clone()))
        });
        let each = given
            .iter()
            .zip(&names)
            .map(|((arg, formula), (_, names))| {
                let mut all = vec![names.clone()];
                let reached = reached(&self.options.shared, names);
                all.extend(reached.iter().map(|item| Names::of(&item.expr)));
                let moves = self.any_tangent(&all).filter(|_| moved);
                let wants = self.wants(arg);
                let wants = quote!(#wants #moves);
                let (bind, tangents) = (self.bind_formula(names), self.bind_tangents(names));
                self.add_formula(arg, formula, names, &wants, &quote!(#bind #tangents))
            });
        quote! {
            use #krate::rule::{Sink as _, Sinks as _};
            #(#shared)*
            #(#each)*
        }
    }

    fn any_tangent(&self, names: &[Names]) -> Option<TokenStream> {
        let (derived, r_t) = (hidden("tangent"), hidden("r_t"));
        let arguments = self.slotted().filter_map(|(arg, slot)| {
            let of = [tangent_of(&arg.ident), optional_tangent_of(&arg.ident)];
            let has = |names: &Names| of.iter().any(|name| names.has(name));
            names
                .iter()
                .any(has)
                .then(|| quote!(#derived.#slot.is_some()))
        });
        let mut any: Vec<_> = arguments.collect();
        if names.iter().any(|names| names.has("r_t")) {
            any.push(quote!(#r_t.is_some()));
        }
        (!any.is_empty()).then(|| quote!(&& (#(#any)||*)))
    }
    /// Binds a tangent, or a zero if it is not given.
    fn bind_tangent(
        &self,
        name: &Ident,
        kind: &TokenStream,
        given: &TokenStream,
        slot: &Ident,
        by_ref: bool,
    ) -> TokenStream {
        let (krate, primals) = (&self.krate, hidden("primals"));
        let [zero, held] = ["zero", "held_t"].map(|of| hidden(&format!("{of}_{slot}")));
        let bind = self.bind_direction(name, kind, &held, by_ref);
        quote! {
            let #zero;
            let #held: &#krate::kind::Val<#kind> = match #given {
                ::core::option::Option::Some(#held) => #held,
                ::core::option::Option::None => {
                    let #held = #primals.#slot();
                    #zero = <#kind as #krate::kind::Kind>::zero_like(
                        <<#kind as #krate::kind::Kind>::Policy as #krate::kind::Policy<_>>::value(&#held));
                    &#zero
                }
            };
            #bind
        }
    }
    fn bind_direction(
        &self,
        name: &Ident,
        kind: &TokenStream,
        held: &Ident,
        by_ref: bool,
    ) -> TokenStream {
        let krate = &self.krate;
        match by_ref {
            true => quote!(let #name: &#krate::kind::Val<#kind> = #held;),
            false => quote!(let #name = #krate::kind::arg::<#kind>(#held);),
        }
    }
    fn bind_tangents(&self, names: &Names) -> TokenStream {
        let (derived, r_t) = (hidden("tangent"), hidden("r_t"));
        let arguments = self.slotted().filter_map(|(arg, slot)| {
            let (name, kind) = (names.get(tangent_of(&arg.ident))?, &arg.ty);
            // The usual name may be the content of the option.
            if names.has(optional_tangent_of(&arg.ident)) {
                return None;
            }
            let given = quote!(#derived.#slot);
            Some(self.bind_tangent(&name, &quote!(#kind), &given, &slot, arg.by_ref))
        });
        // `some_a_t` remains an `Option`.
        let optional = self.slotted().filter_map(|(arg, slot)| {
            let name = names.get(optional_tangent_of(&arg.ident))?;
            Some(quote!(let #name = #derived.#slot;))
        });
        let result = names.get("r_t").map(|name| {
            let r = format_ident!("r");
            self.bind_tangent(&name, &self.out(), &quote!(#r_t), &r, self.result_by_ref)
        });
        let one_sided = bind_one_sided(names);
        quote!(#(#arguments)* #(#optional)* #result #one_sided)
    }
}

fn bind_one_sided(names: &Names) -> Option<TokenStream> {
    let (name, derived) = (names.get("one_sided")?, hidden("tangent"));
    Some(quote!(let #name = #derived.one_sided;))
}

pub(crate) fn check_tangents(inputs: &[&Argument], options: &Options, errors: &mut Errors) {
    if let (Some(bilinear), true) = (&options.bilinear, inputs.len() != 2) {
        errors.at(bilinear, "`bilinear` is only for operations that are linear in each of two arguments: write `tangent(..)` and `second(..)` instead");
    }
    if let (Some(second), None) = (&options.second, &options.tangent) {
        errors.at(
            &second.key,
            "`second(..)` needs the tangents of the operation: add `tangent(..)`",
        );
    }
    if let (Some(along), None) = (&options.along, &options.second) {
        errors.at(
            &along.key,
            "`along(..)` is a part of the second derivative: add `second(..)`",
        );
    }
    let all = [&options.tangent, &options.second, &options.along];
    for formulas in all.into_iter().flatten() {
        for formula in &formulas.each {
            if !inputs.iter().any(|arg| arg.ident == formula.name) {
                errors.at(
                    &formula.name,
                    "no differentiable argument has this name: remove or rename the formula",
                );
            }
        }
        for arg in inputs {
            let flows = !arg.formula().is_some_and(is_zero);
            if flows && formulas.of(&arg.ident).is_none() {
                let message = format!(
                    "`{}(..)` lacks a formula for the argument `{}`: add one, or write `{{}}` if it adds nothing",
                    formulas.key, arg.ident
                );
                errors.at(&formulas.key, message);
            }
        }
    }
}

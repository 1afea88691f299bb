use crate::{
    model::{Argument, Operation, Role, reached},
    names::{Names, leaves_early},
    options::Named,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Expr;

/// A local variable that formulas cannot see.
pub(crate) fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The names of the arguments in rules.
pub(crate) fn slots() -> [Ident; 3] {
    ["a", "b", "c"].map(|slot| format_ident!("{slot}"))
}

pub(crate) fn is_zero(formula: &Expr) -> bool {
    matches!(formula, Expr::Block(b) if b.block.stmts.is_empty())
}

impl Operation {
    /// The differentiable arguments and their names in rules.
    pub(crate) fn slotted(&self) -> impl Iterator<Item = (&Argument, Ident)> {
        self.inputs().zip(slots())
    }
    /// Whether an adjoint is asked for.
    pub(crate) fn wants(&self, arg: &Argument) -> TokenStream {
        let (sinks, slot) = (hidden("sinks"), self.slot(arg));
        quote!(#sinks.#slot().wants())
    }
    pub(crate) fn slot(&self, arg: &Argument) -> Ident {
        let mut slotted = self.slotted().filter(|(a, _)| a.ident == arg.ident);
        slotted
            .next()
            .map_or_else(|| format_ident!("a"), |(_, slot)| slot)
    }
    /// A value for each of the three arguments of a rule.
    pub(crate) fn each_of_three<T: Clone>(&self, of: impl Fn(&Argument) -> T, none: T) -> [T; 3] {
        let mut each = self.inputs().map(of);
        [(); 3].map(|()| each.next().unwrap_or_else(|| none.clone()))
    }

    /// The operands `a`, `b`, `c`, `r` that a formula reads, also through shared intermediates, and their names.
    pub(crate) fn read_by(&self, names: &Names) -> Vec<(Ident, Option<Ident>)> {
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
            .map(|(a, bit)| (bit, names.get(&a.ident)))
            .collect();
        if all.iter().any(|names| self.reads_result(names)) {
            reads.push((format_ident!("R"), names.get("r")));
        }
        reads
    }
    fn reads(&self, names: &Names) -> TokenStream {
        let krate = &self.krate;
        let reads = self.read_by(names).into_iter().map(|(bit, _)| bit);
        quote!(0 #(| #krate::rule::#reads)*)
    }

    pub(crate) fn names_of(&self, arg: &Argument) -> Names {
        match arg.formula() {
            Some(formula) if is_zero(formula) => Names::default(),
            Some(formula) => Names::of(formula),
            None => Names::default(),
        }
    }

    pub(crate) fn all_reads(&self) -> TokenStream {
        let reads = self.each_of_three(|a| self.reads(&self.names_of(a)), quote!(0));
        quote!([#(#reads),*])
    }

    pub(crate) fn flows(&self, others: bool) -> TokenStream {
        let flows = self.each_of_three(|a| !a.formula().is_some_and(is_zero), others);
        quote!([#(#flows),*])
    }

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

    pub(crate) fn body(&self, out: &TokenStream) -> TokenStream {
        // Braces would be reported as unneeded.
        let (body, run, statements) = (&self.body, hidden("run"), &self.body.stmts);
        match leaves_early(body) {
            false => quote!(#(#statements)*),
            true => quote!({ let mut #run = || -> #out #body; #run() }),
        }
    }

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
        let ret = match &self.error {
            Some(error) => quote!(::core::result::Result<#ret, #error>),
            None => ret,
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
        let failed = self.error.as_ref().map(|_| {
            let error = hidden("error");
            quote! {
                let #value = match #value {
                    ::core::result::Result::Ok(#value) => #value,
                    ::core::result::Result::Err(#error) => return ::core::result::Result::Err(#error),
                };
            }
        });
        let run = quote!(#(#places)* #bind { #(#refs)* #body }; #failed);
        let mut all: Vec<_> = self.result.iter().map(|_| quote!(#value)).collect();
        all.extend(parts);
        let all = match all.as_slice() {
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        };
        (run, all)
    }

    fn kind_rule(&self) -> TokenStream {
        let (krate, op, cfgs, allows) = (&self.krate, self.op_type(), &self.cfgs, &self.allows);
        let (impl_generics, _, where_clause) = self.generics.split_for_impl();
        let kinds = self.kinds();
        let [a, b, c] = &kinds;
        let (out, reads, flows) = (self.out(), self.all_reads(), self.flows(true));
        let saved_types = self.saved_types();
        let (r_b, sinks) = (hidden("incoming"), hidden("sinks"));
        let (primal, adjoint, inline) = (self.primal(), self.adjoint(&r_b), self.inline());
        let pattern = |arg: &Argument| {
            let (mutable, name) = (if arg.is_output() { None } else { arg.mutable }, &arg.ident);
            quote!(#[allow(unused_variables)] #mutable #name)
        };
        let patterns = self.each_of_three(pattern, quote!(_));
        let (primals, saved) = (hidden("primals"), hidden("saved"));
        let (into, tangents) = (self.destination(), self.tangents());
        let (names, primal, fallible) = match self.fallible_rule(&patterns, &primal) {
            None => (patterns.clone(), primal, None),
            Some((names, primal, fallible)) => (names, primal, Some(fallible)),
        };
        let [xa, xb, xc] = &names;
        let evaluation = match into {
            Some(_) => quote!(IntoDestination),
            None => quote!(Whole),
        };
        quote! {
            #(#cfgs)*
            #(#allows)*
            impl #impl_generics #krate::rule::Rule<#a, #b, #c> for #op #where_clause {
                type Out = #out;
                type Saved = #saved_types;
                type Evaluation = #krate::eval::#evaluation;
                const READS: [u8; 3] = #reads;
                const FLOWS: [bool; 3] = #flows;
                #inline
                fn primal<'p>(
                    &self,
                    #xa: #krate::kind::Arg<'p, #a>,
                    #xb: #krate::kind::Arg<'p, #b>,
                    #xc: #krate::kind::Arg<'p, #c>,
                ) -> (#krate::kind::Val<#out>, Self::Saved) { #primal }
                #inline
                #[allow(unused_variables, unused_mut)]
                fn adjoint(
                    &self,
                    #primals: #krate::rule::Primals<'_, #a, #b, #c, #out>,
                    #saved: &Self::Saved,
                    #r_b: #krate::kind::Incoming<'_, #out>,
                    mut #sinks: impl #krate::rule::Sinks<#a, #b, #c>,
                ) { #adjoint }
                #tangents
            }
            #fallible
            #into
        }
    }

    /// The implementation of `TryRule`, and the arguments and the body of a primal that calls it.
    fn fallible_rule(
        &self,
        [pa, pb, pc]: &[TokenStream; 3],
        primal: &TokenStream,
    ) -> Option<([TokenStream; 3], TokenStream, TokenStream)> {
        let (error, krate, op, out) = (
            self.error.as_ref()?,
            &self.krate,
            self.op_type(),
            self.out(),
        );
        let (cfgs, allows, inline) = (&self.cfgs, &self.allows, self.inline());
        let (impl_generics, _, where_clause) = self.generics.split_for_impl();
        let [a, b, c] = &self.kinds();
        let names = [0, 1, 2].map(|i| hidden(&format!("argument_{i}")).into_token_stream());
        let [xa, xb, xc] = &names;
        let fallible = quote! {
            #(#cfgs)*
            #(#allows)*
            impl #impl_generics #krate::rule::TryRule<#a, #b, #c> for #op #where_clause {
                type Error = #error;
                #inline
                fn try_primal<'p>(
                    &self,
                    #pa: #krate::kind::Arg<'p, #a>,
                    #pb: #krate::kind::Arg<'p, #b>,
                    #pc: #krate::kind::Arg<'p, #c>,
                ) -> ::core::result::Result<(#krate::kind::Val<#out>, Self::Saved), #error> { #primal }
            }
        };
        let primal = quote!(#krate::rule::succeeded::<Self, #a, #b, #c>(self, #xa, #xb, #xc));
        Some((names, primal, fallible))
    }

    fn destination(&self) -> Option<TokenStream> {
        let Named { name, expr, .. } = self.options.into.as_ref()?;
        let (krate, out, kinds) = (&self.krate, self.out(), self.kinds());
        let [a, b, c] = &kinds;
        let [pa, pb, pc] = self.each_of_three(|arg| arg.ident.to_token_stream(), quote!(_));
        let (passives, body) = (self.bind_passives(None), &self.body.stmts);
        let (op, cfgs, allows) = (self.op_type(), &self.cfgs, &self.allows);
        let (impl_generics, _, where_clause) = self.generics.split_for_impl();
        let saves = self.options.save.iter().enumerate();
        let (saves, saved): (Vec<_>, Vec<_>) =
            saves.map(|(i, item)| bind_saved(i, item, None)).unzip();
        let saved = tuple(&saved);
        Some(quote! {
            #(#cfgs)*
            #(#allows)*
            impl #impl_generics #krate::rule::DestinationRule<#a, #b, #c> for #op #where_clause {
            #[inline(always)]
            #[allow(unused_variables)]
            fn begin(
                &self,
                #pa: #krate::kind::Shape<#a>,
                #pb: #krate::kind::Shape<#b>,
                #pc: #krate::kind::Shape<#c>,
            ) -> (#krate::kind::Shape<#out>, Self::Saved) {
                #passives
                #(#saves)*
                (#expr, #saved)
            }
            #[inline(always)]
            #[allow(unused_variables, unused_mut)]
            fn evaluate_into(
                &self,
                #pa: impl #krate::node::Produce<#a>,
                #pb: impl #krate::node::Produce<#b>,
                #pc: impl #krate::node::Produce<#c>,
                #name: &mut #krate::node::Destination<'_, #out>,
            ) {
                use #krate::node::{Evaluated as _, Produce as _};
                #passives
                #(#body)*
            }
            }
        })
    }

    fn saved_types(&self) -> TokenStream {
        let (krate, out) = (&self.krate, self.out());
        let types = self.options.save.iter().map(|s| s.ty.to_token_stream());
        let rest = tuple(&types.collect::<Vec<_>>());
        match self.options.save_result {
            Some(_) => quote!(#krate::rule::WithResult<#out, #rest>),
            None => rest,
        }
    }

    /// Computes saved intermediates before the body, or after it if they read the result.
    fn save_intermediates(&self, result: &Ident) -> (TokenStream, TokenStream) {
        let (krate, out, mut late) = (&self.krate, self.out(), Vec::new());
        let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
        for (i, item) in self.options.save.iter().enumerate() {
            let names = Names::of(&item.expr);
            if self.reads_result(&names) || late.iter().any(|l| names.has(l)) {
                let result = quote!(#krate::kind::arg::<#out>(&#result));
                late.push(&item.name);
                after.extend(bind_saved(i, item, Some(self.bind_results(&names, &result))).0);
            } else {
                before.extend(bind_saved(i, item, None).0);
            }
        }
        (before, after)
    }

    fn primal_of_destination(&self) -> TokenStream {
        let (krate, [a, b, c]) = (&self.krate, &self.kinds());
        let [x, y, z] = self.each_of_three(|arg| arg.ident.to_token_stream(), quote!(()));
        quote!(#krate::eval::whole::<Self, #a, #b, #c>(self, #x, #y, #z))
    }
    fn primal(&self) -> TokenStream {
        let (krate, out) = (&self.krate, self.out());
        if self.options.into.is_some() {
            return self.primal_of_destination();
        }
        let passives = self.bind_passives(None);
        let by_refs = self.inputs().filter(|a| a.by_ref).map(|a| {
            let (name, ty) = (&a.ident, &a.ty);
            let bind = self.by_reference(name, &quote!(#ty), name);
            // As an argument by value, it may be used only by the formulas.
            quote!(#[allow(unused_variables)] #bind)
        });
        let result = hidden("result");
        let (before, after) = self.save_intermediates(&result);
        let old = |arg: &Argument| {
            let (name, ty) = (&arg.ident, &arg.ty);
            match arg.by_ref {
                true => quote!(::core::clone::Clone::clone(#name)),
                false => quote!(::core::clone::Clone::clone(
                    <<#ty as #krate::kind::Kind>::Policy as #krate::kind::Policy<_>>::value(&#name)
                )),
            }
        };
        let (run, all) = self.compute(old, false);
        let first = self.inputs().next();
        let argument = hidden("argument");
        let (keep, compare) = match first.filter(|_| self.options.self_adjoint.is_some()) {
            Some(arg) => {
                let (name, [a, ..]) = (&arg.ident, &self.kinds());
                (
                    quote!(let #argument: #krate::kind::Arg<'_, #a> = ::core::clone::Clone::clone(&#name);),
                    quote!(#krate::rule::assert_same_shape::<Self, #a, #out>(&#argument, &#result);),
                )
            }
            None => Default::default(),
        };
        let parts = (0..self.options.save.len()).map(|i| saved(i).to_token_stream());
        let rest = tuple(&parts.collect::<Vec<_>>());
        let saving = match self.options.save_result {
            Some(_) => quote!(#krate::rule::WithResult::<#out, _>::new(&#result, #rest)),
            None => rest,
        };
        let saved = hidden("saving");
        let both = match self.error {
            None => quote!((#result, #saved)),
            Some(_) => quote!(::core::result::Result::Ok((#result, #saved))),
        };
        quote! {
            #keep #passives #(#by_refs)* #before #run
            let #result: #krate::kind::Val<#out> = #all;
            #compare #after
            let #saved: Self::Saved = #saving;
            #both
        }
    }
}

fn saved(i: usize) -> Ident {
    hidden(&format!("saved_{i}"))
}
/// Binds an item of `save`. `results` binds what it reads of the result.
fn bind_saved(i: usize, item: &Named, results: Option<TokenStream>) -> (TokenStream, TokenStream) {
    let Named {
        name,
        ty,
        expr,
        by_ref,
    } = item;
    let kept = saved(i);
    let value = match results {
        Some(results) => quote!({ #results #expr }),
        None => quote!(#expr),
    };
    let bind = match by_ref {
        true => quote!(&#kept),
        false => quote!(::core::clone::Clone::clone(&#kept)),
    };
    let bind = quote!(let #kept: #ty = #value; #[allow(unused_variables)] let #name = #bind;);
    (bind, kept.to_token_stream())
}
fn tuple(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [] => quote!(()),
        parts => quote!((#(#parts,)*)),
    }
}

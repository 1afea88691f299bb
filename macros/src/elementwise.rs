use crate::{
    model::{Argument, Operation, reached},
    names::Names,
    rule::{hidden, is_zero},
};
use proc_macro2::TokenStream;
use quote::quote;

impl Operation {
    pub(crate) fn elementwise_rule(&self) -> TokenStream {
        let (krate, op, cfgs, allows) = (&self.krate, self.op_type(), &self.cfgs, &self.allows);
        let Some(lane) = self.generics.type_params().next().map(|t| &t.ident) else {
            return TokenStream::new();
        };
        let inputs: Vec<_> = self.inputs().collect();
        let (n, reads) = (inputs.len(), self.all_reads());
        let passives = self.bind_passives(None);
        let names: Vec<_> = inputs.iter().map(|a| &a.ident).collect();
        let mutables: Vec<_> = inputs.iter().map(|a| a.mutable).collect();
        let flows = self.flows(false);
        let body = self.body(&quote!(#lane));
        let [x, r, r_b, i] = ["x", "r", "r_b", "i"].map(hidden);
        let formulas = inputs
            .iter()
            .map(|arg| self.elementwise_adjoint(arg, &body));
        let arms = formulas
            .enumerate()
            .map(|(k, formula)| quote!(#k => #formula,));
        let kinds = (0..3).map(|i| if i < n { quote!(f64) } else { quote!(()) });
        quote! {
            #(#cfgs)*
            #(#allows)*
            impl #krate::elementwise::Elementwise<#n> for #op {
                type Cost = #krate::elementwise::Cheap;
                const FUNCTIONS: ::core::option::Option<&'static #krate::store::Functions> = ::core::option::Option::Some(const {
                    &#krate::store::Functions::of::<Self, #(#kinds),*>()
                        .and_elements(const { &#krate::store::ElementFunctions::of::<Self, #n>() })
                });
                const READS: [u8; 3] = #reads;
                const FLOWS: [bool; 3] = #flows;
                #[inline(always)]
                fn primal<#lane: #krate::elementwise::Lane>(&self, [#(#mutables #names),*]: [#lane; #n]) -> #lane { #passives #body }
                #[inline(always)]
                #[allow(unused_variables)]
                fn adjoint<#lane: #krate::elementwise::Lane>(&self, #i: usize, #x: [#lane; #n], #r: #lane, #r_b: #lane) -> #lane {
                    match #i { #(#arms)* _ => ::core::unreachable!() }
                }
            }
        }
    }

    /// The adjoint of an argument, by its formula, or by the body of a self-adjoint operation.
    fn elementwise_adjoint(&self, arg: &Argument, body: &TokenStream) -> TokenStream {
        let (krate, [x, r, r_b]) = (&self.krate, ["x", "r", "r_b"].map(hidden));
        let Some(formula) = arg.formula() else {
            let (name, mutable, passives) = (&arg.ident, &arg.mutable, self.bind_passives(None));
            return quote!({ #passives let #mutable #name = #r_b; #body });
        };
        if is_zero(formula) {
            return quote!(#krate::elementwise::Lane::splat(#r_b, 0.0));
        }
        let bind = |names: &Names| {
            let args = self.inputs().enumerate().filter_map(|(k, a)| {
                let name = names.get(&a.ident)?;
                Some(quote!(let #name = #x[#k];))
            });
            let r = names.get("r").map(|name| quote!(let #name = #r;));
            let r_b = names.get("r_b").map(|name| quote!(let #name = #r_b;));
            let passives = self.bind_passives(Some(names));
            quote!(#(#args)* #r #r_b #passives)
        };
        let names = Names::of(formula);
        let shared = reached(&self.options.shared, &names).into_iter();
        let shared = shared.map(|item| {
            let (name, expr, bind) = (&item.name, &item.expr, bind(&Names::of(&item.expr)));
            quote!(let #name = { #bind #expr };)
        });
        let bind = bind(&names);
        quote!({ #(#shared)* #bind #formula })
    }
}

//! `sample(..)`: the test of a rule.
use crate::model::{Operation, Role};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

/// A test that compares the rule with central differences at points of its sample.
pub(crate) fn test(operation: &Operation) -> Option<TokenStream> {
    let (_, samples) = operation.options.sample.as_ref()?;
    let (krate, op, value) = (&operation.krate, operation.op_type(), operation.op_value());
    let sample = |name: &syn::Ident| samples.iter().find(|s| s.name == *name).map(|s| &s.expr);
    let passives = operation.passives().map(|a| {
        let (name, ty, expr) = (&a.ident, &a.ty, sample(&a.ident));
        quote!(let #name: #ty = #expr;)
    });
    let (mut kinds, mut points) = (Vec::new(), Vec::new());
    for arg in operation
        .args
        .iter()
        .filter(|a| matches!(a.role, Role::In(_) | Role::InOut { .. }))
    {
        let ty = &arg.ty;
        kinds.push(if operation.options.elementwise.is_some() {
            quote!(f64)
        } else {
            quote!(#ty)
        });
        points.push(sample(&arg.ident).to_token_stream());
    }
    kinds.resize(3, quote!(()));
    points.resize(3, quote!(()));
    let kind_names: String = operation
        .inputs()
        .map(|a| {
            let ty = &a.ty;
            let text = quote!(#ty).to_string();
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .collect::<String>()
                .to_lowercase()
                + "_"
        })
        .collect();
    let name = format_ident!("{}_{kind_names}adjoint_matches_differences", operation.name);
    let cfgs = &operation.cfgs;
    Some(quote! {
        #(#cfgs)*
        #[cfg(test)]
        #[test]
        fn #name() {
            #(#passives)*
            #krate::check::annotated::<#op, #(#kinds),*>(&#value, #(#points),*);
        }
    })
}

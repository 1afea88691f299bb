//! `#[kind(coordinates)]`: the real coordinates of values.
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Data, DeriveInput, Type};

pub(crate) fn implementation(
    item: &DeriveInput,
    key: &Ident,
    value: Option<&Type>,
    parts: &[(Ident, Type)],
    krate: &TokenStream,
) -> TokenStream {
    let (coordinates, of_kind) = (quote!(#krate::coordinates), quote!(#krate::kind));
    let (epsilon, map) = match (value, &item.data) {
        (None, Data::Struct(data)) => {
            let (mut epsilons, mut fields) = (Vec::new(), Vec::new());
            for (field, member) in data.fields.iter().zip(data.fields.members()) {
                let part = parts
                    .iter()
                    .find(|(part, _)| field.ident.as_ref() == Some(part));
                let (of, map) = match (part, &field.ty) {
                    (Some((_, kind)), _) => {
                        let of = quote_spanned!(key.span()=> <#kind as #coordinates::Coordinates>);
                        let map = quote!(#of::map(&value.#member, f));
                        (of, map)
                    }
                    (None, ty) => {
                        let of = quote!(<#ty as #of_kind::Numbers>);
                        let map = quote!(#of::map_numbers(&value.#member, f));
                        (of, map)
                    }
                };
                epsilons.push(quote!(#of::EPSILON));
                fields.push(quote!(#member: #map));
            }
            (
                quote!(#of_kind::coarsest(&[#(#epsilons),*])),
                quote!(Self { #(#fields),* }),
            )
        }
        (value, _) => {
            let of = value.map_or_else(|| quote!(Self), ToTokens::to_token_stream);
            let numbers = quote!(<#of as #of_kind::Numbers>);
            (
                quote!(#numbers::EPSILON),
                quote!(#numbers::map_numbers(value, f)),
            )
        }
    };
    let name = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    quote! {
        impl #impl_generics #coordinates::Coordinates for #name #ty_generics #where_clause {
            const EPSILON: f64 = #epsilon;
            fn map(
                value: &#krate::kind::Val<Self>,
                f: &mut dyn ::core::ops::FnMut(f64) -> f64,
            ) -> #krate::kind::Val<Self> { #map }
        }
    }
}

//! `#[derive(Stash)]`: the storage of a value in a statement, by field.
use crate::{
    errors::Errors,
    names,
    options::{assigned, assigned_path},
    rule::hidden,
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Data, DeriveInput, Fields, Generics, LitInt, Member, Path, Type, Variant, WherePredicate,
    parse_quote,
};

#[derive(Default)]
struct Options {
    krate: Option<Path>,
    through: Option<Type>,
}

fn options(input: &DeriveInput, errors: &mut Errors) -> Options {
    let mut options = Options::default();
    let attributes = input.attrs.iter().filter(|a| a.path().is_ident("stash"));
    for attribute in attributes {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                options.krate = Some(assigned_path(meta.input)?);
            } else if meta.path.is_ident("through") {
                options.through = Some(assigned(meta.input)?);
            } else {
                return Err(
                    meta.error("unknown key of `#[stash]`: use `through = Type` or `crate = path`")
                );
            }
            Ok(())
        });
        errors.take(parsed);
    }
    options
}

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(item)?;
    let mut errors = Errors::default();
    let options = options(&input, &mut errors);
    let krate = crate::krate(options.krate.as_ref());
    if let Some(lifetime) = input.generics.lifetimes().next() {
        errors.at(
            lifetime,
            "a statement cannot store borrowed data: store the data by value, or share it in an `Rc`",
        );
    }
    let body = match (&options.through, &input.data) {
        (Some(ty), _) => Body::through(ty, &krate),
        (None, Data::Struct(data)) => Body::of_fields(&data.fields, &krate),
        (None, Data::Enum(data)) => of_variants(data, &input.ident, &krate, &mut errors),
        (None, Data::Union(data)) => {
            errors.at(
                data.union_token,
                "a union cannot be stored in a statement, because its active field is unknown: use a struct or an enum",
            );
            Body::default()
        }
    };
    errors.finish()?;
    Ok(body.implement(&input.ident, &input.generics, &krate))
}

#[derive(Default)]
pub(crate) struct Body {
    types: Vec<Type>,
    predicates: Vec<WherePredicate>,
    bytes: TokenStream,
    stash: TokenStream,
    fetch: TokenStream,
}
impl Body {
    pub(crate) fn of_fields(fields: &Fields, krate: &TokenStream) -> Self {
        let types: Vec<_> = fields.iter().map(|f| f.ty.clone()).collect();
        let members: Vec<_> = fields.members().collect();
        let (stash, fetch) = (
            stash_fields(&types, members.iter().map(|m| quote!(self.#m)), krate),
            fetch_fields(&quote!(Self), &members, &types, krate),
        );
        Body {
            bytes: bytes(&types, krate),
            stash,
            fetch,
            types,
            predicates: Vec::new(),
        }
    }
    fn through(ty: &Type, krate: &TokenStream) -> Self {
        let stash = quote!(#krate::store::Stash);
        Body {
            types: vec![ty.clone()],
            predicates: vec![
                parse_quote!(Self: ::core::convert::From<#ty>),
                parse_quote!(#ty: ::core::convert::From<Self>),
            ],
            bytes: quote!(<#ty as #stash>::BYTES),
            stash: quote! {
                <#ty as #stash>::stash(<#ty as ::core::convert::From<Self>>::from(self), writer);
            },
            fetch: quote!(<Self as ::core::convert::From<#ty>>::from(<#ty as #stash>::fetch(reader))),
        }
    }

    /// Bounds fields, because a parameter may occur only in `PhantomData`.
    pub(crate) fn implement(
        self,
        name: &Ident,
        generics: &Generics,
        krate: &TokenStream,
    ) -> TokenStream {
        let Body {
            types,
            predicates,
            bytes,
            stash,
            fetch,
        } = self;
        let mut bounded = generics.clone();
        let parameters: Vec<_> = generics.type_params().map(|t| &t.ident).collect();
        if !parameters.is_empty() {
            let clause = bounded.make_where_clause();
            let bounds = &mut clause.predicates;
            let kept = types
                .iter()
                .filter(|ty| parameters.iter().any(|p| names::mentions(ty, p)));
            let stash = quote!(#krate::store::Stash);
            bounds.extend::<Vec<WherePredicate>>(
                parameters
                    .iter()
                    .map(|p| parse_quote!(#p: 'static))
                    .collect(),
            );
            bounds
                .extend::<Vec<WherePredicate>>(kept.map(|ty| parse_quote!(#ty: #stash)).collect());
            bounds.extend(predicates);
        }
        let (impl_generics, _, where_clause) = bounded.split_for_impl();
        let (_, ty_generics, _) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics #krate::store::Stash for #name #ty_generics #where_clause {
                const BYTES: usize = #bytes;
                #[inline(always)]
                fn stash(self, writer: &mut #krate::store::Writer<'_>) {
                    let _ = &writer;
                    #stash
                }
                #[inline(always)]
                fn fetch(reader: &mut #krate::store::Reader<'_>) -> Self {
                    let _ = &reader;
                    #fetch
                }
            }
        }
    }
}

fn bytes(types: &[Type], krate: &TokenStream) -> TokenStream {
    quote!(0 #(+ <#types as #krate::store::Stash>::BYTES)*)
}
fn stash_fields(
    types: &[Type],
    values: impl Iterator<Item = TokenStream>,
    krate: &TokenStream,
) -> TokenStream {
    quote!(#(<#types as #krate::store::Stash>::stash(#values, writer);)*)
}
fn fetch_fields(
    path: &TokenStream,
    members: &[Member],
    types: &[Type],
    krate: &TokenStream,
) -> TokenStream {
    quote!(#path { #(#members: <#types as #krate::store::Stash>::fetch(reader)),* })
}

/// A byte for the variant, its fields, padding.
fn of_variants(
    data: &syn::DataEnum,
    name: &Ident,
    krate: &TokenStream,
    errors: &mut Errors,
) -> Body {
    if data.variants.is_empty() {
        errors.at(
            name,
            "an enum without variants has no values to store: add a variant",
        );
    }
    if let Some(variant) = data.variants.iter().nth(256) {
        errors.at(
            &variant.ident,
            "an enum that is stored in statements has at most 256 variants: split it into several enums",
        );
    }
    let (mut sizes, mut all, mut stashes, mut fetches) = (vec![], vec![], vec![], vec![]);
    for (i, variant) in data.variants.iter().enumerate() {
        let types: Vec<_> = variant.fields.iter().map(|f| f.ty.clone()).collect();
        let (stash, fetch) = of_variant(i, variant, &types, krate);
        stashes.push(stash);
        fetches.push(fetch);
        sizes.push(bytes(&types, krate));
        all.extend(types);
    }
    let text = name.to_string();
    Body {
        types: all,
        predicates: Vec::new(),
        bytes: quote!(1 + #krate::store::largest(&[#(#sizes),*])),
        stash: quote!(match self { #(#stashes)* }),
        fetch: quote! {
            match <u8 as #krate::store::Stash>::fetch(reader) {
                #(#fetches)*
                byte => #krate::store::no_variant(#text, byte),
            }
        },
    }
}

/// The arms that store and fetch a variant.
fn of_variant(
    i: usize,
    variant: &Variant,
    types: &[Type],
    krate: &TokenStream,
) -> (TokenStream, TokenStream) {
    let members: Vec<_> = variant.fields.members().collect();
    let ident = &variant.ident;
    let names: Vec<_> = (0..types.len())
        .map(|i| hidden(&format!("field_{i}")))
        .collect();
    let number = LitInt::new(&format!("{i}u8"), ident.span());
    let (size, path) = (bytes(types, krate), quote!(Self::#ident));
    let values = stash_fields(types, names.iter().map(ToTokens::to_token_stream), krate);
    let fetch = fetch_fields(&path, &members, types, krate);
    let rest = quote!(Self::BYTES - 1 - (#size));
    let stash = quote! {
        #path { #(#members: #names),* } => {
            <u8 as #krate::store::Stash>::stash(#number, writer);
            #values
            writer.fixed(#rest);
        }
    };
    let fetch = quote! {
        #number => {
            let value = #fetch;
            reader.fixed(#rest);
            value
        }
    };
    (stash, fetch)
}

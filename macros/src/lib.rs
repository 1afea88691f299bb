//! The generator of entape: annotations become kinds and rules.
#![forbid(unsafe_code)]

mod apply;
mod errors;
mod kind;
mod model;
mod names;
mod op;
mod operations;
mod options;
mod rule;
mod sample;

use proc_macro::TokenStream;
use proc_macro_crate::{FoundCrate, crate_name};
use quote::{format_ident, quote};

/// kind
#[proc_macro_attribute]
pub fn kind(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kind::expand(attr.into(), item.into()))
}

/// op
#[proc_macro_attribute]
pub fn op(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(op::expand(attr.into(), item.into()))
}

/// operations
#[proc_macro_attribute]
pub fn operations(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(operations::expand(attr.into(), item.into()))
}

fn finish(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// The path of core, as the annotated crate can write it.
fn krate(given: Option<&syn::Path>) -> proc_macro2::TokenStream {
    if let Some(path) = given {
        return quote!(#path);
    }
    match (crate_name("entape-core"), crate_name("entape")) {
        (Ok(FoundCrate::Name(name)), _) => {
            let name = format_ident!("{name}");
            quote!(::#name)
        }
        (Err(_), Ok(FoundCrate::Name(name))) => {
            let name = format_ident!("{name}");
            quote!(::#name::core)
        }
        _ => quote!(::entape_core),
    }
}

//! Locates the rule-test kit for tests of samples.
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use std::{env, fs, path::Path};

/// `false` for a module such as `entape::core`.
fn is_crate(krate: &TokenStream) -> bool {
    let path = syn::parse2::<syn::Path>(krate.clone());
    path.is_ok_and(|path| path.segments.len() == 1)
}
/// `entape-check`, or `check` in a module that contains all of core.
pub(crate) fn path(krate: &TokenStream) -> TokenStream {
    match is_crate(krate) {
        true => quote!(::entape_check),
        false => quote!(#krate::check),
    }
}
/// Reports a missing dependency on the kit at the sample.
pub(crate) fn or_missing(body: TokenStream, krate: &TokenStream, sample: Span) -> TokenStream {
    if !is_crate(krate) || is_in_manifest() {
        return body;
    }
    let message = "the tests of samples need the rule-test kit: add `entape-check` to the `[dev-dependencies]`, or depend on `entape` and use its \
     macros";
    quote_spanned!(sample=> ::core::compile_error!(#message);)
}
/// Without a manifest, the compiler reports it.
fn is_in_manifest() -> bool {
    let folder = env::var_os("CARGO_MANIFEST_DIR");
    let text =
        folder.and_then(|folder| fs::read_to_string(Path::new(&folder).join("Cargo.toml")).ok());
    text.is_none_or(|text| text.contains("entape-check") || text.contains("entape_check"))
}

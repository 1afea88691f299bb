//! `#[function]`: makes a function generic in the mode, and its body a sequence of statements.
use crate::{
    callable,
    errors::Errors,
    modes::{self, Fill, Mentions},
    statements,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Generics, ImplItem, Item, ItemFn, ItemImpl, Path, Signature, Token, parse_quote,
    visit::Visit, visit_mut::VisitMut,
};

fn options(attr: TokenStream) -> syn::Result<Option<Path>> {
    let mut krate = None;
    let parser = syn::meta::parser(|meta| {
        if !meta.path.is_ident("crate") {
            return Err(meta.error(
                "unknown key of `#[function]`: use `crate = path`, and write custom types with the mode `M`, such as `Pose<M>`",
            ));
        }
        meta.input.parse::<Token![=]>()?;
        krate = Some(meta.input.call(Path::parse_mod_style)?);
        Ok(())
    });
    syn::parse::Parser::parse2(parser, attr)?;
    Ok(krate)
}

pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let krate = crate::krate(options(attr)?.as_ref());
    match syn::parse2::<Item>(item)? {
        Item::Fn(function) => expand_function(function, &krate),
        Item::Impl(block) => expand_methods(block, &krate),
        other => Err(syn::Error::new_spanned(
            other,
            "`#[function]` must annotate a function or an `impl` block",
        )),
    }
}

fn expand_function(mut function: ItemFn, krate: &TokenStream) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    if let Some(token) = of_type(&function.sig) {
        return Err(syn::Error::new(
            token,
            "this function belongs to a type: write `#[entape::function]` before the `impl` block, for all its functions",
        ));
    }
    let mode = match mode_of(&function.sig.generics) {
        Some(mode) => mode,
        None => {
            let mode = the_mode(function.sig.ident.span());
            if !has_variables(&function.sig, &mode) {
                errors.at(
                    &function.sig,
                    "this function has no variables, such as `Real`, `&[Real]` or `&Matrix`: write a custom type with its mode, `Pose<M>`, or \
                     remove `#[entape::function]`",
                );
            }
            declare(&mut function.sig.generics, &mode, krate, &mut errors);
            mode
        }
    };
    check(&function.sig, &mut errors);
    errors.finish()?;
    fill(&mut function.sig, &mode);
    let callable = callable::declare(&function, &mode, krate);
    statements::rewrite(&mut function.block, &function.sig, &mode, krate);
    function.attrs.push(allowed());
    Ok(quote!(#function #callable))
}

fn expand_methods(mut block: ItemImpl, krate: &TokenStream) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    let mode = the_mode(Span::call_site());
    let of_block = mode_of(&block.generics).or_else(|| {
        let mut mentions = Mentions::of(&mode);
        mentions.visit_type(&block.self_ty);
        if let Some((path, _)) = &block.trait_ {
            mentions.visit_path(path);
        }
        mentions.found.then(|| {
            declare(&mut block.generics, &mode, krate, &mut errors);
            mode.clone()
        })
    });
    if let Some(mode) = &of_block {
        let mut fill = Fill(mode);
        fill.visit_generics_mut(&mut block.generics);
        fill.visit_type_mut(&mut block.self_ty);
        if let Some((path, _)) = &mut block.trait_ {
            fill.visit_path_mut(path);
        }
    }
    for item in &mut block.items {
        match item {
            ImplItem::Fn(function) => {
                let in_sig = mode_of(&function.sig.generics).or_else(|| of_block.clone());
                let mode = match in_sig {
                    Some(mode) => mode,
                    None if !has_variables(&function.sig, &mode) => continue,
                    None => {
                        declare(&mut function.sig.generics, &mode, krate, &mut errors);
                        mode.clone()
                    }
                };
                check(&function.sig, &mut errors);
                fill(&mut function.sig, &mode);
                statements::rewrite(&mut function.block, &function.sig, &mode, krate);
                function.attrs.push(allowed());
            }
            ImplItem::Type(item) => {
                if let Some(mode) = mode_of(&item.generics).or_else(|| of_block.clone()) {
                    Fill(&mode).visit_type_mut(&mut item.ty);
                }
            }
            _ => {}
        }
    }
    errors.finish()?;
    Ok(block.into_token_stream())
}

fn the_mode(span: Span) -> Ident {
    Ident::new("M", span)
}
fn mode_of(generics: &Generics) -> Option<Ident> {
    modes::declared(generics).map(|parameter| parameter.ident.clone())
}
fn declare(generics: &mut Generics, mode: &Ident, krate: &TokenStream, errors: &mut Errors) {
    let taken = |parameter: &syn::GenericParam| match parameter {
        syn::GenericParam::Type(t) => t.ident == *mode,
        syn::GenericParam::Const(c) => c.ident == *mode,
        syn::GenericParam::Lifetime(_) => false,
    };
    if let Some(parameter) = generics.params.iter().find(|p| taken(p)) {
        errors.at(
            parameter,
            "`M` is the name of the mode in a `#[function]`: rename this parameter, or declare the mode with another name, `<T: Mode>`",
        );
    }
    modes::declare(generics, mode, krate);
}

fn of_type(sig: &Signature) -> Option<Span> {
    struct Selves(Option<Span>);
    impl<'ast> Visit<'ast> for Selves {
        fn visit_ident(&mut self, ident: &'ast Ident) {
            if ident == "Self" {
                self.0.get_or_insert(ident.span());
            }
        }
    }
    if let Some(receiver) = sig.receiver() {
        return Some(receiver.self_token.span);
    }
    let mut selves = Selves(None);
    selves.visit_signature(sig);
    selves.0
}
fn has_variables(sig: &Signature, mode: &Ident) -> bool {
    let mut mentions = Mentions::of(mode);
    mentions.visit_signature(sig);
    mentions.found
}
fn check(sig: &Signature, errors: &mut Errors) {
    if let Some(token) = &sig.constness {
        errors.at(
            token,
            "a `#[function]` records statements at run time: remove `const`",
        );
    }
}
fn fill(sig: &mut Signature, mode: &Ident) {
    Fill(mode).visit_signature_mut(sig);
}
/// Clippy lints: that `()` is an argument, and that a `match` has one arm.
fn allowed() -> Attribute {
    parse_quote!(#[allow(clippy::unit_arg, clippy::match_single_binding)])
}

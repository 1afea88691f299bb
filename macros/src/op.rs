use crate::{
    apply::{Function, Receiver},
    errors::Errors,
    model::{Operation, Source, is_annotation},
    sample,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ItemFn;

pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut item: ItemFn = syn::parse2(item)?;
    let mut errors = Errors::default();
    let source = Source {
        attrs: &item.attrs,
        vis: &item.vis,
        sig: &item.sig,
        body: &item.block,
    };
    let operation = Operation::parse(attr, source, None, &mut errors);
    errors.finish()?;
    let Some(operation) = operation else {
        return Ok(TokenStream::new());
    };

    let function = free_function(&operation);
    let plain = operation.options.in_place.is_some().then(|| {
        strip(&mut item.sig);
        quote!(#[allow(dead_code)] #item)
    });
    let generated = generate(&operation);
    Ok(quote!(#plain #generated #function))
}

pub(crate) fn generate(operation: &Operation) -> TokenStream {
    if operation.options.passive.is_some() {
        return TokenStream::new();
    }
    let (structure, rule, test) = (
        operation.structure(),
        operation.rule(),
        sample::tests(operation),
    );
    quote!(#structure #rule #test)
}

pub(crate) fn strip(sig: &mut syn::Signature) {
    for input in &mut sig.inputs {
        let attrs = match input {
            syn::FnArg::Receiver(receiver) => &mut receiver.attrs,
            syn::FnArg::Typed(arg) => &mut arg.attrs,
        };
        attrs.retain(|attr| !is_annotation(attr));
    }
}

/// `f(operands)`; if the function remains, `F::of(operands)` or, if passive, `f_of(operands)`.
fn free_function(operation: &Operation) -> TokenStream {
    let in_place = operation.options.in_place.is_some();
    let vis = &operation.vis;
    let function = |receiver: Receiver<'_>| {
        let Function {
            signature,
            body,
            docs,
            cfgs,
        } = operation.function(receiver);
        quote!(#cfgs #docs #[allow(dead_code, unreachable_pub, clippy::all)] #[inline] #[track_caller] #vis #signature { #body })
    };
    if operation.options.passive.is_some() {
        let name = &operation.name;
        return match in_place {
            true => function(Receiver::None(&format_ident!("{name}_of"))),
            false => function(Receiver::None(name)),
        };
    }
    if !operation.has_function() {
        return TokenStream::new();
    }
    if !in_place {
        return function(Receiver::None(&operation.name));
    }
    let (function, cfgs) = (function(Receiver::Struct), &operation.cfgs);
    let (op, generics) = (operation.op_type(), operation.struct_generics());
    let (impl_generics, ..) = generics.split_for_impl();
    quote!(#(#cfgs)* impl #impl_generics #op { #function })
}

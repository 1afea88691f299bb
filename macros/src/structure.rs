use crate::{
    model::{Operation, Target},
    names::{mentions, parameter, without_default},
    stash::Body,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Expr, Generics, Lit, Meta, MetaNameValue, Type, parse_quote};

impl Operation {
    /// Parameters of passive fields, and others that kinds do not determine.
    pub(crate) fn struct_generics(&self) -> Generics {
        let belongs = |ident: &Ident| {
            self.passives().any(|a| mentions(&a.ty, ident))
                || !self.inputs().any(|a| mentions(&a.ty, ident))
        };
        let params = self.generics.params.iter();
        let params = params.filter(|p| parameter(p).is_some_and(belongs));
        let mut generics = Generics::default();
        if self.options.elementwise.is_none() {
            generics.params = params.map(without_default).collect();
        }
        generics
    }

    pub(crate) fn op_type(&self) -> TokenStream {
        let krate = &self.krate;
        match &self.target {
            Target::Operator(path) => quote!(#krate::op::#path),
            Target::Existing(path) => quote!(#path),
            Target::New(name) => {
                let generics = self.struct_generics();
                let (_, ty_generics, _) = generics.split_for_impl();
                quote!(#name #ty_generics)
            }
        }
    }

    pub(crate) fn op_value(&self) -> TokenStream {
        self.value_with(|generics| {
            let (_, ty_generics, _) = generics.split_for_impl();
            ty_generics.as_turbofish().to_token_stream()
        })
    }
    pub(crate) fn op_value_inferred(&self) -> TokenStream {
        self.value_with(|_| TokenStream::new())
    }
    fn value_with(&self, parameters: impl Fn(&Generics) -> TokenStream) -> TokenStream {
        let krate = &self.krate;
        let fields: Vec<_> = self.passives().map(|a| &a.ident).collect();
        let path = match &self.target {
            Target::Operator(path) => quote!(#krate::op::#path),
            Target::Existing(path) => quote!(#path),
            Target::New(name) => {
                let generics = self.struct_generics();
                let parameters = parameters(&generics);
                if generics.type_params().next().is_some() {
                    return quote!(#name #parameters { #(#fields,)* of: ::core::marker::PhantomData });
                }
                quote!(#name #parameters)
            }
        };
        if fields.is_empty() {
            path
        } else {
            quote!(#path { #(#fields),* })
        }
    }

    fn applied_by(&self) -> Option<String> {
        let name = &self.name;
        match (&self.ext, &self.target) {
            _ if self.options.rule_only.is_some() => None,
            (Some(ext), _) => {
                let variables = self.args.first().is_some_and(|a| a.is_output());
                let of = if variables { "Mut" } else { "" };
                Some(format!("[`{ext}{of}::{name}`]"))
            }
            (None, Target::New(op)) if self.options.in_place.is_some() => {
                Some(format!("[`{op}::of`]"))
            }
            _ => Some(format!("[`{name}`](fn@{name})")),
        }
    }

    fn documented(&self) -> TokenStream {
        let docs = &self.docs;
        let title = format!(
            "The operation of [`{}`]: its rule, and what a statement keeps of it.",
            self.name
        );
        match (docs.is_empty(), self.applied_by()) {
            (true, _) => quote!(#[doc = #title]),
            (false, None) => quote!(#(#docs)*),
            (false, Some(function)) => {
                let first = docs.iter().take_while(|line| !is_blank(line));
                let title = format!(
                    "The operation of {function}: its rule, and what a statement keeps of it."
                );
                quote!(#(#first)* #[doc = ""] #[doc = #title])
            }
        }
    }

    pub(crate) fn structure(&self) -> TokenStream {
        let Target::New(name) = &self.target else {
            return TokenStream::new();
        };
        let (krate, vis, cfgs, docs) = (&self.krate, &self.vis, &self.cfgs, self.documented());
        let (fields, types): (Vec<_>, Vec<_>) = self.passives().map(|a| (&a.ident, &a.ty)).unzip();
        let generics = self.struct_generics();
        let (impl_generics, ty_generics, _) = generics.split_for_impl();
        let params: Vec<_> = generics.type_params().map(|t| &t.ident).collect();
        let phantom = (!params.is_empty())
            .then(|| quote!(of: ::core::marker::PhantomData<fn() -> (#(#params,)*)>,));
        let phantom_value = (!params.is_empty()).then(|| quote!(of: ::core::marker::PhantomData,));
        let field_docs = fields
            .iter()
            .map(|f| format!("The passive parameter `{f}`."));
        let plain = types.iter().all(|ty| is_copy(ty));
        let copy = plain.then(
            || quote!(#(#cfgs)* impl #impl_generics ::core::marker::Copy for #name #ty_generics {}),
        );
        let clone = match plain {
            true => quote!(*self),
            false => {
                quote!(Self { #(#fields: ::core::clone::Clone::clone(&self.#fields),)* #phantom_value })
            }
        };
        let shape = match types.is_empty() && phantom.is_none() {
            true => quote!(;),
            false => quote!({ #(#[doc = #field_docs] pub #fields: #types,)* #phantom }),
        };
        let text = name.to_string();
        let item: syn::ItemStruct = parse_quote! {
            #(#cfgs)* #docs
            #[allow(unreachable_pub, dead_code)]
            #vis struct #name #generics #shape
        };
        let at = Span::call_site().located_at(self.name.span());
        let named = (types.is_empty() && generics.params.is_empty()).then(
            || quote_spanned!(at=> #(#cfgs)* const _: () = #krate::names::named::<#name>(&#name);),
        );
        let stash = Body::of_fields(&item.fields, krate).implement(name, &generics, krate);
        quote! {
            #item
            #(#cfgs)*
            impl #impl_generics ::core::clone::Clone for #name #ty_generics {
                #[inline(always)]
                fn clone(&self) -> Self { #clone }
            }
            #copy
            #named
            #(#cfgs)*
            impl #impl_generics ::core::fmt::Debug for #name #ty_generics {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { f.write_str(#text) }
            }
            #(#cfgs)*
            #stash
        }
    }
}

fn is_blank(line: &Attribute) -> bool {
    let value = match &line.meta {
        Meta::NameValue(MetaNameValue {
            value: Expr::Lit(value),
            ..
        }) => value,
        _ => return false,
    };
    matches!(&value.lit, Lit::Str(text) if text.value().trim().is_empty())
}

fn is_copy(ty: &Type) -> bool {
    const PRIMITIVES: [&str; 16] = [
        "f64", "f32", "bool", "char", "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8",
        "i16", "i32", "i64", "i128",
    ];
    match ty {
        Type::Path(p) => p
            .path
            .get_ident()
            .is_some_and(|i| PRIMITIVES.iter().any(|k| i == k)),
        Type::Tuple(t) => t.elems.iter().all(is_copy),
        Type::Array(a) => is_copy(&a.elem),
        Type::Paren(p) => is_copy(&p.elem),
        _ => false,
    }
}

//! `#[op]` on `index_mut`, and `#[op(index = read)]`: indices of variables.
use crate::{
    errors::Errors,
    kit,
    model::is_annotation,
    names::{self, lists},
    options::{assigned, each_option},
    receiver::Implementation,
    sample::Sample,
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    FnArg, ImplItem, ItemImpl, Pat, ReturnType, Signature, Token, Type, parse_quote,
    spanned::Spanned,
};

pub(crate) struct Index<'i> {
    of: &'i Implementation,
    krate: TokenStream,
    name: Ident,
    /// The function that reads; `None` for the trait `Index`.
    read: Option<(Ident, bool)>,
    arguments: Vec<(Ident, Type)>,
    /// Whether the function takes the value.
    sets: bool,
    element: Type,
    samples: Vec<Sample>,
}

pub(crate) fn is_index(tokens: &TokenStream, of: &Implementation) -> bool {
    let mut found = of.is_index;
    each_option(tokens.clone(), &mut Errors::default(), |key, input| {
        found |= key == "index";
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<proc_macro2::TokenTree>()?;
        }
        Ok(())
    });
    found
}

impl<'i> Index<'i> {
    pub(crate) fn parse(
        tokens: TokenStream,
        sig: &Signature,
        of: &'i Implementation,
        item: &ItemImpl,
        krate: Option<&syn::Path>,
        errors: &mut Errors,
    ) -> Option<Self> {
        let (read, samples) = keys(tokens, errors);
        let read = match read {
            Some(name) => Some(reader(name, item, errors)?),
            None => None,
        };
        let mut arguments = arguments(sig, errors)?;
        for (name, ty) in &arguments {
            check_type(name, ty, errors);
        }
        let (sets, element) = match element(sig, of, &mut arguments) {
            Some(element) => element,
            None => {
                errors.at(sig, "an index writes an element: return `&mut Element`, or take the element as the last argument");
                return None;
            }
        };
        if arguments.is_empty() {
            errors.at(sig, "an index needs an argument after `&mut self`");
            return None;
        }
        let index = Index {
            of,
            krate: crate::krate(krate),
            name: sig.ident.clone(),
            read,
            arguments,
            sets,
            element,
            samples,
        };
        index.check_samples(errors);
        Some(index)
    }

    fn check_samples(&self, errors: &mut Errors) {
        let receiver = Ident::new(names::RECEIVER, self.name.span());
        for sample in &self.samples {
            let names = self.arguments.iter().map(|(name, _)| name);
            sample.check_given(names.chain([&receiver]), errors);
        }
    }

    fn index_type(&self) -> Type {
        match self.arguments.as_slice() {
            [(_, one)] => one.clone(),
            several => {
                let types = several.iter().map(|(_, ty)| ty);
                parse_quote!((#(#types),*))
            }
        }
    }
    /// The conversions of `index` to a number, and of `number` to arguments.
    fn encoding(&self) -> (TokenStream, TokenStream, Vec<TokenStream>) {
        let (krate, ty) = (&self.krate, self.index_type());
        let is_number = |ty: &Type| names::is(ty, "usize");
        match (&ty, self.arguments.len()) {
            (ty, _) if is_number(ty) => (quote!(index), quote!(), vec![quote!(number)]),
            (Type::Tuple(tuple), n) if tuple.elems.iter().all(is_number) => {
                let names: Vec<_> = (0..tuple.elems.len())
                    .map(|i| format_ident!("i{i}"))
                    .collect();
                let each = names.iter().map(ToTokens::to_token_stream);
                let arguments = if n == 1 {
                    vec![quote!((#(#names),*))]
                } else {
                    each.collect()
                };
                (
                    quote!({ let (#(#names),*) = index; #krate::store::number_of([#(#names),*]) }),
                    quote!(let [#(#names),*] = #krate::store::numbers_in(number);),
                    arguments,
                )
            }
            (Type::Array(_), _) => (
                quote!(#krate::store::number_of(index)),
                quote!(let index: #ty = #krate::store::numbers_in(number);),
                vec![quote!(index)],
            ),
            (ty, _) => (
                quote_spanned!(ty.span()=> <usize as ::core::convert::From<#ty>>::from(index)),
                quote_spanned!(ty.span()=> let index: #ty = <#ty as ::core::convert::From<usize>>::from(number);),
                vec![quote!(index)],
            ),
        }
    }

    /// Reads and writes the element of `whole`.
    fn calls(&self, arguments: &[TokenStream]) -> (TokenStream, TokenStream) {
        let (path, name) = (&self.of.path, &self.name);
        let get = match &self.read {
            None => quote!(::core::clone::Clone::clone(&whole[#(#arguments),*])),
            Some((read, true)) => {
                quote!(::core::clone::Clone::clone(#path #read(whole, #(#arguments),*)))
            }
            Some((read, false)) => quote!(#path #read(whole, #(#arguments),*)),
        };
        let put = match self.sets {
            true => quote!(#path #name(whole, #(#arguments,)* element);),
            false => quote!(*#path #name(whole, #(#arguments),*) = element;),
        };
        (get, put)
    }

    pub(crate) fn generate(&self) -> TokenStream {
        let Index {
            of, krate, element, ..
        } = self;
        let (kind, index) = (&of.kind, self.index_type());
        let (impl_generics, _, where_clause) = of.generics.split_for_impl();
        let (encode, decode, arguments) = self.encoding();
        let (get, put) = self.calls(&arguments);
        let (zero, tests) = (self.zero(), self.tests());
        quote! {
            const _: () = {
                #zero
                /// An element, by the number of its index.
                #[derive(Clone, Copy, #krate::store::Stash)]
                #[stash(crate = #krate)]
                pub struct Element(usize);
                #[allow(clippy::all)]
                impl #impl_generics #krate::store::Part<#kind> for Element #where_clause {
                    type Kind = #element;
                    #[track_caller]
                    fn get(&self, whole: &#krate::kind::Val<#kind>) -> #krate::kind::Val<#element> {
                        let number = self.0;
                        #decode
                        #get
                    }
                    #[track_caller]
                    fn put(&self, whole: &mut #krate::kind::Val<#kind>, element: #krate::kind::Val<#element>) {
                        let number = self.0;
                        #decode
                        #put
                    }
                    const KNOWS_SHAPE: bool = {
                        ::core::assert!(
                            Zero::<#kind>::KNOWN || <<#kind as #krate::kind::Kind>::Policy as #krate::kind::Policy<#krate::kind::Val<#kind>>>::STORAGE,
                            "an index of a value kind needs the zero of a value: name its numbers, `#[kind(numbers)]`"
                        );
                        Zero::<#kind>::KNOWN
                    };
                    fn zero(&self) -> #krate::kind::Val<#kind> { Zero::<#kind>::zero() }
                }
                impl #impl_generics #krate::store::PlaceIndex<#index> for #kind #where_clause {
                    type Part = Element;
                    #[track_caller]
                    fn encode(whole: &#krate::kind::Val<#kind>, index: #index) -> usize {
                        let number = #encode;
                        #krate::store::Part::<#kind>::get(&Element(number), whole);
                        number
                    }
                    fn part(_: &#krate::kind::Val<#kind>, number: usize) -> Element { Element(number) }
                }
            };
            #tests
        }
    }

    /// The zero of a kind, if known. Inherent items have precedence over traits.
    fn zero(&self) -> TokenStream {
        let of = {
            let krate = &self.krate;
            quote!(#krate::kind)
        };
        quote! {
            #[allow(dead_code)]
            struct Zero<K>(::core::marker::PhantomData<K>);
            #[allow(dead_code)]
            impl<K: #of::KnownZero> Zero<K> {
                const KNOWN: bool = true;
                fn zero() -> #of::Val<K> { K::zero() }
            }
            #[allow(dead_code)]
            trait Unknown<K: #of::Kind> {
                const KNOWN: bool = false;
                fn zero() -> #of::Val<K> { ::core::unreachable!("the zero is unknown") }
            }
            impl<K: #of::Kind> Unknown<K> for Zero<K> {}
        }
    }

    fn tests(&self) -> TokenStream {
        let (krate, kind, index) = (&self.krate, &self.of.kind, self.index_type());
        let (check, place) = (
            kit::path(krate),
            quote!(#krate::store::PlaceIndex::<#index>),
        );
        let receiver = Ident::new(names::RECEIVER, self.name.span());
        let names: Vec<_> = self.arguments.iter().map(|(name, _)| name).collect();
        let tests = self.samples.iter().enumerate().map(|(i, sample)| {
            let test = format_ident!(
                "{}_is_a_part_{}",
                self.name,
                i + 1,
                span = sample.key.span()
            );
            let body = sample.around(quote! {
                let number = <#kind as #place>::encode(&#receiver, (#(#names),*));
                let part = <#kind as #place>::part(&#receiver, number);
                #check::assert_part::<#kind, _>(part, ::core::clone::Clone::clone(&#receiver));
            });
            let body = kit::or_missing(body, krate, sample.key.span());
            quote!(#[cfg(test)] #[test] fn #test() { #body })
        });
        quote!(#(#tests)*)
    }
}

/// The function that reads, and the samples.
fn keys(tokens: TokenStream, errors: &mut Errors) -> (Option<Ident>, Vec<Sample>) {
    let (mut read, mut samples, mut inner) = (None, Vec::new(), Errors::default());
    each_option(tokens, errors, |name, input| {
        match name.to_string().as_str() {
            "index" => read = Some(assigned(input)?),
            "sample" => samples.push(Sample::parse(name, input, &mut inner)?),
            _ => {
                let message = format!(
                    "unknown key `{name}` of an index: use `index = function` and `sample(..)`"
                );
                return Err(syn::Error::new(name.span(), message));
            }
        }
        Ok(())
    });
    errors.take(inner.finish());
    (read, samples)
}
/// The function that reads an element, and whether it returns a reference.
fn reader(name: Ident, item: &ItemImpl, errors: &mut Errors) -> Option<(Ident, bool)> {
    let found = item.items.iter().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == name => Some(&function.sig),
        _ => None,
    });
    match found {
        Some(sig) => {
            let refers = matches!(&sig.output, ReturnType::Type(_, ty) if matches!(**ty, Type::Reference(_)));
            Some((name, refers))
        }
        None => {
            errors.at(&name, format!("`{name}` is not a function of this block: name the function that reads an element"));
            None
        }
    }
}

const INTEGERS: &str = "u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 isize";
/// Reports integers that do not convert to `usize` and back.
fn check_type(name: &Ident, ty: &Type, errors: &mut Errors) {
    if matches!(ty, Type::Path(p) if p.path.get_ident().is_some_and(|ty| lists(INTEGERS, ty))) {
        let message = format!(
            "`{name}` is an index of a place: use `usize`, or a type of yours that converts to `usize` and back (`From`)"
        );
        errors.at(ty, message);
    }
}
/// The arguments after the receiver.
fn arguments(sig: &Signature, errors: &mut Errors) -> Option<Vec<(Ident, Type)>> {
    let mut arguments = Vec::new();
    for input in sig.inputs.iter().skip(1) {
        let FnArg::Typed(arg) = input else { continue };
        if let Some(attr) = arg.attrs.iter().find(|a| is_annotation(a)) {
            errors.at(attr, "an index has no derivative: remove the annotation");
        }
        let Pat::Ident(pattern) = &*arg.pat else {
            errors.at(&arg.pat, "an index needs a name: write `i: ..`");
            return None;
        };
        arguments.push((pattern.ident.clone(), (*arg.ty).clone()));
    }
    Some(arguments)
}

fn element(
    sig: &Signature,
    of: &Implementation,
    arguments: &mut Vec<(Ident, Type)>,
) -> Option<(bool, Type)> {
    match &sig.output {
        ReturnType::Default => arguments.pop().map(|(_, ty)| (true, ty)),
        ReturnType::Type(_, ty) => match &**ty {
            Type::Reference(reference) if reference.mutability.is_some() => {
                let mut element = (*reference.elem).clone();
                if matches!(&element, Type::Path(p) if p.path.segments.len() == 2 && p.path.segments[0].ident == "Self")
                {
                    let (kind, (_, index)) = (&of.kind, arguments.first()?);
                    element = parse_quote!(<#kind as ::core::ops::Index<#index>>::Output);
                }
                Some((false, element))
            }
            _ => None,
        },
    }
}

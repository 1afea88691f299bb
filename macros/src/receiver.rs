//! The source as it is: functions with `self`, and of traits, become functions that name all their arguments.
use crate::{
    names::{Replace, lists},
    options::OPERATORS,
};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, FnArg, GenericParam, Generics, ImplItem, ItemImpl, Lifetime, Meta, Path,
    ReceiverKind, Signature, Type, parse_quote,
    visit_mut::{self, VisitMut},
};

/// What an annotated `impl` block says of its functions.
pub(crate) struct Implementation {
    /// The type of the block, or what it refers to.
    pub(crate) kind: Type,
    /// Without lifetimes.
    pub(crate) generics: Generics,
    pub(crate) path: TokenStream,
    pub(crate) operator: Option<Path>,
    pub(crate) is_index: bool,
    is_reference: bool,
    associated: Vec<(Ident, Type)>,
}

impl Implementation {
    pub(crate) fn of(item: &ItemImpl) -> Self {
        let (kind, is_reference) = match &*item.self_ty {
            Type::Reference(reference) => ((*reference.elem).clone(), true),
            ty => (ty.clone(), false),
        };
        let mut generics = item.generics.clone();
        let of_types = |p: &GenericParam| !matches!(p, GenericParam::Lifetime(_));
        generics.params = generics.params.into_iter().filter(of_types).collect();
        let (mut ty, mut of) = (item.self_ty.clone(), None);
        Elided.visit_type_mut(&mut ty);
        if let Some((path, _)) = &item.trait_ {
            let mut path = path.clone();
            Elided.visit_path_mut(&mut path);
            of = Some(path);
        }
        let path = match &of {
            Some(of) => quote!(<#ty as #of>::),
            None => quote!(<#ty>::),
        };
        let name = of.and_then(|of| Some(of.segments.last()?.ident.to_string()));
        let name = name.unwrap_or_default();
        let operator = name.strip_suffix("Assign").unwrap_or(&name);
        let operator = lists(OPERATORS, operator).then(|| format_ident!("{operator}"));
        let associated = item.items.iter().filter_map(|item| match item {
            ImplItem::Type(of) => Some((of.ident.clone(), of.ty.clone())),
            _ => None,
        });
        Implementation {
            kind,
            generics,
            path,
            operator: operator.map(Path::from),
            is_index: name == "IndexMut",
            is_reference,
            associated: associated.collect(),
        }
    }

    /// Makes the receiver an argument, and replaces what only the block defines.
    pub(crate) fn name_arguments(&self, attrs: &mut [Attribute], sig: &mut Signature) {
        let receiver = Replace::receiver(sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Receiver(receiver) => Some(receiver.self_token.span),
            FnArg::Typed(_) => None,
        }));
        if let Some(receiver) = &receiver {
            attrs.iter_mut().for_each(|attr| receiver.attribute(attr));
        }
        for input in &mut sig.inputs {
            let attrs = match input {
                FnArg::Receiver(receiver) => &mut receiver.attrs,
                FnArg::Typed(arg) => &mut arg.attrs,
            };
            if let Some(receiver) = &receiver {
                attrs.iter_mut().for_each(|attr| receiver.attribute(attr));
            }
            if let (FnArg::Receiver(of), Some(receiver)) = (&*input, &receiver) {
                let (attrs, mutable, name) = (&of.attrs, &of.mutability, receiver.to());
                let ty = match &of.kind {
                    ReceiverKind::Reference(and, _, mutable) => quote!(#and #mutable Self),
                    ReceiverKind::Typed(_, ty) => quote!(#ty),
                    _ => quote!(Self),
                };
                *input = parse_quote!(#(#attrs)* #mutable #name: #ty);
            }
        }
        BlockTypes(self).visit_signature_mut(sig);
    }
}

/// Lifetimes of an `impl` block, which a call infers.
struct Elided;
impl VisitMut for Elided {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            *lifetime = Lifetime::new("'_", lifetime.span());
        }
    }
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        visit_mut::visit_type_reference_mut(self, reference);
        reference.lifetime = None;
    }
}

/// `Self` of an implementation for references, and associated types.
struct BlockTypes<'i>(&'i Implementation);
impl VisitMut for BlockTypes<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && path.qself.is_none()
            && path
                .path
                .segments
                .first()
                .is_some_and(|s| s.ident == "Self")
        {
            let last = path.path.segments.iter().nth(1);
            let associated = self
                .0
                .associated
                .iter()
                .find(|(name, _)| last.is_some_and(|l| l.ident == *name));
            match (last, associated) {
                (None, _) if self.0.is_reference => *ty = parse_quote!(&Self),
                (Some(_), Some((_, of))) => {
                    *ty = of.clone();
                    self.visit_type_mut(ty);
                }
                _ => {}
            }
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }
}

pub(crate) fn is_op(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|s| s.ident == "op")
}
/// The tokens in the parentheses of an attribute; `None` for `#[op = ..]`.
pub(crate) fn tokens_of(attr: &Attribute) -> Option<TokenStream> {
    match &attr.meta {
        Meta::Path(_) => Some(TokenStream::new()),
        Meta::List(list) => Some(list.tokens.clone()),
        Meta::NameValue(_) => None,
    }
}

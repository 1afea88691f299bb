//! `#[kind(derives = Base)]`: a kind with the members of another.
use crate::{errors::Errors, kind_options::Options, numbers::Numbers, op};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Expr, Member, Type, parse_quote};

/// A part of the values of a kind.
pub(crate) struct ValuePart {
    /// The constant of the kind.
    pub(crate) constant: Ident,
    pub(crate) title: String,
    pub(crate) kind: Type,
    /// With a leading dot, or nothing for the whole value.
    pub(crate) access: TokenStream,
    /// The number of a field; `None` for the value of the base.
    pub(crate) number: Option<usize>,
}

pub(crate) struct Derived {
    pub(crate) base: Type,
    /// The only field; `None` if values belong to the base.
    field: Option<Member>,
}

impl Derived {
    pub(crate) fn of(
        options: &mut Options,
        item: &DeriveInput,
        krate: &TokenStream,
        errors: &mut Errors,
    ) -> Option<Self> {
        let (key, base) = options.derives.take()?;
        let fields = match &item.data {
            Data::Struct(data) => data.fields.members().collect(),
            _ => Vec::new(),
        };
        let field = match (&options.value, fields.as_slice()) {
            (Some(_), _) => None,
            (None, [field]) => Some(field.clone()),
            (None, _) => {
                errors.at(
                    &item.ident,
                    "a kind that derives from another has its values, `value = Type`, or is a struct with one field, a value of the base",
                );
                return None;
            }
        };
        let of = quote!(#krate::kind);
        let derived = Derived { base, field };
        let (base, access) = (&derived.base, derived.access());
        if options.numbers.is_none() {
            options.numbers = Some(Numbers::of_base(key, base.clone(), access.clone()));
        }
        let bytes: Expr = parse_quote!(|x| <<#base as #of::Kind>::Memory as #of::Memory<#of::Val<#base>>>::bytes(&(*x) #access));
        if options
            .index
            .as_ref()
            .is_some_and(|index| !index.to_token_stream().to_string().ends_with("Linear"))
        {
            options.bytes.get_or_insert(bytes);
        }
        Some(derived)
    }

    /// Whether values belong to the base, so that they do not determine the kind.
    pub(crate) fn is_tag(&self) -> bool {
        self.field.is_none()
    }
    fn access(&self) -> TokenStream {
        self.field
            .as_ref()
            .map(|field| quote!(.#field))
            .unwrap_or_default()
    }
    pub(crate) fn part(&self) -> ValuePart {
        ValuePart {
            constant: format_ident!("BASE"),
            title: "The value of the base.".into(),
            kind: self.base.clone(),
            access: self.access(),
            number: None,
        }
    }
    pub(crate) fn shapes(&self, value: &Type, krate: &TokenStream) -> TokenStream {
        let (base, access) = (&self.base, self.access());
        quote! {
            #[inline]
            fn same_shape(a: &#value, b: &#value) -> bool { <#base as #krate::kind::Kind>::same_shape(&(*a) #access, &(*b) #access) }
            fn shape_text(value: &#value) -> ::std::string::String { <#base as #krate::kind::Kind>::shape_text(&(*value) #access) }
        }
    }

    pub(crate) fn implementations(
        &self,
        item: &DeriveInput,
        tag: &Type,
        krate: &TokenStream,
    ) -> TokenStream {
        let (base, access, params) = (&self.base, self.access(), &item.generics.params);
        let name = &item.ident;
        let (impl_generics, _, where_clause) = item.generics.split_for_impl();
        let wrap = |x: TokenStream| match &self.field {
            Some(field) => quote!(#name { #field: #x }),
            None => x,
        };
        let clone = quote!(::core::clone::Clone::clone);
        let (of_value, of_adjoint) = (wrap(quote!(#clone(base))), wrap(quote!(#clone(r_b))));
        let conversions = [
            (
                quote!(OfBase),
                quote!(fn of_base<#params>(#[ad_in(#clone(&(*r_b) #access))] base: &#base) -> &#tag #where_clause { #of_value }),
            ),
            (
                quote!(IntoBase),
                quote!(fn into_base<#params>(#[ad_in(#of_adjoint)] value: &#tag) -> &#base #where_clause { #clone(&(*value) #access) }),
            ),
        ];
        let conversions = conversions.map(|(name, function)| {
            op::expand(
                quote!(name = #name, linear, rule_only, crate = #krate),
                function,
            )
            .unwrap_or_else(|error| error.to_compile_error())
        });
        let unary = quote!(#krate::expr::Unary);
        quote! {
            impl #impl_generics #krate::store::Derived for #tag #where_clause {
                type Base = #base;
            }
            const _: () = {
                #(#conversions)*
                #[allow(dead_code)]
                impl #impl_generics #tag #where_clause {
                    /// Returns an operand of the base as this kind.
                    pub fn of<__M: #krate::kind::Carrier, __X: #krate::expr::IntoExpr<__M, Kind = #base>>(base: __X) -> #unary<OfBase, __M, __X> {
                        #krate::expr::unary(OfBase, base)
                    }
                    /// Returns an operand of this kind as the base.
                    pub fn base<__M: #krate::kind::Carrier, __X: #krate::expr::IntoExpr<__M, Kind = #tag>>(value: __X) -> #unary<IntoBase, __M, __X> {
                        #krate::expr::unary(IntoBase, value)
                    }
                }
            };
        }
    }
}

pub(crate) fn parts(
    each: &[ValuePart],
    item: &DeriveInput,
    tag: &Type,
    value: &Type,
    knows_shape: Option<&TokenStream>,
    krate: &TokenStream,
) -> TokenStream {
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let each = each.iter().map(|part| {
        let ValuePart { constant, title, kind, access, number } = part;
        let fits = number.is_none().then(|| {
            quote! {
                ::core::assert!(
                    <#kind as #krate::kind::Kind>::same_shape(&(*whole) #access, &part),
                    "a value of shape {} is written to a place of shape {}: assign the variable instead",
                    <#kind as #krate::kind::Kind>::shape_text(&part),
                    <#kind as #krate::kind::Kind>::shape_text(&(*whole) #access),
                );
            }
        });
        let part = match number {
            Some(number) => quote!(#krate::store::Field<#tag, #number>),
            None => quote!(#krate::store::BasePart<#tag>),
        };
        quote! {
            impl #impl_generics #tag #where_clause {
                #[doc = #title]
                #[allow(dead_code)]
                pub const #constant: #part = <#part>::new();
            }
            impl #impl_generics #krate::store::Part<#tag> for #part #where_clause {
                type Kind = #kind;
                #[inline]
                fn get(&self, whole: &#value) -> #krate::kind::Val<#kind> { ::core::clone::Clone::clone(&(*whole) #access) }
                #[inline]
                fn get_ref<'w>(&self, whole: &'w #value) -> ::std::borrow::Cow<'w, #krate::kind::Val<#kind>> { ::std::borrow::Cow::Borrowed(&(*whole) #access) }
                #[inline]
                fn get_mut<'w>(&self, whole: &'w mut #value) -> ::core::option::Option<&'w mut #krate::kind::Val<#kind>> { ::core::option::Option::Some(&mut (*whole) #access) }
                #[inline]
                #[track_caller]
                fn put(&self, whole: &mut #value, part: #krate::kind::Val<#kind>) { #fits  (*whole) #access = part; }
                #knows_shape
            }
            impl #impl_generics #krate::store::PlaceIndex<#part> for #tag #where_clause {
                type Part = #part;
                #[inline]
                fn encode(_: &#value, _: #part) -> usize { 0 }
                #[inline]
                fn part(_: &#value, _: usize) -> #part { <#part>::new() }
            }
        }
    });
    quote!(#(#each)*)
}

//! `#[kind(real(..))]`: a value with the operators and elementary functions of a number.
use crate::{kind::Kind, names::lists};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    DeriveInput, Token, Type, WherePredicate,
    parse::{Parse, ParseStream},
    parse_quote_spanned,
};

pub(crate) struct Real {
    pub(crate) key: Ident,
    functions: Vec<Ident>,
}

#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Nothing,
    Number,
    TwoNumbers,
    I32,
    U32,
}
/// The functions of `Lane` other than arithmetic.
const FUNCTIONS: [(Takes, &str); 5] = [
    (
        Takes::Nothing,
        "abs signum floor ceil round round_ties_even trunc fract sqrt cbrt exp exp_m1 ln ln_1p \
         sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh ln_gamma recip",
    ),
    (
        Takes::Number,
        "hypot atan2 powf copysign rem rem_euclid div_euclid midpoint max min",
    ),
    (Takes::TwoNumbers, "mul_add clamp"),
    (Takes::I32, "powi"),
    (Takes::U32, "polygamma"),
];
/// Functions whose adjoint has a constant of double precision.
const ROUNDED: &str = "exp2 log2 log10 to_degrees to_radians erf erfc";
const GIVEN: &str = "abs signum copysign recip max min clamp mul_add powi midpoint fract";

impl Real {
    pub(crate) fn parse(key: Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            let functions = Vec::new();
            return Ok(Real { key, functions });
        }
        let list;
        syn::parenthesized!(list in input);
        let functions: Vec<_> = list
            .parse_terminated(Ident::parse, Token![,])?
            .into_iter()
            .collect();
        for function in &functions {
            let name = function.to_string();
            if lists(ROUNDED, &name) {
                let message = format!(
                    "the derivative of `{name}` has a factor of double precision, which limits the precision of the gradient: write an operation, `#[op(..)]`, or use other functions"
                );
                return Err(syn::Error::new(function.span(), message));
            }
            if !FUNCTIONS.iter().any(|(_, names)| lists(names, &name)) {
                let known = FUNCTIONS.iter().flat_map(|(_, names)| names.split(' '));
                let known: Vec<_> = known.map(|n| format!("`{n}`")).collect();
                let message = format!(
                    "`{name}` is not an elementary function: use {}, or write an operation, `#[op(..)]`",
                    known.join(", ")
                );
                return Err(syn::Error::new(function.span(), message));
            }
        }
        Ok(Real { key, functions })
    }

    pub(crate) fn bound(&self, item: &DeriveInput, krate: &TokenStream) -> WherePredicate {
        let (ident, (_, ty_generics, _)) = (&item.ident, item.generics.split_for_impl());
        let span = self.key.span();
        let ty = quote_spanned!(span=> #ident #ty_generics);
        parse_quote_spanned!(span=> #ty: #krate::elementwise::NumberValue)
    }
    pub(crate) fn implementations(&self, kind: &Kind) -> TokenStream {
        let (lane, element) = (self.lane(kind), element(kind));
        let (number, vector) = (number(kind), vector(kind));
        quote!(#lane #element #number #vector)
    }

    fn lane(&self, kind: &Kind) -> TokenStream {
        let (ty, krate) = (&kind.tag, &kind.krate);
        let (impl_generics, _, where_clause) = kind.item.generics.split_for_impl();
        let x = from(ty, quote!(x));
        let functions = FUNCTIONS
            .iter()
            .flat_map(|(takes, names)| names.split(' ').map(|name| (*takes, name)));
        let rounded = ROUNDED.split(' ').map(|name| (Takes::Nothing, name));
        let functions = functions.chain(rounded);
        let functions = functions.filter_map(|(takes, name)| self.function(takes, name, kind));
        quote! {
            #[deny(unconditional_recursion)]
            impl #impl_generics #krate::elementwise::Lane for #ty #where_clause {
                type Mask = bool;
                #[inline(always)]
                fn splat(self, x: f64) -> Self { #x }
                #[track_caller]
                fn each(self, _: impl ::core::ops::Fn(f64) -> f64) -> Self {
                    #krate::elementwise::no_function::<Self>("functions of double precision: write an operation, `#[op(..)]`, or use other functions")
                }
                #[track_caller]
                fn each2(self, _: Self, _: impl ::core::ops::Fn(f64, f64) -> f64) -> Self {
                    #krate::elementwise::no_function::<Self>("functions of double precision: write an operation, `#[op(..)]`, or use other functions")
                }
                #[inline(always)]
                fn less(self, y: Self) -> bool { self < y }
                #[inline(always)]
                fn less_eq(self, y: Self) -> bool { self <= y }
                #[inline(always)]
                fn equal(self, y: Self) -> bool { self == y }
                #[inline(always)]
                fn select(mask: bool, yes: Self, no: Self) -> Self { if mask { yes } else { no } }
                #(#functions)*
            }
        }
    }

    /// The function of the value if listed. Others have a default, or report that they are missing.
    fn function(&self, takes: Takes, name: &str, kind: &Kind) -> Option<TokenStream> {
        let (ty, krate) = (&kind.tag, &kind.krate);
        let listed = self.functions.iter().find(|f| *f == name);
        let method = format_ident!("{name}");
        let (parameters, arguments) = match takes {
            Takes::Nothing => (quote!(), quote!()),
            Takes::Number => (quote!(, y: Self), quote!(, y)),
            Takes::TwoNumbers => (quote!(, y: Self, z: Self), quote!(, y, z)),
            Takes::I32 => (quote!(, n: i32), quote!(, n)),
            Takes::U32 => (quote!(, n: u32), quote!(, n)),
        };
        if let Some(listed) = listed {
            let call = quote_spanned!(listed.span()=> <#ty>::#listed(self #arguments));
            return Some(quote! {
                #[inline(always)]
                #[track_caller]
                fn #method(self #parameters) -> Self { #call }
            });
        }
        let (zero, one, half) = (
            from(ty, quote!(0.0)),
            from(ty, quote!(1.0)),
            from(ty, quote!(0.5)),
        );
        let body = match name {
            "abs" => quote!(if self < #zero { -self } else { self }),
            "signum" => {
                quote!(if self < #zero { -#one } else if self >= #zero { #one } else { self })
            }
            "copysign" => quote!(if (self < #zero) == (y < #zero) { self } else { -self }),
            "powi" => quote!(#krate::elementwise::power(self, n)),
            "midpoint" => quote!((self + y) * #half),
            "fract" => quote!(self - #krate::elementwise::Lane::trunc(self)),
            _ if lists(GIVEN, name) => return None,
            _ => {
                let ident = &kind.item.ident;
                let what = match lists(ROUNDED, name) {
                    true => format!(
                        "`{name}`, whose derivative has a factor of double precision: write an operation, `#[op(..)]`, or use other functions"
                    ),
                    false => format!(
                        "`{name}`: write it as a method of `{ident}` and list it in `#[kind(real(.., {name}))]`"
                    ),
                };
                quote!(#krate::elementwise::no_function::<Self>(#what))
            }
        };
        Some(quote! {
            #[inline]
            #[track_caller]
            #[allow(unused_variables)]
            fn #method(self #parameters) -> Self { #body }
        })
    }
}

fn from(ty: &Type, x: TokenStream) -> TokenStream {
    quote!(<#ty as ::core::convert::From<f64>>::from(#x))
}

fn element(kind: &Kind) -> TokenStream {
    let (ty, krate, nan) = (&kind.tag, &kind.krate, from(&kind.tag, quote!(f64::NAN)));
    let (impl_generics, _, where_clause) = kind.item.generics.split_for_impl();
    quote! {
        impl #impl_generics #krate::elementwise::ElementKind for #ty #where_clause {
            type Evaluation = #krate::eval::Whole;
            type Remembered = ();
            #[inline(always)]
            fn common<const N: usize, O>(_: &O, _: [(); N]) {}
            #[inline(always)]
            #[track_caller]
            fn map<const N: usize, O: #krate::elementwise::Elementwise<N>>(op: &O, x: [Self; N]) -> Self {
                op.primal(x)
            }
            #[inline(always)]
            fn pull<const N: usize, O: #krate::elementwise::Elementwise<N>>(
                op: &O,
                i: usize,
                x: [::core::option::Option<Self>; N],
                r: ::core::option::Option<Self>,
                r_b: Self,
            ) -> Self {
                // Undeclared operands of a formula are NaN, not a wrong number.
                let known = |x: ::core::option::Option<Self>| x.unwrap_or_else(|| #nan);
                op.adjoint(i, x.map(known), known(r), r_b)
            }
            type Lane = Self;
            #[inline(always)]
            fn lane(piece: Self) -> Self { piece }
            #[inline(always)]
            fn piece(lane: Self) -> Self { lane }
        }
    }
}

fn number(kind: &Kind) -> TokenStream {
    let (ty, krate) = (&kind.tag, &kind.krate);
    let (impl_generics, _, where_clause) = kind.item.generics.split_for_impl();
    let (zero, one) = (from(ty, quote!(0.0)), from(ty, quote!(1.0)));
    let (x, summed) = (
        from(ty, quote!(x)),
        quote!(<#ty as ::core::convert::Into<f64>>::into(x)),
    );
    quote! {
        impl #impl_generics #krate::elementwise::Broadcast<f64> for #ty #where_clause {
            #[inline(always)]
            fn broadcast(x: f64) -> Self { #x }
            #[inline(always)]
            fn sum(x: Self) -> f64 { #summed }
        }
        impl #impl_generics #krate::real::RealKind for #ty #where_clause {}
        impl #impl_generics #krate::real::NumberKind for #ty #where_clause {
            #[inline(always)]
            fn number(x: f64) -> Self { #x }
            #[inline]
            fn sum_of(x: impl ::core::iter::Iterator<Item = Self>) -> Self { x.fold(#zero, |sum, x| sum + x) }
            #[inline]
            fn product_of(x: impl ::core::iter::Iterator<Item = Self>) -> Self { x.fold(#one, |product, x| product * x) }
        }
        impl #impl_generics #krate::tape::Scalar for #ty #where_clause {
            fn one() -> Self { #one }
        }
    }
}

/// Numbers as vectors of one number.
fn vector(kind: &Kind) -> TokenStream {
    let (ty, krate) = (&kind.tag, &kind.krate);
    let (impl_generics, _, where_clause) = kind.item.generics.split_for_impl();
    let into = |x: TokenStream| quote!(<#ty as ::core::convert::Into<f64>>::into(#x));
    let (summed, double) = (into(quote!(x)), into(quote!(*self)));
    let (zero, mapped) = (from(ty, quote!(0.0)), from(ty, quote!(f(#double))));
    quote! {
        impl #impl_generics #krate::kind::KnownZero for #ty #where_clause {
            #[inline(always)]
            fn zero() -> Self { #zero }
            #[inline(always)]
            fn unset() -> Self { #krate::kind::Numbers::map_numbers(&#zero, &mut |_| -0.0) }
            #[inline(always)]
            fn is_unset(value: &Self) -> bool { #krate::kind::is_unset_number(::core::convert::Into::into(*value)) }
        }
        impl #impl_generics #krate::kind::Inner for #ty #where_clause {
            #[inline(always)]
            fn inner(a: &Self, b: &Self) -> f64 { let x = *a * *b; #summed }
        }
        impl #impl_generics #krate::kind::Additive for #ty #where_clause {
            #[inline(always)]
            fn zeroed(&self) -> Self { #zero }
            #[inline(always)]
            fn add_all(&mut self, from: Self) { *self = *self + from; }
        }
        impl #impl_generics #krate::kind::Numbers for #ty #where_clause {
            const EPSILON: f64 = f64::EPSILON;
            fn map_numbers(&self, f: &mut dyn ::core::ops::FnMut(f64) -> f64) -> Self { #mapped }
        }
        impl #impl_generics #krate::coordinates::Coordinates for #ty #where_clause {
            fn map(value: &Self, f: &mut dyn ::core::ops::FnMut(f64) -> f64) -> Self {
                #krate::kind::Numbers::map_numbers(value, f)
            }
        }
    }
}

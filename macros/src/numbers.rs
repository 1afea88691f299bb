//! `#[kind(numbers(..))]`, and `vector`, its operators.
use crate::{errors::Errors, kind::Kind, names, op};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Data, DeriveInput, Expr, Generics, Token, Type,
    parse::{Parse, ParseStream},
    parse_quote,
    spanned::Spanned,
};

/// No fields mean all fields.
pub(crate) struct Numbers {
    pub(crate) key: Ident,
    fields: Option<Vec<Expr>>,
    /// The base, and where its values are.
    base: Option<(Type, TokenStream)>,
}
impl Numbers {
    /// All fields.
    pub(crate) fn new(key: Ident) -> Self {
        Numbers {
            key,
            fields: None,
            base: None,
        }
    }
    /// The numbers of a value of another kind.
    pub(crate) fn of_base(key: Ident, base: Type, access: TokenStream) -> Self {
        let base = Some((base, access));
        Numbers {
            base,
            ..Numbers::new(key)
        }
    }
    pub(crate) fn parse(key: Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            return Ok(Numbers::new(key));
        }
        let list;
        syn::parenthesized!(list in input);
        let fields = list.parse_terminated(Expr::parse, Token![,])?;
        for field in &fields {
            if !matches!(
                field,
                Expr::Path(_) | Expr::Lit(_) | Expr::Field(_) | Expr::Index(_) | Expr::Array(_)
            ) {
                let message = "`numbers` lists fields and elements of the value: write `numbers(x, y)`, `numbers(0, 1)` or `numbers(coords[0], [1])`";
                return Err(syn::Error::new_spanned(field, message));
            }
        }
        if fields.is_empty() {
            let message = "a value without numbers has no adjoint: name the fields that are differentiated, or write `numbers` for all fields";
            return Err(syn::Error::new(key.span(), message));
        }
        let fields = Some(fields.into_iter().collect());
        Ok(Numbers {
            fields,
            ..Numbers::new(key)
        })
    }

    pub(crate) fn fields(&self, around: &Kind, errors: &mut Errors) -> Vec<Field> {
        let field = |access: TokenStream, span: Span| {
            let name = access.to_string();
            let access = match name.starts_with('[') {
                true => access,
                false => quote!(.#access),
            };
            let part = around.options.parts.iter().find(|(part, _)| *part == name);
            // A number is its own kind.
            let is_number = |ty: &Type| names::is(ty, "f64") || names::is(ty, "f32");
            let kind = part.map(|(_, kind)| kind.clone()).filter(|k| !is_number(k));
            Field {
                name,
                access,
                kind,
                ty: None,
                span,
            }
        };
        if let Some((kind, access)) = &self.base {
            return vec![Field {
                name: access.to_string().trim_start_matches(['.', ' ']).into(),
                access: access.clone(),
                kind: Some(kind.clone()),
                ty: None,
                span: kind.span(),
            }];
        }
        match (&self.fields, &around.item.data) {
            (Some(list), _) => list
                .iter()
                .map(|e| field(e.to_token_stream(), e.span()))
                .collect(),
            (None, Data::Struct(data)) if around.own => data
                .fields
                .iter()
                .zip(data.fields.members())
                .map(|(f, m)| field(m.to_token_stream(), f.span()))
                .collect(),
            _ => {
                let message = "the fields of a type that is declared elsewhere are unknown: name the fields that are numbers, `numbers(x, y)`";
                errors.at(&self.key, message);
                Vec::new()
            }
        }
    }

    pub(crate) fn make(&self, around: &Kind, errors: &mut Errors) -> Generated {
        let (tag, krate, value) = (&around.tag, &around.krate, &around.value);
        let of_kind = quote!(#krate::kind);
        let fields = self.fields(around, errors);
        let terms: Vec<_> = fields.iter().map(|field| field.terms(around)).collect();
        let of = |term: fn(&Terms) -> &TokenStream| terms.iter().map(term).collect::<Vec<_>>();
        let (sums, finite, unset) = (of(|t| &t.sum), of(|t| &t.finite), of(|t| &t.unset));
        let (inner, coordinates) = (of(|t| &t.inner), coordinates(around, &fields));
        let (impl_generics, _, where_clause) = around.item.generics.split_for_impl();
        let (epsilon, map) = coordinates_of(around, &fields);
        let zero = changed(around, &fields, &quote!(like), &of(|t| &t.zero));
        let own = around.own.then(|| {
            let additive = additive(around, &fields);
            quote! {
                #additive
                impl #impl_generics #of_kind::Numbers for #tag #where_clause {
                    const EPSILON: f64 = #epsilon;
                    fn map_numbers(&self, f: &mut dyn ::core::ops::FnMut(f64) -> f64) -> Self {
                        let value = self;
                        #map
                    }
                }
            }
        });
        let implementations = quote! {
            #coordinates
            impl #impl_generics #of_kind::Inner for #tag #where_clause {
                #[inline]
                #[track_caller]
                fn inner(a: &#value, b: &#value) -> f64 { #(#inner)+* }
            }
            #own
        };
        let default = quote_spanned!(around.item.ident.span()=> <#value as ::core::default::Default>::default());
        let known_zero = quote! {
            impl #impl_generics #of_kind::KnownZero for #tag #where_clause {
                #[inline]
                fn zero() -> #value { <#tag as #of_kind::Kind>::zero_like(&#default) }
                #[inline]
                fn unset() -> #value {
                    let value = &Self::zero();
                    let f: &mut dyn ::core::ops::FnMut(f64) -> f64 = &mut |_| -0.0;
                    #map
                }
                #[inline]
                fn is_unset(value: &#value) -> bool { #(#unset)&&* }
            }
        };
        Generated {
            zero: quote!((like: &#value) -> #value { #zero }),
            add: quote!((into: &mut #value, from: #value) { #(#sums)* }),
            finite: quote!((value: &#value) -> bool { #(#finite)&&* }),
            implementations,
            known_zero,
        }
    }
}

/// The precision of values and the map of their numbers.
fn coordinates_of(around: &Kind, fields: &[Field]) -> (TokenStream, TokenStream) {
    let krate = &around.krate;
    let terms: Vec<_> = fields.iter().map(|field| field.terms(around)).collect();
    let epsilons = terms.iter().map(|term| &term.epsilon);
    let maps: Vec<_> = terms.iter().map(|term| &term.map).collect();
    (
        quote!(#krate::kind::coarsest(&[#(#epsilons),*])),
        changed(around, fields, &quote!(value), &maps),
    )
}
/// The real coordinates of a value: of its fields, or of a value that is `Numbers`.
pub(crate) fn coordinates(around: &Kind, fields: &[Field]) -> TokenStream {
    let (tag, krate, value) = (&around.tag, &around.krate, &around.value);
    let (impl_generics, _, where_clause) = around.item.generics.split_for_impl();
    let (epsilon, map) = match fields {
        [] => {
            let numbers = quote!(<#value as #krate::kind::Numbers>);
            (
                quote!(#numbers::EPSILON),
                quote!(#numbers::map_numbers(value, f)),
            )
        }
        fields => coordinates_of(around, fields),
    };
    quote! {
        impl #impl_generics #krate::coordinates::Coordinates for #tag #where_clause {
            const EPSILON: f64 = #epsilon;
            fn map(value: &#value, f: &mut dyn ::core::ops::FnMut(f64) -> f64) -> #value { #map }
        }
    }
}

/// The sum and the zero of a struct, by field.
pub(crate) fn additive(around: &Kind, fields: &[Field]) -> TokenStream {
    let (tag, krate) = (&around.tag, &around.krate);
    let (impl_generics, _, where_clause) = around.item.generics.split_for_impl();
    let terms: Vec<_> = fields.iter().map(|field| field.terms(around)).collect();
    let of = |term: fn(&Terms) -> &TokenStream| terms.iter().map(term).collect::<Vec<_>>();
    let zero = changed(around, fields, &quote!(like), &of(|t| &t.zero));
    let (sums, alike) = (of(|t| &t.sum), of(|t| &t.alike));
    let (texts, each) = (of(|t| &t.text), of(|t| &t.each));
    quote! {
        impl #impl_generics #krate::kind::Additive for #tag #where_clause {
            #[inline]
            fn zeroed(&self) -> Self { let like = self; #zero }
            #[inline]
            #[track_caller]
            fn add_all(&mut self, from: Self) { let into = self; #(#sums)* }
            #[inline]
            fn same_shape(&self, other: &Self) -> bool { #(#alike)&&* }
            fn shape_text(&self) -> ::std::string::String {
                ::std::format!("({})", [#(#texts),*].join(", "))
            }
            fn each_number(&mut self, f: &mut dyn ::core::ops::FnMut(&mut f64)) -> bool { true #(& #each)* }
        }
    }
}

/// The code of a field.
struct Terms {
    zero: TokenStream,
    sum: TokenStream,
    alike: TokenStream,
    text: TokenStream,
    each: TokenStream,
    finite: TokenStream,
    unset: TokenStream,
    map: TokenStream,
    inner: TokenStream,
    epsilon: TokenStream,
}
impl Field {
    fn terms(&self, around: &Kind) -> Terms {
        let (krate, value, access) = (&around.krate, &around.value, &self.access);
        let (of_kind, coordinates) = (quote!(#krate::kind), quote!(#krate::coordinates));
        let unset = quote!(#of_kind::is_unset_number);
        let span = self.span;
        match &self.kind {
            None => {
                let numbers = quote!(#of_kind::Numbers);
                let additive = match &self.ty {
                    Some(ty) => quote!(<#ty as #of_kind::Additive>),
                    None => quote!(#of_kind::Additive),
                };
                Terms {
                    zero: quote_spanned!(span=> #additive::zeroed(&like #access)),
                    sum: quote_spanned!(span=> #additive::add_all(&mut into #access, from #access);),
                    alike: quote_spanned!(span=> #additive::same_shape(&self #access, &other #access)),
                    text: quote_spanned!(span=> #additive::shape_text(&self #access)),
                    each: quote_spanned!(span=> #additive::each_number(&mut self #access, f)),
                    finite: quote_spanned!(span=> #numbers::all_numbers(&value #access, f64::is_finite)),
                    unset: quote_spanned!(span=> #numbers::all_numbers(&value #access, #unset)),
                    map: quote_spanned!(span=> #numbers::map_numbers(&value #access, f)),
                    inner: quote_spanned!(span=> #numbers::inner_product(&a #access, &b #access)),
                    epsilon: quote_spanned!(span=> #of_kind::epsilon_of(|value: &#value| &value #access)),
                }
            }
            Some(kind) => {
                let of = quote_spanned!(span=> <#kind as #coordinates::Coordinates>);
                let kind_of = quote_spanned!(span=> <#kind as #of_kind::Kind>);
                Terms {
                    zero: quote!(#kind_of::zero_like(&like #access)),
                    sum: quote!(#kind_of::accumulate(&mut (*into) #access, from #access);),
                    alike: quote!(#kind_of::same_shape(&self #access, &other #access)),
                    text: quote!(#kind_of::shape_text(&self #access)),
                    each: quote!(#kind_of::each_number(&mut self #access, f)),
                    finite: quote!(#kind_of::is_finite(&value #access)),
                    unset: quote!(#coordinates::all_of::<#kind>(&value #access, #unset)),
                    map: quote!(#of::map(&value #access, f)),
                    inner: quote!(#coordinates::inner_of::<#kind>(&a #access, &b #access)),
                    epsilon: quote!(#of::EPSILON),
                }
            }
        }
    }
}

pub(crate) struct Field {
    name: String,
    access: TokenStream,
    kind: Option<Type>,
    /// The type that messages name.
    pub(crate) ty: Option<Type>,
    span: Span,
}

pub(crate) struct Generated {
    pub(crate) zero: TokenStream,
    pub(crate) add: TokenStream,
    pub(crate) finite: TokenStream,
    pub(crate) implementations: TokenStream,
    pub(crate) known_zero: TokenStream,
}

/// The value `old` with new numbers. A struct with known fields is constructed from them, without copying old numbers.
fn changed(
    around: &Kind,
    fields: &[Field],
    old: &TokenStream,
    new: &[&TokenStream],
) -> TokenStream {
    let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
    if let (true, Data::Struct(data)) = (around.own, &around.item.data) {
        let members: Vec<_> = data
            .fields
            .members()
            .map(ToTokens::into_token_stream)
            .collect();
        let place = |member: &TokenStream| {
            let member = member.to_string();
            names.iter().position(|name| **name == member)
        };
        let places: Vec<_> = members.iter().map(place).collect();
        if names.len() == places.iter().flatten().count() {
            let each = members
                .iter()
                .zip(places)
                .map(|(member, place)| match place {
                    Some(i) => new[i].clone(),
                    None => quote!(::core::clone::Clone::clone(&#old.#member)),
                });
            return quote!(Self { #(#members: #each),* });
        }
    }
    if let ([field], [new]) = (fields, new)
        && field.access.is_empty()
    {
        return (*new).clone();
    }
    let accesses = fields.iter().map(|field| &field.access);
    quote! {
        let mut new = ::core::clone::Clone::clone(#old);
        #(new #accesses = #new;)*
        new
    }
}

/// `vector`, or `vector(T)`: the real that scales values.
pub(crate) struct Vector {
    pub(crate) key: Ident,
    pub(crate) scale: Type,
}
impl Vector {
    pub(crate) fn parse(key: Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            let scale = parse_quote!(f64);
            return Ok(Vector { key, scale });
        }
        let scale;
        syn::parenthesized!(scale in input);
        let scale = scale.parse()?;
        Ok(Vector { key, scale })
    }
    pub(crate) fn operations(
        &self,
        kind: &Type,
        item: &DeriveInput,
        krate: &TokenStream,
    ) -> TokenStream {
        let (s, span) = (&self.scale, self.key.span());
        let product = |other: TokenStream| quote_spanned!(span=> <#s as #krate::real::Real>::nearest(<#kind as #krate::kind::Inner>::inner(&r_b, &#other)));
        let a = format_ident!("a", span = span);
        let r = format_ident!("r", span = span);
        let (by_a, by_r) = (product(quote!(#a)), product(quote!(#r)));
        let t = |name: &str| format_ident!("{name}_t", span = span);
        let (a_t, b_t, s_t, r_t) = (t("a"), t("b"), t("s"), t("r"));
        let by_r_t = product(quote!(#r_t));
        let of_quotient = quote_spanned! {span=>
            tangent(a = #a_t / s, s = r * (-#s_t / s)),
            second(a = r_b * (-#s_t / (s * s)), s = (#by_r * #s_t / s - #by_r_t) / s)
        };
        let each = [
            (
                quote!(Add, linear, tangent(a = #a_t, b = #b_t)),
                quote_spanned!(span=> (#[ad_in(r_b)] a: #kind, #[ad_in(r_b)] b: #kind) -> #kind { a + b }),
            ),
            (
                quote!(Sub, linear, tangent(a = #a_t, b = -#b_t)),
                quote_spanned!(span=> (#[ad_in(r_b)] a: #kind, #[ad_in(-r_b)] b: #kind) -> #kind { a - b }),
            ),
            (
                quote!(Neg, linear),
                quote_spanned!(span=> (#[ad_in(-r_b)] a: #kind) -> #kind { -a }),
            ),
            (
                quote!(Mul, bilinear),
                quote_spanned!(span=> (#[ad_in(r_b * s)] a: #kind, #[ad_in(#by_a)] s: #s) -> #kind { a * s }),
            ),
            (
                quote!(Mul, bilinear),
                quote_spanned!(span=> (#[ad_in(#by_a)] s: #s, #[ad_in(r_b * s)] a: #kind) -> #kind { a * s }),
            ),
            (
                quote!(Div, #of_quotient),
                quote_spanned!(span=> (#[ad_in(r_b / s)] a: #kind, #[ad_in(-(#by_r) / s)] s: #s) -> #kind { a / s }),
            ),
        ];
        let Generics {
            params,
            where_clause,
            ..
        } = &item.generics;
        let rules = each.into_iter().map(|(operator, function)| {
            let function = Signature(function).with(&quote!(<#params>), where_clause);
            op::expand(quote!(#operator, crate = #krate), function)
                .unwrap_or_else(|error| error.to_compile_error())
        });
        quote!(#(#rules)*)
    }
}

struct Signature(TokenStream);
impl Signature {
    fn with(self, generics: &TokenStream, clause: &Option<syn::WhereClause>) -> TokenStream {
        let mut tokens: Vec<_> = self.0.into_iter().collect();
        let body = tokens.pop();
        quote!(fn operator #generics #(#tokens)* #clause #body)
    }
}

use crate::{
    coordinates,
    derives::{self, Derived, ValuePart},
    errors::Errors,
    kind_options::{check, options},
    numbers, sample,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{DeriveInput, Expr, Type, parse_quote, spanned::Spanned};

/// Makes a function with the parameters `names` of a closure or a path.
fn function(f: &Expr, parameters: &[Type], out: &TokenStream, errors: &mut Errors) -> TokenStream {
    let n = parameters.len();
    match f {
        Expr::Closure(closure) if closure.inputs.len() != n => {
            errors.at(closure, format!("expected a closure with {n} argument(s)"));
            TokenStream::new()
        }
        Expr::Closure(closure) => {
            let (patterns, body) = (closure.inputs.iter(), &closure.body);
            let body = match &**body {
                // Nested braces would cause a warning in the user's code.
                Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
                    quote!(#block)
                }
                other => quote!({ #other }),
            };
            quote!((#(#patterns: #parameters),*) #out #body)
        }
        path => {
            let names: Vec<_> = (0..n).map(|i| format_ident!("x{i}")).collect();
            quote!((#(#names: #parameters),*) #out { (#path)(#(#names),*) })
        }
    }
}

fn by_fields(
    item: &DeriveInput,
    parts: &[(syn::Ident, Type)],
    krate: &TokenStream,
    errors: &mut Errors,
) -> TokenStream {
    let ident = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    let fields = match &item.data {
        syn::Data::Struct(data) if data.fields.is_empty() => {
            errors.at(
                ident,
                "a kind without fields needs the type of its values: write `value = ..`",
            );
            return TokenStream::new();
        }
        syn::Data::Struct(data) => &data.fields,
        _ => {
            errors.at(
                ident,
                "the sum of these values is unknown, because they are not a struct: declare `add = |into, from| ..`",
            );
            return TokenStream::new();
        }
    };
    let (mut zeros, mut sums) = (Vec::new(), Vec::new());
    let (mut alike, mut texts, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (i, field) in fields.iter().enumerate() {
        let name = field.ident.clone();
        let part = parts.iter().find(|(part, _)| name.as_ref() == Some(part));
        let member = name.map_or_else(|| syn::Index::from(i).into_token_stream(), |n| quote!(#n));
        let (kind, zero, sum) = match part {
            Some((_, kind)) => (
                quote!(<#kind as #krate::kind::Kind>),
                quote!(zero_like),
                quote!(accumulate),
            ),
            None => {
                let ty = &field.ty;
                let additive = quote!(<#ty as #krate::kind::Additive>);
                (additive, quote!(zeroed), quote!(add_all))
            }
        };
        alike.push(quote!(#kind::same_shape(&self.#member, &other.#member)));
        texts.push(quote!(#kind::shape_text(&self.#member)));
        numbers.push(quote!(#kind::each_number(&mut self.#member, f)));
        let zero = quote!(#kind::#zero(&self.#member));
        let sum = quote!(#kind::#sum(&mut self.#member, from.#member));
        zeros.push(quote!(#member: #zero));
        sums.push(sum);
    }
    quote! {
        impl #impl_generics #krate::kind::Additive for #ident #ty_generics #where_clause {
            #[inline]
            fn zeroed(&self) -> Self { Self { #(#zeros),* } }
            #[inline]
            #[track_caller]
            fn add_all(&mut self, from: Self) { #(#sums;)* }
            #[inline]
            fn same_shape(&self, other: &Self) -> bool { #(#alike)&&* }
            fn shape_text(&self) -> ::std::string::String {
                ::std::format!("({})", [#(#texts),*].join(", "))
            }
            fn each_number(&mut self, f: &mut dyn ::core::ops::FnMut(&mut f64)) -> bool { true #(& #numbers)* }
        }
    }
}

/// Compares shapes by the numbers of a value, if it has any.
fn shapes(value: &Type, krate: &TokenStream) -> TokenStream {
    let of = quote!(#krate::kind::Adding(::core::marker::PhantomData::<#value>));
    quote! {
        #[inline]
        fn same_shape(a: &#value, b: &#value) -> bool {
            #[allow(unused_imports)]
            use #krate::kind::{ByNothing as _, ByNumbers as _};
            (&&&#of).same_shape(a, b)
        }
        fn shape_text(value: &#value) -> ::std::string::String {
            #[allow(unused_imports)]
            use #krate::kind::{ByNothing as _, ByNumbers as _};
            (&&&#of).shape_text(value)
        }
    }
}
/// The fields that `parts(..)` names.
fn value_parts(parts: &[(syn::Ident, Type)]) -> impl Iterator<Item = ValuePart> {
    parts.iter().enumerate().map(|(number, (field, kind))| {
        let name = field.to_string();
        let name = name.trim_start_matches("r#");
        ValuePart {
            constant: format_ident!("{}", name.to_uppercase(), span = field.span()),
            title: format!("The part `{name}`."),
            kind: kind.clone(),
            access: quote!(.#field),
            number: Some(number),
        }
    })
}

pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    let mut options = options(attr, &mut errors);
    let mut item: DeriveInput = syn::parse2(item)?;
    let krate = crate::krate(options.krate.as_ref());
    let derived = Derived::of(&mut options, &item, &krate, &mut errors);
    let written = item.to_token_stream();
    if let Some(real) = &options.real {
        // Only this bound reports missing operators.
        let bound = real.bound(&item, &krate);
        let clause = item.generics.make_where_clause();
        clause.predicates.push(bound);
    }
    let (ident, (impl_generics, ty_generics, where_clause)) =
        (&item.ident, item.generics.split_for_impl());
    let tag: Type = parse_quote!(#ident #ty_generics);
    let own = options
        .value
        .as_ref()
        .is_none_or(|v| *v == tag || matches!(v, Type::Path(p) if p.path.is_ident("Self")));
    // At the span of the struct's name, the compiler would suggest a reference.
    let value_span = options
        .value
        .as_ref()
        .map_or_else(Span::call_site, Spanned::span);
    check(&options, own, &mut errors);
    let value = options.value.filter(|_| !own).unwrap_or(tag.clone());

    let policy = options.index.unwrap_or(parse_quote!(Linear));
    let is = |name: &str| matches!(&policy, Type::Path(p) if p.path.is_ident(name));
    let (linear, reuse) = (is("Linear"), is("Owned"));
    let policy = if linear || reuse {
        quote!(#krate::kind::index::#policy)
    } else {
        policy.to_token_stream()
    };

    let around = numbers::Around {
        item: &item,
        krate: &krate,
        value: &value,
        own,
        parts: &options.parts,
    };
    let made = options
        .numbers
        .as_ref()
        .map(|n| n.make(&around, &mut errors));
    let is_real = options.real.is_some();
    let zero = match &options.zero {
        None if is_real => {
            quote!((_: &#value) -> #value { <#tag as #krate::kind::KnownZero>::zero() })
        }
        None if made.is_some() => made.iter().map(|made| made.zero.clone()).collect(),
        Some(f) => function(f, &[parse_quote!(&#value)], &quote!(-> #value), &mut errors),
        None if linear => quote!((_: &#value) -> #value { #krate::kind::default_zero::<#tag>() }),
        None if own && options.add.is_some() => {
            let message = "a kind with this `index` needs the zero with the shape of a value: declare `zero = |like| ..`";
            errors.at(ident, message);
            TokenStream::new()
        }
        None => {
            let zeroed = quote_spanned!(value_span=> #krate::kind::Additive::zeroed(like));
            quote!((like: &#value) -> #value { #zeroed })
        }
    };
    let add = match &options.add {
        Some(f) => function(
            f,
            &[parse_quote!(&mut #value), value.clone()],
            &quote!(),
            &mut errors,
        ),
        None if made.is_some() => made.iter().map(|made| made.add.clone()).collect(),
        None if own => {
            quote!((into: &mut #value, from: #value) { #krate::kind::Additive::add_all(into, from) })
        }
        None => {
            let of = quote!(#krate::kind::Adding(::core::marker::PhantomData::<#value>));
            let sum = quote_spanned!(value_span=> (&&&#of).add(into, from));
            quote!((into: &mut #value, from: #value) {
                #[allow(unused_imports)]
                use #krate::kind::{ByNothing as _, ByNumbers as _, ByOperator as _};
                #sum
            })
        }
    };
    let computed = options.computed.as_ref().map(|f| {
        let computed = function(
            f,
            std::slice::from_ref(&value),
            &quote!(-> #value),
            &mut errors,
        );
        quote!(#[inline(always)] fn computed #computed)
    });
    let unset = options.unset.as_ref().map(|f| {
        let unset = function(f, &[parse_quote!(&#value)], &quote!(-> bool), &mut errors);
        quote!(#[inline(always)] fn is_unset_tangent #unset)
    });
    let mark = options.mark.as_ref().map(|f| {
        let arguments = [parse_quote!(&mut #value), parse_quote!(bool)];
        let mark = function(f, &arguments, &TokenStream::new(), &mut errors);
        quote!(#[inline(always)] fn mark_zeros #mark)
    });
    let additive = (own && options.add.is_none() && made.is_none() && !is_real)
        .then(|| by_fields(&item, &options.parts, &krate, &mut errors));
    let coordinates = options.coordinates.as_ref().map(|key| {
        coordinates::implementation(&item, key, (!own).then_some(&value), &options.parts, &krate)
    });
    let finite = match (&options.finite, &made) {
        (Some(f), _) => function(f, &[parse_quote!(&#value)], &quote!(-> bool), &mut errors),
        (None, Some(made)) => made.finite.clone(),
        (None, None) if is_real => {
            quote!((value: &#value) -> bool { f64::is_finite(<#value as ::core::convert::Into<f64>>::into(*value)) })
        }
        (None, None) => TokenStream::new(),
    };
    let finite = (!finite.is_empty()).then(|| quote!(#[inline] fn is_finite #finite));
    let extent = options.extent.as_ref().map(|f| {
        let extent = function(f, &[parse_quote!(&#value)], &quote!(-> usize), &mut errors);
        quote!(#[inline] fn extent #extent)
    });
    let bytes = match &options.bytes {
        Some(f) => function(f, &[parse_quote!(&#value)], &quote!(-> usize), &mut errors),
        None if linear => TokenStream::new(),
        None => {
            let owned = match &item.data {
                syn::Data::Struct(data) if own => {
                    let fields = data.fields.members();
                    quote!(0 #(+ #krate::kind::Heap::heap_bytes(&value.#fields))*)
                }
                _ => quote!(#krate::kind::Heap::heap_bytes(value)),
            };
            quote!((value: &#value) -> usize { #owned })
        }
    };
    let bytes = (!bytes.is_empty()).then(|| quote!(#[inline] fn bytes #bytes));
    let fetch = options.fetch.as_ref().map(|f| {
        let fetch = function(f, &[parse_quote!(&#value)], &quote!(), &mut errors);
        quote!(#[inline(always)] fn prefetch #fetch)
    });
    let recycle = options.recycle.as_ref().map(|f| {
        let recycle = function(f, &[parse_quote!(&mut #value)], &quote!(), &mut errors);
        quote!(#[inline] fn recycle #recycle)
    });
    let recycles = recycle.is_some();
    // Values of value kinds do not own memory.
    let (memory, memory_impl) = match bytes {
        None => (quote!(#krate::kind::NoMemory), None),
        Some(bytes) => (
            quote!(Self),
            Some(quote! {
                impl #impl_generics #krate::kind::Memory<#value> for #tag #where_clause {
                    const RECYCLES: bool = #recycles;
                    #recycle
                    #extent
                    #bytes
                    #fetch
                }
            }),
        ),
    };
    let batch = match options.runs {
        true => quote!(Chained),
        false => quote!(OneByOne),
    };
    let keep = match &options.plain {
        Some(plain) if reuse => {
            let message = "`plain` stores the bytes of a value, but values of storage kinds are shared: remove `plain`";
            errors.at(plain, message);
            TokenStream::new()
        }
        Some(_) => quote!(#krate::kind::Inline),
        None => quote!(#krate::kind::Spilled),
    };
    // Rules receive `r_b` by reference. A custom adjoint type brings its own contributions.
    let by_reference = options.adjoint.is_none() && reuse;
    // The `Default` of a value may differ from the zero of its numbers.
    let known_zero = linear && (made.is_some() || is_real);
    let adjoint = match options.adjoint {
        Some(adjoint) => adjoint.to_token_stream(),
        // A custom number may lose the sign of zero.
        None if known_zero && !is_real => quote!(#krate::kind::SumOf<#tag>),
        None => quote!(::core::option::Option<#value>),
    };
    // The layout determines the shape of other values.
    let shapes = (!linear && options.layout.is_none()).then(|| match &derived {
        Some(derived) => derived.shapes(&value, &krate),
        None => shapes(&value, &krate),
    });
    errors.finish()?;
    let fits = quote! {
        #[inline(always)]
        fn fits(&self, like: &#value) -> bool { <#tag as #krate::kind::Kind>::same_shape(self, like) }
        fn given_shape(&self) -> ::std::string::String { <#tag as #krate::kind::Kind>::shape_text(self) }
    };
    let layout = match &options.layout {
        None => quote!(#krate::kind::OnePiece),
        Some(Type::Path(p))
            if ["OnePiece", "Shaped"]
                .iter()
                .any(|layout| p.path.is_ident(layout)) =>
        {
            quote!(#krate::kind::#p)
        }
        Some(layout) => layout.to_token_stream(),
    };

    // For other kinds the zero has the shape of a value.
    let knows_shape = (linear && options.zero.is_none()).then(|| {
        let zero = match known_zero {
            true => quote!(<#tag as #krate::kind::KnownZero>::zero()),
            false => quote!(::core::default::Default::default()),
        };
        quote! {
            const KNOWS_SHAPE: bool = true;
            #[inline]
            fn zero(&self) -> #value { #zero }
        }
    });
    let derived_parts = derived.iter().map(Derived::part);
    let parts: Vec<_> = value_parts(&options.parts).chain(derived_parts).collect();
    let parts = derives::parts(&parts, &item, &tag, &value, knows_shape.as_ref(), &krate);
    let constants = options.constant.is_none_or(|constant| constant.value);
    let value_impl = constants.then(|| {
        quote! {
            impl #impl_generics #krate::expr::ValueOf<#tag> for #value #where_clause {
                #[inline]
                fn into_value(self) -> Self { self }
            }
        }
    });
    // A value of the base is not a constant of both kinds.
    let is_tag = derived.as_ref().is_some_and(Derived::is_tag);
    let constant_impl = (constants && !is_tag).then(|| {
        quote! {
            impl #impl_generics #krate::expr::Constant<#tag> for #value #where_clause {
                type Node = #krate::expr::Const<#tag>;
                #[inline]
                fn into_node(self) -> #krate::expr::Const<#tag> { #krate::expr::Const::of(self) }
            }
        }
    });
    let compared_impl = quote! {
        impl #impl_generics #krate::expr::Compared<#tag> for #value #where_clause {
            #[inline]
            fn with_value<__R>(&self, f: impl ::core::ops::FnOnce(&Self) -> __R) -> __R { f(self) }
        }
    };
    // A separate function, so that the error is reported once.
    let bare = linear.then(|| {
        let call = quote_spanned!(value_span=> is_bare::<#value>());
        quote! {
            const _: () = {
                fn is_bare<__V: #krate::kind::Bare>() {}
                #[allow(dead_code)]
                fn values_are #impl_generics () #where_clause { #call }
            };
        }
    });
    // Values of storage kinds would be copied for each statement.
    let generics = &item.generics;
    let rhs_impl = linear.then(|| {
        let mut generics = generics.clone();
        generics.params.push(parse_quote!(__M: #krate::kind::Carrier));
        generics.params.push(parse_quote!(__Op));
        generics.params.push(parse_quote!(__Third: #krate::kind::Kind));
        let (impl_generics, _, _) = generics.split_for_impl();
        let rhs = |operand: TokenStream, value: TokenStream| {
            quote! {
                impl #impl_generics #krate::expr::Rhs<#tag, __M, __Op, __Third> for #operand #where_clause {
                    type Kind = #tag;
                    type Node = #krate::expr::Const<#tag>;
                    type Operation = __Op;
                    #[inline(always)]
                    fn into_rhs(self) -> #krate::expr::Expr<#tag, __M, Self::Node> { #krate::expr::lit(#value) }
                }
            }
        };
        let own = rhs(quote!(#value), quote!(self));
        let borrowed = rhs(quote!(&#value), quote!(::core::clone::Clone::clone(self)));
        quote!(#own #borrowed)
    });
    // A value that is transformed cannot be borrowed.
    let lends = computed.is_none().then(|| {
        quote! {
            #[inline(always)]
            fn hand_to(self, inner: impl ::core::ops::FnOnce(#krate::kind::Incoming<'_, #tag>)) {
                inner(#krate::kind::Incoming::borrowed(self))
            }
        }
    });
    let reference_impl = by_reference.then(|| {
        quote! {
            impl #impl_generics #krate::kind::Contribution<#tag> for &#value #where_clause {
                #[inline]
                fn add_to(self, adjoint: &mut <#tag as #krate::kind::Kind>::Adjoint) {
                    let value = ::core::clone::Clone::clone(self);
                    #krate::kind::Contribution::<#tag>::add_to(value, adjoint)
                }
                #[inline]
                fn materialise(self) -> #value {
                    <#tag as #krate::kind::Kind>::computed(::core::clone::Clone::clone(self))
                }
                #lends
                #fits
            }
        }
    });
    let real = options
        .real
        .as_ref()
        .map(|real| real.implementations(&item, &tag, &krate));
    let numbers = made.as_ref().map(|made| {
        let known_zero = known_zero.then_some(&made.known_zero);
        let implementations = &made.implementations;
        quote!(#implementations #known_zero)
    });
    let vector = options
        .vector
        .as_ref()
        .map(|vector| vector.operations(&tag, &item, &krate));
    let inputs = ((made.is_some() || is_real) && !is_tag).then(|| {
        let shape = match linear {
            true => quote!(SingleShape),
            false => quote!(SingleRefShape),
        };
        quote! {
            impl #impl_generics #krate::structure::Inputs<#tag> for #value #where_clause {
                type Shape = #krate::structure::#shape<#tag>;
                fn into_values(self) -> #value { self }
            }
        }
    });
    let derived = derived.map(|derived| derived.implementations(&item, &tag, &krate));
    let parts_of: Vec<_> = options.parts.iter().map(|(part, _)| part).collect();
    let tests = sample::tests_of_kind(
        &options.samples,
        ident,
        &tag,
        &parts_of,
        options.vector.as_ref().map(|vector| &vector.scale),
        is_real,
        &krate,
    );
    let name = options.name.map_or_else(
        || ident.to_string().to_token_stream(),
        ToTokens::into_token_stream,
    );
    let allow = (!own).then(|| quote!(#[allow(dead_code)]));
    Ok(quote! {
        #allow
        #written
        impl #impl_generics #krate::kind::Kind for #tag #where_clause {
            type Value = #value;
            type Adjoint = #adjoint;
            type Policy = #policy;
            type Layout = #layout;
            type Encoding = #keep;
            type Memory = #memory;
            type Batch = #krate::kind::#batch;
            const NAME: &'static str = #name;
            #[inline]
            fn zero_like #zero
            #[inline]
            fn accumulate #add
            #computed
            #unset
            #mark
            #shapes
            #finite
            fn each_number(value: &mut #value, f: &mut dyn ::core::ops::FnMut(&mut f64)) -> bool {
                #[allow(unused_imports)]
                use #krate::coordinates::{ByAdditive as _, ByCoordinates as _, Unknown as _};
                (&&&#krate::coordinates::NumbersOf(::core::marker::PhantomData::<#tag>)).each_number(value, f)
            }
        }
        #memory_impl
        impl #impl_generics #krate::kind::Contribution<#tag> for #value #where_clause {
            #[inline]
            fn add_to(self, adjoint: &mut <#tag as #krate::kind::Kind>::Adjoint) {
                let computed = <#tag as #krate::kind::Kind>::computed(self);
                #krate::kind::Adjoint::<#tag>::add(adjoint, computed)
            }
            #[inline]
            fn materialise(self) -> Self { <#tag as #krate::kind::Kind>::computed(self) }
            #fits
        }
        #reference_impl
        #value_impl
        #constant_impl
        #compared_impl
        #rhs_impl
        #bare
        #additive
        #real
        #numbers
        #vector
        #inputs
        #tests
        #coordinates
        #parts
        #derived
    })
}

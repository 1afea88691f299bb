//! `#[kind(..)]`: the type of an entity and of its values.
use crate::{
    derives::{self, Derived, ValuePart},
    errors::Errors,
    kind_options::{Options, check, options},
    names::is,
    numbers::{self, Generated, Numbers},
    sample,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{DeriveInput, Expr, Type, parse_quote, spanned::Spanned};

/// Makes a function of a closure or a path.
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

/// A kind, as declared.
pub(crate) struct Kind {
    pub(crate) item: DeriveInput,
    pub(crate) options: Options,
    pub(crate) krate: TokenStream,
    pub(crate) tag: Type,
    pub(crate) value: Type,
    /// Whether the struct is its own value.
    pub(crate) own: bool,
    policy: Type,
    derived: Option<Derived>,
    numbers: Option<Generated>,
}

pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    let mut options = options(attr, &mut errors);
    let mut item: DeriveInput = syn::parse2(item)?;
    let krate = crate::krate(options.krate.as_ref());
    let derived = Derived::of(&mut options, &item, &krate, &mut errors);
    let written = item.to_token_stream();
    if let Some(real) = &options.real {
        let bound = real.bound(&item, &krate);
        let clause = item.generics.make_where_clause();
        clause.predicates.push(bound);
    }
    let (ident, (_, ty_generics, _)) = (&item.ident, item.generics.split_for_impl());
    let tag: Type = parse_quote!(#ident #ty_generics);
    let given = options
        .value
        .clone()
        .filter(|v| *v != tag && !is(v, "Self"));
    let mut kind = Kind {
        own: given.is_none(),
        value: given.unwrap_or_else(|| tag.clone()),
        policy: options.index.clone().unwrap_or(parse_quote!(Linear)),
        tag,
        item,
        options,
        krate,
        derived,
        numbers: None,
    };
    check(&kind.options, kind.own, &mut errors);
    let numbers = kind.options.numbers.as_ref();
    kind.numbers = numbers.map(|numbers| numbers.make(&kind, &mut errors));
    let code = kind.generate(&written, &mut errors);
    errors.finish()?;
    Ok(code)
}

impl Kind {
    fn generate(&self, written: &TokenStream, errors: &mut Errors) -> TokenStream {
        let (item, tag, krate, options) = (&self.item, &self.tag, &self.krate, &self.options);
        let functions = self.functions(errors);
        let (memory, memory_impl) = self.memory(errors);
        let kind_impl = self.implementation(&memory, &functions, errors);
        let additive = self.by_fields(errors);
        let (contributions, constants) = (self.contributions(), self.constants());
        let operands = self.is_linear().then(|| self.right_operands());
        let real = options.real.as_ref();
        let real = real.map(|real| real.implementations(self));
        let numbers = self.numbers.as_ref().map(|numbers| {
            let known_zero = self.has_known_zero().then_some(&numbers.known_zero);
            let implementations = &numbers.implementations;
            quote!(#implementations #known_zero)
        });
        let vector = options.vector.as_ref();
        let vector = vector.map(|vector| vector.operations(tag, item, krate));
        let (inputs, tests, parts) = (self.inputs(), sample::tests_of_kind(self), self.parts());
        let coordinates = options.coordinates.as_ref().map(|key| {
            let fields = match (&item.data, self.own) {
                (syn::Data::Struct(_), true) => Numbers::new(key.clone()).fields(self, errors),
                _ => Vec::new(),
            };
            numbers::coordinates(self, &fields)
        });
        let derived = self.derived.as_ref();
        let derived = derived.map(|derived| derived.implementations(item, tag, krate));
        let allow = (!self.own).then(|| quote!(#[allow(dead_code)]));
        quote! {
            #allow
            #written
            #kind_impl
            #memory_impl
            #contributions
            #constants
            #operands
            #additive
            #real
            #numbers
            #vector
            #inputs
            #tests
            #coordinates
            #parts
            #derived
        }
    }

    fn is_owned(&self) -> bool {
        is(&self.policy, "Owned")
    }
    fn is_linear(&self) -> bool {
        is(&self.policy, "Linear")
    }
    /// Whether the `Default` of a value may differ from its zero, which its numbers determine.
    fn has_known_zero(&self) -> bool {
        self.is_linear() && (self.numbers.is_some() || self.options.real.is_some())
    }
    /// At the span of the struct's name, the compiler would suggest a reference.
    fn value_span(&self) -> Span {
        let value = self.options.value.as_ref();
        value.map_or_else(Span::call_site, Spanned::span)
    }
    /// Implements a trait of the kind or of its values.
    fn implement(&self, of: TokenStream, ty: TokenStream, items: TokenStream) -> TokenStream {
        let (impl_generics, _, where_clause) = self.item.generics.split_for_impl();
        quote!(impl #impl_generics #of for #ty #where_clause { #items })
    }
    /// `given`, as a function of `arguments` before the value: nothing, `&` or `&mut`.
    fn function(
        &self,
        given: Option<&Expr>,
        head: TokenStream,
        argument: TokenStream,
        out: TokenStream,
        errors: &mut Errors,
    ) -> Option<TokenStream> {
        let value = &self.value;
        let function = function(given?, &[parse_quote!(#argument #value)], &out, errors);
        Some(quote!(#head #function))
    }

    fn zero(&self, errors: &mut Errors) -> TokenStream {
        let (value, tag, krate, options) = (&self.value, &self.tag, &self.krate, &self.options);
        match (&options.zero, &self.numbers) {
            (None, _) if options.real.is_some() => {
                quote!((_: &#value) -> #value { <#tag as #krate::kind::KnownZero>::zero() })
            }
            (None, Some(numbers)) => numbers.zero.clone(),
            (Some(f), _) => function(f, &[parse_quote!(&#value)], &quote!(-> #value), errors),
            (None, _) if self.is_linear() => {
                quote!((_: &#value) -> #value { #krate::kind::default_zero::<#tag>() })
            }
            (None, _) if self.own && options.add.is_some() => {
                let message = "a kind with this `index` needs the zero with the shape of a value: declare `zero = |like| ..`";
                errors.none(&self.item.ident, message).unwrap_or_default()
            }
            (None, _) => {
                let zeroed =
                    quote_spanned!(self.value_span()=> #krate::kind::Additive::zeroed(like));
                quote!((like: &#value) -> #value { #zeroed })
            }
        }
    }
    fn add(&self, errors: &mut Errors) -> TokenStream {
        let (value, krate) = (&self.value, &self.krate);
        match (&self.options.add, &self.numbers) {
            (Some(f), _) => {
                let arguments = [parse_quote!(&mut #value), value.clone()];
                function(f, &arguments, &quote!(), errors)
            }
            (None, Some(numbers)) => numbers.add.clone(),
            (None, None) if self.own => {
                quote!((into: &mut #value, from: #value) { #krate::kind::Additive::add_all(into, from) })
            }
            (None, None) => {
                let of = quote!(#krate::kind::Adding(::core::marker::PhantomData::<#value>));
                let sum = quote_spanned!(self.value_span()=> (&&&#of).add(into, from));
                quote!((into: &mut #value, from: #value) {
                    #[allow(unused_imports)]
                    use #krate::kind::{ByNothing as _, ByNumbers as _, ByOperator as _};
                    #sum
                })
            }
        }
    }
    /// The functions of `Kind`.
    fn functions(&self, errors: &mut Errors) -> TokenStream {
        let (value, options) = (&self.value, &self.options);
        let (zero, add) = (self.zero(errors), self.add(errors));
        let (always, by_ref) = (quote!(#[inline(always)] fn), quote!(&));
        let computed = options.computed.as_ref();
        let computed = self.function(
            computed,
            quote!(#always computed),
            quote!(),
            quote!(-> #value),
            errors,
        );
        let (unset, head) = (options.unset.as_ref(), quote!(#always is_unset_tangent));
        let unset = self.function(unset, head, by_ref.clone(), quote!(-> bool), errors);
        let mark = options.mark.as_ref().map(|f| {
            let arguments = [parse_quote!(&mut #value), parse_quote!(bool)];
            let mark = function(f, &arguments, &TokenStream::new(), errors);
            quote!(#always mark_zeros #mark)
        });
        let head = quote!(#[inline] fn is_finite);
        let finite = match (&options.finite, &self.numbers) {
            (Some(_), _) => self.function(options.finite.as_ref(), head, by_ref, quote!(-> bool), errors),
            (None, Some(numbers)) => {
                let finite = &numbers.finite;
                Some(quote!(#head #finite))
            }
            (None, None) => options.real.as_ref().map(|_| {
                quote!(#head (value: &#value) -> bool { f64::is_finite(<#value as ::core::convert::Into<f64>>::into(*value)) })
            }),
        };
        let shapes = self.shapes();
        quote! {
            #[inline]
            fn zero_like #zero
            #[inline]
            fn accumulate #add
            #computed
            #unset
            #mark
            #shapes
            #finite
        }
    }
    /// Compares shapes, unless the layout determines them: by the numbers of a value, if it has any.
    fn shapes(&self) -> Option<TokenStream> {
        let (value, krate) = (&self.value, &self.krate);
        if self.is_linear() || self.options.layout.is_some() {
            return None;
        }
        if let Some(derived) = &self.derived {
            return Some(derived.shapes(value, krate));
        }
        let of = quote!(#krate::kind::Adding(::core::marker::PhantomData::<#value>));
        Some(quote! {
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
        })
    }

    /// The memory that values own, if they are not value kinds: its type and implementation.
    fn memory(&self, errors: &mut Errors) -> (TokenStream, Option<TokenStream>) {
        let (item, value, krate, options) = (&self.item, &self.value, &self.krate, &self.options);
        let (inline, by_ref, by_mut) = (quote!(#[inline] fn), quote!(&), quote!(&mut));
        let number = quote!(-> usize);
        let (extent, head) = (options.extent.as_ref(), quote!(#inline extent));
        let extent = self.function(extent, head, by_ref.clone(), number.clone(), errors);
        let head = quote!(#inline bytes);
        let bytes = match &options.bytes {
            Some(f) => self.function(Some(f), head, by_ref.clone(), number, errors),
            None if self.is_linear() => None,
            None => {
                let owned = match &item.data {
                    syn::Data::Struct(data) if self.own => {
                        let fields = data.fields.members();
                        quote!(0 #(+ #krate::kind::Heap::heap_bytes(&value.#fields))*)
                    }
                    _ => quote!(#krate::kind::Heap::heap_bytes(value)),
                };
                Some(quote!(#head (value: &#value) #number { #owned }))
            }
        };
        let (fetch, head) = (
            options.fetch.as_ref(),
            quote!(#[inline(always)] fn prefetch),
        );
        let fetch = self.function(fetch, head, by_ref, quote!(), errors);
        let (recycle, head) = (options.recycle.as_ref(), quote!(#inline recycle));
        let recycle = self.function(recycle, head, by_mut, quote!(), errors);
        if bytes.is_none() {
            return (quote!(#krate::kind::NoMemory), None);
        }
        let (recycles, tag) = (recycle.is_some(), self.tag.to_token_stream());
        let items = quote!(const RECYCLES: bool = #recycles; #recycle #extent #bytes #fetch);
        let memory = self.implement(quote!(#krate::kind::Memory<#value>), tag, items);
        (quote!(Self), Some(memory))
    }

    /// The types of `Kind`: policy, layout, encoding and adjoint.
    fn types(&self, errors: &mut Errors) -> TokenStream {
        let (value, tag, krate, options, policy) = (
            &self.value,
            &self.tag,
            &self.krate,
            &self.options,
            &self.policy,
        );
        let of_core = |ty: &Type, module: TokenStream, names: [&str; 2]| match names
            .iter()
            .any(|name| is(ty, *name))
        {
            true => quote!(#krate::kind #module::#ty),
            false => ty.to_token_stream(),
        };
        let policy = of_core(policy, quote!(::index), ["Linear", "Owned"]);
        let encoding = match &options.plain {
            Some(plain) if self.is_owned() => {
                let message = "`plain` stores the bytes of a value, but values of storage kinds are shared: remove `plain`";
                errors.none(plain, message).unwrap_or_default()
            }
            Some(_) => quote!(#krate::kind::Inline),
            None => quote!(#krate::kind::Spilled),
        };
        let adjoint = match &options.adjoint {
            Some(adjoint) => adjoint.to_token_stream(),
            // A custom number may lose the sign of zero.
            None if self.has_known_zero() && options.real.is_none() => {
                quote!(#krate::kind::SumOf<#tag>)
            }
            None => quote!(::core::option::Option<#value>),
        };
        let layout = match &options.layout {
            None => quote!(#krate::kind::OnePiece),
            Some(layout) => of_core(layout, quote!(), ["OnePiece", "Shaped"]),
        };
        quote! {
            type Adjoint = #adjoint;
            type Policy = #policy;
            type Layout = #layout;
            type Encoding = #encoding;
        }
    }
    fn implementation(
        &self,
        memory: &TokenStream,
        functions: &TokenStream,
        errors: &mut Errors,
    ) -> TokenStream {
        let (value, tag, krate, options) = (&self.value, &self.tag, &self.krate, &self.options);
        let types = self.types(errors);
        let batch = match options.runs {
            true => quote!(Chained),
            false => quote!(OneByOne),
        };
        let name = match &options.name {
            Some(name) => name.to_token_stream(),
            None => self.item.ident.to_string().to_token_stream(),
        };
        let items = quote! {
            type Value = #value;
            #types
            type Memory = #memory;
            type Batch = #krate::kind::#batch;
            const NAME: &'static str = #name;
            #functions
            fn each_number(value: &mut #value, f: &mut dyn ::core::ops::FnMut(&mut f64)) -> bool {
                #[allow(unused_imports)]
                use #krate::coordinates::{ByAdditive as _, ByCoordinates as _, Unknown as _};
                (&&&#krate::coordinates::NumbersOf(::core::marker::PhantomData::<#tag>)).each_number(value, f)
            }
        };
        self.implement(quote!(#krate::kind::Kind), quote!(#tag), items)
    }

    /// Values and, in storage kinds, their references are contributions. A custom adjoint type brings its own.
    fn contributions(&self) -> TokenStream {
        let (value, tag, krate, options) = (&self.value, &self.tag, &self.krate, &self.options);
        let of = quote!(#krate::kind::Contribution<#tag>);
        let computed = quote!(<#tag as #krate::kind::Kind>::computed);
        let fits = quote! {
            #[inline(always)]
            fn fits(&self, like: &#value) -> bool { <#tag as #krate::kind::Kind>::same_shape(self, like) }
            fn given_shape(&self) -> ::std::string::String { <#tag as #krate::kind::Kind>::shape_text(self) }
        };
        let items = quote! {
            #[inline]
            fn add_to(self, adjoint: &mut <#tag as #krate::kind::Kind>::Adjoint) {
                let computed = #computed(self);
                #krate::kind::Adjoint::<#tag>::add(adjoint, computed)
            }
            #[inline]
            fn materialise(self) -> Self { #computed(self) }
            #fits
        };
        let of_value = self.implement(of.clone(), quote!(#value), items);
        if options.adjoint.is_some() || !self.is_owned() {
            return of_value;
        }
        // A value that is transformed cannot be borrowed.
        let lends = options.computed.is_none().then(|| {
            quote! {
                #[inline(always)]
                fn hand_to(self, inner: impl ::core::ops::FnOnce(#krate::kind::Incoming<'_, #tag>)) {
                    inner(#krate::kind::Incoming::borrowed(self))
                }
            }
        });
        let items = quote! {
            #[inline]
            fn add_to(self, adjoint: &mut <#tag as #krate::kind::Kind>::Adjoint) {
                let value = ::core::clone::Clone::clone(self);
                #krate::kind::Contribution::<#tag>::add_to(value, adjoint)
            }
            #[inline]
            fn materialise(self) -> #value {
                #computed(::core::clone::Clone::clone(self))
            }
            #lends
            #fits
        };
        let of_reference = self.implement(of, quote!(&#value), items);
        quote!(#of_value #of_reference)
    }

    /// Values as operands of any position.
    fn constants(&self) -> TokenStream {
        let (value, tag, krate) = (&self.value, &self.tag, &self.krate);
        let implement = |of: TokenStream, items| {
            self.implement(quote!(#krate::expr::#of<#tag>), quote!(#value), items)
        };
        let constants = self.options.constant.as_ref();
        let constants = constants.is_none_or(|constant| constant.value);
        let values = constants.then(|| {
            implement(
                quote!(ValueOf),
                quote!(
                    #[inline]
                    fn into_value(self) -> Self {
                        self
                    }
                ),
            )
        });
        // A value of the base is not a constant of both kinds.
        let constants = (constants && !self.is_tag()).then(|| {
            let items = quote! {
                type Node = #krate::expr::Const<#tag>;
                #[inline]
                fn into_node(self) -> #krate::expr::Const<#tag> { #krate::expr::Const::of(self) }
            };
            implement(quote!(Constant), items)
        });
        let items = quote! {
            #[inline]
            fn with_value<__R>(&self, f: impl ::core::ops::FnOnce(&Self) -> __R) -> __R { f(self) }
        };
        let compared = implement(quote!(Compared), items);
        quote!(#values #constants #compared)
    }
    fn is_tag(&self) -> bool {
        self.derived.as_ref().is_some_and(Derived::is_tag)
    }
    /// Values on the right of an operator. Those of storage kinds would be copied for each statement.
    fn right_operands(&self) -> TokenStream {
        let (item, value, tag, krate) = (&self.item, &self.value, &self.tag, &self.krate);
        let mut generics = item.generics.clone();
        generics
            .params
            .push(parse_quote!(__M: #krate::kind::Carrier));
        generics.params.push(parse_quote!(__Op));
        generics
            .params
            .push(parse_quote!(__Third: #krate::kind::Kind));
        let (impl_generics, _, where_clause) = generics.split_for_impl();
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
        let (impl_generics, _, where_clause) = item.generics.split_for_impl();
        let call = quote_spanned!(self.value_span()=> is_bare::<#value>());
        // A separate function, so that the error is reported once.
        quote! {
            #own
            #borrowed
            const _: () = {
                fn is_bare<__V: #krate::kind::Bare>() {}
                #[allow(dead_code)]
                fn values_are #impl_generics () #where_clause { #call }
            };
        }
    }

    fn parts(&self) -> TokenStream {
        let (item, value, tag, krate, options) = (
            &self.item,
            &self.value,
            &self.tag,
            &self.krate,
            &self.options,
        );
        // For other kinds the zero has the shape of a value.
        let knows_shape = (self.is_linear() && options.zero.is_none()).then(|| {
            let zero = match self.has_known_zero() {
                true => quote!(<#tag as #krate::kind::KnownZero>::zero()),
                false => quote!(::core::default::Default::default()),
            };
            quote! {
                const KNOWS_SHAPE: bool = true;
                #[inline]
                fn zero(&self) -> #value { #zero }
            }
        });
        let parts = value_parts(&options.parts).chain(self.derived.iter().map(Derived::part));
        let parts: Vec<_> = parts.collect();
        derives::parts(&parts, item, tag, value, knows_shape.as_ref(), krate)
    }
    fn inputs(&self) -> Option<TokenStream> {
        let (value, tag, krate) = (&self.value, &self.tag, &self.krate);
        let known = self.numbers.is_some() || self.options.real.is_some();
        (known && !self.is_tag()).then(|| {
            let shape = match self.is_linear() {
                true => quote!(SingleShape),
                false => quote!(SingleRefShape),
            };
            let items = quote! {
                type Shape = #krate::structure::#shape<#tag>;
                fn into_values(self) -> #value { self }
            };
            self.implement(
                quote!(#krate::structure::Inputs<#tag>),
                quote!(#value),
                items,
            )
        })
    }
    /// The sum and the zero of a struct by field, unless they are given.
    fn by_fields(&self, errors: &mut Errors) -> Option<TokenStream> {
        let options = &self.options;
        let other = options.add.is_some() || self.numbers.is_some() || options.real.is_some();
        if !self.own || other {
            return None;
        }
        let message = match &self.item.data {
            syn::Data::Struct(data) if !data.fields.is_empty() => {
                let mut fields = Numbers::new(self.item.ident.clone()).fields(self, errors);
                let types = data.fields.iter().map(|field| Some(field.ty.clone()));
                fields
                    .iter_mut()
                    .zip(types)
                    .for_each(|(field, ty)| field.ty = ty);
                return Some(numbers::additive(self, &fields));
            }
            syn::Data::Struct(_) => {
                "a kind without fields needs the type of its values: write `value = ..`"
            }
            _ => {
                "the sum of these values is unknown, because they are not a struct: declare `add = |into, from| ..`"
            }
        };
        errors.none(&self.item.ident, message)
    }
}

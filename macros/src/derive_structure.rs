//! `#[derive(Structure)]`: the variables of a struct or an enum, and how its leaves are traversed.
use crate::{
    errors::Errors,
    names::{lists, mentions},
    options::{assigned, assigned_path},
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Field, Fields, GenericArgument, GenericParam, Generics, Member,
    Path, PathArguments, Type, TypePath, Visibility, WherePredicate, parse_quote,
};

const DATA: &str = "bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize str String PathBuf \
    PhantomData";
/// Matrices of nalgebra without a size in their name.
const MATRICES: &str =
    "OMatrix OVector DMatrix DVector RowDVector SMatrix SVector RowSVector RowOVector";
/// Matches `DMatrix`, `Vector3`, `Matrix2x3`, `MatrixXx4`.
fn is_matrix(name: &str) -> bool {
    let size = |text: &str| matches!(text, "1" | "2" | "3" | "4" | "5" | "6" | "X");
    let sizes = |text: &str| match text.split_once('x') {
        Some((rows, columns)) => size(rows) && size(columns),
        None => size(text) && text != "X",
    };
    let after = |prefix: &str| name.strip_prefix(prefix).is_some_and(sizes);
    lists(MATRICES, name) || after("Matrix") || after("Vector") || after("RowVector")
}
/// Modules whose types of these names are values of kinds.
const MODULES: &str = "nalgebra na num_complex wide entape complex linalg simd";
const LANES: &str = "f64x2 f64x4 f64x8 f32x4 f32x8 f32x16";

#[derive(Default)]
struct Options {
    krate: Option<Path>,
    data: bool,
    nested: bool,
    kind: Option<Type>,
}
fn options(attributes: &[Attribute], of_field: bool, errors: &mut Errors) -> Options {
    let mut options = Options::default();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("structure")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if !of_field && meta.path.is_ident("crate") {
                options.krate = Some(assigned_path(meta.input)?);
            } else if of_field && meta.path.is_ident("data") {
                options.data = true;
            } else if of_field && meta.path.is_ident("nested") {
                options.nested = true;
            } else if of_field && meta.path.is_ident("kind") {
                options.kind = Some(assigned(meta.input)?);
            } else {
                return Err(meta.error(match of_field {
                    true => "unknown key of `#[structure]`: use `data`, `nested` or `kind = Type`",
                    false => "unknown key of `#[structure]`: use `crate = path` here, and `data`, `nested` or `kind = Type` before a field",
                }));
            }
            Ok(())
        });
        errors.take(parsed);
    }
    options
}

struct Part {
    member: Member,
    binding: Ident,
    structure: TokenStream,
    docs: Vec<Attribute>,
    visibility: Visibility,
}
fn docs(attributes: &[Attribute]) -> Vec<Attribute> {
    let docs = attributes.iter().filter(|a| a.path().is_ident("doc"));
    docs.cloned().collect()
}
struct Variant {
    name: Option<Ident>,
    docs: Vec<Attribute>,
    parts: Vec<Part>,
    fields: Fields,
}
impl Variant {
    fn of(
        name: Option<Ident>,
        attributes: &[Attribute],
        fields: &Fields,
        krate: &Krate,
        errors: &mut Errors,
    ) -> Self {
        let part = |(i, field): (usize, &Field)| Part {
            member: match &field.ident {
                Some(name) => Member::Named(name.clone()),
                None => Member::Unnamed(i.into()),
            },
            binding: format_ident!("__f{i}"),
            structure: of_field(field, krate, errors),
            docs: docs(&field.attrs),
            visibility: field.vis.clone(),
        };
        Variant {
            name,
            docs: docs(attributes),
            parts: fields.iter().enumerate().map(part).collect(),
            fields: fields.clone(),
        }
    }
    fn path(&self, of: &Ident) -> TokenStream {
        match &self.name {
            Some(name) => quote!(#of::#name),
            None => quote!(#of),
        }
    }
    fn pattern(&self, of: &Ident, prefix: &str) -> TokenStream {
        let path = self.path(of);
        let members = self.parts.iter().map(|part| &part.member);
        let bindings = self
            .parts
            .iter()
            .map(|part| format_ident!("{prefix}{}", part.binding));
        quote!(#path { #(#members: #bindings),* })
    }
    fn made(&self, of: &Ident, each: impl Fn(&Part) -> TokenStream) -> TokenStream {
        let path = self.path(of);
        let members = self.parts.iter().map(|part| &part.member);
        let values = self.parts.iter().map(each);
        quote!(#path { #(#members: #values),* })
    }
    fn declared(&self, krate: &TokenStream) -> TokenStream {
        let in_struct = self.name.is_none();
        let fields = self.parts.iter().map(|part| {
            let Part {
                member,
                structure,
                docs,
                visibility,
                ..
            } = part;
            let visibility = in_struct.then_some(visibility);
            let ty = quote!(<#structure as #krate::structure::Structure>::Of<__L>);
            match member {
                Member::Named(name) => quote!(#(#docs)* #visibility #name: #ty),
                Member::Unnamed(_) => quote!(#(#docs)* #visibility #ty),
            }
        });
        match &self.fields {
            Fields::Named(_) => quote!({ #(#fields),* }),
            Fields::Unnamed(_) => quote!((#(#fields),*)),
            Fields::Unit => quote!(),
        }
    }
}

/// The path of core, and whether it is the facade, with the kinds of all DSLs.
struct Krate {
    path: TokenStream,
    facade: bool,
}

fn of_field(field: &Field, krate: &Krate, errors: &mut Errors) -> TokenStream {
    let (path, ty) = (&krate.path, &field.ty);
    let options = options(&field.attrs, true, errors);
    if u8::from(options.data) + u8::from(options.nested) + u8::from(options.kind.is_some()) > 1 {
        errors.at(
            field,
            "a field has one of the keys `data`, `nested` and `kind`: remove the others",
        );
    }
    match options.kind {
        Some(kind) => quote!(#path::structure::SingleRefShape<#kind>),
        None if options.data => quote!(#path::structure::DataOf<#ty>),
        None if options.nested => quote!(#ty),
        None => of_type(ty, krate),
    }
}
fn of_type(ty: &Type, krate: &Krate) -> TokenStream {
    let path = &krate.path;
    match ty {
        Type::Paren(inner) => of_type(&inner.elem, krate),
        Type::Group(inner) => of_type(&inner.elem, krate),
        Type::Array(array) => {
            let (element, len) = (of_type(&array.elem, krate), &array.len);
            quote!(#path::structure::ArrayOf<#element, { #len }>)
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let each = tuple.elems.iter().map(|ty| of_type(ty, krate));
            quote!((#(#each,)*))
        }
        Type::Path(named @ TypePath { qself: None, .. }) => of_path(named, krate),
        other => quote!(#path::structure::DataOf<#other>),
    }
}
fn is_sized(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) | Type::TraitObject(_) => false,
        Type::Path(path) => !path.path.is_ident("str"),
        _ => true,
    }
}
fn of_path(ty: &TypePath, krate: &Krate) -> TokenStream {
    let path = &krate.path;
    let Some(last) = ty.path.segments.last() else {
        return ty.to_token_stream();
    };
    let argument = match &last.arguments {
        PathArguments::AngleBracketed(of) => of.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    };
    let name = last.ident.to_string();
    let modules = ty.path.segments.iter().rev().skip(1);
    let mut modules = modules.map(|segment| &segment.ident);
    let in_module = ty.path.segments.len() == 1 || modules.any(|m| lists(MODULES, m));
    let complex = |number: TokenStream| quote!(#path::structure::SingleRefShape<::entape::complex::ComplexKind<#number>>);
    match (name.as_str(), argument) {
        ("f64" | "f32", _) => quote!(#path::structure::SingleRefShape<#ty>),
        ("Vec", Some(element)) => {
            let element = of_type(element, krate);
            quote!(#path::structure::VecOf<#element>)
        }
        ("Option", Some(inner)) => {
            let inner = of_type(inner, krate);
            quote!(#path::structure::OptionOf<#inner>)
        }
        ("Box", Some(inner)) if is_sized(inner) => {
            let inner = of_type(inner, krate);
            quote!(#path::structure::BoxOf<#inner>)
        }
        ("Box", Some(_)) => quote!(#path::structure::DataOf<#ty>),
        _ if lists(DATA, &name) => quote!(#path::structure::DataOf<#ty>),
        _ if !in_module => ty.to_token_stream(),
        ("Complex", Some(number)) if krate.facade => complex(number.to_token_stream()),
        ("Complex64", _) if krate.facade => complex(quote!(f64)),
        ("Complex32", _) if krate.facade => complex(quote!(f32)),
        _ if lists(LANES, &name) && krate.facade => {
            quote!(#path::structure::SingleRefShape<::entape::simd::Lanes<#ty>>)
        }
        _ if is_matrix(&name) && krate.facade => {
            let kind = quote!(<#ty as ::entape::linalg::HasKind>::Kind);
            quote!(#path::structure::SingleRefShape<#kind>)
        }
        _ => ty.to_token_stream(),
    }
}

pub(crate) fn expand(item: TokenStream, facade: bool) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(item)?;
    let mut errors = Errors::default();
    let options = options(&input.attrs, false, &mut errors);
    let path = crate::krate(options.krate.as_ref());
    let krate = Krate { path, facade };
    if let Some(lifetime) = input.generics.lifetimes().next() {
        errors.at(
            lifetime,
            "the inputs of a function own their values: store borrowed data outside the structure, or in an `Rc`",
        );
    }
    let variants = match &input.data {
        Data::Struct(data) => vec![Variant::of(None, &[], &data.fields, &krate, &mut errors)],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|v| {
                Variant::of(
                    Some(v.ident.clone()),
                    &v.attrs,
                    &v.fields,
                    &krate,
                    &mut errors,
                )
            })
            .collect(),
        Data::Union(data) => {
            errors.at(
                data.union_token,
                "a union cannot be a structure: use a struct or an enum",
            );
            Vec::new()
        }
    };
    if variants.is_empty() && matches!(input.data, Data::Enum(_)) {
        errors.at(
            &input.ident,
            "an enum without variants has no values: add a variant",
        );
    }
    errors.finish()?;
    if variants.iter().all(|v| v.parts.is_empty()) {
        return Ok(implement_data(&input, &krate.path));
    }
    let name = &input.ident;
    let derived = Derived {
        input: &bound_parameters(&input, &variants, &krate.path),
        variants: &variants,
        krate: &krate.path,
        of: format_ident!("{name}Of"),
    };
    Ok(derived.implement_all())
}

fn implement_data(input: &DeriveInput, krate: &TokenStream) -> TokenStream {
    let name = &input.ident;
    let structure = quote!(#krate::structure);
    let (implement, with, clause) = input.generics.split_for_impl();
    let result = quote!(::core::result::Result);
    quote! {
        #[automatically_derived]
        impl #implement #structure::Structure for #name #with #clause {
            type Values = Self;
            type Of<__L: #structure::Leaves> = Self;
            type View<'v, __M: #krate::mode::Mode> = &'v Self;
            fn view<__M: #krate::mode::Mode>(value: &Self) -> &Self {
                value
            }
            fn map<__F: #structure::MapLeaves>(value: Self, _: &mut __F) -> #result<Self, __F::Fail> {
                #result::Ok(value)
            }
            fn read<__F: #structure::ReadLeaves>(value: &Self, _: &mut __F) -> #result<Self, __F::Fail> {
                #result::Ok(::core::clone::Clone::clone(value))
            }
            #[track_caller]
            fn zip<__F: #structure::ZipLeaves>(left: &mut Self, right: Self, f: &mut __F) -> #result<(), __F::Fail> {
                let (left, right) = (::core::mem::discriminant(left), ::core::mem::discriminant(&right));
                if left != right {
                    return #result::Err(f.mismatch(#structure::Mismatch::Variants));
                }
                #result::Ok(())
            }
            fn unpack(value: Self) -> Self {
                value
            }
            fn pack(value: Self) -> Self {
                value
            }
        }
        #[automatically_derived]
        impl #implement #structure::FlatStructure for #name #with #clause {
            const EPSILON: f64 = 0.0;
            fn coordinates(_: &Self, _: &mut ::std::vec::Vec<f64>) {}
            fn from_coordinates(like: &Self, _: &mut &[f64]) -> Self {
                ::core::clone::Clone::clone(like)
            }
        }
    }
}

/// A parameter is a structure, unless only data mention it.
fn bound_parameters(input: &DeriveInput, variants: &[Variant], krate: &TokenStream) -> DeriveInput {
    let mut input = input.clone();
    let parameters: Vec<_> = input
        .generics
        .type_params()
        .map(|t| t.ident.clone())
        .collect();
    for parameter in parameters {
        let parts = variants.iter().flat_map(|v| &v.parts);
        let mut active = parts.filter(|part| !part.structure.to_string().contains("DataOf"));
        let bound = match active.any(|part| mentions(&part.structure, &parameter)) {
            true => {
                quote!(#krate::structure::Structure<Values = #parameter> + #krate::structure::FlatStructure)
            }
            false => quote!('static),
        };
        let clause = input.generics.make_where_clause();
        clause
            .predicates
            .push(parse_quote!(#parameter: ::core::clone::Clone + #bound));
    }
    input
}

/// A type with fields, and the type of its variables.
struct Derived<'d> {
    input: &'d DeriveInput,
    variants: &'d [Variant],
    krate: &'d TokenStream,
    of: Ident,
}
impl Derived<'_> {
    fn implement_all(&self) -> TokenStream {
        let about = format!(
            "The fields of [`{}`], with other [leaves]({}::structure::Leaves): variables, for example.",
            self.input.ident,
            self.krate.to_string().replace(' ', "")
        );
        let (declaration, copies, structure) = (self.declare(), self.copies(), self.structure());
        let (flat, conversions, variables) = (self.flat(), self.conversions(), self.variables());
        quote! {
            #[doc = #about]
            #declaration
            #copies
            #structure
            #flat
            #conversions
            #variables
        }
    }

    /// The parameters that start with the leaves or the mode, and the type of the variables with these leaves.
    fn extended(&self, parameter: TokenStream, leaves: TokenStream) -> (Generics, TokenStream) {
        let (of, mut generics) = (&self.of, self.input.generics.clone());
        let arguments = generics.params.iter().map(|parameter| match parameter {
            GenericParam::Type(t) => t.ident.to_token_stream(),
            GenericParam::Const(c) => c.ident.to_token_stream(),
            GenericParam::Lifetime(l) => l.lifetime.to_token_stream(),
        });
        let ty = quote!(#of<#leaves, #(#arguments),*>);
        generics.params.insert(0, parse_quote!(#parameter));
        (generics, ty)
    }
    fn by_leaves(&self) -> (Generics, TokenStream) {
        let krate = self.krate;
        self.extended(quote!(__L: #krate::structure::Leaves), quote!(__L))
    }
    /// The type of the variables with these leaves.
    fn with(&self, leaves: TokenStream) -> TokenStream {
        self.extended(quote!(__L), leaves).1
    }
    /// Whether a part is not of this type itself. The bounds and the precision of a recursive type follow from such parts.
    fn others(&self) -> Vec<&TokenStream> {
        let parts = self.variants.iter().flat_map(|v| &v.parts);
        let parts = parts.map(|part| &part.structure);
        parts
            .filter(|part| !mentions(part, &self.input.ident))
            .collect()
    }
    /// One arm for each variant.
    fn arms(&self, from: &Ident, to: &Ident, each: impl Fn(&Part) -> TokenStream) -> TokenStream {
        let arms = self.variants.iter().map(|v| {
            let (pattern, made) = (v.pattern(from, ""), v.made(to, &each));
            quote!(#pattern => #made,)
        });
        arms.collect()
    }
    fn implement(
        &self,
        generics: &Generics,
        of: TokenStream,
        ty: &TokenStream,
        items: TokenStream,
    ) -> TokenStream {
        let (implement, _, _) = generics.split_for_impl();
        let (_, _, clause) = self.input.generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #implement #of for #ty #clause { #items }
        }
    }

    fn declare(&self) -> TokenStream {
        let (of, vis, (by_leaves, _)) = (&self.of, &self.input.vis, self.by_leaves());
        let (_, _, clause) = self.input.generics.split_for_impl();
        if let Data::Enum(_) = &self.input.data {
            let each = self.variants.iter().map(|v| {
                let (name, docs, fields) = (&v.name, &v.docs, v.declared(self.krate));
                quote!(#(#docs)* #name #fields)
            });
            return quote!(#vis enum #of #by_leaves #clause { #(#each),* });
        }
        let fields = self.variants[0].declared(self.krate);
        match &self.variants[0].fields {
            Fields::Named(_) => quote!(#vis struct #of #by_leaves #clause #fields),
            Fields::Unnamed(_) => quote!(#vis struct #of #by_leaves #fields #clause;),
            Fields::Unit => quote!(#vis struct #of #by_leaves #clause;),
        }
    }

    /// `Debug`, `Clone`, and `Copy` unless the type is recursive.
    fn copies(&self) -> TokenStream {
        let (krate, of, (by_leaves, of_leaves)) = (self.krate, &self.of, self.by_leaves());
        let (implement, _, _) = by_leaves.split_for_impl();
        let others = self.others();
        let bounded = |bound: TokenStream| {
            let mut generics = by_leaves.clone();
            let bounds = others.iter().map(|part| -> WherePredicate {
                parse_quote!(<#part as #krate::structure::Structure>::Of<__L>: #bound)
            });
            if !others.is_empty() {
                generics.make_where_clause().predicates.extend(bounds);
            }
            generics.where_clause
        };
        let (cloned, copied) = (
            bounded(quote!(::core::clone::Clone)),
            bounded(quote!(::core::marker::Copy)),
        );
        let clones = self.arms(of, of, |part| {
            let binding = &part.binding;
            quote!(::core::clone::Clone::clone(#binding))
        });
        let all = self.variants.iter().map(|v| v.parts.len()).sum();
        let copy = (others.len() == all).then(|| {
            quote! {
                #[automatically_derived]
                impl #implement ::core::marker::Copy for #of_leaves #copied {}
            }
        });
        let text = of.to_string();
        let items = quote! {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(#text)
            }
        };
        let debug = self.implement(&by_leaves, quote!(::core::fmt::Debug), &of_leaves, items);
        quote! {
            #debug
            #[automatically_derived]
            impl #implement ::core::clone::Clone for #of_leaves #cloned {
                fn clone(&self) -> Self {
                    match self { #clones }
                }
            }
            #copy
        }
    }

    fn zip(&self) -> TokenStream {
        let (krate, of) = (self.krate, &self.of);
        let each = self.variants.iter().map(|v| {
            let (left, right) = (v.pattern(of, "l"), v.pattern(of, "r"));
            let each = v.parts.iter().map(|part| {
                let (binding, part) = (&part.binding, &part.structure);
                let (l, r) = (format_ident!("l{binding}"), format_ident!("r{binding}"));
                quote!(<#part as #krate::structure::Structure>::zip(#l, #r, f)?;)
            });
            quote!((#left, #right) => { #(#each)* })
        });
        let different = (self.variants.len() > 1).then(|| {
            quote!(_ => return ::core::result::Result::Err(f.mismatch(#krate::structure::Mismatch::Variants)),)
        });
        quote!(#(#each)* #different)
    }
    fn structure(&self) -> TokenStream {
        let (krate, name, of) = (self.krate, &self.input.ident, &self.of);
        let structure = quote!(#krate::structure::Structure);
        let arms = |from, to, method: &str, more: TokenStream, after: TokenStream| {
            let method = format_ident!("{method}");
            self.arms(from, to, |part| {
                let (part, binding) = (&part.structure, &part.binding);
                quote!(<#part as #structure>::#method(#binding #more) #after)
            })
        };
        let map = arms(of, of, "map", quote!(, f), quote!(?));
        let read = arms(of, of, "read", quote!(, f), quote!(?));
        let unpack = arms(name, of, "unpack", quote!(), quote!());
        let pack = arms(of, name, "pack", quote!(), quote!());
        let zip = self.zip();
        let (from, to) = (self.with(quote!(__F::From)), self.with(quote!(__F::To)));
        let (left, right) = (self.with(quote!(__F::Left)), self.with(quote!(__F::Right)));
        let values = self.with(quote!(#krate::structure::ValueLeaves));
        let (of_leaves, of_mode) = (self.with(quote!(__L)), self.of_mode());
        let (implement, with, clause) = self.input.generics.split_for_impl();
        let result = quote!(::core::result::Result);
        quote! {
            #[automatically_derived]
            #[allow(unused_variables, clippy::question_mark)]
            impl #implement #structure for #name #with #clause {
                type Values = Self;
                type Of<__L: #krate::structure::Leaves> = #of_leaves;
                type View<'v, __M: #krate::mode::Mode> = &'v #of_mode;
                fn view<__M: #krate::mode::Mode>(variables: &#of_mode) -> &#of_mode {
                    variables
                }
                fn map<__F: #krate::structure::MapLeaves>(of: #from, f: &mut __F) -> #result<#to, __F::Fail> {
                    #result::Ok(match of { #map })
                }
                fn read<__F: #krate::structure::ReadLeaves>(of: &#from, f: &mut __F) -> #result<#to, __F::Fail> {
                    #result::Ok(match of { #read })
                }
                #[track_caller]
                fn zip<__F: #krate::structure::ZipLeaves>(
                    left: &mut #left,
                    right: #right,
                    f: &mut __F,
                ) -> #result<(), __F::Fail> {
                    match (left, right) { #zip }
                    #result::Ok(())
                }
                fn unpack(values: Self) -> #values {
                    match values { #unpack }
                }
                fn pack(of: #values) -> Self {
                    match of { #pack }
                }
            }
        }
    }

    fn flat(&self) -> TokenStream {
        let (krate, name) = (self.krate, &self.input.ident);
        let (implement, with, clause) = self.input.generics.split_for_impl();
        let (flat, others) = (quote!(#krate::structure::FlatStructure), self.others());
        let coordinates = self.variants.iter().map(|v| {
            let pattern = v.pattern(name, "");
            let each = v.parts.iter().map(|part| {
                let (part, binding) = (&part.structure, &part.binding);
                quote!(<#part as #flat>::coordinates(#binding, into);)
            });
            quote!(#pattern => { #(#each)* })
        });
        let from_coordinates = self.arms(name, name, |part| {
            let (part, binding) = (&part.structure, &part.binding);
            quote!(<#part as #flat>::from_coordinates(#binding, from))
        });
        quote! {
            #[automatically_derived]
            #[allow(unused_variables)]
            impl #implement #flat for #name #with #clause {
                const EPSILON: f64 = #krate::kind::coarsest(&[#(<#others as #flat>::EPSILON),*]);
                fn coordinates(values: &Self, into: &mut ::std::vec::Vec<f64>) {
                    match values { #(#coordinates)* }
                }
                fn from_coordinates(like: &Self, from: &mut &[f64]) -> Self {
                    match like { #from_coordinates }
                }
            }
        }
    }

    /// Values and references to values as inputs.
    fn conversions(&self) -> TokenStream {
        let (krate, name) = (self.krate, &self.input.ident);
        let (_, with, _) = self.input.generics.split_for_impl();
        let ty = quote!(#name #with);
        let each = [(true, "Inputs"), (false, "IntoValues")].map(|(has_shape, of)| {
            let of = format_ident!("{of}");
            let implement = |from: TokenStream, out: TokenStream, value: TokenStream| {
                let shape = has_shape.then(|| quote!(type Shape = #out;));
                let of = quote!(#krate::structure::#of<#ty>);
                let items = quote!(#shape fn into_values(self) -> #out { #value });
                self.implement(&self.input.generics, of, &from, items)
            };
            let owned = implement(ty.clone(), quote!(Self), quote!(self));
            let clone = quote!(::core::clone::Clone::clone(self));
            let borrowed = implement(quote!(&#ty), ty.clone(), clone);
            quote!(#owned #borrowed)
        });
        quote!(#(#each)*)
    }

    fn of_mode(&self) -> TokenStream {
        let krate = self.krate;
        self.with(quote!(#krate::structure::VariableLeaves<__M>))
    }
    /// Variables as outputs of functions, and as arguments of external functions.
    fn variables(&self) -> TokenStream {
        let (krate, name, of_mode) = (self.krate, &self.input.ident, self.of_mode());
        let (_, with, _) = self.input.generics.split_for_impl();
        let result = quote!(::core::result::Result);
        let to = self.with(quote!(__F::To));
        let outputs = quote! {
            type Values = #name #with;
            type Variables = Self;
            type Structure = #name #with;
            fn evaluate(self) -> #result<Self, #krate::tape::Error> {
                #result::Ok(self)
            }
        };
        let arguments = quote! {
            type Shape = #name #with;
            fn read<__F: #krate::structure::ReadLeaves<From = #krate::structure::VariableLeaves<__M>>>(
                &self,
                f: &mut __F,
            ) -> #result<#to, __F::Fail> {
                <#name #with as #krate::structure::Structure>::read(self, f)
            }
            fn view(&self) -> <#name #with as #krate::structure::Structure>::View<'_, __M>
            where
                __M: #krate::mode::Mode,
            {
                self
            }
        };
        let implement = |of: &str, mode: &str, ty: TokenStream, items: TokenStream| {
            let (of, mode) = (format_ident!("{of}"), format_ident!("{mode}"));
            let (generics, _) = self.extended(quote!(__M: #krate::mode::#mode), quote!(__M));
            self.implement(&generics, quote!(#krate::structure::#of<__M>), &ty, items)
        };
        let outputs = implement("Outputs", "Mode", of_mode.clone(), outputs);
        let arguments = implement("Arguments", "AnyMode", quote!(&#of_mode), arguments);
        quote!(#outputs #arguments)
    }
}

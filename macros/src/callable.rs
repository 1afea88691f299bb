//! Makes a `#[function]` a value: a struct with its data as fields, which implements `Function`.
use crate::{
    modes::{InMode, Mentions, declared, variable_type},
    names::{argument_of, lists, mentions},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashSet;
use syn::{
    BoundLifetimes, FnArg, GenericParam, Generics, ItemFn, Lifetime, Pat, ReturnType, Safety,
    Signature, Type, TypeParam, TypeReference, parse_quote,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// Returns nothing if the signature does not permit the struct.
pub(crate) fn declare(function: &ItemFn, mode: &Ident, krate: &TokenStream) -> TokenStream {
    Callable::of(&function.sig, mode, krate)
        .map(|callable| callable.write(function, krate))
        .unwrap_or_default()
}

struct Data {
    name: Ident,
    ty: Type,
}
struct Callable<'f> {
    mode: &'f Ident,
    shapes: Vec<TokenStream>,
    names: Vec<Ident>,
    data: Vec<Data>,
    call: Vec<TokenStream>,
    output: Type,
    generics: Generics,
}

impl<'f> Callable<'f> {
    fn of(sig: &Signature, mode: &'f Ident, krate: &TokenStream) -> Option<Self> {
        let ReturnType::Type(_, output) = &sig.output else {
            return None;
        };
        let plain_fn = sig.asyncness.is_none() && sig.abi.is_none() && sig.variadic.is_none();
        let runs = declared(&sig.generics).is_some_and(runs_in_every_mode);
        if !plain_fn || !runs || !matches!(sig.safety, Safety::Default) || !is_output(output) {
            return None;
        }
        let mut callable = Callable {
            mode,
            shapes: Vec::new(),
            names: Vec::new(),
            data: Vec::new(),
            call: Vec::new(),
            output: (**output).clone(),
            generics: Generics::default(),
        };
        let mut borrowed = Borrowed::default();
        for (i, arg) in sig.inputs.iter().enumerate() {
            let FnArg::Typed(arg) = arg else {
                return None;
            };
            match Mentions::in_type(&arg.ty, mode) {
                true => callable.input(i, &arg.ty, krate)?,
                false => callable.data(&arg.pat, &arg.ty, &mut borrowed)?,
            }
        }
        callable.parameters(&sig.generics, borrowed)?;
        (!callable.shapes.is_empty()).then_some(callable)
    }
    fn input(&mut self, i: usize, ty: &Type, krate: &TokenStream) -> Option<()> {
        let shape = shape(ty, self.mode, krate)?;
        let name = format_ident!("__x{i}");
        self.call.push(match ty {
            // The driver passes arrays by value.
            Type::Reference(of) if matches!(*of.elem, Type::Array(_)) => quote!(&#name),
            _ => quote!(#name),
        });
        self.shapes.push(shape);
        self.names.push(name);
        Some(())
    }
    fn data(&mut self, pattern: &Pat, ty: &Type, borrowed: &mut Borrowed) -> Option<()> {
        let Pat::Ident(pattern) = pattern else {
            return None;
        };
        let (name, mut ty) = (pattern.ident.clone(), ty.clone());
        match &ty {
            Type::Reference(reference) if reference.mutability.is_some() => return None,
            Type::Reference(_) => self.call.push(quote!(self.#name)),
            _ => self
                .call
                .push(quote!(::core::clone::Clone::clone(&self.#name))),
        }
        borrowed.visit_type_mut(&mut ty);
        self.data.push(Data { name, ty });
        Some(())
    }
    /// A parameter in no field could not be inferred.
    fn parameters(&mut self, generics: &Generics, borrowed: Borrowed) -> Option<()> {
        let mut used = Idents::default();
        self.data.iter().for_each(|data| used.visit_type(&data.ty));
        let mut kept = Generics::default();
        if let Some(lifetime) = borrowed.used {
            kept.params.push(parse_quote!(#lifetime));
        }
        for parameter in &generics.params {
            match parameter {
                GenericParam::Type(t) if t.ident == *self.mode => continue,
                GenericParam::Type(t) if !used.0.contains(&t.ident.to_string()) => return None,
                GenericParam::Lifetime(l) if !used.0.contains(&l.lifetime.ident.to_string()) => {
                    continue;
                }
                _ => kept.params.push(parameter.clone()),
            }
        }
        kept.params
            .extend(borrowed.types.into_iter().map(GenericParam::Type));
        if let Some(clause) = &generics.where_clause {
            let others = clause
                .predicates
                .iter()
                .filter(|p| !is_of_mode(p, self.mode));
            kept.make_where_clause().predicates.extend(others.cloned());
        }
        let mut mentions = Idents::default();
        mentions.visit_generics(&kept);
        self.generics = kept;
        (!mentions.0.contains(&self.mode.to_string())).then_some(())
    }

    fn write(&self, function: &ItemFn, krate: &TokenStream) -> TokenStream {
        let (vis, name) = (&function.vis, &function.sig.ident);
        let docs = function
            .attrs
            .iter()
            .filter(|a| a.path().is_ident("doc") || a.path().is_ident("cfg"));
        let about = format!(
            "[`{name}`](fn@{name}) as a value that runs in every mode, for what takes a [`Function`]({}::structure::Function).",
            krate.to_string().replace(' ', ""),
        );
        let fields = self.data.iter().map(|Data { name, ty }| {
            let about = format!("The argument `{name}`.");
            quote!(#[doc = #about] #vis #name: #ty)
        });
        let text = name.to_string();
        let (implement, with, clause) = self.generics.split_for_impl();
        let of_struct = &self.generics;
        let copy = self.is_copy().then(|| quote!(::core::marker::Copy,));
        let function = self.implement(name, krate);
        let docs: Vec<_> = docs.collect();
        let cfgs = docs.iter().filter(|a| a.path().is_ident("cfg"));
        let cfgs: Vec<_> = cfgs.collect();
        quote! {
            #(#docs)*
            #[doc = ""]
            #[doc = #about]
            #[allow(non_camel_case_types, dead_code)]
            #[derive(::core::clone::Clone, #copy)]
            #vis struct #name #of_struct #clause { #(#fields),* }
            #(#cfgs)*
            #[automatically_derived]
            impl #implement ::core::fmt::Debug for #name #with #clause {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.write_str(#text)
                }
            }
            #(#cfgs)*
            #function
        }
    }
    fn implement(&self, name: &Ident, krate: &TokenStream) -> TokenStream {
        let Callable {
            mode,
            shapes,
            names,
            call,
            output,
            ..
        } = self;
        let values = in_plain_mode(output, mode, krate);
        let (shape, names) = match (&shapes[..], &names[..]) {
            ([shape], [name]) => (quote!(#shape), quote!(#name)),
            _ => (quote!((#(#shapes,)*)), quote!((#(#names,)*))),
        };
        let mut generics = self.generics.clone();
        for Data { ty, .. } in &self.data {
            let of_parameter = self.generics.type_params().any(|t| mentions(ty, &t.ident));
            if of_parameter && !matches!(ty, Type::Reference(_)) {
                let clause = generics.make_where_clause();
                clause
                    .predicates
                    .push(parse_quote!(#ty: ::core::clone::Clone));
            }
        }
        if of_result(output).is_some() {
            // With a lifetime the bound is a condition, so that functions with other errors remain functions.
            let clause = generics.make_where_clause();
            clause.predicates.push(parse_quote! {
                for<'__e> <#values as #krate::structure::Fallible>::Error:
                    ::core::convert::Into<::std::boxed::Box<dyn ::core::error::Error + ::core::marker::Send + ::core::marker::Sync>>
            });
        }
        let (implement, with, clause) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #implement #krate::structure::Function for #name #with #clause {
                type Inputs = #shape;
                type Values = <#values as #krate::structure::Outputs<#krate::mode::Plain>>::Values;
                type Output<#mode: #krate::mode::Mode> = #output;
                #[inline]
                fn call<#mode: #krate::mode::Mode>(
                    &self,
                    #names: <#shape as #krate::structure::Structure>::View<'_, #mode>,
                ) -> #output {
                    #name(#(#call),*)
                }
            }
        }
    }
    fn is_copy(&self) -> bool {
        self.data.iter().all(|data| match &data.ty {
            Type::Reference(_) => true,
            Type::Path(path) => path.path.get_ident().is_some_and(|ty| lists(NUMBERS, ty)),
            _ => false,
        })
    }
}
const NUMBERS: &str = "f64 f32 usize u64 u32 i64 i32 u8 bool isize";

fn shape(ty: &Type, mode: &Ident, krate: &TokenStream) -> Option<TokenStream> {
    match ty {
        Type::Paren(ty) => shape(&ty.elem, mode, krate),
        Type::Reference(TypeReference {
            mutability: None,
            elem,
            ..
        }) => match &**elem {
            Type::Slice(list) => {
                let element = element(&list.elem, mode, krate)?;
                Some(quote!(#krate::structure::VecOf<#element>))
            }
            Type::Array(_) => shape(elem, mode, krate),
            ty => match structure(ty) {
                Some(of) => Some(quote!(#of)),
                None => {
                    let (kind, _) = kind(ty, mode, krate)?;
                    Some(quote!(#krate::structure::SingleRefShape<#kind>))
                }
            },
        },
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let shapes: Option<Vec<_>> = tuple
                .elems
                .iter()
                .map(|ty| match ty {
                    Type::Reference(of) if matches!(*of.elem, Type::Array(_)) => None,
                    ty => shape(ty, mode, krate),
                })
                .collect();
            let shapes = shapes?;
            Some(quote!((#(#shapes,)*)))
        }
        Type::Array(array) => {
            let (element, len) = (shape(&array.elem, mode, krate)?, &array.len);
            Some(quote!(#krate::structure::ArrayOf<#element, { #len }>))
        }
        ty => match of_one(ty, "Option") {
            Some(inner) => {
                let inner = shape(inner, mode, krate)?;
                Some(quote!(#krate::structure::OptionOf<#inner>))
            }
            None => {
                let (kind, stored) = kind(ty, mode, krate)?;
                (!stored).then(|| quote!(#krate::structure::SingleShape<#kind>))
            }
        },
    }
}
fn element(ty: &Type, mode: &Ident, krate: &TokenStream) -> Option<TokenStream> {
    match ty {
        Type::Paren(ty) => element(&ty.elem, mode, krate),
        Type::Array(array) => {
            let (element, len) = (element(&array.elem, mode, krate)?, &array.len);
            Some(quote!(#krate::structure::ArrayOf<#element, { #len }>))
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let each = tuple.elems.iter().map(|ty| element(ty, mode, krate));
            let each = each.collect::<Option<Vec<_>>>()?;
            Some(quote!((#(#each,)*)))
        }
        ty => {
            if let Some(of) = structure(ty) {
                return Some(quote!(#of));
            }
            if let Some(inner) = of_one(ty, "Vec") {
                let inner = element(inner, mode, krate)?;
                return Some(quote!(#krate::structure::VecOf<#inner>));
            }
            if let Some(inner) = of_one(ty, "Option") {
                let inner = element(inner, mode, krate)?;
                return Some(quote!(#krate::structure::OptionOf<#inner>));
            }
            let (kind, _) = kind(ty, mode, krate)?;
            Some(quote!(#krate::structure::SingleRefShape<#kind>))
        }
    }
}
fn kind(ty: &Type, mode: &Ident, krate: &TokenStream) -> Option<(TokenStream, bool)> {
    if structure(ty).is_some() {
        return None;
    }
    let variable = variable_type(ty).filter(|_| has_coordinates(ty))?;
    let ty = in_plain_mode(ty, mode, krate);
    let kind = quote!(<&'static #ty as #krate::expr::IntoExpr<#krate::mode::Plain>>::Kind);
    Some((kind, variable.stored))
}
fn structure(ty: &Type) -> Option<&Type> {
    argument_of(ty, "Vars").map(|(of, _)| of)
}
fn of_one<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    argument_of(ty, name).and_then(|(of, count)| (count == 1).then_some(of))
}
fn is_output(ty: &Type) -> bool {
    match ty {
        Type::Paren(ty) => is_output(&ty.elem),
        Type::Tuple(tuple) => !tuple.elems.is_empty() && tuple.elems.iter().all(is_output),
        Type::Array(array) => is_output(&array.elem),
        ty if structure(ty).is_some() => true,
        ty => match of_one(ty, "Vec")
            .or_else(|| of_one(ty, "Option"))
            .or_else(|| of_result(ty))
        {
            Some(inner) => is_output(inner),
            None => variable_type(ty).is_some() && has_coordinates(ty),
        },
    }
}
fn of_result(ty: &Type) -> Option<&Type> {
    argument_of(ty, "Result").map(|(of, _)| of)
}
/// Whether values are known to be lists of numbers; for kinds named by the user, only numbers.
fn has_coordinates(ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|s| match &s.arguments {
        syn::PathArguments::AngleBracketed(of) if s.ident == "Active" => of.args.first().is_some_and(
            |of| matches!(of, syn::GenericArgument::Type(Type::Path(kind)) if kind.path.is_ident("f64") || kind.path.is_ident("f32")),
        ),
        _ => true,
    })
}
fn in_plain_mode(ty: &Type, mode: &Ident, krate: &TokenStream) -> Type {
    let mut ty = ty.clone();
    let written = parse_quote!(#krate::mode::Plain);
    InMode { mode, written }.visit_type_mut(&mut ty);
    ty
}
fn runs_in_every_mode(mode: &TypeParam) -> bool {
    let names = mode.bounds.iter().filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    });
    names
        .into_iter()
        .all(|s| s.ident == "Mode" || s.ident == "AnyMode")
}
fn is_of_mode(predicate: &syn::WherePredicate, mode: &Ident) -> bool {
    matches!(predicate, syn::WherePredicate::Type(p) if crate::names::is(&p.bounded_ty, mode))
}

#[derive(Default)]
struct Borrowed {
    used: Option<Lifetime>,
    types: Vec<TypeParam>,
}
impl Borrowed {
    fn lifetime(&mut self) -> Lifetime {
        let lifetime = self
            .used
            .get_or_insert_with(|| Lifetime::new("'data", Span::call_site()));
        lifetime.clone()
    }
}
impl VisitMut for Borrowed {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if reference.lifetime.as_ref().is_none_or(|l| l.ident == "_") {
            reference.lifetime = Some(self.lifetime());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.lifetime();
        }
    }
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::ImplTrait(hidden) = ty {
            let (name, bounds) = (format_ident!("Data{}", self.types.len()), &hidden.bounds);
            self.types.push(parse_quote!(#name: #bounds));
            *ty = parse_quote!(#name);
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }
    // Lifetimes in `Fn(&T) -> &U` are bound there.
    fn visit_parenthesized_generic_arguments_mut(
        &mut self,
        _: &mut syn::ParenthesizedGenericArguments,
    ) {
    }
    fn visit_bound_lifetimes_mut(&mut self, _: &mut BoundLifetimes) {}
}

#[derive(Default)]
struct Idents(HashSet<String>);
impl<'ast> Visit<'ast> for Idents {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.0.insert(ident.to_string());
    }
    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.0.insert(lifetime.ident.to_string());
        visit::visit_lifetime(self, lifetime);
    }
}

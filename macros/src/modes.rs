//! Finds types with a mode, and inserts it.
use crate::names;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::{
    ExprPath, GenericArgument, GenericParam, Generics, Item, Path, PathArguments, PathSegment,
    Type, TypeParam, TypeParamBound, TypePath, WherePredicate, parse_quote,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// Types of variables in the prelude, and the type that their names alias.
pub(crate) struct Variable {
    names: &'static str,
    /// The number of generic arguments before the mode.
    before: usize,
    /// Whether variables are operands by reference.
    pub(crate) stored: bool,
}
const fn variables(before: usize, stored: bool, names: &'static str) -> Variable {
    Variable {
        names,
        before,
        stored,
    }
}
const VARIABLES: &[Variable] = &[
    variables(1, false, "Active FixedVector FixedComplexVector"),
    variables(1, true, "Vars"),
    variables(
        0,
        false,
        "Real Real32 Realx2 Realx4 Realx8 Real32x4 Real32x8 Real32x16",
    ),
    variables(0, false, "Complex Complex32 Complexx2 Complexx4 Complexx8"),
    variables(0, false, "Complex32x4 Complex32x8 Complex32x16"),
    variables(
        0,
        true,
        "Array Array32 ComplexArray ComplexArray32 Matrix Vector RowVector",
    ),
    variables(0, true, "ComplexMatrix ComplexVector ComplexRowVector"),
    variables(2, false, "FixedMatrix FixedComplexMatrix"),
];

/// The first segment, or after the crates of entape the first capitalised one, may name a type of variables. Others,
/// such as `self::Vector`, are types of the user.
fn named(path: &Path) -> Option<(usize, &'static Variable)> {
    let first = path.segments.first()?.ident.to_string();
    let at = match first.starts_with("entape") {
        true => path
            .segments
            .iter()
            .position(|s| s.ident.to_string().starts_with(char::is_uppercase))?,
        false => 0,
    };
    let ident = &path.segments[at].ident;
    let found = VARIABLES.iter().find(|v| names::lists(v.names, ident))?;
    Some((at, found))
}
pub(crate) fn variable_type(ty: &Type) -> Option<&'static Variable> {
    let Type::Path(TypePath {
        qself: None, path, ..
    }) = ty
    else {
        return None;
    };
    let (at, found) = named(path)?;
    (at + 1 == path.segments.len()).then_some(found)
}

pub(crate) struct Fill<'m>(pub(crate) &'m Ident);
impl Fill<'_> {
    fn segment(&self, segment: &mut PathSegment, variable: &Variable, as_type: bool) {
        let mode: GenericArgument = {
            let mode = self.0;
            parse_quote!(#mode)
        };
        match &mut segment.arguments {
            PathArguments::None if variable.before == 0 && as_type => {
                segment.arguments = PathArguments::AngleBracketed(parse_quote!(<#mode>));
            }
            PathArguments::AngleBracketed(given) if given.args.len() == variable.before => {
                given.args.push(mode);
            }
            _ => {}
        }
    }
}
impl VisitMut for Fill<'_> {
    fn visit_type_path_mut(&mut self, ty: &mut TypePath) {
        visit_mut::visit_type_path_mut(self, ty);
        if let (None, Some((at, variable))) = (&ty.qself, named(&ty.path)) {
            self.segment(&mut ty.path.segments[at], variable, true);
        }
    }
    fn visit_expr_path_mut(&mut self, expr: &mut ExprPath) {
        visit_mut::visit_expr_path_mut(self, expr);
        if let (None, Some((at, variable))) = (&expr.qself, named(&expr.path)) {
            self.segment(&mut expr.path.segments[at], variable, false);
        }
    }
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

pub(crate) struct Mentions<'m> {
    mode: &'m Ident,
    pub(crate) found: bool,
}
impl<'m> Mentions<'m> {
    pub(crate) fn of(mode: &'m Ident) -> Self {
        Mentions { mode, found: false }
    }
    pub(crate) fn in_type(ty: &Type, mode: &'m Ident) -> bool {
        let mut mentions = Mentions::of(mode);
        mentions.visit_type(ty);
        mentions.found
    }
}
impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        self.found |= path.is_ident(self.mode) || named(path).is_some();
        visit::visit_path(self, path);
    }
}

pub(crate) struct InMode<'m> {
    pub(crate) mode: &'m Ident,
    pub(crate) written: Type,
}
impl VisitMut for InMode<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.qself.is_none() && path.path.is_ident(self.mode) => {
                *ty = self.written.clone();
            }
            _ => visit_mut::visit_type_mut(self, ty),
        }
    }
}

const BOUNDS: [&str; 4] = ["Mode", "AnyMode", "Recording", "Records"];
fn is_mode<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> bool {
    bounds.into_iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            let name = bound.path.segments.last();
            name.is_some_and(|s| BOUNDS.iter().any(|b| s.ident == b))
        }
        _ => false,
    })
}
pub(crate) fn declared(generics: &Generics) -> Option<&TypeParam> {
    let in_where = |parameter: &TypeParam| {
        let clause = generics.where_clause.as_ref();
        clause.into_iter().flat_map(|c| &c.predicates).any(|p| {
            matches!(p, WherePredicate::Type(p)
                if names::is(&p.bounded_ty, &parameter.ident) && is_mode(&p.bounds))
        })
    };
    generics
        .type_params()
        .find(|p| is_mode(&p.bounds) || in_where(p))
}
pub(crate) fn declare(generics: &mut Generics, mode: &Ident, krate: &impl ToTokens) {
    let parameter: TypeParam = syn::parse_quote_spanned!(mode.span()=> #mode: #krate::mode::Mode);
    generics.params.push(GenericParam::Type(parameter));
}

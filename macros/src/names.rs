use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashMap;
use syn::{
    Block, Expr, ExprPath, GenericArgument, GenericParam, Macro, Path, PathArguments, QSelf, Type,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// The names used as values in an expression, also in macro calls and format strings, with the position of the first
/// for a binding's hygiene.
#[derive(Default, Clone)]
pub(crate) struct Names(HashMap<String, Span>);

impl Names {
    pub(crate) fn of(expr: &Expr) -> Self {
        let mut names = Names::default();
        names.visit_expr(expr);
        names
    }
    pub(crate) fn of_block(block: &Block) -> Self {
        let mut names = Names::default();
        names.visit_block(block);
        names
    }
    pub(crate) fn has(&self, name: impl ToString) -> bool {
        self.0.contains_key(&name.to_string())
    }
    pub(crate) fn get(&self, name: impl ToString) -> Option<Ident> {
        let name = name.to_string();
        let span = *self.0.get(&name)?;
        Some(Ident::new(&name, span))
    }
    fn insert(&mut self, ident: &Ident) {
        self.0.entry(ident.to_string()).or_insert(ident.span());
    }
    fn tokens(&mut self, tokens: TokenStream) {
        let mut after_dot = false;
        for token in tokens {
            let dot = matches!(&token, TokenTree::Punct(p) if matches!(p.as_char(), '.' | ':'));
            match token {
                TokenTree::Ident(ident) if !after_dot => self.insert(&ident),
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    for part in text.split('{').skip(1) {
                        let name: String = part
                            .chars()
                            .take_while(|c| c.is_alphanumeric() || *c == '_')
                            .collect();
                        if text.starts_with('"') && syn::parse_str::<Ident>(&name).is_ok() {
                            self.insert(&Ident::new(&name, literal.span()));
                        }
                    }
                }
                _ => {}
            }
            after_dot = dot;
        }
    }
}
impl<'ast> Visit<'ast> for Names {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let (None, Some(ident)) = (&path.qself, path.path.get_ident()) {
            self.insert(ident);
        }
        visit::visit_expr_path(self, path);
    }
    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(call.tokens.clone());
    }
}

pub(crate) fn binding(expr: &Expr, name: &str) -> Option<Ident> {
    struct Binds<'n>(&'n str, Option<Ident>);
    impl<'ast> Visit<'ast> for Binds<'_> {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            if pattern.ident == self.0 {
                self.1.get_or_insert(pattern.ident.clone());
            }
        }
    }
    let mut binds = Binds(name, None);
    binds.visit_expr(expr);
    binds.1
}

pub(crate) fn mentions(tokens: impl ToTokens, parameter: &Ident) -> bool {
    tokens.into_token_stream().into_iter().any(|t| match t {
        TokenTree::Ident(ident) => ident == *parameter,
        TokenTree::Group(group) => mentions(group.stream(), parameter),
        _ => false,
    })
}

/// A body that returns early needs a separate function.
pub(crate) fn leaves_early(body: &Block) -> bool {
    struct Early(bool);
    impl<'ast> Visit<'ast> for Early {
        fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_try(&mut self, _: &'ast syn::ExprTry) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_macro(&mut self, call: &'ast Macro) {
            self.0 |= mentions(&call.tokens, &Ident::new("return", Span::call_site()));
        }
    }
    let mut early = Early(false);
    early.visit_block(body);
    early.0
}

pub(crate) struct SelfIs<'t>(pub(crate) &'t Type);

impl SelfIs<'_> {
    fn path(&self, qself: &mut Option<QSelf>, path: &mut Path) {
        if qself.is_some() || path.segments.first().is_none_or(|s| s.ident != "Self") {
            return;
        }
        if path.segments.len() == 1 {
            if let Type::Path(ty) = self.0 {
                *qself = ty.qself.clone();
                *path = ty.path.clone();
                for segment in &mut path.segments {
                    if let PathArguments::AngleBracketed(args) = &mut segment.arguments {
                        args.colon2_token = Some(Default::default());
                    }
                }
            }
            return;
        }
        let (ty, rest) = (self.0, path.segments.iter().skip(1));
        let rest = quote!(#(#rest)::*);
        if let Ok(new) = syn::parse2::<ExprPath>(quote!(<#ty>::#rest)) {
            *qself = new.qself;
            *path = new.path;
        }
    }
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let replace = |token| match token {
            TokenTree::Ident(ident) if ident == "Self" => self.0.to_token_stream(),
            TokenTree::Group(group) => {
                let inner = self.tokens(group.stream());
                let mut new = proc_macro2::Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                TokenTree::Group(new).into()
            }
            other => other.into(),
        };
        tokens.into_iter().map(replace).collect()
    }
}
impl VisitMut for SelfIs<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if matches!(ty, Type::Path(p) if p.qself.is_none() && p.path.is_ident("Self")) {
            *ty = self.0.clone();
            return;
        }
        if let Type::Path(p) = ty {
            self.path(&mut p.qself, &mut p.path);
        }
        visit_mut::visit_type_mut(self, ty);
    }
    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        self.path(&mut path.qself, &mut path.path);
        visit_mut::visit_expr_path_mut(self, path);
    }
    fn visit_expr_struct_mut(&mut self, expr: &mut syn::ExprStruct) {
        self.path(&mut expr.qself, &mut expr.path);
        visit_mut::visit_expr_struct_mut(self, expr);
    }
    fn visit_pat_tuple_struct_mut(&mut self, pat: &mut syn::PatTupleStruct) {
        self.path(&mut pat.qself, &mut pat.path);
        visit_mut::visit_pat_tuple_struct_mut(self, pat);
    }
    fn visit_pat_struct_mut(&mut self, pat: &mut syn::PatStruct) {
        self.path(&mut pat.qself, &mut pat.path);
        visit_mut::visit_pat_struct_mut(self, pat);
    }
    fn visit_macro_mut(&mut self, call: &mut Macro) {
        call.tokens = self.tokens(std::mem::take(&mut call.tokens));
    }
}

/// Replaces `self`, `self_b` and `self_t` in formulas.
pub(crate) struct Replace(Ident);

impl Replace {
    /// For functions with a receiver, at its position.
    pub(crate) fn receiver(mut positions: impl Iterator<Item = Span>) -> Option<Self> {
        Some(Replace(Ident::new(RECEIVER, positions.next()?)))
    }
    pub(crate) fn to(&self) -> &Ident {
        &self.0
    }
    pub(crate) fn attribute(&self, attr: &mut syn::Attribute) {
        if let syn::Meta::List(list) = &mut attr.meta {
            list.tokens = self.tokens(std::mem::take(&mut list.tokens));
        }
    }
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let replace = |token| match token {
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let new = match name.as_str() {
                    "self" | "self_b" | "self_t" => format!("__{name}"),
                    "some_self_t" => format!("some_{RECEIVER}_t"),
                    _ => return TokenTree::Ident(ident),
                };
                TokenTree::Ident(Ident::new(&new, ident.span()))
            }
            TokenTree::Group(group) => {
                let mut new =
                    proc_macro2::Group::new(group.delimiter(), self.tokens(group.stream()));
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            other => other,
        };
        tokens.into_iter().map(replace).collect()
    }
}
/// Messages show it as `self`.
pub(crate) const RECEIVER: &str = "__self";

/// The first argument of a generic type called `name`, and the number of its arguments.
pub(crate) fn argument_of<'t>(ty: &'t Type, name: &str) -> Option<(&'t Type, usize)> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last().filter(|s| s.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(of) => match of.args.first() {
            Some(GenericArgument::Type(ty)) => Some((ty, of.args.len())),
            _ => None,
        },
        _ => None,
    }
}
/// The name of a parameter other than a lifetime.
pub(crate) fn parameter(param: &GenericParam) -> Option<&Ident> {
    match param {
        GenericParam::Type(t) => Some(&t.ident),
        GenericParam::Const(c) => Some(&c.ident),
        GenericParam::Lifetime(_) => None,
    }
}
pub(crate) fn without_default(param: &GenericParam) -> GenericParam {
    let mut param = param.clone();
    if let GenericParam::Type(t) = &mut param {
        t.default = None;
    }
    param
}
/// Whether `name` is a word of a list.
pub(crate) fn lists(words: &str, name: impl ToString) -> bool {
    let name = name.to_string();
    words.split(' ').any(|word| word == name)
}

pub(crate) fn is<I: ?Sized>(ty: &Type, name: &I) -> bool
where
    Ident: PartialEq<I>,
{
    matches!(ty, Type::Path(p) if p.qself.is_none() && p.path.is_ident(name))
}

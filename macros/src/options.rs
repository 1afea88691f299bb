use crate::{errors::Errors, model::Target, names::lists, sample::Sample};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::{
    Expr, Path, Token, Type,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
};

pub(crate) fn each(
    tokens: TokenStream,
    errors: &mut Errors,
    mut item: impl FnMut(ParseStream<'_>) -> syn::Result<()>,
) {
    let list = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let result =
                item(input).and_then(|()| match input.is_empty() || input.peek(Token![,]) {
                    true => Ok(()),
                    false => Err(input.error("expected a comma between the entries")),
                });
            if let Err(error) = result {
                errors.push(error);
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<TokenTree>()?;
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    let _ = list.parse2(tokens);
}

pub(crate) fn each_option(
    tokens: TokenStream,
    errors: &mut Errors,
    mut option: impl FnMut(Ident, ParseStream<'_>) -> syn::Result<()>,
) {
    each(tokens, errors, |input| {
        option(input.call(Ident::parse_any)?, input)
    });
}

/// `= value`
pub(crate) fn assigned<T: Parse>(input: ParseStream<'_>) -> syn::Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}
/// `= path`, where the path may begin with `crate`.
pub(crate) fn assigned_path(input: ParseStream<'_>) -> syn::Result<Path> {
    input.parse::<Token![=]>()?;
    input.call(Path::parse_mod_style)
}
pub(crate) fn in_parentheses(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    Ok(input.parse::<Group>()?.stream())
}

/// `name: Type = expr`, or `name = expr`.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) by_ref: bool,
    pub(crate) name: Ident,
    pub(crate) ty: Option<Type>,
    pub(crate) expr: Expr,
}

/// `tangent(a = .., b = ..)`
pub(crate) struct Formulas {
    pub(crate) key: Ident,
    pub(crate) each: Vec<Named>,
}
impl Formulas {
    fn parse(key: Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let mut all = Vec::new();
        each(in_parentheses(input)?, errors, |input| {
            all.push(named(input)?);
            Ok(())
        });
        Ok(Formulas { key, each: all })
    }
    pub(crate) fn of(&self, argument: &Ident) -> Option<&Expr> {
        let named = self.each.iter().find(|named| named.name == *argument)?;
        Some(&named.expr)
    }
}

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) krate: Option<Path>,
    pub(crate) target: Option<Target>,
    pub(crate) elementwise: Option<Ident>,
    pub(crate) linear: Option<Ident>,
    pub(crate) self_adjoint: Option<Ident>,
    pub(crate) bilinear: Option<Ident>,
    pub(crate) tangent: Option<Formulas>,
    pub(crate) second: Option<Formulas>,
    pub(crate) along: Option<Formulas>,
    pub(crate) order: Option<Expr>,
    pub(crate) passive: Option<Ident>,
    pub(crate) in_place: Option<Ident>,
    pub(crate) rule_only: Option<Ident>,
    pub(crate) moves: Option<Ident>,
    pub(crate) marks: Option<Ident>,
    pub(crate) same: Option<(Ident, Expr)>,
    pub(crate) into: Option<Named>,
    pub(crate) save: Vec<Named>,
    pub(crate) save_result: Option<Ident>,
    pub(crate) shared: Vec<Named>,
    pub(crate) samples: Vec<Sample>,
}

/// The operators of variables, each also with `Assign`.
pub(crate) const OPERATORS: &str = "Add Sub Mul Div Rem Neg";
const KEYS: &str = "use `save(..)`, `shared(..)`, `sample(..)`, `linear`, `self_adjoint`, `bilinear`, `elementwise`, `tangent(..)`, `second(..)`, \
                    `along(..)`, `order = ..`, `passive`, `in_place`, `rule_only`, `moves`, `marks`, `same(..)`, `into(..)`, `name = ..` or `crate = ..`, or the \
                    path of an operation, such as `Mul`";

pub(crate) fn named(input: ParseStream<'_>) -> syn::Result<Named> {
    let by_ref = input.parse::<Option<Token![ref]>>()?.is_some();
    let name = input.parse()?;
    let ty = match input.parse::<Option<Token![:]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    let expr = assigned(input)?;
    Ok(Named {
        by_ref,
        name,
        ty,
        expr,
    })
}

impl Options {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Options::default();
        let mut inner = Errors::default();
        each(tokens, errors, |input| options.item(input, &mut inner));
        errors.take(inner.finish());
        options
    }

    fn item(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        if input.peek(Token![crate]) && input.peek2(Token![=]) {
            input.parse::<Token![crate]>()?;
            self.krate = Some(assigned_path(input)?);
            return Ok(());
        }
        let path: Path = input.parse()?;
        let Some(key) = path.get_ident().cloned() else {
            self.target = Some(Target::Existing(path));
            return Ok(());
        };
        match key.to_string().as_str() {
            "linear" => self.linear = Some(key),
            "self_adjoint" => (self.linear, self.self_adjoint) = (Some(key.clone()), Some(key)),
            "bilinear" => self.bilinear = Some(key),
            "tangent" => self.tangent = Some(Formulas::parse(key, input, errors)?),
            "second" => self.second = Some(Formulas::parse(key, input, errors)?),
            "along" => self.along = Some(Formulas::parse(key, input, errors)?),
            "order" => self.order = Some(assigned(input)?),
            "elementwise" => self.elementwise = Some(key),
            "passive" => self.passive = Some(key),
            "in_place" => self.in_place = Some(key),
            "rule_only" => self.rule_only = Some(key),
            "moves" => self.moves = Some(key),
            "marks" => self.marks = Some(key),
            "same" => self.same = Some((key, syn::parse2(in_parentheses(input)?)?)),
            "into" => self.into = Formulas::parse(key, input, errors)?.each.pop(),
            "name" => self.target = Some(Target::New(assigned(input)?)),
            "save" => each(in_parentheses(input)?, errors, |input| self.saved(input)),
            "shared" => self
                .shared
                .extend(Formulas::parse(key, input, errors)?.each),
            "sample" => self.samples.push(Sample::parse(key, input, errors)?),
            name if name.starts_with(char::is_lowercase) => {
                let message = format!("unknown key `{key}` of `#[op]`: {KEYS}");
                return Err(syn::Error::new_spanned(&path, message));
            }
            name if lists(OPERATORS, name) => self.target = Some(Target::Operator(path)),
            _ => self.target = Some(Target::Existing(path)),
        }
        Ok(())
    }

    /// `r`, or `name: Type = expression`.
    fn saved(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if input.peek(syn::Ident) && !input.peek2(Token![:]) && !input.peek2(Token![=]) {
            let name: Ident = input.parse()?;
            if name != "r" {
                let message = format!(
                    "`{name}` is not a value that can be saved: write `save(r)` for the result, or `save(name: Type = expression)` for an intermediate"
                );
                return Err(syn::Error::new(name.span(), message));
            }
            self.save_result = Some(name);
            return Ok(());
        }
        let item = named(input)?;
        if item.ty.is_none() {
            let name = &item.name;
            let message = format!(
                "the type of a saved value cannot be inferred: write `save({name}: Type = ..)`"
            );
            return Err(syn::Error::new(name.span(), message));
        }
        self.save.push(item);
        Ok(())
    }
}

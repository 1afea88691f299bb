use crate::{errors::Errors, model::Target, sample::Sample};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::{
    Expr, Path, Token, Type,
    ext::IdentExt,
    parse::{ParseStream, Parser},
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
    fn parse(key: Ident, tokens: TokenStream, errors: &mut Errors) -> Self {
        let (mut all, mut wrong) = (Vec::new(), Errors::default());
        each(tokens, &mut wrong, |input| {
            all.push(named(input)?);
            Ok(())
        });
        errors.take(wrong.finish());
        Formulas { key, each: all }
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

const OPERATORS: [&str; 6] = ["Add", "Sub", "Mul", "Div", "Rem", "Neg"];
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
    input.parse::<Token![=]>()?;
    Ok(Named {
        by_ref,
        name,
        ty,
        expr: input.parse()?,
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
            input.parse::<Token![=]>()?;
            self.krate = Some(input.call(Path::parse_mod_style)?);
            return Ok(());
        }
        let path: Path = input.parse()?;
        let key = path.get_ident().cloned();
        let list = |input: ParseStream<'_>| Ok::<_, syn::Error>(input.parse::<Group>()?.stream());
        match (key.as_ref().map(Ident::to_string).as_deref(), key) {
            (Some("linear"), key) => self.linear = key,
            (Some("self_adjoint"), key) => {
                self.linear.clone_from(&key);
                self.self_adjoint = key;
            }
            (Some("bilinear"), key) => self.bilinear = key,
            (Some("tangent"), Some(key)) => {
                self.tangent = Some(Formulas::parse(key, list(input)?, errors));
            }
            (Some("second"), Some(key)) => {
                self.second = Some(Formulas::parse(key, list(input)?, errors));
            }
            (Some("along"), Some(key)) => {
                self.along = Some(Formulas::parse(key, list(input)?, errors));
            }
            (Some("order"), _) => {
                input.parse::<Token![=]>()?;
                self.order = Some(input.parse()?);
            }
            (Some("elementwise"), key) => self.elementwise = key,
            (Some("passive"), key) => self.passive = key,
            (Some("in_place"), key) => self.in_place = key,
            (Some("rule_only"), key) => self.rule_only = key,
            (Some("moves"), key) => self.moves = key,
            (Some("marks"), key) => self.marks = key,
            (Some("same"), Some(key)) => {
                self.same = Some((key, syn::parse2(list(input)?)?));
            }
            (Some("into"), _) => each(list(input)?, errors, |input| {
                self.into = Some(named(input)?);
                Ok(())
            }),
            (Some("name"), _) => {
                input.parse::<Token![=]>()?;
                self.target = Some(Target::New(input.parse()?));
            }
            (Some("save"), _) => each(list(input)?, errors, |input| {
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
                    let (name, message) =
                        (&item.name, "the type of a saved value cannot be inferred");
                    return Err(syn::Error::new(
                        name.span(),
                        format!("{message}: write `save({name}: Type = ..)`"),
                    ));
                }
                self.save.push(item);
                Ok(())
            }),
            (Some("shared"), _) => each(list(input)?, errors, |input| {
                self.shared.push(named(input)?);
                Ok(())
            }),
            (Some("sample"), Some(key)) => {
                self.samples.push(Sample::parse(key, list(input)?, errors));
            }
            (Some(key), _) if key.starts_with(char::is_lowercase) => {
                let message = format!("unknown key `{key}` of `#[op]`: {KEYS}");
                return Err(syn::Error::new_spanned(&path, message));
            }
            (Some(name), _) if OPERATORS.contains(&name) => {
                self.target = Some(Target::Operator(path))
            }
            _ => self.target = Some(Target::Existing(path)),
        }
        Ok(())
    }
}

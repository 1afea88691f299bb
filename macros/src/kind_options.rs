use crate::{
    errors::Errors,
    numbers::{Numbers, Vector},
    options::{assigned, assigned_path, each_option},
    real::Real,
    sample::Sample,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};
use syn::{Expr, Path, Token, Type, parse::ParseStream};

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) krate: Option<Path>,
    pub(crate) value: Option<Type>,
    pub(crate) index: Option<Type>,
    pub(crate) adjoint: Option<Type>,
    pub(crate) plain: Option<syn::Ident>,
    pub(crate) runs: bool,
    pub(crate) zero: Option<Expr>,
    pub(crate) add: Option<Expr>,
    pub(crate) computed: Option<Expr>,
    pub(crate) unset: Option<Expr>,
    pub(crate) mark: Option<Expr>,
    pub(crate) finite: Option<Expr>,
    pub(crate) recycle: Option<Expr>,
    pub(crate) extent: Option<Expr>,
    pub(crate) bytes: Option<Expr>,
    pub(crate) fetch: Option<Expr>,
    pub(crate) name: Option<Expr>,
    pub(crate) layout: Option<Type>,
    pub(crate) constant: Option<syn::LitBool>,
    pub(crate) parts: Vec<(syn::Ident, Type)>,
    pub(crate) derives: Option<(syn::Ident, Type)>,
    pub(crate) coordinates: Option<syn::Ident>,
    pub(crate) numbers: Option<Numbers>,
    pub(crate) vector: Option<Vector>,
    pub(crate) real: Option<Real>,
    pub(crate) samples: Vec<Sample>,
}

const KEYS: &str = "use `numbers`, `derives`, `vector`, `real`, `sample(..)`, `value`, `index`, `plain`, `runs`, `adjoint`, `layout`, `zero`, `add`, `computed`, `unset`, `mark`, `finite`, `recycle`, `extent`, `bytes`, `fetch`, `parts`, `coordinates`, `constant`, `name` or `crate`";

pub(crate) fn options(attr: TokenStream, errors: &mut Errors) -> Options {
    let (mut options, mut inner) = (Options::default(), Errors::default());
    each_option(attr, errors, |key, input| {
        match key.to_string().as_str() {
            "numbers" => options.numbers = Some(Numbers::parse(key, input)?),
            "vector" => options.vector = Some(Vector::parse(key, input)?),
            "real" => options.real = Some(Real::parse(key, input)?),
            "sample" => options.samples.push(Sample::parse(key, input, &mut inner)?),
            "plain" => options.plain = Some(key),
            "coordinates" => options.coordinates = Some(key),
            "runs" => options.runs = true,
            "parts" => options.parts(input)?,
            "derives" => options.derives = Some((key, assigned(input)?)),
            "value" => options.value = Some(assigned(input)?),
            "index" => options.index = Some(assigned(input)?),
            "adjoint" => options.adjoint = Some(assigned(input)?),
            "layout" => options.layout = Some(assigned(input)?),
            "zero" => options.zero = Some(assigned(input)?),
            "add" => options.add = Some(assigned(input)?),
            "computed" => options.computed = Some(assigned(input)?),
            "unset" => options.unset = Some(assigned(input)?),
            "mark" => options.mark = Some(assigned(input)?),
            "finite" => options.finite = Some(assigned(input)?),
            "recycle" => options.recycle = Some(assigned(input)?),
            "extent" => options.extent = Some(assigned(input)?),
            "bytes" => options.bytes = Some(assigned(input)?),
            "fetch" => options.fetch = Some(assigned(input)?),
            "constant" => options.constant = Some(assigned(input)?),
            "name" => options.name = Some(assigned(input)?),
            "crate" => options.krate = Some(assigned_path(input)?),
            _ => {
                let message = format!("unknown key `{key}` of `#[kind]`: {KEYS}");
                return Err(syn::Error::new(key.span(), message));
            }
        }
        Ok(())
    });
    errors.take(inner.finish());
    options
}
impl Options {
    /// `(x: Kind, ..)`
    fn parts(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let list;
        syn::parenthesized!(list in input);
        while !list.is_empty() {
            let field = list.parse()?;
            list.parse::<Token![:]>()?;
            self.parts.push((field, list.parse()?));
            if !list.is_empty() {
                list.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }
}

pub(crate) fn check(options: &Options, own: bool, errors: &mut Errors) {
    let Options {
        numbers,
        real,
        vector,
        ..
    } = options;
    let says = match (numbers, real) {
        (Some(numbers), Some(_)) => {
            errors.at(&numbers.key, "`real` is for a value that is one number, and `numbers` for a value that contains numbers: remove one of them");
            return;
        }
        (Some(numbers), None) => Some(&numbers.key),
        (None, real) => real.as_ref().map(|real| &real.key),
    };
    if let Some(says) = says {
        let given = [
            options.zero.as_ref().map(ToTokens::to_token_stream),
            options.add.as_ref().map(ToTokens::to_token_stream),
            options.finite.as_ref().map(ToTokens::to_token_stream),
            options.coordinates.as_ref().map(ToTokens::to_token_stream),
        ];
        for given in given.into_iter().flatten() {
            errors.at(given, format!("`{says}` defines the zero, the sum, the coordinates and the finite values: remove this key"));
        }
    }
    if let (Some(vector), None) = (vector, numbers) {
        errors.at(
            &vector.key,
            "`vector` needs the inner product of the numbers: name them, `numbers(x, y)`",
        );
    }
    if let (Some(real), false) = (real, own) {
        errors.at(&real.key, "`real` is only for a struct that is its own value: wrap a type that is declared elsewhere, `struct Number(Foreign)`");
    }
    for sample in &options.samples {
        for item in sample.values().filter(|i| i.name != "value") {
            errors.at(
                &item.name,
                format!(
                    "the `sample` of a kind has only a value, `sample(value = ..)`: remove `{}`",
                    item.name
                ),
            );
        }
        if !sample.gives(&format_ident!("value")) {
            errors.at(
                &sample.key,
                "the `sample` of a kind needs a value: write `sample(value = ..)`",
            );
        }
    }
}

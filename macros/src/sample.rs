use crate::{
    errors::Errors,
    kind::Kind,
    kit,
    model::{Argument, Operation},
    names::SelfIs,
    options::{Named, each, in_parentheses, named},
};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, Expr, Pat, Token, Type, parse::ParseStream, visit::Visit, visit_mut::VisitMut,
};

pub(crate) struct Sample {
    pub(crate) key: Ident,
    steps: Vec<Step>,
}
/// A step; it applies to everything after it.
enum Step {
    Value(Named),
    /// `for pattern in expression`
    For(Pat, Expr),
    /// `type Name = Type | Type`
    Types(Ident, Vec<(Vec<Attribute>, Type)>),
}

fn step(input: ParseStream<'_>) -> syn::Result<Step> {
    if input.parse::<Option<Token![for]>>()?.is_some() {
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<Token![in]>()?;
        return Ok(Step::For(pattern, input.parse()?));
    }
    if input.parse::<Option<Token![type]>>()?.is_some() {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let mut types = Vec::new();
        loop {
            types.push((input.call(Attribute::parse_outer)?, input.parse()?));
            if input.parse::<Option<Token![|]>>()?.is_none() {
                return Ok(Step::Types(name, types));
            }
        }
    }
    Ok(Step::Value(named(input)?))
}

impl Sample {
    pub(crate) fn parse(
        key: Ident,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<Self> {
        let mut steps = Vec::new();
        each(in_parentheses(input)?, errors, |input| {
            steps.push(step(input)?);
            Ok(())
        });
        Ok(Sample { key, steps })
    }
    pub(crate) fn values(&self) -> impl Iterator<Item = &Named> {
        self.steps.iter().filter_map(|step| match step {
            Step::Value(named) => Some(named),
            _ => None,
        })
    }
    pub(crate) fn value(&self, argument: &Ident) -> Option<&Expr> {
        let value = self.values().find(|named| named.name == *argument);
        value.map(|named| &named.expr)
    }
    pub(crate) fn gives(&self, argument: &Ident) -> bool {
        struct Binds<'a>(&'a Ident, bool);
        impl<'ast> Visit<'ast> for Binds<'_> {
            fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
                self.1 |= pattern.ident == *self.0;
            }
        }
        let mut binds = Binds(argument, self.value(argument).is_some());
        for step in &self.steps {
            if let Step::For(pattern, _) = step {
                binds.visit_pat(pattern);
            }
        }
        binds.1
    }
    pub(crate) fn check_given<'a>(
        &self,
        arguments: impl Iterator<Item = &'a Ident>,
        errors: &mut Errors,
    ) {
        for argument in arguments.filter(|argument| !self.gives(argument)) {
            errors.at(
                &self.key,
                format!("`sample` lacks the argument `{argument}`: add a value for it"),
            );
        }
    }
    pub(crate) fn visit_mut(&mut self, this: &mut SelfIs<'_>) {
        for step in &mut self.steps {
            match step {
                Step::Value(named) => this.visit_expr_mut(&mut named.expr),
                Step::For(_, items) => this.visit_expr_mut(items),
                Step::Types(_, types) => {
                    types.iter_mut().for_each(|(_, ty)| this.visit_type_mut(ty))
                }
            }
        }
    }
    pub(crate) fn around(&self, check: TokenStream) -> TokenStream {
        let steps = self.steps.iter().rev();
        steps.fold(check, |rest, step| match step {
            Step::Value(Named { name, expr, .. }) => quote!(let #name = #expr; #rest),
            Step::For(pattern, items) => quote!(for #pattern in #items { #rest }),
            Step::Types(name, types) => {
                let each = types
                    .iter()
                    .map(|(attributes, ty)| quote!(#(#attributes)* { type #name = #ty; #rest }));
                quote!(#(#each)*)
            }
        })
    }
    fn is_point(&self, operation: &Operation) -> bool {
        let generic =
            operation.options.elementwise.is_none() && !operation.generics.params.is_empty();
        generic
            || self
                .steps
                .iter()
                .any(|step| !matches!(step, Step::Value(_)))
    }
}

pub(crate) fn tests(operation: &Operation) -> TokenStream {
    let kind_names = operation.inputs().map(|arg| {
        let text = arg.ty.to_token_stream().to_string();
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.collect::<String>().to_lowercase() + "_"
    });
    let kind_names: String = kind_names.collect();
    let name = format_ident!("{}_{kind_names}adjoint_matches_differences", operation.name);
    let cfgs = &operation.cfgs;
    let samples = operation.options.samples.iter().enumerate();
    let tests = samples.map(|(i, sample)| {
        let name = match i {
            0 => name.clone(),
            i => format_ident!("{name}_{}", i + 1),
        };
        let body = match sample.is_point(operation) {
            true => at_points(operation, sample),
            false => around(operation, sample),
        };
        let body = kit::or_missing(body, &operation.krate, sample.key.span());
        quote! {
            #(#cfgs)*
            #[cfg(test)]
            #[test]
            fn #name() { #body }
        }
    });
    quote!(#(#tests)*)
}

fn around(operation: &Operation, sample: &Sample) -> TokenStream {
    let (op, value) = (operation.op_type(), operation.op_value());
    let kit = kit::path(&operation.krate);
    let passives = operation.passives().map(|a| {
        let (name, ty, expr) = (&a.ident, &a.ty, sample.value(&a.ident));
        quote!(let #name: #ty = #expr;)
    });
    let (mut kinds, mut points) = (Vec::new(), Vec::new());
    for arg in operation.inputs() {
        let ty = &arg.ty;
        kinds.push(if operation.options.elementwise.is_some() {
            quote!(f64)
        } else {
            quote!(#ty)
        });
        points.push(point(arg, sample.value(&arg.ident).to_token_stream(), &kit));
    }
    kinds.resize(3, quote!(()));
    points.resize(3, quote!(()));
    let check = at(sample, quote!(#kit::annotated::<#op, #(#kinds),*, _, _, _>));
    let arguments = given_arguments(sample, quote!(&#value, #(#points),*));
    quote! {
        #(#passives)*
        #check #arguments;
    }
}
/// Gives code the span of the key, so that panics are not reported at the beginning of the attribute.
fn at(sample: &Sample, code: TokenStream) -> TokenStream {
    let span = sample.key.span();
    let located = code.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), at(sample, group.stream())).into();
        }
        token.set_span(span);
        token
    });
    located.collect()
}
fn given_arguments(sample: &Sample, arguments: TokenStream) -> TokenTree {
    let mut group = Group::new(Delimiter::Parenthesis, arguments);
    group.set_span(sample.key.span());
    group.into()
}
fn point(arg: &Argument, value: TokenStream, kit: &TokenStream) -> TokenStream {
    let is_list = |ty: &Type| matches!(ty, Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "List"));
    match is_list(&arg.ty) {
        true => quote!(#kit::ListOf::from(#value)),
        false => value,
    }
}

fn at_points(operation: &Operation, sample: &Sample) -> TokenStream {
    let kit = kit::path(&operation.krate);
    let value = operation.op_value_inferred();
    let arguments = operation.inputs().map(|arg| {
        let name = &arg.ident;
        point(arg, quote!(::core::clone::Clone::clone(&#name)), &kit)
    });
    let check = at(sample, quote!(#kit::assert_rule));
    let arguments = given_arguments(sample, quote!(&#value, (#(#arguments,)*)));
    sample.around(quote!(#check #arguments;))
}

pub(crate) fn tests_of_kind(kind: &Kind) -> TokenStream {
    let (krate, body) = (&kind.krate, checks_of_kind(kind));
    let lower = snake(&kind.item.ident);
    let samples = kind.options.samples.iter().enumerate();
    let tests = samples.map(|(i, sample)| {
        let number = match i {
            0 => String::new(),
            i => format!("_{}", i + 1),
        };
        let test = format_ident!("{lower}_is_a_kind{number}", span = sample.key.span());
        let body = sample.around(at(sample, body.clone()));
        let body = kit::or_missing(body, krate, sample.key.span());
        quote! {
            #[cfg(test)]
            #[test]
            fn #test() { #body }
        }
    });
    quote!(#(#tests)*)
}
/// Checks the kind, its parts and the operators that its values have.
fn checks_of_kind(of: &Kind) -> TokenStream {
    let (krate, options) = (&of.krate, &of.options);
    let (kind, check, is_real) = (&of.tag, kit::path(krate), options.real.is_some());
    let again = quote!(::core::clone::Clone::clone(&value));
    let parts = options.parts.iter().map(|(part, _)| {
        let part = format_ident!(
            "{}",
            part.to_string().trim_start_matches("r#").to_uppercase()
        );
        quote!(#check::assert_part::<#kind, _>(<#kind>::#part, #again);)
    });
    // A value may belong to several kinds.
    let rule = |operator: &str, kinds: TokenStream, arguments: TokenStream| {
        let operator = format_ident!("{operator}");
        quote!(#check::assert_rule::<_, (#kinds), _>(&#krate::op::#operator, (#arguments));)
    };
    let of_two = |operator| rule(operator, quote!(#kind, #kind), quote!(#again, #again));
    let scaled = options.vector.as_ref().map(|vector| {
        let scale = &vector.scale;
        let s = quote!(<#scale as #krate::real::Real>::nearest(0.75));
        let rules = [
            rule("Mul", quote!(#kind, #scale), quote!(#again, #s)),
            rule("Mul", quote!(#scale, #kind), quote!(#s, #again)),
            rule("Div", quote!(#kind, #scale), quote!(#again, #s)),
        ];
        quote!(#(#rules)*)
    });
    let divided = is_real.then(|| {
        let rules = [of_two("Mul"), of_two("Div")];
        quote!(#(#rules)*)
    });
    let summed = (is_real || scaled.is_some()).then(|| {
        let (add, sub) = (of_two("Add"), of_two("Sub"));
        let neg = rule("Neg", quote!(#kind,), quote!(#again,));
        quote!(#add #sub #neg)
    });
    quote! {
        #check::assert_kind::<#kind>(#again);
        #(#parts)*
        #summed
        #scaled
        #divided
    }
}
fn snake(name: &Ident) -> String {
    let mut text = String::new();
    for (i, c) in name.to_string().chars().enumerate() {
        if i > 0 && c.is_uppercase() {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}

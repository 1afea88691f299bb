use crate::{
    errors::Errors,
    names::{Names, SelfIs, parameter},
    options::{Named, Options},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Block, Expr, FnArg, GenericArgument, GenericParam, Generics, Pat, PatType, Path,
    PathArguments, ReturnType, Signature, Token, Type, Visibility, parse_quote,
    punctuated::Punctuated, visit_mut::VisitMut,
};

#[derive(Clone)]
pub(crate) enum Target {
    New(Ident),
    Existing(Path),
    Operator(Path),
}

#[derive(Clone)]
pub(crate) enum Role {
    /// `None` for self-adjoint operations.
    In(Option<Expr>),
    Passive,
    /// The access to its adjoint, and its initial value.
    Out {
        access: Option<Expr>,
        init: Option<Expr>,
    },
    InOut {
        adjoint: Expr,
        access: Option<Expr>,
    },
    InP,
    OutP {
        init: Option<Expr>,
    },
    InOutP,
}

#[derive(Clone)]
pub(crate) struct Argument {
    pub(crate) ident: Ident,
    pub(crate) mutable: Option<Token![mut]>,
    pub(crate) role: Role,
    pub(crate) ty: Type,
    pub(crate) by_ref: bool,
}
impl Argument {
    pub(crate) fn is_output(&self) -> bool {
        use Role::*;
        matches!(self.role, Out { .. } | InOut { .. } | OutP { .. } | InOutP)
    }
    pub(crate) fn formula(&self) -> Option<&Expr> {
        match &self.role {
            Role::In(formula) => formula.as_ref(),
            Role::InOut { adjoint, .. } => Some(adjoint),
            _ => None,
        }
    }
    pub(crate) fn is_input(&self) -> bool {
        matches!(self.role, Role::In(_) | Role::InOut { .. })
    }
    /// The sink, or the adjoint of an output.
    pub(crate) fn adjoint_name(&self) -> String {
        format!("{}_b", self.ident)
    }
}

pub(crate) struct Operation {
    pub(crate) krate: TokenStream,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) allows: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) target: Target,
    pub(crate) generics: Generics,
    pub(crate) mode: Ident,
    pub(crate) ext: Option<Ident>,
    pub(crate) own_generics: Generics,
    pub(crate) args: Vec<Argument>,
    pub(crate) result: Option<Type>,
    pub(crate) error: Option<Type>,
    pub(crate) result_by_ref: bool,
    pub(crate) body: Block,
    pub(crate) options: Options,
}

pub(crate) fn camel(name: &Ident) -> String {
    let name = name.to_string();
    let parts = name.trim_start_matches("r#").split('_');
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    parts.filter(|p| !p.is_empty()).map(capital).collect()
}

const ROLES: &str = "`#[ad_in(adjoint)]`, `#[ad_passive]`, `#[ad_out]` or `#[ad_inout(adjoint)]`";
const PASSIVE_ROLES: &str = "`#[ad_inp]`, `#[ad_outp]`, `#[ad_inoutp]` or `#[ad_passive]`";

fn roles(options: &Options) -> &'static str {
    match options.passive {
        Some(_) => PASSIVE_ROLES,
        None => ROLES,
    }
}

pub(crate) fn is_annotation(attr: &Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|s| s.ident.to_string().starts_with("ad_"))
}

fn formulas(attr: &Attribute, errors: &mut Errors) -> Option<(Vec<Expr>, Option<Expr>)> {
    if let syn::Meta::Path(_) = attr.meta {
        return Some((Vec::new(), None));
    }
    let parse = attr.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated);
    let (mut list, mut init) = (Vec::new(), None);
    for expr in errors.take(parse)? {
        match expr {
            Expr::Assign(e) if matches!(&*e.left, Expr::Path(p) if p.path.is_ident("init")) => {
                init = Some(*e.right)
            }
            expr => list.push(expr),
        }
    }
    Some((list, init))
}

fn check_role(
    attr: &Attribute,
    name: &str,
    formulas: (&[Expr], bool),
    options: &Options,
    errors: &mut Errors,
) -> Option<()> {
    let (list, has_init) = formulas;
    let passive = options.passive.is_some();
    let (most, for_passive) = match name {
        "ad_in" | "ad_out" => (1, Some(false)),
        "ad_inout" => (2, Some(false)),
        "ad_passive" => (0, None),
        "ad_inp" | "ad_outp" | "ad_inoutp" => (0, Some(true)),
        _ => {
            let message = format!("unknown annotation `{name}`: use {}", roles(options));
            return errors.none(attr.path(), message);
        }
    };
    if for_passive.is_some_and(|p| p != passive) {
        let message = match passive {
            true => format!("a passive operation has no adjoints: use {PASSIVE_ROLES}"),
            false => {
                format!("`{name}` is only for passive operations, `#[op(passive)]`: use {ROLES}")
            }
        };
        return errors.none(attr.path(), message);
    }
    if list.len() > most {
        let most = [
            "no formula",
            "one formula",
            "at most two formulas, the adjoint and the access",
        ][most];
        let message = format!("`{name}` takes {most}: remove this one");
        return errors.none(list.last(), message);
    }
    if has_init && !matches!(name, "ad_out" | "ad_outp") {
        let message = format!(
            "`init` is the initial value of an output, but this argument is `{name}`: remove `init`"
        );
        return errors.none(attr, message);
    }
    Some(())
}

/// Only outputs are mutable references.
fn check_reference(name: &str, ty: &Type, errors: &mut Errors) -> Option<()> {
    let mutable = matches!(ty, Type::Reference(r) if r.mutability.is_some());
    let message = match (mutable, name.contains("out")) {
        (true, false) => format!(
            "`&mut` is only for outputs: write `#[ad_out]` or `#[ad_inout(adjoint)]` instead of `#[{name}]`"
        ),
        (false, true) => format!(
            "an output argument is a mutable reference: write `&mut {}` after `#[{name}]`",
            quote!(#ty)
        ),
        _ => return Some(()),
    };
    errors.none(ty, message)
}

fn linear_needs_formula<T>(linear: &Ident, errors: &mut Errors) -> Option<T> {
    let message = "a `linear` operation needs its adjoint, the transposed map of `r_b`: write `#[ad_in(adjoint)]`, or `self_adjoint` instead of \
     `linear` if the body is the adjoint, too";
    errors.none(linear, message)
}

fn role(attr: &Attribute, ty: &Type, options: &Options, errors: &mut Errors) -> Option<Role> {
    let name = attr.path().segments.last()?.ident.to_string();
    let (list, init) = formulas(attr, errors)?;
    check_role(attr, &name, (&list, init.is_some()), options, errors)?;
    check_reference(&name, ty, errors)?;
    let needs_formula = |errors: &mut Errors| {
        let message = "the adjoint formula of this argument is missing: write, for example,";
        errors.none(
            attr,
            format!("{message} `#[{name}(r_b * ..)]`, or `{{}}` if the adjoint is zero"),
        )
    };
    let mut list = list.into_iter();
    let (first, access) = (list.next(), list.next());
    Some(match name.as_str() {
        "ad_in" => match (first, &options.self_adjoint, &options.linear) {
            (Some(_), Some(key), _) => return errors.none(key, "a `self_adjoint` operation has no adjoint formula: write `linear` instead, or `#[ad_in]` without a formula"),
            (None, None, Some(linear)) => return linear_needs_formula(linear, errors),
            (None, None, None) => return needs_formula(errors),
            (formula, ..) => Role::In(formula),
        },
        "ad_passive" => Role::Passive,
        "ad_out" => Role::Out {
            access: first,
            init,
        },
        "ad_inout" => match first {
            Some(adjoint) => Role::InOut { adjoint, access },
            None => return needs_formula(errors),
        },
        "ad_inp" => Role::InP,
        "ad_outp" => Role::OutP { init },
        _ => Role::InOutP,
    })
}

fn annotated_role(arg: &PatType, options: &Options, errors: &mut Errors) -> Option<Role> {
    let mut annotations = arg.attrs.iter().filter(|a| is_annotation(a));
    let role = match (annotations.next(), &options.linear) {
        (Some(attr), _) => role(attr, &arg.ty, options, errors),
        (None, _) if options.self_adjoint.is_some() => Some(Role::In(None)),
        (None, Some(linear)) if options.passive.is_none() => linear_needs_formula(linear, errors),
        _ => {
            let roles = roles(options);
            errors.none(
                arg,
                format!("this argument needs an annotation: use {roles}"),
            )
        }
    };
    if let Some(second) = annotations.next() {
        errors.at(second, "an argument has one annotation: remove one, or write `#[ad_inout(adjoint)]` for an input that is also an output");
    }
    role
}

fn argument(arg: &FnArg, options: &Options, errors: &mut Errors) -> Option<Argument> {
    let arg = match arg {
        FnArg::Typed(arg) => arg,
        FnArg::Receiver(receiver) => {
            return errors.none(receiver, "an operation names all its arguments: write `x: Self` or `x: &Self` instead of `self`. Methods of a plain type remain as they are in a block with `#[operations(ext = Trait, in_place)]`");
        }
    };
    let ident = match &*arg.pat {
        Pat::Ident(p) if p.subpat.is_none() && p.by_ref.is_none() => {
            Some((p.ident.clone(), p.mutability))
        }
        pat => errors.none(
            pat,
            "formulas refer to this argument, so it needs a name: write `x: ..`",
        ),
    };
    if let Some((name, _)) = &ident
        && (*name == "r" || *name == "r_b")
    {
        errors.at(
            name,
            format!("`{name}` is the name of the result in formulas: rename this argument"),
        );
    }
    let (role, (ident, mutable)) = (annotated_role(arg, options, errors)?, ident?);
    let (ty, by_ref) = match (&*arg.ty, &role) {
        (ty, Role::Passive) => (ty.clone(), false),
        (Type::Reference(r), _) => ((*r.elem).clone(), r.mutability.is_none()),
        (ty, _) => (ty.clone(), false),
    };
    Some(Argument {
        ident,
        mutable,
        role,
        ty,
        by_ref,
    })
}

/// `M`, unless it is used already.
fn free_mode_name(generics: &Generics) -> Ident {
    let mut names = generics.params.iter().filter_map(parameter);
    let taken = names.any(|name| name == "M");
    Ident::new(if taken { "ModeOf" } else { "M" }, Span::call_site())
}

/// The type that a function returns: `Kind`, `&Kind` or `Result<Kind, Error>`.
#[derive(Default)]
struct Output {
    kind: Option<Type>,
    error: Option<Type>,
    by_ref: bool,
}
impl Output {
    fn of(sig: &Signature, options: &Options, errors: &mut Errors) -> Self {
        let ty = match &sig.output {
            ReturnType::Type(_, ty) if !matches!(&**ty, Type::Tuple(t) if t.elems.is_empty()) => ty,
            _ => return Output::default(),
        };
        let mut output = Output {
            kind: Some((**ty).clone()),
            ..Output::default()
        };
        if options.passive.is_some() {
            return output;
        }
        if let Some((kind, error)) = result_of(ty, errors) {
            (output.kind, output.error) = (Some(kind), Some(error));
        }
        if let Some(Type::Reference(reference)) = &output.kind {
            (output.by_ref, output.kind) = (true, Some((*reference.elem).clone()));
        }
        output
    }
}
fn result_of(ty: &Type, errors: &mut Errors) -> Option<(Type, Type)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != "Result" {
        return None;
    }
    let arguments = match &last.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().collect(),
        _ => Vec::new(),
    };
    match arguments.as_slice() {
        [GenericArgument::Type(kind), GenericArgument::Type(error)] => {
            Some((kind.clone(), error.clone()))
        }
        _ => errors.none(
            ty,
            "a fallible operation must name its error: write `Result<Kind, Error>`",
        ),
    }
}

/// The parameters of a function without lifetimes, and these with the parameters of its block.
fn generics_of(sig: &Signature, around: Option<&Around<'_>>) -> (Generics, Generics) {
    let mut own = Generics {
        lt_token: None,
        gt_token: None,
        ..sig.generics.clone()
    };
    let of_types = |p: &GenericParam| !matches!(p, GenericParam::Lifetime(_));
    own.params = own.params.into_iter().filter(of_types).collect();
    let Some(around) = around else {
        return (own.clone(), own);
    };
    let mut all = around.generics.clone();
    all.params.extend(own.params.clone());
    if let Some(own) = own.where_clause.clone() {
        all.make_where_clause().predicates.extend(own.predicates);
    }
    (own, all)
}

pub(crate) struct Source<'s> {
    pub(crate) attrs: &'s [Attribute],
    pub(crate) vis: &'s Visibility,
    pub(crate) sig: &'s Signature,
    pub(crate) body: &'s Block,
}

pub(crate) struct Around<'s> {
    pub(crate) ty: &'s Type,
    pub(crate) generics: &'s Generics,
    pub(crate) path: &'s TokenStream,
    pub(crate) operator: Option<&'s Path>,
    pub(crate) in_place: bool,
    pub(crate) krate: Option<&'s Path>,
    pub(crate) ext: Option<&'s Ident>,
}

impl Operation {
    pub(crate) fn parse(
        attr: TokenStream,
        source: Source<'_>,
        around: Option<&Around<'_>>,
        errors: &mut Errors,
    ) -> Option<Operation> {
        let (sig, options) = (source.sig, Options::parse(attr, errors));
        let argument = |arg| argument(arg, &options, errors);
        let args: Vec<_> = sig.inputs.iter().map(argument).collect();
        let complete = args.iter().all(Option::is_some);
        let output = Output::of(sig, &options, errors);
        let (own_generics, generics) = generics_of(sig, around);
        let attributes = |names: &[&str]| {
            let has_name = |a: &&Attribute| names.iter().any(|n| a.path().is_ident(n));
            source.attrs.iter().filter(has_name).cloned().collect()
        };
        let operator = || around?.operator.cloned().map(Target::Operator);
        let target = options.target.clone().or_else(operator);
        let mut operation = Operation {
            krate: crate::krate(options.krate.as_ref().or(around.and_then(|a| a.krate))),
            docs: attributes(&["doc", "deprecated"]),
            cfgs: attributes(&["cfg"]),
            allows: attributes(&["allow"]),
            vis: source.vis.clone(),
            name: sig.ident.clone(),
            target: target
                .unwrap_or_else(|| Target::New(Ident::new(&camel(&sig.ident), sig.ident.span()))),
            mode: free_mode_name(&generics),
            ext: around.and_then(|a| a.ext).cloned(),
            generics,
            own_generics,
            args: args.into_iter().flatten().collect(),
            result: output.kind,
            error: output.error,
            result_by_ref: output.by_ref,
            body: source.body.clone(),
            options,
        };
        if let Some(around) = around {
            operation.replace_self(around.ty);
        }
        operation.check(sig, complete, errors);
        if operation.options.in_place.is_some() || around.is_some_and(|a| a.in_place) {
            operation.call_function(around.map(|a| a.path));
        }
        Some(operation)
    }

    fn replace_self(&mut self, ty: &Type) {
        let mut this = SelfIs(ty);
        for arg in &mut self.args {
            this.visit_type_mut(&mut arg.ty);
            let formulas = match &mut arg.role {
                Role::In(formula) => [formula.as_mut(), None],
                Role::Out { access, init } => [access.as_mut(), init.as_mut()],
                Role::InOut { adjoint, access } => [Some(adjoint), access.as_mut()],
                Role::OutP { init } => [init.as_mut(), None],
                _ => [None, None],
            };
            let formulas = formulas.into_iter().flatten();
            formulas.for_each(|formula| this.visit_expr_mut(formula));
        }
        let types = self.result.iter_mut().chain(&mut self.error);
        types.for_each(|ty| this.visit_type_mut(ty));
        this.visit_block_mut(&mut self.body);
        let options = &mut self.options;
        for item in options.save.iter_mut().chain(&mut options.shared) {
            this.visit_expr_mut(&mut item.expr);
            item.ty.iter_mut().for_each(|ty| this.visit_type_mut(ty));
        }
        let samples = options.samples.iter_mut();
        samples.for_each(|sample| sample.visit_mut(&mut this));
    }

    /// The annotated function remains, and the rule calls it: one body, checked once.
    fn call_function(&mut self, path: Option<&TokenStream>) {
        let (name, krate) = (&self.name, &self.krate);
        // A function written with a value gets a value, which exists for value kinds.
        let names = self.args.iter().map(|a| {
            let (name, ty) = (&a.ident, &a.ty);
            match a.role {
                Role::In(_) | Role::InP if !a.by_ref => {
                    // The type may be `Self`, so errors are reported at the argument.
                    let ty = quote!(#ty).into_iter().map(|mut token| {
                        token.set_span(token.span().located_at(name.span()));
                        token
                    });
                    let ty = TokenStream::from_iter(ty);
                    quote!(#krate::rule::by_value::<#ty>(#name))
                }
                _ => quote!(#name),
            }
        });
        let (_, params, _) = self.own_generics.split_for_impl();
        let turbofish = params.as_turbofish();
        self.body = parse_quote!({ #path #name #turbofish(#(#names),*) });
        self.args.iter_mut().for_each(|a| a.mutable = None);
        let key = Ident::new("in_place", Span::call_site());
        self.options.in_place.get_or_insert(key);
    }

    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Argument> {
        self.args.iter().filter(|a| a.is_input())
    }
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Argument> {
        self.args.iter().filter(|a| a.is_output())
    }
    pub(crate) fn passives(&self) -> impl Iterator<Item = &Argument> {
        self.args.iter().filter(|a| matches!(a.role, Role::Passive))
    }
    /// The result first, then the output arguments.
    pub(crate) fn out_kinds(&self) -> Vec<&Type> {
        self.result
            .iter()
            .chain(self.outputs().map(|a| &a.ty))
            .collect()
    }
    pub(crate) fn results(&self) -> Option<&Punctuated<Type, Token![,]>> {
        match &self.result {
            Some(Type::Tuple(tuple)) if self.options.passive.is_none() => Some(&tuple.elems),
            _ => None,
        }
    }
    pub(crate) fn out(&self) -> TokenStream {
        match self.out_kinds().as_slice() {
            [one] => quote!(#one),
            many => quote!((#(#many),*)),
        }
    }
    pub(crate) fn kinds(&self) -> [TokenStream; 3] {
        self.each_of_three(|arg| arg.ty.to_token_stream(), quote!(()))
    }
}

/// The items that `names` mentions, directly or indirectly, in order.
pub(crate) fn reached<'l>(list: &'l [Named], names: &Names) -> Vec<&'l Named> {
    let mut reached: Vec<&Named> = Vec::new();
    for item in list.iter().rev() {
        if names.has(&item.name) || reached.iter().any(|r| Names::of(&r.expr).has(&item.name)) {
            reached.push(item);
        }
    }
    reached.reverse();
    reached
}

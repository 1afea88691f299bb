//! The parsed form of an annotated function.
use crate::{
    check::{check_arguments, check_fallible, check_options},
    errors::Errors,
    names::{Names, SelfIs},
    options::{Named, Options},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
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

fn camel(name: &Ident) -> Ident {
    let text = name.to_string();
    let parts = text
        .trim_start_matches("r#")
        .split('_')
        .filter(|p| !p.is_empty());
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    format_ident!(
        "{}",
        parts.map(capital).collect::<String>(),
        span = name.span()
    )
}

const ROLES: &str = "`#[ad_in(adjoint)]`, `#[ad_passive]`, `#[ad_out]` or `#[ad_inout(adjoint)]`";
const PASSIVE_ROLES: &str = "`#[ad_inp]`, `#[ad_outp]`, `#[ad_inoutp]` or `#[ad_passive]`";

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

fn linear_needs_formula(linear: &Ident, errors: &mut Errors) -> Option<Role> {
    let message = "a `linear` operation needs its adjoint, the transposed map of `r_b`: write `#[ad_in(adjoint)]`, or `self_adjoint` instead of \
     `linear` if the body is the adjoint, too";
    errors.at(linear, message);
    None
}

fn role(attr: &Attribute, arg: &PatType, options: &Options, errors: &mut Errors) -> Option<Role> {
    let name = attr.path().segments.last()?.ident.to_string();
    let (mut list, init) = formulas(attr, errors)?;
    let passive = options.passive.is_some();
    let (most, for_passive) = match name.as_str() {
        "ad_in" => (1, Some(false)),
        "ad_out" => (1, Some(false)),
        "ad_inout" => (2, Some(false)),
        "ad_passive" => (0, None),
        "ad_inp" | "ad_outp" | "ad_inoutp" => (0, Some(true)),
        _ => {
            let roles = if passive { PASSIVE_ROLES } else { ROLES };
            errors.at(
                attr.path(),
                format!("unknown annotation `{name}`: use {roles}"),
            );
            return None;
        }
    };
    if for_passive.is_some_and(|p| p != passive) {
        errors.at(
            attr.path(),
            match passive {
                true => format!("a passive operation has no adjoints: use {PASSIVE_ROLES}"),
                false => format!(
                    "`{name}` is only for passive operations, `#[op(passive)]`: use {ROLES}"
                ),
            },
        );
        return None;
    }
    if list.len() > most {
        let most = [
            "no formula",
            "one formula",
            "at most two formulas, the adjoint and the access",
        ][most];
        errors.at(
            list.last(),
            format!("`{name}` takes {most}: remove this one"),
        );
        return None;
    }
    if init.is_some() && !matches!(name.as_str(), "ad_out" | "ad_outp") {
        errors.at(
            attr,
            format!("`init` is the initial value of an output, but this argument is `{name}`: remove `init`"),
        );
        return None;
    }
    let output = name.contains("out");
    match &*arg.ty {
        Type::Reference(r) if r.mutability.is_some() && !output => {
            errors.at(&arg.ty, format!("`&mut` is only for outputs: write `#[ad_out]` or `#[ad_inout(adjoint)]` instead of `#[{name}]`"));
            return None;
        }
        Type::Reference(r) if r.mutability.is_some() => {}
        ty if output => {
            errors.at(
                ty,
                format!(
                    "an output argument is a mutable reference: write `&mut {}` after `#[{name}]`",
                    quote!(#ty)
                ),
            );
            return None;
        }
        _ => {}
    }
    let needs_formula = |errors: &mut Errors| {
        let message = "the adjoint formula of this argument is missing: write, for example,";
        errors.at(
            attr,
            format!("{message} `#[{name}(r_b * ..)]`, or `{{}}` if the adjoint is zero"),
        );
        None
    };
    Some(match name.as_str() {
        "ad_in" => match (list.pop(), &options.self_adjoint, &options.linear) {
            (Some(_), Some(key), _) => {
                errors.at(key, "a `self_adjoint` operation has no adjoint formula: write `linear` instead, or `#[ad_in]` without a formula");
                return None;
            }
            (None, None, Some(linear)) => return linear_needs_formula(linear, errors),
            (None, None, None) => return needs_formula(errors),
            (formula, ..) => Role::In(formula),
        },
        "ad_passive" => Role::Passive,
        "ad_out" => Role::Out {
            access: list.pop(),
            init,
        },
        "ad_inout" => {
            let access = if list.len() == 2 { list.pop() } else { None };
            match list.pop() {
                Some(adjoint) => Role::InOut { adjoint, access },
                None => return needs_formula(errors),
            }
        }
        "ad_inp" => Role::InP,
        "ad_outp" => Role::OutP { init },
        _ => Role::InOutP,
    })
}

fn argument(arg: &FnArg, options: &Options, errors: &mut Errors) -> Option<Argument> {
    let arg = match arg {
        FnArg::Typed(arg) => arg,
        FnArg::Receiver(receiver) => {
            errors.at(receiver, "an operation names all its arguments: write `x: Self` or `x: &Self` instead of `self`. Methods of a plain type remain as they are in a block with `#[operations(ext = Trait, in_place)]`");
            return None;
        }
    };
    let ident = match &*arg.pat {
        Pat::Ident(p) if p.subpat.is_none() && p.by_ref.is_none() => {
            Some((p.ident.clone(), p.mutability))
        }
        pat => {
            errors.at(
                pat,
                "formulas refer to this argument, so it needs a name: write `x: ..`",
            );
            None
        }
    };
    if let Some((name, _)) = &ident
        && (*name == "r" || *name == "r_b")
    {
        errors.at(
            name,
            format!("`{name}` is the name of the result in formulas: rename this argument"),
        );
    }
    let mut annotations = arg.attrs.iter().filter(|a| is_annotation(a));
    let role = match annotations.next() {
        Some(attr) => role(attr, arg, options, errors),
        None if options.self_adjoint.is_some() => Some(Role::In(None)),
        None if options.passive.is_none() && options.linear.is_some() => {
            linear_needs_formula(options.linear.as_ref()?, errors)
        }
        None => {
            let roles = if options.passive.is_some() {
                PASSIVE_ROLES
            } else {
                ROLES
            };
            errors.at(
                arg,
                format!("this argument needs an annotation: use {roles}"),
            );
            None
        }
    };
    if let Some(second) = annotations.next() {
        errors.at(second, "an argument has one annotation: remove one, or write `#[ad_inout(adjoint)]` for an input that is also an output");
    }
    let (role, (ident, mutable)) = (role?, ident?);
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
    let taken = generics.params.iter().any(|p| match p {
        GenericParam::Type(t) => t.ident == "M",
        GenericParam::Const(c) => c.ident == "M",
        GenericParam::Lifetime(_) => false,
    });
    Ident::new(if taken { "ModeOf" } else { "M" }, Span::call_site())
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
        _ => {
            errors.at(
                ty,
                "a fallible operation must name its error: write `Result<Kind, Error>`",
            );
            None
        }
    }
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
    /// The beginning of a call.
    pub(crate) path: &'s TokenStream,
    /// The operator of the block's trait.
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
        let mut options = Options::parse(attr, errors);
        let Source {
            attrs, vis, sig, ..
        } = source;
        let mut args: Vec<_> = sig
            .inputs
            .iter()
            .map(|a| argument(a, &options, errors))
            .collect();
        let mut result = match &sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) if matches!(&**ty, Type::Tuple(t) if t.elems.is_empty()) => {
                None
            }
            ReturnType::Type(_, ty) => Some((**ty).clone()),
        };
        let mut error = match (&result, &options.passive) {
            (Some(ty), None) => result_of(ty, errors),
            _ => None,
        };
        if let Some((kind, _)) = &error {
            result = Some(kind.clone());
        }
        let mut result_by_ref = false;
        if let (Some(Type::Reference(reference)), None) = (&result, &options.passive) {
            (result_by_ref, result) = (true, Some((*reference.elem).clone()));
        }
        let mut body = source.body.clone();
        if let Some(around) = around {
            let mut this = SelfIs(around.ty);
            for arg in args.iter_mut().flatten() {
                this.visit_type_mut(&mut arg.ty);
                match &mut arg.role {
                    Role::In(Some(e)) => this.visit_expr_mut(e),
                    Role::Out { access, init } => access
                        .iter_mut()
                        .chain(init)
                        .for_each(|e| this.visit_expr_mut(e)),
                    Role::InOut { adjoint, access } => std::iter::once(adjoint)
                        .chain(access)
                        .for_each(|e| this.visit_expr_mut(e)),
                    Role::OutP { init: Some(e) } => this.visit_expr_mut(e),
                    _ => {}
                }
            }
            let error = error.iter_mut().map(|(_, error)| error);
            let types = result.iter_mut().chain(error);
            types.for_each(|ty| this.visit_type_mut(ty));
            this.visit_block_mut(&mut body);
            for item in options.save.iter_mut().chain(&mut options.shared) {
                this.visit_expr_mut(&mut item.expr);
                item.ty.iter_mut().for_each(|ty| this.visit_type_mut(ty));
            }
            for sample in &mut options.samples {
                sample.visit_mut(&mut this);
            }
        }
        check_options(&options, errors);
        if let Some(asyncness) = sig.asyncness {
            errors.at(
                asyncness,
                "an operation cannot be asynchronous: remove `async`",
            );
        }
        let complete = args.iter().all(Option::is_some);
        let mut args: Vec<_> = args.into_iter().flatten().collect();
        if complete {
            check_arguments(sig, &args, result.as_ref(), &options, errors);
            if let Some((_, error)) = &error {
                check_fallible(error, &args, result.as_ref(), &options, errors);
            }
        }

        let mut own_generics = Generics {
            lt_token: None,
            gt_token: None,
            ..sig.generics.clone()
        };
        own_generics.params = own_generics
            .params
            .into_iter()
            .filter(|p| !matches!(p, GenericParam::Lifetime(_)))
            .collect();
        let mut generics = own_generics.clone();
        if let Some(around) = around {
            let mut outer = around.generics.clone();
            outer.params.extend(generics.params);
            if let Some(own) = generics.where_clause {
                outer.make_where_clause().predicates.extend(own.predicates);
            }
            generics = outer;
        }
        let in_place = options.in_place.is_some() || around.is_some_and(|a| a.in_place);
        if in_place {
            // The annotated function remains, and the rule calls it: one body, checked once.
            let name = &sig.ident;
            let krate = crate::krate(options.krate.as_ref().or(around.and_then(|a| a.krate)));
            // A function written with a value gets a value, which exists for value kinds.
            let names = args.iter().map(|a| {
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
            let names: Vec<_> = names.collect();
            let path = around.map(|a| a.path);
            args.iter_mut().for_each(|a| a.mutable = None);
            let (_, params, _) = own_generics.split_for_impl();
            let turbofish = params.as_turbofish();
            body = parse_quote!({ #path #name #turbofish(#(#names),*) });
            options
                .in_place
                .get_or_insert(Ident::new("in_place", Span::call_site()));
        }
        let operator = || around?.operator.cloned().map(Target::Operator);
        let target = options.target.take().or_else(operator);
        let target = target.unwrap_or_else(|| Target::New(camel(&sig.ident)));
        if let Target::New(op) = &target {
            let kinds = args.iter().map(|a| &a.ty).chain(&result);
            if kinds
                .into_iter()
                .any(|ty| matches!(ty, Type::Path(p) if p.path.is_ident(op)))
            {
                let message = format!(
                    "the operation would have the name of the kind, `{op}`: choose another name, `#[op(name = ..)]`"
                );
                errors.at(&sig.ident, message);
            }
        }
        let is = |a: &&Attribute, names: &[&str]| names.iter().any(|n| a.path().is_ident(n));
        Some(Operation {
            krate: crate::krate(options.krate.as_ref().or(around.and_then(|a| a.krate))),
            docs: attrs
                .iter()
                .filter(|a| is(a, &["doc", "deprecated"]))
                .cloned()
                .collect(),
            cfgs: attrs.iter().filter(|a| is(a, &["cfg"])).cloned().collect(),
            allows: attrs
                .iter()
                .filter(|a| is(a, &["allow"]))
                .cloned()
                .collect(),
            vis: vis.clone(),
            name: sig.ident.clone(),
            target,
            mode: free_mode_name(&generics),
            ext: around.and_then(|a| a.ext).cloned(),
            generics,
            own_generics,
            args,
            result,
            error: error.map(|(_, error)| error),
            result_by_ref,
            body,
            options,
        })
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

/// The items that `names` mentions, directly or through other items, in their order.
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

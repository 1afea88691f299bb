//! Checks annotations that are valid separately but do not form an operation together.
use crate::{
    errors::Errors,
    model::{Argument, Role, Target},
    names::{self, Names},
    options::Options,
    tangent::check_tangents,
};
use syn::{Signature, Type};

/// The highest number of results of an operation.
const MOST_RESULTS: usize = 8;

/// Checks for options that contradict each other.
pub(crate) fn check_options(options: &Options, errors: &mut Errors) {
    if let Some(passive) = &options.passive {
        let others = [&options.elementwise, &options.linear, &options.save_result];
        let named = options
            .save
            .first()
            .or(options.shared.first())
            .map(|n| &n.name);
        for other in others.into_iter().flatten().chain(named) {
            errors.at(
                other,
                "a passive operation has no derivatives: remove this, or `passive`",
            );
        }
        if let Some(Target::Existing(_) | Target::Operator(_)) = &options.target {
            errors.at(
                passive,
                "a passive operation has no rule, so it annotates no operation: remove its path",
            );
        }
        if let Some(sample) = options.samples.first() {
            errors.at(
                &sample.key,
                "a passive operation has no derivatives to test: remove `sample`",
            );
        }
    }
    if options.elementwise.is_some() {
        for named in &options.save {
            errors.at(&named.name, "elementwise operations save nothing: use `shared(..)`, or an operation for its kind");
        }
        if let Some(r) = &options.save_result {
            errors.at(r, "elementwise operations save nothing: their result is computed again where it is read");
        }
    }
    if options.save.len() + usize::from(options.save_result.is_some()) > 6 {
        errors.at(
            &options.save[5].name,
            "at most six intermediates can be saved: put them into one `Rc<(..)>`",
        );
    }
}

pub(crate) fn check_arguments(
    sig: &Signature,
    args: &[Argument],
    result: Option<&Type>,
    options: &Options,
    errors: &mut Errors,
) {
    let inputs: Vec<_> = args.iter().filter(|a| a.is_input()).collect();
    let outputs = args.iter().filter(|a| a.is_output()).count();
    let name = &sig.ident;
    if options.passive.is_some() {
        return;
    }
    if inputs.is_empty() {
        errors.at(name, "an operation has at least one differentiable argument, `#[ad_in(adjoint)]`; without any it is `#[op(passive)]`");
    }
    for extra in inputs.iter().skip(3) {
        errors.at(&extra.ident, "an operation has at most three differentiable arguments: split it, or put arguments into one kind");
    }
    if result.is_none() && outputs == 0 {
        errors.at(sig, "an operation has a result: a return kind, a tuple of kinds, or output arguments `#[ad_out] w: &mut Kind`");
    }
    let results = match result {
        Some(Type::Tuple(tuple)) => tuple.elems.len(),
        result => usize::from(result.is_some()),
    };
    let wrong = match result {
        _ if results + outputs > MOST_RESULTS => Some(
            "an operation has at most eight results: return a list of one kind, `List<Kind>`, or put results into one kind",
        ),
        Some(Type::Tuple(_)) if outputs > 0 => Some(
            "an operation returns a tuple of all results, or it has output arguments beside at most one result",
        ),
        Some(Type::Tuple(_)) if results == 1 => Some("one result is not a tuple: write its kind"),
        _ => None,
    };
    if let Some(message) = wrong {
        match result {
            Some(result) => errors.at(result, message),
            None => errors.at(name, message),
        }
    }
    let derived = options.tangent.is_none() || inputs.iter().any(|arg| arg.formula().is_none());
    let several = inputs.len() != 1 && derived;
    if let (Some(linear), true) = (&options.linear, several || outputs > 0) {
        errors.at(linear, format!("`{linear}` is for operations of one argument and one result; write the adjoints of this one as `#[ad_in(adjoint)]` and its tangents as `tangent(..)`"));
    }
    if let (Some(moves), true) = (&options.moves, outputs > 0 || !options.shared.is_empty()) {
        errors.at(
            moves,
            "`moves` is for operations of one result without `shared` intermediates: remove it",
        );
    }
    check_same(&inputs, outputs, options, errors);
    check_tangents(&inputs, options, errors);
    let saves = !options.save.is_empty() || options.save_result.is_some();
    if let (Some(into), true) = (&options.into, outputs > 0 || saves || result.is_none()) {
        errors.at(
            &into.name,
            "`into` is for operations of one result that save nothing: remove it",
        );
    }
    for other in &inputs {
        if let Some(clash) = args.iter().find(|a| a.ident == other.adjoint_name()) {
            let message = format!(
                "`{}` is what formulas call the adjoint of `{}`: give the argument another name",
                clash.ident, other.ident
            );
            errors.at(&clash.ident, message);
        }
    }
    if options.elementwise.is_some() {
        let lane = sig.generics.type_params().next();
        let is_lane = |ty: &Type| {
            lane.is_some_and(|l| matches!(ty, Type::Path(p) if p.path.is_ident(&l.ident)))
        };
        let all = inputs.iter().all(|a| is_lane(&a.ty) && !a.by_ref) && result.is_some_and(is_lane);
        if !all || outputs > 0 || sig.generics.params.len() != 1 {
            errors.at(
                sig,
                "an elementwise operation is generic in its lane type: `fn f<L: Lane>(x: L) -> L`",
            );
        }
    }
    // A formula may only use the sink of its own argument.
    for arg in &inputs {
        let (Role::In(Some(formula))
        | Role::InOut {
            adjoint: formula, ..
        }) = &arg.role
        else {
            continue;
        };
        let names = Names::of(formula);
        let sink = arg.adjoint_name();
        if let (Some(local), false) = (names::binding(formula, &sink), arg.is_output()) {
            let message = format!(
                "in the formula of `{}`, `{sink}` is its sink, to which `{sink}.add(..)` adds: give this variable another name",
                arg.ident
            );
            errors.at(local, message);
        }
        for other in inputs
            .iter()
            .filter(|o| o.ident != arg.ident && !o.is_output())
        {
            if let Some(sink) = names.get(other.adjoint_name()) {
                let message = format!(
                    "`{sink}` is the sink of another argument: what is added there stands in the annotation of `{}`",
                    other.ident
                );
                errors.at(sink, message);
            }
        }
        if options.elementwise.is_some() && names.has(arg.adjoint_name()) {
            errors.at(
                formula,
                "the adjoint of an elementwise operation is a value; it has no sink",
            );
        }
    }
    for sample in &options.samples {
        let key = &sample.key;
        let asked = args.iter().filter(|a| !matches!(a.role, Role::Out { .. }));
        for arg in asked.filter(|a| !sample.gives(&a.ident)) {
            errors.at(key, format!("`sample` lacks the argument `{}`", arg.ident));
        }
        for item in sample
            .values()
            .filter(|i| args.iter().all(|a| a.ident != i.name))
        {
            errors.at(
                &item.name,
                format!("`sample` names `{}`, which is no argument", item.name),
            );
        }
    }
}
pub(crate) fn check_fallible(
    error: &Type,
    args: &[Argument],
    result: Option<&Type>,
    options: &Options,
    errors: &mut Errors,
) {
    let outputs = args.iter().filter(|a| a.is_output()).count();
    if outputs > 0 || matches!(result, Some(Type::Tuple(_))) {
        errors.at(error, "an operation that can fail has one result: return one kind, such as a list, `List<Kind>`");
    }
    let others = [
        (
            &options.elementwise,
            "an elementary function is part of an expression, which has no place for an error: remove `elementwise`",
        ),
        (
            &options.linear,
            "the derivatives of an operation that can fail do not follow from its body: write `#[ad_in(adjoint)]` and `tangent(..)` instead",
        ),
    ];
    for (other, message) in others {
        if let Some(other) = other {
            errors.at(other, message);
        }
    }
    if let Some(into) = &options.into {
        errors.at(&into.name, "an operation that can fail is evaluated at once, and not into a destination: remove `into`");
    }
    if let Some(Target::Operator(path)) = &options.target {
        errors.at(path, "an operator is part of an expression, which has no place for an error: make it a function, `#[op]`");
    }
}

fn check_same(inputs: &[&Argument], outputs: usize, options: &Options, errors: &mut Errors) {
    let Some((same, formula)) = &options.same else {
        return;
    };
    let alike = inputs.len() == 2 && inputs[0].ty == inputs[1].ty;
    if !alike || outputs > 0 || !options.shared.is_empty() || options.elementwise.is_some() {
        let message = "`same(..)` is for operations of two arguments of one kind and one result, without `shared` intermediates: remove it";
        errors.at(same, message);
        return;
    }
    let (names, read) = (
        Names::of(formula),
        inputs.iter().filter_map(|i| i.formula()),
    );
    let read: Vec<_> = read.map(Names::of).collect();
    let values = inputs.iter().map(|i| i.ident.to_string());
    for value in values.chain(["r".into()]) {
        if names.has(&value) && !read.iter().any(|names| names.has(&value)) {
            let message = format!(
                "no formula of an argument reads `{value}`, so that it is not at hand: write this one without it"
            );
            errors.at(same, message);
        }
    }
}

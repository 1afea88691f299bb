//! Checks annotations that are valid separately but not together.
use crate::{
    errors::Errors,
    model::{Argument, Operation, Role, Target},
    names::{self, Names},
    options::Options,
    tangent::check_tangents,
};
use proc_macro2::Ident;
use syn::{Signature, Type};

const MOST_RESULTS: usize = 8;

impl Operation {
    /// Reports annotations that contradict each other. If arguments are missing, not `complete`, only options are checked.
    pub(crate) fn check(&self, sig: &Signature, complete: bool, errors: &mut Errors) {
        self.check_options(errors);
        if let Some(asyncness) = sig.asyncness {
            errors.at(
                asyncness,
                "an operation cannot be asynchronous: remove `async`",
            );
        }
        if complete && self.options.passive.is_none() {
            self.check_results(sig, errors);
            self.check_derivatives(errors);
            self.check_names(errors);
            self.check_lanes(sig, errors);
            self.inputs().for_each(|arg| self.check_sinks(arg, errors));
            self.check_samples(errors);
        }
        if let (true, Some(error)) = (complete, &self.error) {
            self.check_fallible(error, errors);
        }
        self.check_name(errors);
    }

    fn check_options(&self, errors: &mut Errors) {
        let options = &self.options;
        if let Some(passive) = &options.passive {
            check_passive(passive, options, errors);
        }
        if options.elementwise.is_some() {
            for named in &options.save {
                errors.at(&named.name, "elementwise operations save nothing: use `shared(..)`, or write an operation of one kind without `elementwise`");
            }
            if let Some(r) = &options.save_result {
                errors.at(r, "elementwise operations save nothing, because their result is recomputed: remove `save(r)`");
            }
        }
        if options.save.len() + usize::from(options.save_result.is_some()) > 6 {
            errors.at(
                &options.save[5].name,
                "at most six intermediates can be saved: combine them in an `Rc<(..)>`",
            );
        }
    }

    fn check_results(&self, sig: &Signature, errors: &mut Errors) {
        let (name, result, outputs) = (&sig.ident, self.result.as_ref(), self.outputs().count());
        if self.inputs().next().is_none() {
            errors.at(name, "an operation needs a differentiable argument: write `#[ad_in(adjoint)]` before one, or declare `#[op(passive)]`");
        }
        for extra in self.inputs().skip(3) {
            errors.at(&extra.ident, "an operation has at most three differentiable arguments: split the operation, or combine arguments in one kind");
        }
        if result.is_none() && outputs == 0 {
            errors.at(sig, "an operation needs a result: return a kind or a tuple of kinds, or declare output arguments `#[ad_out] w: &mut Kind`");
        }
        let results = match result {
            Some(Type::Tuple(tuple)) => tuple.elems.len(),
            result => usize::from(result.is_some()),
        };
        let wrong = match result {
            _ if results + outputs > MOST_RESULTS => {
                "an operation has at most eight results: return a list, `List<Kind>`, or combine results in one kind"
            }
            Some(Type::Tuple(_)) if outputs > 0 => {
                "an operation returns a tuple of all results, or has output arguments and at most one result"
            }
            Some(Type::Tuple(_)) if results == 1 => "one result is not a tuple: write its kind",
            _ => return,
        };
        match result {
            Some(result) => errors.at(result, wrong),
            None => errors.at(name, wrong),
        }
    }

    /// Checks options against the numbers of arguments and results.
    fn check_derivatives(&self, errors: &mut Errors) {
        let (options, outputs) = (&self.options, self.outputs().count());
        let inputs: Vec<_> = self.inputs().collect();
        let derived = options.tangent.is_none() || inputs.iter().any(|arg| arg.formula().is_none());
        let several = inputs.len() != 1 && derived;
        if let (Some(linear), true) = (&options.linear, several || outputs > 0) {
            errors.at(linear, format!("`{linear}` is only for operations with one argument and one result: write the adjoints as `#[ad_in(adjoint)]` and the tangents as `tangent(..)`"));
        }
        if let (Some(moves), true) = (&options.moves, outputs > 0 || !options.shared.is_empty()) {
            errors.at(
                moves,
                "`moves` is only for operations with one result and without `shared` intermediates: remove it",
            );
        }
        check_same(&inputs, outputs, options, errors);
        check_tangents(&inputs, options, errors);
        let late = outputs > 0 || self.result.is_none() || options.save_result.is_some();
        if let (Some(into), true) = (&options.into, late) {
            errors.at(
                &into.name,
                "`into` is only for operations with one result that do not save it: remove it",
            );
        }
    }

    fn check_names(&self, errors: &mut Errors) {
        for other in self.inputs() {
            let mut args = self.args.iter();
            if let Some(clash) = args.find(|a| a.ident == other.adjoint_name()) {
                let message = format!(
                    "`{}` is the name of the adjoint of `{}` in formulas: rename the argument",
                    clash.ident, other.ident
                );
                errors.at(&clash.ident, message);
            }
        }
    }

    /// Checks that an elementwise operation takes and returns lanes of one type.
    fn check_lanes(&self, sig: &Signature, errors: &mut Errors) {
        if self.options.elementwise.is_none() {
            return;
        }
        let lane = sig.generics.type_params().next();
        let is_lane = |ty: &Type| lane.is_some_and(|l| names::is(ty, &l.ident));
        let takes_lanes = self.inputs().all(|a| is_lane(&a.ty) && !a.by_ref);
        let all = takes_lanes && self.result.as_ref().is_some_and(is_lane);
        if !all || self.outputs().next().is_some() || sig.generics.params.len() != 1 {
            errors.at(
                sig,
                "an elementwise operation must be generic in its lane type: write `fn f<L: Lane>(x: L) -> L`",
            );
        }
    }

    /// A formula may only use the sink of its own argument.
    fn check_sinks(&self, arg: &Argument, errors: &mut Errors) {
        let Some(formula) = arg.formula() else {
            return;
        };
        let (names, sink) = (Names::of(formula), arg.adjoint_name());
        if let (Some(local), false) = (names::binding(formula, &sink), arg.is_output()) {
            let message = format!(
                "in the formula of `{}`, `{sink}` is the name of its sink: rename this variable",
                arg.ident
            );
            errors.at(local, message);
        }
        for other in self
            .inputs()
            .filter(|o| o.ident != arg.ident && !o.is_output())
        {
            if let Some(sink) = names.get(other.adjoint_name()) {
                let message = format!(
                    "`{sink}` is the sink of another argument: move this contribution to the annotation of `{}`",
                    other.ident
                );
                errors.at(sink, message);
            }
        }
        if self.options.elementwise.is_some() && names.has(sink) {
            errors.at(
                formula,
                "an elementwise operation has no sinks: write the adjoint as a value, such as `r_b * ..`",
            );
        }
    }

    fn check_samples(&self, errors: &mut Errors) {
        let read = |a: &&Argument| !matches!(a.role, Role::Out { .. });
        for sample in &self.options.samples {
            sample.check_given(self.args.iter().filter(read).map(|a| &a.ident), errors);
            for item in sample.values() {
                if self.args.iter().all(|a| a.ident != item.name) {
                    let message = format!(
                        "`sample` names `{}`, which is not an argument: remove or rename it",
                        item.name
                    );
                    errors.at(&item.name, message);
                }
            }
        }
    }

    fn check_fallible(&self, error: &Type, errors: &mut Errors) {
        let options = &self.options;
        if self.outputs().next().is_some() || matches!(self.result, Some(Type::Tuple(_))) {
            errors.at(error, "a fallible operation has one result: return one kind, and compute other results from it with further operations");
        }
        let others = [
            (
                &options.elementwise,
                "an elementary function is part of an expression and cannot return an error: remove `elementwise`",
            ),
            (
                &options.linear,
                "the derivatives of a fallible operation cannot be derived from its body: write `#[ad_in(adjoint)]` and `tangent(..)` instead",
            ),
        ];
        for (other, message) in others {
            if let Some(other) = other {
                errors.at(other, message);
            }
        }
        if let Some(into) = &options.into {
            errors.at(&into.name, "a fallible operation is evaluated immediately, and not into a destination: remove `into`");
        }
        if let Some(Target::Operator(path)) = &options.target {
            errors.at(path, "an operator is part of an expression and cannot return an error: declare a function with `#[op]` instead");
        }
    }

    fn check_name(&self, errors: &mut Errors) {
        let Target::New(op) = &self.target else {
            return;
        };
        let mut kinds = self.args.iter().map(|a| &a.ty).chain(&self.result);
        if kinds.any(|ty| names::is(ty, op)) {
            let message = format!(
                "the operation would have the name of the kind, `{op}`: choose another name, `#[op(name = ..)]`"
            );
            errors.at(&self.name, message);
        }
    }
}

fn check_passive(passive: &Ident, options: &Options, errors: &mut Errors) {
    let others = [&options.elementwise, &options.linear, &options.save_result];
    let named = options.save.first().or(options.shared.first());
    let named = named.map(|n| &n.name);
    for other in others.into_iter().flatten().chain(named) {
        errors.at(
            other,
            "a passive operation has no derivatives: remove this or `passive`",
        );
    }
    if let Some(Target::Existing(_) | Target::Operator(_)) = &options.target {
        errors.at(
            passive,
            "a passive operation has no rule: remove the path of the operation",
        );
    }
    if let Some(sample) = options.samples.first() {
        errors.at(
            &sample.key,
            "a passive operation has no derivatives to test: remove `sample`",
        );
    }
}

fn check_same(inputs: &[&Argument], outputs: usize, options: &Options, errors: &mut Errors) {
    let Some((same, formula)) = &options.same else {
        return;
    };
    let alike = inputs.len() == 2 && inputs[0].ty == inputs[1].ty;
    if !alike || outputs > 0 || !options.shared.is_empty() || options.elementwise.is_some() {
        let message = "`same(..)` is only for operations with two arguments of one kind, one result and no `shared` intermediates: remove it";
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
                "the formulas of the arguments do not read `{value}`, so it is not loaded: remove it from this formula"
            );
            errors.at(same, message);
        }
    }
}

//! The test of a rule.
use super::{
    Check, Failure, Fault,
    difference::{self, Random, dot, dot_abs, moved},
    few_or,
    forms::{Arguments, Enter, Same, Visit},
};
use crate::coordinates::{self, Coordinates, Output};
use crate::{
    expr::{Active, Apply, ByRef},
    kind::{Adjoint, Cell, Keep, Kind, Policy, Val, arg},
    mode,
    names::name_of,
    node::{Evaluated, Node, Produce},
    rule::{self, Rule},
    tape::Tape,
};
use std::{
    any::{Any, TypeId},
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Runs `f` and turns a panic into a fault.
pub(super) fn caught<T>(what: &'static str, f: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| Fault::Panics {
        what,
        message: message(&*panic),
    })
}
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without message").to_owned()
}

/// Compares lists of coordinates up to `tolerance`, relative to the largest of each list; 0 asks for the
/// same bits.
pub(super) fn same(
    what: &'static str,
    got: &[f64],
    want: &[f64],
    tolerance: f64,
) -> Result<(), Fault> {
    if got.len() != want.len() {
        return Err(Fault::Shape {
            what,
            got: got.len(),
            want: want.len(),
        });
    }
    let largest = want.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let agree = |a: f64, b: f64| {
        (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= tolerance * largest
    };
    match got.iter().zip(want).position(|(&a, &b)| !agree(a, b)) {
        None => Ok(()),
        Some(coordinate) => Err(Fault::Differs {
            what,
            coordinate,
            got: got[coordinate],
            want: want[coordinate],
        }),
    }
}

/// One rule at one point.
struct Point<'c, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> {
    check: &'c Check,
    op: &'c O,
    values: (Val<A>, Val<B>, Val<C>),
    lists: [Vec<f64>; 3],
    result_list: Vec<f64>,
    seed: Val<O::Out>,
    /// The adjoints of all arguments, confirmed by differences.
    adjoints: [Vec<f64>; 3],
    tolerance: f64,
}

const ORDINALS: [&str; 3] = ["first", "second", "third"];
/// All subsets, beginning with the small ones.
const SUBSETS: [[bool; 3]; 8] = [
    [false, false, false],
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [true, true, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
];
fn is_subset(part: [bool; 3], all: [bool; 3]) -> bool {
    (0..3).all(|i| all[i] || !part[i])
}
fn there<A: Kind, B: Kind, C: Kind>() -> [bool; 3] {
    let none = TypeId::of::<()>();
    [TypeId::of::<A>(), TypeId::of::<B>(), TypeId::of::<C>()].map(|id| id != none)
}
/// Whether a point has so many coordinates that it is tested in one form only: laws of kinds and forms do not depend on sizes.
fn is_large(lists: &[Vec<f64>; 3]) -> bool {
    lists.iter().map(Vec::len).sum::<usize>() > few_or(100, usize::MAX)
}
pub(super) fn list_of<K: Coordinates>(adjoint: K::Adjoint, like: &Val<K>) -> Vec<f64> {
    coordinates::of::<K>(&adjoint.value_or_zero(|| like.clone()))
}

impl Check {
    /// Tests the [`Rule`] of `op` at a point, a tuple of plain values; see [the module](super).
    ///
    /// # Errors
    /// A [`Failure`] that tells what is wrong with the rule.
    pub fn rule<O, P, X>(&self, op: &O, point: X) -> Result<(), Failure>
    where
        X: Arguments<O, P>,
        O: Rule<X::A, X::B, X::C, Out: Coordinates> + Clone,
    {
        let (a, b, c) = point.into_values();
        let lists = [
            coordinates::of::<X::A>(&a),
            coordinates::of::<X::B>(&b),
            coordinates::of::<X::C>(&c),
        ];
        let all = lists.concat();
        let failure = |fault| Failure {
            subject: name_of::<O>(),
            arguments: String::new(),
            point: all.clone(),
            fault,
        };
        let primal = || {
            op.primal(arg::<X::A>(&a), arg::<X::B>(&b), arg::<X::C>(&c))
                .0
        };
        let result = caught("the primal", primal).map_err(failure)?;
        if !is_large(&lists) {
            self.laws_if_there::<X::A>(&a)?;
            self.laws_if_there::<X::B>(&b)?;
            self.laws_if_there::<X::C>(&c)?;
            self.laws_if_there::<O::Out>(&result)?;
        }
        let result_list = coordinates::of::<O::Out>(&result);
        let weights = Random(self.seed).weights(result_list.len());
        let seed = O::Out::from_coordinates(&result, &mut &weights[..]);
        let epsilons = [X::A::EPSILON, X::B::EPSILON, X::C::EPSILON, O::Out::EPSILON];
        let epsilon = epsilons.into_iter().fold(0.0, f64::max);
        let mut point = Point::<O, X::A, X::B, X::C> {
            check: self,
            op,
            values: (a, b, c),
            lists,
            result_list,
            seed,
            adjoints: Default::default(),
            tolerance: self.tolerance_for(epsilon),
        };
        point.adjoints = point.direct(there::<X::A, X::B, X::C>()).map_err(failure)?;
        point.differences(epsilon).map_err(failure)?;
        for part in SUBSETS {
            point.subset(part).map_err(failure)?;
        }
        point.squares().map_err(failure)?;
        X::visit(&mut point)
    }

    /// Tests that the [`Rule`] of `op` has the same values as the plain operation, bit by bit, and panics
    /// where that panics and nowhere else: computed directly, in plain mode, and recorded.
    ///
    /// ```
    /// use entape_core::{check::Check, op::Clamp};
    ///
    /// let check = Check::default();
    /// check.plain(&Clamp, (3.0, 0.0, 1.0), || 3.0_f64.clamp(0.0, 1.0))?;
    /// check.plain(&Clamp, (3.0, 1.0, 0.0), || 3.0_f64.clamp(1.0, 0.0))?; // both panic
    /// # Ok::<(), entape_core::check::Failure>(())
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] that tells where they differ.
    pub fn plain<O, P, X>(
        &self,
        op: &O,
        point: X,
        plain: impl FnOnce() -> Val<O::Out>,
    ) -> Result<(), Failure>
    where
        X: Arguments<O, P>,
        O: Rule<X::A, X::B, X::C, Out: Coordinates> + Clone,
    {
        let (a, b, c) = point.into_values();
        let mut all = coordinates::of::<X::A>(&a);
        all.extend(coordinates::of::<X::B>(&b));
        all.extend(coordinates::of::<X::C>(&c));
        let failure = |fault| Failure {
            subject: name_of::<O>(),
            arguments: String::new(),
            point: all.clone(),
            fault,
        };
        let want = caught("the plain operation", plain).map(|r| coordinates::of::<O::Out>(&r));
        let compare = |what, got: Result<Vec<f64>, Fault>| match (&want, got) {
            (Ok(want), Ok(got)) => same(what, &got, want, 0.0),
            (Ok(_), Err(fault)) => Err(fault),
            (Err(_), Err(_)) => Ok(()),
            (Err(Fault::Panics { message, .. }), Ok(_)) => Err(Fault::Succeeds {
                what,
                message: message.clone(),
            }),
            (Err(other), Ok(_)) => Err(other.clone()),
        };
        let what = "the primal";
        let primal = || {
            let (r, _) = op.primal(arg::<X::A>(&a), arg::<X::B>(&b), arg::<X::C>(&c));
            coordinates::of::<O::Out>(&r)
        };
        compare(what, caught(what, primal)).map_err(failure)?;

        let what = "evaluation in plain mode";
        let (x, y, z) = (
            Active::<X::A, mode::Plain>::passive(a.clone()),
            Active::<X::B, mode::Plain>::passive(b.clone()),
            Active::<X::C, mode::Plain>::passive(c.clone()),
        );
        let plain_mode = || {
            let node = Apply::ternary(op.clone(), ByRef(&x), ByRef(&y), ByRef(&z));
            let (r, _) = node.forward();
            coordinates::of::<O::Out>(&r.ready().own())
        };
        compare(what, caught(what, plain_mode)).map_err(failure)?;

        let what = "evaluation on a tape";
        let mut tape = Tape::new();
        let x = tape.input_as::<X::A>(a.clone());
        let y = input_if_there::<X::B>(&b, &mut tape);
        let z = input_if_there::<X::C>(&c, &mut tape);
        let taped = || {
            let node = || Apply::ternary(op.clone(), ByRef(&x), ByRef(&y), ByRef(&z));
            let outputs = tape.record(|| O::Out::record(node()));
            let mut list = Vec::new();
            outputs.iter().for_each(|y| y.coordinates(&mut list));
            list
        };
        compare(what, caught(what, taped)).map_err(failure)
    }
}
fn input_if_there<K: Kind>(value: &Val<K>, tape: &mut Tape) -> Active<K> {
    // A list has no variable of its own.
    if TypeId::of::<K>() == TypeId::of::<()>() || !K::Policy::VARIABLES {
        Active::passive(value.clone())
    } else {
        tape.input_as::<K>(value.clone())
    }
}

impl<O, A: Coordinates, B: Coordinates, C: Coordinates> Point<'_, O, A, B, C>
where
    O: Rule<A, B, C, Out: Coordinates> + Clone,
{
    /// The adjoints of the active arguments, outside of a tape, with the declared primals only.
    fn direct(&self, active: [bool; 3]) -> Result<[Vec<f64>; 3], Fault> {
        let (a, b, c) = &self.values;
        let run = || rule::adjoints::<O, A, B, C>(self.op, (a, b, c), &self.seed, active);
        let (a_b, b_b, c_b) = caught("the adjoint", run)?;
        Ok([
            list_of::<A>(a_b, a),
            list_of::<B>(b_b, b),
            list_of::<C>(c_b, c),
        ])
    }
    /// Compares the adjoints with differences, for each argument alone and for all together.
    fn differences(&self, epsilon: f64) -> Result<(), Fault> {
        let there = there::<A, B, C>();
        let mut random = Random(self.check.seed ^ 1);
        let weights = coordinates::of::<O::Out>(&self.seed);
        let alone = [0, 1, 2].map(|i| [0, 1, 2].map(|j| i == j));
        for active in alone.into_iter().chain([there]) {
            if !is_subset(active, there) || (is_large(&self.lists) && active != there) {
                continue;
            }
            for i in 0..3 {
                if self.adjoints[i].len() != self.lists[i].len() {
                    return Err(Fault::Shape {
                        what: "the adjoint of an argument, compared with the argument",
                        got: self.adjoints[i].len(),
                        want: self.lists[i].len(),
                    });
                }
            }
            for _ in 0..self.check.directions {
                let directions = [0, 1, 2].map(|i| match active[i] {
                    true => random.direction(&self.lists[i]),
                    false => vec![0.0; self.lists[i].len()],
                });
                let (mut got, mut size) = (0.0, 0.0);
                for i in (0..3).filter(|&i| active[i]) {
                    got += dot(&self.adjoints[i], &directions[i]);
                    size += dot_abs(&self.adjoints[i], &directions[i]);
                }
                let slope = difference::slope(epsilon, |h| {
                    let at = |i: usize| moved(&self.lists[i], h, &directions[i]);
                    let (a, b, c) = &self.values;
                    let a = A::from_coordinates(a, &mut &at(0)[..]);
                    let b = B::from_coordinates(b, &mut &at(1)[..]);
                    let c = C::from_coordinates(c, &mut &at(2)[..]);
                    let (r, _) = self.op.primal(arg::<A>(&a), arg::<B>(&b), arg::<C>(&c));
                    let r = coordinates::of::<O::Out>(&r);
                    if r.len() != weights.len() {
                        return (f64::NAN, 0.0);
                    }
                    (dot(&weights, &r), dot_abs(&weights, &r))
                });
                let names: Vec<_> = (0..3).filter(|&i| active[i]).map(|i| ORDINALS[i]).collect();
                let along = || format!("along a direction of the {} argument", names.join(" and "));
                self.check.judge(along, got, size, slope, self.tolerance)?;
            }
        }
        Ok(())
    }
    /// Tests the adjoints with a subset of the arguments active: they must be the same, and nothing that is undeclared
    /// may be read.
    fn subset(&self, part: [bool; 3]) -> Result<(), Fault> {
        // Without an active argument, a sweep asks for no adjoint.
        if part == [false; 3] || !is_subset(part, there::<A, B, C>()) {
            return Ok(());
        }
        let got = self.direct(part)?;
        for i in (0..3).filter(|&i| part[i]) {
            same(
                "the adjoint with other arguments passive, compared with the adjoint with all active",
                &got[i],
                &self.adjoints[i],
                self.tolerance,
            )?;
        }
        Ok(())
    }
    /// Tests that a variable which is both arguments gets the sum of their adjoints.
    fn squares(&self) -> Result<(), Fault> {
        let (a, _, c) = &self.values;
        // Such a formula is only used where values are plain.
        let plain = <A::Keep as Keep<Cell<A>>>::PLAIN;
        let Some(b) = (a as &dyn Any).downcast_ref().filter(|_| plain) else {
            return Ok(());
        };
        let values = (a, b, c);
        let run = || rule::adjoint_of_both::<O, A, B, C>(self.op, values, &self.seed);
        let Some(got) = caught("the adjoint of a variable that is both arguments", run)? else {
            return Ok(());
        };
        let (a_b, b_b, _) =
            rule::adjoints::<O, A, B, C>(self.op, values, &self.seed, there::<A, B, C>());
        let sum = list_of::<A>(a_b, a).into_iter().zip(list_of::<B>(b_b, b));
        same(
            "the adjoint of a variable that is both arguments, compared with the sum of theirs",
            &list_of::<A>(got, a),
            &sum.map(|(a, b)| a + b).collect::<Vec<_>>(),
            self.tolerance,
        )
    }
    /// Records the operation and sweeps, with the arguments in `part` active.
    fn recorded<EA: Enter<A>, EB: Enter<B>, EC: Enter<C>, const INNER: bool>(
        &self,
        part: [bool; 3],
    ) -> Result<(), Fault> {
        let mut tape = Tape::new();
        let a = EA::variables(&self.values.0, part[0], &mut tape);
        let b = EB::variables(&self.values.1, part[1], &mut tape);
        let c = EC::variables(&self.values.2, part[2], &mut tape);
        let eval = || {
            let node = Apply::ternary(self.op.clone(), EA::node(&a), EB::node(&b), EC::node(&c));
            match INNER {
                true => O::Out::record(Apply::unary(Same, node)),
                false => O::Out::record(node),
            }
        };
        let record = || tape.record(|| [eval(), eval()]);
        let [y, again] = caught("recording", record)?;
        let mut value = Vec::new();
        y.iter().for_each(|y| y.coordinates(&mut value));
        same(
            "the recorded value, compared with the primal",
            &value,
            &self.result_list,
            0.0,
        )?;
        let is_active = [EA::is_active(&a), EB::is_active(&b), EC::is_active(&c)];
        let active = (0..3).any(|i| is_active[i] && O::FLOWS[i]);
        if y.iter().any(|y| y.is_active() != active) {
            return Err(Fault::Activity { active: !active });
        }
        // The result of an empty list has no adjoint.
        if !active || y.is_empty() {
            return Ok(());
        }
        let seeds = coordinates::of::<O::Out>(&self.seed);
        let mut sweep = |results: &[&Vec<Box<dyn Output>>]| {
            let refused = |e: crate::driver::Error| Fault::Tape {
                message: e.to_string(),
            };
            let run = || {
                for result in results {
                    let mut seeds = &seeds[..];
                    for y in *result {
                        y.seed(&mut tape, &mut seeds)?;
                    }
                }
                let gradient = tape.sweep()?;
                let mut lists: [Vec<f64>; 3] = Default::default();
                if part[0] {
                    lists[0] = EA::gradient(&a, &gradient)?;
                }
                if part[1] {
                    lists[1] = EB::gradient(&b, &gradient)?;
                }
                if part[2] {
                    lists[2] = EC::gradient(&c, &gradient)?;
                }
                Ok(lists)
            };
            caught("the sweep", run)?.map_err(refused)
        };
        let first = sweep(&[&y])?;
        let second = sweep(&[&y])?;
        let both = sweep(&[&y, &again])?;
        for i in (0..3).filter(|&i| part[i]) {
            let want = &self.adjoints[i];
            let doubled: Vec<f64> = want.iter().map(|x| x + x).collect();
            let t = self.tolerance;
            same(
                "the adjoint on a tape, compared with the rule alone",
                &first[i],
                want,
                t,
            )?;
            same(
                "the second sweep, compared with the first",
                &second[i],
                &first[i],
                0.0,
            )?;
            same(
                "the adjoint added to another one, twice as large",
                &both[i],
                &doubled,
                t,
            )?;
        }
        Ok(())
    }
}
impl<O, A: Coordinates, B: Coordinates, C: Coordinates> Visit<O, A, B, C> for Point<'_, O, A, B, C>
where
    O: Rule<A, B, C, Out: Coordinates> + Clone,
{
    type Failure = Failure;
    fn form<EA: Enter<A>, EB: Enter<B>, EC: Enter<C>, const INNER: bool>(
        &mut self,
    ) -> Result<(), Failure> {
        let (variables, there) = (
            [EA::VARIABLE, EB::VARIABLE, EC::VARIABLE],
            there::<A, B, C>(),
        );
        if !INNER && !is_subset(variables, there) {
            return Ok(());
        }
        let one_form = is_large(&self.lists);
        if one_form && (INNER || variables != there) {
            return Ok(());
        }
        for part in SUBSETS {
            let part = [0, 1, 2].map(|i| part[i] && there[i]);
            if !is_subset(part, variables) || (one_form && part != there) {
                continue;
            }
            self.recorded::<EA, EB, EC, INNER>(part).map_err(|fault| {
                let states = (0..3).filter(|&i| there[i]).map(|i| {
                    let state = match (variables[i], part[i]) {
                        (false, _) => "constant",
                        (true, false) => "passive variable",
                        (true, true) => "active variable",
                    };
                    format!("{} argument {state}", ORDINALS[i])
                });
                let mut arguments = states.collect::<Vec<_>>().join(", ");
                if INNER {
                    arguments += ", inside an expression";
                }
                Failure {
                    subject: name_of::<O>(),
                    arguments,
                    point: self.lists.concat(),
                    fault,
                }
            })?;
        }
        Ok(())
    }
}

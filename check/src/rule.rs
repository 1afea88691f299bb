//! Checks of rules that are compiled once and work on coordinates.
use super::{
    ADJOINT, Check, Failure, Fault, few_or,
    forms::{Arguments, Recorded},
    subject::{Subject, Typed},
};
use entape_core::coordinates::{self, Coordinates, Output};
use entape_core::{
    differences::{self, Random, Slope, dot, dot_abs, moved, scale},
    kind::{Adjoint, Val},
    rule::Rule,
};

pub(super) fn caught<T>(what: &'static str, f: impl FnOnce() -> T) -> Result<T, Fault> {
    differences::caught(f).map_err(|message| Fault::Panics { what, message })
}

/// Compares lists up to `tolerance`, relative to the largest number of each; 0 requires equal bits.
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

pub(super) struct Found {
    argument: Option<usize>,
    fault: Fault,
}
impl From<Fault> for Found {
    fn from(fault: Fault) -> Self {
        Found {
            argument: None,
            fault,
        }
    }
}
/// Attributes a fault to argument `i`.
pub(super) fn of_argument(i: usize) -> impl Fn(Fault) -> Found {
    move |fault| Found {
        argument: Some(i),
        fault,
    }
}

pub(super) struct Point<'c> {
    pub(super) check: &'c Check,
    pub(super) subject: &'c dyn Subject,
    pub(super) there: [bool; 3],
    pub(super) lists: [Vec<f64>; 3],
    pub(super) result: Vec<f64>,
    /// The adjoint of the result.
    pub(super) seed: Vec<f64>,
    pub(super) adjoints: [Vec<f64>; 3],
    pub(super) epsilon: f64,
    pub(super) tolerance: f64,
}

pub(super) const ORDINALS: [&str; 3] = ["first", "second", "third"];
/// All subsets, the small ones first.
pub(super) const SUBSETS: [[bool; 3]; 8] = [
    [false, false, false],
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [true, true, false],
    [true, false, true],
    [false, true, true],
    [true, true, true],
];
pub(super) fn is_subset(part: [bool; 3], all: [bool; 3]) -> bool {
    (0..3).all(|i| all[i] || !part[i])
}
pub(super) fn arguments(part: [bool; 3]) -> String {
    let names: Vec<_> = (0..3).filter(|&i| part[i]).map(|i| ORDINALS[i]).collect();
    format!("the {} argument", names.join(" and "))
}
/// Laws and forms do not depend on sizes.
pub(super) fn is_large(lists: &[Vec<f64>; 3]) -> bool {
    lists.iter().map(Vec::len).sum::<usize>() > few_or(100, usize::MAX)
}
/// The number of coordinates tested one by one.
pub(super) const SEARCHED: usize = 256;
pub(super) fn list_of<K: Coordinates>(adjoint: K::Adjoint, like: &Val<K>) -> Vec<f64> {
    coordinates::of::<K>(&adjoint.value_or_zero(|| like.clone()))
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Alone,
    /// An inner expression of inner expressions.
    Inside,
}

impl Check {
    /// Tests a [`Rule`] at a point, a tuple of plain values; see [the crate](super).
    pub fn rule<O, P, X>(&self, op: &O, point: X) -> Result<(), Failure>
    where
        X: Arguments<O, P>,
        O: Rule<X::A, X::B, X::C, Out: Coordinates> + Clone,
    {
        let values = point.into_values();
        let mut subject =
            Typed::<O, X::A, X::B, X::C, X::First, X::Second, X::Third>::new(op, values);
        self.subject(&mut subject)
    }
    #[inline(never)]
    fn subject(&self, subject: &mut dyn Subject) -> Result<(), Failure> {
        let lists = subject.lists();
        let all = lists.concat();
        let there = subject.there();
        let name = subject.name();
        let kinds = subject.kinds().into_iter().zip(there);
        let kinds: Vec<_> = kinds.filter(|(_, is)| *is).map(|(kind, _)| kind).collect();
        let failure = |arguments: String, Found { argument, fault }: Found| {
            let adjoint = argument.map(|i| format!("the adjoint of the {} argument", ORDINALS[i]));
            let parts = [Some(arguments).filter(|a| !a.is_empty()), adjoint];
            Failure {
                subject: format!("{name} of {}", kinds.join(", ")),
                arguments: parts.into_iter().flatten().collect::<Vec<_>>().join("; "),
                point: all.clone(),
                fault,
            }
        };
        let fails = |found: Found| failure(String::new(), found);
        let result = caught("the primal", || subject.primal());
        let result = result.map_err(|fault| fails(fault.into()))?;
        if !is_large(&lists) {
            subject.laws(self)?;
        }
        let epsilon = subject.epsilon();
        let seed = Random(self.seed).weights(result.len());
        let mut point = Point {
            check: self,
            subject,
            there,
            lists,
            result,
            seed,
            adjoints: Default::default(),
            epsilon,
            tolerance: self.tolerance_for(epsilon),
        };
        point.adjoints = point.direct(there).map_err(|fault| fails(fault.into()))?;
        point.differences().map_err(fails)?;
        for part in SUBSETS {
            point.subset(part).map_err(fails)?;
        }
        point.tangents().map_err(fails)?;
        point.squares().map_err(|fault| fails(fault.into()))?;
        for form in [Form::Alone, Form::Inside] {
            point
                .form(form)
                .map_err(|(states, found)| failure(states, found))?;
        }
        Ok(())
    }
}

impl Point<'_> {
    /// Compares a derivative, a sum of terms of this size, with differences.
    pub(super) fn judge(
        &self,
        what: &'static str,
        label: impl Fn() -> String,
        got: f64,
        size: f64,
        slope: Slope,
    ) -> Result<(), Fault> {
        self.check
            .judge(what, label, got, size, slope, self.tolerance)
    }
    fn direct(&self, active: [bool; 3]) -> Result<[Vec<f64>; 3], Fault> {
        caught("the adjoint", || self.subject.direct(&self.seed, active))
    }
    /// The derivative of the result, times `weights`, by differences.
    pub(super) fn slope_of(&self, weights: &[f64], directions: &[Vec<f64>; 3]) -> Slope {
        differences::slope(self.epsilon, |h| {
            let at = [0, 1, 2].map(|i| moved(&self.lists[i], h, &directions[i]));
            // Outside of its domain an operation may fail; such steps are skipped.
            match caught("the primal", || self.subject.primal_at(&at)) {
                Ok(r) if r.len() == weights.len() => (dot(weights, &r), dot_abs(weights, &r)),
                _ => (f64::NAN, 0.0),
            }
        })
    }
    fn slope(&self, directions: &[Vec<f64>; 3]) -> Slope {
        self.slope_of(&self.seed, directions)
    }
    pub(super) fn directions(&self, random: &mut Random, part: [bool; 3]) -> [Vec<f64>; 3] {
        [0, 1, 2].map(|i| match part[i] {
            true => random.direction(&self.lists[i]),
            false => vec![0.0; self.lists[i].len()],
        })
    }
    pub(super) fn parts(&self) -> Vec<[bool; 3]> {
        let alone = [0, 1, 2].map(|i| [0, 1, 2].map(|j| i == j));
        let alone = alone.into_iter().filter(|part| {
            is_subset(*part, self.there) && *part != self.there && !is_large(&self.lists)
        });
        alone.chain([self.there]).collect()
    }
    fn differences(&self) -> Result<(), Found> {
        let mut random = Random(self.check.seed ^ 1);
        for i in 0..3 {
            if self.adjoints[i].len() != self.lists[i].len() {
                return Err(of_argument(i)(Fault::Shape {
                    what: "the adjoint of an argument, compared with the argument",
                    got: self.adjoints[i].len(),
                    want: self.lists[i].len(),
                }));
            }
        }
        for active in self.parts() {
            for _ in 0..self.check.directions {
                let directions = self.directions(&mut random, active);
                let (mut got, mut size) = (0.0, 0.0);
                for i in (0..3).filter(|&i| active[i]) {
                    got += dot(&self.adjoints[i], &directions[i]);
                    size += dot_abs(&self.adjoints[i], &directions[i]);
                }
                let slope = self.slope(&directions);
                let label = || format!("along a direction of {}", arguments(active));
                let judged = self.judge(ADJOINT, label, got, size, slope);
                judged.map_err(|fault| self.coordinate(active).unwrap_or(fault))?;
            }
        }
        Ok(())
    }
    fn coordinate(&self, active: [bool; 3]) -> Option<Fault> {
        for i in (0..3).filter(|&i| active[i]) {
            for (k, &x) in self.lists[i].iter().enumerate().take(SEARCHED) {
                let step = scale(x);
                // For one number the message shows the derivative.
                let scaled = match self.seed[..] {
                    [seed] => step * seed,
                    _ => step,
                };
                let mut directions = self.lists.each_ref().map(|list| vec![0.0; list.len()]);
                directions[i][k] = step;
                let got = self.adjoints[i][k] * step / scaled;
                let slope = self.slope(&directions).over(scaled);
                let label = || {
                    format!(
                        "with respect to coordinate {k} of the {} argument",
                        ORDINALS[i]
                    )
                };
                let judged = self.judge(ADJOINT, label, got, got.abs(), slope);
                if let Err(fault @ Fault::Slope { .. }) = judged {
                    return Some(fault);
                }
            }
        }
        None
    }
    /// Adjoints must not depend on active arguments, and read only declared operands.
    fn subset(&self, part: [bool; 3]) -> Result<(), Found> {
        if part == [false; 3] || !is_subset(part, self.there) {
            return Ok(());
        }
        let got = self.direct(part)?;
        for i in (0..3).filter(|&i| part[i]) {
            same(
                "the adjoint with other arguments passive, compared with the adjoint with all active",
                &got[i],
                &self.adjoints[i],
                self.tolerance,
            )
            .map_err(of_argument(i))?;
        }
        Ok(())
    }
    fn squares(&self) -> Result<(), Fault> {
        let what = "the adjoint of a variable that is both arguments";
        let Some([got, sum]) = caught(what, || self.subject.both(&self.seed))? else {
            return Ok(());
        };
        same(
            "the adjoint of a variable that is both arguments, compared with the sum of theirs",
            &got,
            &sum,
            self.tolerance,
        )
    }
    /// Tests a form with all subsets active. A fault includes the states of the arguments.
    fn form(&self, form: Form) -> Result<(), (String, Found)> {
        let there = self.there;
        let one_form = is_large(&self.lists);
        if one_form && form == Form::Inside {
            return Ok(());
        }
        for part in SUBSETS {
            if !is_subset(part, there) || (one_form && part != there) {
                continue;
            }
            self.recorded(form, part).map_err(|found| {
                let states = (0..3).filter(|&i| there[i]).map(|i| {
                    let state = if part[i] { "active" } else { "passive" };
                    format!("{} argument {state} variable", ORDINALS[i])
                });
                let mut states = states.collect::<Vec<_>>().join(", ");
                if form == Form::Inside {
                    states += ", inside an expression";
                }
                (states, found)
            })?;
        }
        Ok(())
    }
    fn recorded(&self, form: Form, part: [bool; 3]) -> Result<(), Found> {
        let Recorded {
            mut tape,
            outputs: [y, again],
            arguments,
        } = caught("recording", || self.subject.record(form, part))?;
        let mut value = Vec::new();
        y.iter().for_each(|y| y.coordinates(&mut value));
        same(
            "the recorded value, compared with the primal",
            &value,
            &self.result,
            0.0,
        )?;
        let flows = self.subject.flows();
        let active = (0..3).any(|i| arguments[i].is_active() && flows[i]);
        if y.iter().any(|y| y.is_active() != active) {
            return Err(Fault::Activity { active: !active }.into());
        }
        if !active || y.is_empty() {
            return Ok(());
        }
        let mut sweep = |results: &[&Vec<Box<dyn Output>>]| {
            let refused = |e: entape_drivers::Error| Fault::Tape {
                message: e.to_string(),
            };
            let run = || {
                for result in results {
                    let mut seeds = &self.seed[..];
                    for y in *result {
                        y.seed(&mut tape, &mut seeds)?;
                    }
                }
                let gradient = tape.sweep()?;
                let mut lists: [Vec<f64>; 3] = Default::default();
                for i in (0..3).filter(|&i| part[i]) {
                    lists[i] = arguments[i].gradient(&gradient)?;
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
            let compared = [
                (
                    "the adjoint on a tape, compared with the rule alone",
                    &first[i],
                    want,
                    t,
                ),
                (
                    "the second sweep, compared with the first",
                    &second[i],
                    &first[i],
                    0.0,
                ),
                (
                    "the adjoint added to another one, twice as large",
                    &both[i],
                    &doubled,
                    t,
                ),
            ];
            for (what, got, want, tolerance) in compared {
                same(what, got, want, tolerance).map_err(of_argument(i))?;
            }
        }
        Ok(())
    }
}

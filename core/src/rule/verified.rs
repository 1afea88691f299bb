//! Comparisons of a rule with finite differences, for [`verify`](crate::tape::Builder::verify).
use super::{
    adjoints::KnownAdjoints,
    argument_tangents::ArgumentTangents,
    definition::{Rule, marked_tangents},
    elements::known_adjoints,
    primals::Primals,
    saved::Saved,
};
use crate::{
    differences::{self, Change, Findings, Random, dot, dot_abs},
    kind::{Kind, Origin, Val, arg, misfit_text},
    order::Order,
};
use std::{any::type_name, array::from_ref};

/// Returns the result of the operation, evaluated again. Adds the faults of adjoints and tangents of `wanted` arguments.
#[cold]
#[inline(never)]
pub(crate) fn verified<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind>(
    op: &O,
    values: (&Val<A>, &Val<B>, &Val<C>),
    wanted: [bool; 3],
    found: &mut Findings,
) -> Val<O::Out> {
    let (a, b, c) = values;
    op.test(a);
    let (r, saved) = op.primal(arg::<A>(a), arg::<B>(b), arg::<C>(c));
    if found.compares && found.fault.is_none() {
        let result = saved.result();
        let evaluated = EvaluatedRule::<O, A, B, C> {
            op,
            values,
            r: result.as_ref().unwrap_or(&r),
            saved: &saved,
            wanted,
        };
        found.fault = fault_of(&evaluated, wanted);
    }
    r
}

/// A rule at a point, by lists of numbers.
trait Numbered {
    /// The number of values and the relative precision of each argument, and of the result. `None` if numbers are not known.
    fn point(&self) -> [Option<(Vec<f64>, f64)>; 4];
    /// Returns the result with the arguments moved. `None` if the numbers of an argument depend on each other.
    fn moved(&self, i: usize, direction: &[f64], step: f64) -> Option<Vec<f64>>;
    fn adjoints(&self, seed: &[f64]) -> Result<[Vec<f64>; 3], String>;
    /// Returns the tangent of the result, if the rule defines it.
    fn tangent(&self, i: usize, direction: &[f64]) -> Option<Vec<f64>>;
    fn origin(&self, i: usize) -> Origin;
}
struct EvaluatedRule<'v, O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> {
    op: &'v O,
    values: (&'v Val<A>, &'v Val<B>, &'v Val<C>),
    r: &'v Val<O::Out>,
    saved: &'v O::Saved,
    wanted: [bool; 3],
}

/// Returns the numbers of a value.
fn numbers<K: Kind>(value: &Val<K>) -> Option<Vec<f64>> {
    let (mut value, mut numbers) = (value.clone(), Vec::new());
    K::each_number(&mut value, &mut |x| numbers.push(*x)).then_some(numbers)
}
/// Returns the numbers with their relative precision.
fn point<K: Kind>(value: &Val<K>) -> Option<(Vec<f64>, f64)> {
    let precise = 1.0 + f64::EPSILON;
    let mut one = value.clone();
    K::each_number(&mut one, &mut |x| *x = precise);
    let is_double = numbers::<K>(&one)?.iter().all(|x| *x == precise);
    let epsilon = if is_double {
        f64::EPSILON
    } else {
        f32::EPSILON.into()
    };
    Some((numbers::<K>(value)?, epsilon))
}
fn with_numbers<K: Kind>(value: &Val<K>, numbers: &dyn Fn(usize, f64) -> f64) -> Val<K> {
    let (mut value, mut i) = (value.clone(), 0);
    K::each_number(&mut value, &mut |x| {
        *x = numbers(i, *x);
        i += 1;
    });
    value
}
fn moved<K: Kind>(value: &Val<K>, direction: &[f64], step: f64) -> Option<Val<K>> {
    let moved = with_numbers::<K>(value, &|i, x| x + step * direction[i]);
    let (before, after) = (numbers::<K>(value)?, numbers::<K>(&moved)?);
    let close = |((x, y), v): ((&f64, &f64), &f64)| {
        let wanted = x + step * v;
        (y - wanted).abs() <= 1e-6 * wanted.abs().max(x.abs())
    };
    let free = before.len() == after.len();
    (free && before.iter().zip(&after).zip(direction).all(close)).then_some(moved)
}
fn adjoint<K: Kind>(x_b: Option<Val<K>>, x: &Val<K>, origin: Origin) -> Result<Vec<f64>, String> {
    match x_b {
        None => Ok(Vec::new()),
        Some(x_b) if !K::same_shape(&x_b, x) => Err(misfit_text::<K>(origin, &x_b, x)),
        Some(x_b) => Ok(numbers::<K>(&x_b).unwrap_or_default()),
    }
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> EvaluatedRule<'_, O, A, B, C> {
    fn primals(&self) -> Primals<'_, A, B, C, O::Out> {
        let (a, b, c) = self.values;
        Primals {
            a: Some(arg::<A>(a)),
            b: Some(arg::<B>(b)),
            c: Some(arg::<C>(c)),
            r: Some(arg::<O::Out>(self.r)),
            rule: type_name::<O>(),
        }
    }
}
impl<O: Rule<A, B, C>, A: Kind, B: Kind, C: Kind> Numbered for EvaluatedRule<'_, O, A, B, C> {
    fn point(&self) -> [Option<(Vec<f64>, f64)>; 4] {
        let (a, b, c) = self.values;
        [
            point::<A>(a),
            point::<B>(b),
            point::<C>(c),
            point::<O::Out>(self.r),
        ]
    }
    fn moved(&self, i: usize, direction: &[f64], step: f64) -> Option<Vec<f64>> {
        let (a, b, c) = self.values;
        let (mut new_a, mut new_b, mut new_c) = (None, None, None);
        match i {
            0 => new_a = Some(moved::<A>(a, direction, step)?),
            1 => new_b = Some(moved::<B>(b, direction, step)?),
            _ => new_c = Some(moved::<C>(c, direction, step)?),
        }
        let (r, saved) = self.op.primal(
            arg::<A>(new_a.as_ref().unwrap_or(a)),
            arg::<B>(new_b.as_ref().unwrap_or(b)),
            arg::<C>(new_c.as_ref().unwrap_or(c)),
        );
        numbers::<O::Out>(saved.result().as_ref().unwrap_or(&r))
    }
    fn adjoints(&self, seed: &[f64]) -> Result<[Vec<f64>; 3], String> {
        let (a, b, c) = self.values;
        let r_b = match seed {
            [] => O::Out::zero_like(self.r),
            seed => with_numbers::<O::Out>(self.r, &|i, _| seed[i]),
        };
        let made: KnownAdjoints<A, B, C> =
            known_adjoints(self.op, self.primals(), self.saved, &r_b, self.wanted);
        Ok([
            adjoint::<A>(made.0, a, self.origin(0))?,
            adjoint::<B>(made.1, b, self.origin(1))?,
            adjoint::<C>(made.2, c, self.origin(2))?,
        ])
    }
    fn tangent(&self, i: usize, direction: &[f64]) -> Option<Vec<f64>> {
        if O::ORDER < Order::Tangent {
            return None;
        }
        let (a, b, c) = self.values;
        let (mut a_t, mut b_t, mut c_t) = (None, None, None);
        match i {
            0 => a_t = Some(with_numbers::<A>(a, &|i, _| direction[i])),
            1 => b_t = Some(with_numbers::<B>(b, &|i, _| direction[i])),
            _ => c_t = Some(with_numbers::<C>(c, &|i, _| direction[i])),
        }
        let tangent = ArgumentTangents {
            a: a_t.as_ref().map(from_ref),
            b: b_t.as_ref().map(from_ref),
            c: c_t.as_ref().map(from_ref),
            one_sided: false,
        };
        match marked_tangents(self.op, &self.primals(), self.saved, tangent) {
            None => Some(Vec::new()),
            Some([r_t]) => numbers::<O::Out>(&r_t),
        }
    }
    fn origin(&self, i: usize) -> Origin {
        Origin::of::<O>(i)
    }
}

fn caught<T>(what: &str, f: impl FnOnce() -> T) -> Result<T, String> {
    differences::caught(f).map_err(|message| format!("{what} panics: {message}"))
}
fn is_finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| x.is_finite())
}
fn fault_of(rule: &dyn Numbered, wanted: [bool; 3]) -> Option<String> {
    let [a, b, c, r] = rule.point();
    let Some((result, r_epsilon)) = r else {
        return rule.adjoints(&[]).err();
    };
    let mut random = Random(0x656e_7461_7065);
    let seed = random.weights(result.len());
    let first = (0..3).find(|i| wanted[*i])?;
    let what = format!("the adjoint{}", rule.origin(first));
    let made = match caught(&what, || rule.adjoints(&seed)) {
        Ok(Ok(made)) => made,
        Ok(Err(fault)) | Err(fault) => return Some(fault),
    };
    if !is_finite(&result) {
        return None;
    }
    for (i, x) in [a, b, c]
        .into_iter()
        .enumerate()
        .filter(|(i, _)| wanted[*i])
    {
        let Some((x, x_epsilon)) = x.filter(|(x, _)| !x.is_empty() && is_finite(x)) else {
            continue;
        };
        let epsilon = x_epsilon.max(r_epsilon);
        let direction = random.direction(&x);
        let unit = match (&x[..], &seed[..]) {
            ([_], [w]) => w * direction[0],
            _ => 1.0,
        };
        let f = |direction: &[f64], h: f64| {
            let moved = caught("", || rule.moved(i, direction, h));
            match moved {
                Ok(Some(r)) if r.len() == seed.len() => (dot(&seed, &r), dot_abs(&seed, &r)),
                _ => (f64::NAN, f64::NAN),
            }
        };
        let origin = rule.origin(i);
        let contradicted = |got: f64, direction: &[f64]| {
            contradiction(epsilon, got, direction, &|h| f(direction, h))
        };
        let describe = |what: &str, got: f64, (want, error): (f64, f64)| {
            let along = if unit == 1.0 {
                " along a random direction"
            } else {
                ""
            };
            let (got, want, error) = (got / unit, want / unit, error / unit.abs());
            format!(
                "the {what}{origin} is {got}{along}, but differences give {want} (error below {error:.0e}): correct the rule and what it declares, such as `linear`, and test it with `check::rule`"
            )
        };
        // Kinks can cancel along one direction.
        let other = random.direction(&x);
        let got = dot(&made[i], &direction);
        if let Some(slope) = contradicted(got, &direction)
            && contradicted(dot(&made[i], &other), &other).is_some()
        {
            return Some(describe("adjoint", got, slope));
        }
        let what = format!("the tangent{origin}");
        let tangent = |direction: &[f64]| {
            let made = caught(&what, || rule.tangent(i, direction))?;
            Ok(made.map(|r_t| dot(&seed, &r_t)))
        };
        match tangent(&direction) {
            Err(fault) => return Some(fault),
            Ok(Some(got_t)) if !agree(epsilon, got_t, got) => {
                if let Some(slope) = contradicted(got_t, &direction)
                    && let Ok(Some(also)) = tangent(&other)
                    && contradicted(also, &other).is_some()
                {
                    return Some(describe("tangent", got_t, slope));
                }
            }
            Ok(_) => {}
        }
    }
    None
}

fn agree(epsilon: f64, x: f64, y: f64) -> bool {
    (x - y).abs() <= epsilon.cbrt() * x.abs().max(y.abs())
}
/// Returns the slope of `f` with a bound of its error, if `got` clearly differs. `f` returns a value and the size of
/// its terms. Kinks and ends of the domain contradict nothing.
fn contradiction(
    epsilon: f64,
    got: f64,
    direction: &[f64],
    f: &dyn Fn(f64) -> (f64, f64),
) -> Option<(f64, f64)> {
    let (first_step, smallest) = match epsilon == f64::EPSILON {
        true => (12, f64::MIN_POSITIVE),
        false => (6, f32::MIN_POSITIVE.into()),
    };
    let h = 0.5_f64.powi(first_step);
    let ((up, size), (down, _)) = (f(h), f(-h));
    let first = (up - down) / (2.0 * h);
    let rounding = |h: f64| 64.0 * epsilon * size / h;
    if !got.is_finite() || agree(epsilon, got, first) || (got - first).abs() <= rounding(h) {
        return None;
    }
    // The shortest step may span a period, as of `tan(1e300)`.
    if got.abs() > size * 2.0_f64.powi(20) {
        return None;
    }
    let slope = differences::slope(epsilon, f);
    // Adjoints may underflow.
    let least = smallest / epsilon * direction.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let error = 16.0 * slope.error + 64.0 * epsilon * size + least;
    let distance = (got - slope.value).abs();
    let is_far = distance > error && !agree(epsilon, got, slope.value);
    if !is_far || slope.change != Change::Steady {
        return None;
    }
    // Near a kink, slopes of both sides differ.
    let at = f(0.0).0;
    let is_smooth = (0..5).map(|k| first_step + 2 * k).all(|k| {
        let h = 0.5_f64.powi(k);
        let (down, up) = ((at - f(-h).0) / h, (f(h).0 - at) / h);
        (up - down).abs() <= distance / 8.0 + 2.0 * rounding(h)
    });
    is_smooth.then_some((slope.value, slope.error))
}

//! A DSL with a storage kind: cubic splines, which own memory. Their coefficients are numbers, their knots are not. It
//! has an operation on a list, an operation that can fail, and places. Each rule has a sample, which is its test.
use entape::{
    core::{check, function, kind::List, store::Stash},
    expr::{Active, list},
    kind,
    mode::Mode,
    op, operations,
    tape::Tape,
};
use std::{
    ops::{Index, IndexMut},
    rc::Rc,
};

/// A cubic Hermite spline: value and slope at each knot. The gradient of a spline has the same knots.
#[kind(numbers(coefficients), index = Owned, sample(value = Spline::example()))]
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    knots: Rc<Vec<f64>>,
    coefficients: Vec<[f64; 2]>,
}
/// The error for a point that is not between the first and the last knot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outside(pub f64);

/// The interval of a point, and the weights of its four coefficients for the value and for the slope.
#[derive(Clone, Copy, Stash)]
pub struct Piece {
    first: usize,
    value: [f64; 4],
    slope: [f64; 4],
}

impl Spline {
    #[cfg(test)]
    fn example() -> Self {
        let coefficients = vec![[1.0, 0.5], [2.0, -1.0], [0.5, 0.25]];
        let knots = Rc::new(vec![0.0, 1.0, 3.0]);
        Spline {
            knots,
            coefficients,
        }
    }
    fn piece(&self, x: f64) -> Result<Piece, Outside> {
        let interval = self
            .knots
            .windows(2)
            .position(|k| (k[0]..=k[1]).contains(&x));
        let first = interval.ok_or(Outside(x))?;
        let h = self.knots[first + 1] - self.knots[first];
        let t = (x - self.knots[first]) / h;
        let (t2, t3) = (t * t, t * t * t);
        let (up, up_slope) = (3.0 * t2 - 2.0 * t3, 6.0 * (t - t2) / h);
        Ok(Piece {
            first,
            value: [1.0 - up, h * (t3 - 2.0 * t2 + t), up, h * (t3 - t2)],
            slope: [
                -up_slope,
                3.0 * t2 - 4.0 * t + 1.0,
                up_slope,
                3.0 * t2 - 2.0 * t,
            ],
        })
    }
    fn sum(&self, first: usize, weights: [f64; 4]) -> f64 {
        let each = self.coefficients[first..].iter().flatten().zip(weights);
        each.map(|(c, w)| c * w).sum()
    }
    /// The adjoint of `sum`: zero except for four coefficients.
    fn spread(&self, first: usize, weights: [f64; 4], r_b: f64) -> Self {
        let mut coefficients = vec![[0.0; 2]; self.coefficients.len()];
        let each = coefficients[first..].iter_mut().flatten().zip(weights);
        each.for_each(|(c, w)| *c = w * r_b);
        Spline {
            knots: self.knots.clone(),
            coefficients,
        }
    }
}
/// The knots before and after a knot, from which its slope is estimated.
fn beside(i: usize, count: usize) -> (usize, usize) {
    (i.saturating_sub(1), (i + 1).min(count - 1))
}

/// The spline through values at the knots, with slopes estimated from the neighbours: one statement.
#[op(sample(y = vec![1.0, 3.0, 2.0, 5.0], knots = Rc::new(vec![0.0, 1.0, 3.0, 4.0])))]
pub fn through(
    #[ad_in({
        let mut sums: Vec<f64> = r_b.coefficients.iter().map(|c| c[0]).collect();
        for (i, [_, slope_b]) in r_b.coefficients.iter().enumerate() {
            let (k, l) = beside(i, knots.len());
            let share = slope_b / (knots[l] - knots[k]);
            sums[l] += share;
            sums[k] -= share;
        }
        sums
    })]
    y: List<f64>,
    #[ad_passive] knots: Rc<Vec<f64>>,
) -> Spline {
    assert!(
        y.len() == knots.len(),
        "{} values at {} knots",
        y.len(),
        knots.len()
    );
    let slope = |i| {
        let (k, l) = beside(i, knots.len());
        (y[l] - y[k]) / (knots[l] - knots[k])
    };
    let coefficients = (0..y.len()).map(|i| [y[i], slope(i)]).collect();
    Spline {
        knots,
        coefficients,
    }
}

#[operations(ext = SplineOps)]
impl Spline {
    /// The value at `x`. The position of `x` is saved for the sweep.
    #[op(save(piece: Piece = s.piece(x)?), sample(for x in [0.03, 0.3, 2.5], s = Spline::example()))]
    fn value_at(
        #[ad_in(s.spread(piece.first, piece.value, r_b))] s: &Self,
        #[ad_in(r_b * s.sum(piece.first, piece.slope))] x: f64,
    ) -> Result<f64, Outside> {
        Ok(s.sum(piece.first, piece.value))
    }
    /// The integral from the first to the last knot.
    #[op(sample(s = Spline::example()))]
    fn integral(
        #[ad_in({
            let mut sum = s.spread(0, [0.0; 4], 0.0);
            for (i, k) in s.knots.windows(2).enumerate() {
                let h = k[1] - k[0];
                for (c, w) in sum.coefficients[i..].iter_mut().flatten().zip([h / 2.0, h * h / 12.0, h / 2.0, -h * h / 12.0]) {
                    *c += w * r_b;
                }
            }
            sum
        })]
        s: &Self,
    ) -> f64 {
        let pieces = s.knots.windows(2).enumerate().map(|(i, k)| {
            let h = k[1] - k[0];
            s.sum(i, [h / 2.0, h * h / 12.0, h / 2.0, -h * h / 12.0])
        });
        pieces.sum()
    }
}

/// `s[i]` is the value at knot `i`.
impl Index<usize> for Spline {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        &self.coefficients[i][0]
    }
}
#[operations(in_place)]
impl IndexMut<usize> for Spline {
    /// Variables have this place, too.
    #[op(sample(self = Spline::example(), i = 1))]
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.coefficients[i][0]
    }
}

/// A program of splines and reals.
#[function]
/// A program of splines and reals.
pub fn program<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let knots = Rc::new((0..x.len()).map(|i| i as f64).collect());
    let mut s = through(list(x), knots).eval();
    s[1] *= x[0]; // a place: the rest of the variable is unchanged
    match s.value_at(x[0] + 0.5) {
        Ok(y) => (y * s.integral()).eval(),
        Err(Outside(_)) => x[0], // a failure is data, and nothing was recorded
    }
}

fn main() {
    let mut tape = Tape::new();
    let x = [0.75, 2.0, 0.5, 1.5].map(|x| tape.input(x));
    let f = tape.record(|| program(&x));
    let gradient = tape.gradient(&f).and_then(|g| g.wrt_all(&x));
    println!("f = {f}, gradient = {:?}", gradient.expect("inputs"));
    check::gradient(program {}, &[0.75, 2.0, 0.5, 1.5]).expect("differences agree");
    check::gradient(program {}, &[9.0, 2.0]).expect("outside of the knots, too");
}

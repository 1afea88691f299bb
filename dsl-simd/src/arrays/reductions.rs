//! From arrays to reals: sums, norms, extremes.
use super::{
    adjoint::{Added, filled, scaled},
    kinds::{ArrayKind, common, word},
    piece::Element,
};
use entape_core::operations;

/// Partial sums that run side by side, so that the loop is vectorised. The order doesn't depend on the machine.
const SUMS: usize = 8;
/// The sum of `term(i)` for all `i` below `length`.
#[inline(always)]
fn sum_of<T: Element>(length: usize, term: impl Fn(usize) -> T) -> T {
    let mut sums = [T::default(); SUMS];
    let whole = length - length % SUMS;
    for start in (0..whole).step_by(SUMS) {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum += term(start + i);
        }
    }
    let rest = (whole..length).fold(T::default(), |sum, i| sum + term(i));
    sums.into_iter().fold(rest, |sum, x| sum + x)
}
fn sum<T: Element>(x: &[T]) -> T {
    sum_of(x.len(), |i| x[i])
}
fn dot<T: Element>(x: &[T], y: &[T]) -> T {
    let y = &y[..x.len()];
    sum_of(x.len(), |i| x[i] * y[i])
}
fn norm<T: Element>(x: &[T]) -> T {
    let squares = dot(x, x).double();
    // Where squares neither overflow nor lose digits, there is nothing to scale.
    if (T::SMALLEST / (T::EPSILON * T::EPSILON)..=T::LARGEST).contains(&squares) || squares.is_nan()
    {
        return T::nearest(squares.sqrt());
    }
    let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.double().abs()));
    if largest == 0.0 || largest.is_infinite() {
        return T::nearest(largest);
    }
    // A power of two, so that scaling rounds nothing.
    let scale = f64::exp2(largest.log2().floor().clamp(-1000.0, 1000.0));
    let scaled = |x: &T| x.double() / scale;
    let squares: f64 = x.iter().map(|x| scaled(x) * scaled(x)).sum();
    T::nearest(scale * squares.sqrt())
}
/// Where the best element stands, the first one of equal ones; NaN only if all are.
fn best<T: Element>(x: &[T], better: impl Fn(T, T) -> bool) -> u32 {
    let is_nan = |x: T| x.double().is_nan();
    let mut best = 0;
    for i in 1..x.len() {
        if better(x[i], x[best]) || (is_nan(x[best]) && !is_nan(x[i])) {
            best = i;
        }
    }
    best as u32
}
/// The element there, or what stands for none.
fn at<T: Element>(x: &[T], at: u32, none: f64) -> T {
    x.get(at as usize).copied().unwrap_or(T::nearest(none))
}
/// `r_b` for one element.
fn single<T: Element>(length: u32, at: u32, r_b: T) -> Added<impl FnOnce(&mut [T])> {
    Added::new(length as usize, move |into: &mut [T]| {
        into.iter_mut()
            .skip(at as usize)
            .take(1)
            .for_each(|into| *into += r_b);
    })
}
#[operations(ext = ArrayOps)]
impl<T: Element> ArrayKind<T> {
    /// The sum of all elements, of none 0.
    #[op(save(length: u32 = word(v.len())))]
    fn sum(#[ad_in(filled(length as usize, r_b))] v: Self) -> T {
        sum(v)
    }
    /// The mean of all elements, of none 0.
    #[op(save(length: u32 = word(v.len())))]
    fn mean(#[ad_in(filled(length as usize, r_b / T::nearest(f64::from(length))))] v: Self) -> T {
        match v.len() {
            0 => T::default(),
            length => sum(v) / T::nearest(length as f64),
        }
    }
    /// The sum of the products of elements.
    ///
    /// # Panics
    /// On evaluation, if the lengths differ.
    #[op]
    fn dot(#[ad_in(scaled(r_b, w))] v: Self, #[ad_in(scaled(r_b, v))] w: Self) -> T {
        common::<Dot, 2>([v.len(), w.len()]);
        dot(v, w)
    }
    /// The square root of the sum of the squares, without overflow. Where all elements are 0, the adjoint is 0.
    #[op]
    fn norm(#[ad_in(scaled(if r == T::default() { r } else { r_b / r }, v))] v: Self) -> T {
        norm(v)
    }
    /// The sum of the squares.
    #[op]
    fn norm_squared(#[ad_in(scaled(r_b + r_b, v))] v: Self) -> T {
        dot(v, v)
    }
    /// The largest element; that of the others if some are NaN, of none `-Inf`. The first one of equal ones has the
    /// adjoint.
    #[op(save(length: u32 = word(v.len()), best: u32 = best(v, |x, y| x > y)))]
    fn reduce_max(#[ad_in(single(length, best, r_b))] v: Self) -> T {
        at(v, best, f64::NEG_INFINITY)
    }
    /// The smallest element; that of the others if some are NaN, of none `+Inf`. The first one of equal ones has the
    /// adjoint.
    #[op(save(length: u32 = word(v.len()), best: u32 = best(v, |x, y| x < y)))]
    fn reduce_min(#[ad_in(single(length, best, r_b))] v: Self) -> T {
        at(v, best, f64::INFINITY)
    }
}

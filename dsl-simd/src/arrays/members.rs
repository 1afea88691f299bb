use super::{
    ArrayNumber, ElementOf,
    adjoint::{Added, Elements},
    kinds::{ArrayKind, word},
    number::unset,
};
use entape_core::{
    expr::{Expr, IntoExpr, ToList, list},
    kind::{List, Passed, PassedNumber, Val},
    mode::AnyMode,
    op, operations,
};
use std::ops::Range;

/// The ranges from which and to which a shift by `by` moves elements.
fn moved(length: usize, by: isize) -> (Range<usize>, Range<usize>) {
    let stay = length.saturating_sub(by.unsigned_abs());
    match by >= 0 {
        true => (0..stay, length - stay..length),
        false => (length - stay..length, 0..stay),
    }
}

/// Sets vacated places to `fill`.
fn shifted<T: Copy>(v: &[T], by: isize, fill: T) -> Vec<T> {
    let (from, to) = moved(v.len(), by);
    let mut r = vec![fill; v.len()];
    r[to].copy_from_slice(&v[from]);
    r
}

fn turned(length: usize, by: isize) -> usize {
    match length {
        0 => 0,
        length => by.rem_euclid(length as isize) as usize,
    }
}

fn reversed<T: Copy>(v: &[T]) -> Vec<T> {
    v.iter().rev().copied().collect()
}

/// Joins two arrays of these lengths, with zeros for a missing one.
fn joined<T: ArrayNumber>(
    [first, second]: [u32; 2],
    v: Option<&Vec<T>>,
    w: Option<&Vec<T>>,
) -> Vec<T> {
    let mut r = vec![unset(); first as usize + second as usize];
    let (into_v, into_w) = r.split_at_mut(first as usize);
    v.iter().for_each(|v| into_v.copy_from_slice(v));
    w.iter().for_each(|w| into_w.copy_from_slice(w));
    r
}

/// Operations that move or accumulate elements; the adjoint moves them back.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayMembers, ArrayOps};
///
/// let mut tape = Tape::new();
/// let v = tape.input(vec![1.0, 2.0, 4.0]);
/// let y = tape.record(|| {
///     let sums = v.cumulative_sum().eval();
///     assert_eq!(sums.get(), &[1.0, 3.0, 7.0]);
///     assert_eq!(v.shift(1).concat(v.rotate(-1)).eval().get(), &[0.0, 1.0, 2.0, 2.0, 4.0, 1.0]);
///     sums.dot(v.reverse()).eval() // 1 * 4 + 3 * 2 + 7 * 1
/// });
/// assert_eq!(y, 17.0);
/// assert_eq!(tape.gradient(&y)?.wrt(&v)?, [7.0 + 7.0, 3.0 + 3.0, 1.0 + 1.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[operations(ext = ArrayMembers)]
impl<T: ArrayNumber> ArrayKind<T> {
    /// Returns the elements moved by `by` places: `r[i] = v[i - by]`. Vacated places are zero.
    #[op(linear, marks, tangent(v = Passed(shifted(v_t, by, unset()))))]
    fn shift(
        #[ad_in(Added::new(r_b.len(), |mut into: Elements<'_, T>| {
            let (from, to) = moved(r_b.len(), by);
            into.pass_all(from, &r_b[to]);
        }))]
        v: Self,
        #[ad_passive] by: isize,
    ) -> Self {
        shifted(v, by, T::default())
    }
    /// Returns the elements rotated by `by` places: `r[i] = v[i - by]`, as on a ring.
    #[op(linear, marks)]
    fn rotate(
        #[ad_in(Added::new(r_b.len(), |mut into: Elements<'_, T>| {
            let (back, front) = r_b.split_at(turned(r_b.len(), by));
            into.pass_all(0..front.len(), front);
            into.pass_all(front.len()..r_b.len(), back);
        }))]
        v: Self,
        #[ad_passive] by: isize,
    ) -> Self {
        let mut r = v.clone();
        r.rotate_right(turned(v.len(), by));
        r
    }
    /// Returns the elements in reverse order.
    #[op(linear, marks)]
    fn reverse(#[ad_in(Passed(reversed(r_b)))] v: Self) -> Self {
        reversed(v)
    }
    /// Returns the elements of `v`, then the elements of `w`.
    #[op(
        save(lengths: [u32; 2] = [v, w].map(|v| word(v.len()))),
        tangent(v = Passed(joined(lengths, Some(v_t), None)), w = Passed(joined(lengths, None, Some(w_t)))),
        second(v = {}, w = {}),
        marks,
    )]
    fn concat(
        #[ad_in(Added::new(lengths[0] as usize, |mut into: Elements<'_, T>| {
            let length = lengths[0] as usize;
            into.pass_all(0..length, &r_b[..length]);
        }))]
        v: Self,
        #[ad_in(Added::new(lengths[1] as usize, |mut into: Elements<'_, T>| {
            let [before, length] = lengths.map(|length| length as usize);
            into.pass_all(0..length, &r_b[before..]);
        }))]
        w: Self,
    ) -> Self {
        [v.as_slice(), w].concat()
    }
    /// Returns the partial sums. The adjoint of `v[i]` gets the sum of all `r_b[k]` with `k >= i`.
    #[op(linear)]
    fn cumulative_sum(
        #[ad_in(Added::new(r_b.len(), |mut into: Elements<'_, T>| {
            // A sum of unset elements is unset, too.
            let mut sum = unset();
            for (i, &r_b) in r_b.iter().enumerate().rev() {
                sum += r_b;
                into.pass(i, sum);
            }
        }))]
        v: Self,
    ) -> Self {
        let mut sum = T::default();
        let next = |&x: &T| {
            sum += x;
            sum
        };
        v.iter().map(next).collect()
    }
    /// Returns the elements as a list, for `split()` or `assign_to(&mut x)`.
    #[op(linear, marks)]
    fn scatter(
        #[ad_in(Added::new(r_b.len(), |mut into: Elements<'_, T>| into.pass_all(0..r_b.len(), r_b)))]
        v: Self,
    ) -> List<T::Kind> {
        v.clone()
    }
}

/// An array from reals, one for each element.
#[op(name = Gather, linear, marks)]
pub fn gathered<K: ElementOf>(#[ad_in(Passed(r_b.clone()))] x: List<K>) -> ArrayKind<Val<K>> {
    x.clone()
}

/// An array filled with one real.
#[op(name = Splat, linear, marks)]
pub fn splatted<K: ElementOf>(
    #[ad_in(PassedNumber(r_b.iter().fold(unset(), |sum, &x| sum + x)))] x: K,
    #[ad_passive] length: usize,
) -> ArrayKind<Val<K>> {
    vec![x; length]
}

/// Conversion from a real to an array.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayOps, Slices, Splats};
///
/// let mut tape = Tape::new();
/// let (v, edge) = (tape.input(vec![1.0, 2.0, 3.0]), tape.input(5.0));
/// let y = tape.record(|| {
///     let mut w = v.clone();
///     w.slice_mut(1..).assign(edge.splat_array(2)); // 1, 5, 5
///     w.norm_squared().eval()
/// });
/// let gradient = tape.gradient(&y)?;
/// assert_eq!((gradient.wrt(&v)?, gradient.wrt(&edge)?), (vec![2.0, 0.0, 0.0], 20.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Splats<M: AnyMode>: IntoExpr<M, Kind: ElementOf> + Sized {
    /// Returns an array filled with the real, for example for a slice. Operations broadcast reals without it.
    fn splat_array(self, length: usize) -> entape_core::expr::Unary<Splat, M, Self> {
        entape_core::expr::unary(Splat { length }, self)
    }
}
impl<M: AnyMode, X: IntoExpr<M, Kind: ElementOf>> Splats<M> for X {}

/// Conversions from a list of reals to an array and back.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::arrays::{ArrayMembers, Gathers};
///
/// let mut tape = Tape::new();
/// let x = [1.0, 2.0, 3.0].map(|x| tape.input(x));
/// let y = tape.record(|| {
///     let v = x.gather_array().eval();
///     let squares = (&v * &v).scatter().split(); // three reals
///     (&squares[2] * x[0]).eval()
/// });
/// assert_eq!(tape.gradient(&y)?.wrt_all(&x)?, [9.0, 0.0, 6.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait Gathers<M: AnyMode>: ToList<M, Kind: ElementOf> + Sized {
    /// Returns a slice, an array or a vector of variables or plain numbers as an array.
    #[inline]
    fn gather_array(self) -> GatheredArray<M, Self> {
        let list = list(self);
        entape_core::expr::unary(Gather, list)
    }
}
impl<M: AnyMode, X: ToList<M, Kind: ElementOf>> Gathers<M> for X {}
/// The expression of a list as an array.
pub type GatheredArray<M, X> = entape_core::expr::Unary<
    Gather,
    M,
    Expr<List<<X as ToList<M>>::Kind>, M, <X as ToList<M>>::Node>,
>;

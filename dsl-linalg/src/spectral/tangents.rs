//! Tangents of eigenvalues and singular values with their vectors, and of their adjoints. Vectors `v` move by `v *
//! turn` and by a part outside of their span. `turn` contains reciprocal differences of values, and phases on its
//! diagonal.
use super::{
    Spectrum, Turns, ad_times, add_turns, adjoint_of_eigen, adjoint_of_svd, crosswise, has_zeros,
    is_unset, leading, lower, nan, of_lower, size, times, times_ad, turns_of,
};
use crate::{Number, View, factors, solves::mirrored, view::view};
use nalgebra::{ComplexField, DMatrix, DVector};
use num_traits::Zero;
use std::ops::Range;

/// The separation of equal values along a direction: to first order they move by `moves`, and their vectors jump to
/// `left` and `right` in the same space.
///
/// For eigenvalues these are the eigenvalues and eigenvectors of the direction within the space. If d_b is equal within
/// a group, the gradient v * diag(d_b) * v' depends only on the space, and its tangent contains the changes of d_b with
/// the vectors after the jump.
struct Parting<T: Number> {
    group: Range<usize>,
    moves: Vec<T::Part>,
    left: DMatrix<T>,
    right: DMatrix<T>,
}
impl<T: Number> Parting<T> {
    /// Groups of equal eigenvalues; empty if vectors do not jump.
    fn of_eigen(values: &Spectrum<T>, v: &DMatrix<T>, e: &DMatrix<T>) -> Vec<Self> {
        let groups = values.groups(false).into_iter();
        let each = groups.filter_map(|group| Self::within(values, group, e, v, v, true));
        each.collect()
    }
    /// Groups of equal singular values, where `e` is `u' * a_t * v`.
    fn of_svd(
        values: &Spectrum<T>,
        u: &DMatrix<T>,
        v: &DMatrix<T>,
        a_t: &DMatrix<T>,
        e: &DMatrix<T>,
    ) -> Vec<Self> {
        let groups = values.groups(true).into_iter();
        let each = groups.filter_map(|group| match values.is_zero(group.start) {
            true => Self::of_zeros(values, group, (u, v), a_t),
            false => Self::within(values, group, e, u, v, false),
        });
        each.collect()
    }
    /// Takes the eigenvalues of the Hermitian part of a block of `e`.
    fn within(
        values: &Spectrum<T>,
        group: Range<usize>,
        e: &DMatrix<T>,
        u: &DMatrix<T>,
        v: &DMatrix<T>,
        ascending: bool,
    ) -> Option<Self> {
        let (n, least) = (group.len(), values.rounding * size(e.as_slice()));
        let block = e.view((group.start, group.start), (n, n)).into_owned();
        let block = (&block + block.adjoint()).scale(T::Part::of(0.5));
        let stays = (0..n).all(|j| {
            let next = |k: usize| block[(k, k)].real() - block[(j, j)].real();
            let sorted =
                j + 1 == n || (if ascending { next(j + 1) } else { -next(j + 1) }) >= -least;
            sorted && (0..n).all(|i| i == j || block[(i, j)].norm1() <= least)
        });
        if stays {
            return None;
        }
        let (moves, w) = factors::symmetric_eigen(view(&block));
        let order = |j: usize| if ascending { j } else { n - 1 - j };
        let w = DMatrix::from_fn(n, n, |i, j| w[(i, order(j))]);
        let turned = |m: &DMatrix<T>| m.columns_range(group.clone()) * &w;
        Some(Parting {
            moves: (0..n).map(|j| moves[order(j)]).collect(),
            left: turned(u),
            right: turned(v),
            group,
        })
    }
    /// Takes the singular values of the direction between the remaining spaces.
    fn of_zeros(
        values: &Spectrum<T>,
        group: Range<usize>,
        (u, v): (&DMatrix<T>, &DMatrix<T>),
        a_t: &DMatrix<T>,
    ) -> Option<Self> {
        let (first, n) = (group.start, group.len());
        let (of_u, of_v) = (u.columns(0, first), v.columns(0, first));
        let rest = a_t - of_u * of_u.ad_mul(a_t);
        let rest = &rest - (&rest * of_v) * of_v.adjoint();
        let (p, moves, q) = factors::svd(view(&rest));
        let least = values.rounding * size(a_t.as_slice());
        // The sign of a single vector may be kept.
        let stay = |j: usize| u.column(j).dotc(&(a_t * v.column(j))).real();
        let stays: Vec<_> = group.clone().map(stay).collect();
        let sorted = n == 1 || {
            let positive = stays.iter().all(|x| *x >= -least);
            positive && stays.windows(2).all(|x| x[0] - x[1] >= -least)
        };
        let each = group.clone().zip(&stays);
        let left = each.fold(rest, |rest, (j, x)| {
            rest - (u.column(j) * v.column(j).adjoint()).scale(*x)
        });
        if sorted && size(left.as_slice()) <= least {
            return None;
        }
        Some(Parting {
            group,
            moves: moves.iter().copied().take(n).collect(),
            left: p.columns(0, n).into_owned(),
            right: q.columns(0, n).into_owned(),
        })
    }
    /// The contribution of the tangents of the values' adjoints.
    fn slope(&self, adjoints: &[T::Part]) -> DMatrix<T> {
        let mut left = self.left.clone();
        let each = left.column_iter_mut().zip(&adjoints[self.group.clone()]);
        each.for_each(|(mut column, x)| column.apply(|y| *y = y.scale(*x)));
        times_ad(&left, &self.right)
    }
    fn forbid(partings: &[Self], turn: &mut DMatrix<T>) {
        for Parting { group, .. } in partings {
            for (i, j) in group
                .clone()
                .flat_map(|i| group.clone().map(move |j| (i, j)))
            {
                if i != j {
                    turn[(i, j)] = nan();
                }
            }
        }
    }
    fn others(partings: &[Self], adjoints: &[T::Part]) -> Vec<T::Part> {
        let mut others = adjoints.to_vec();
        let groups = partings.iter().map(|p| p.group.clone());
        groups.for_each(|group| others[group].fill(T::Part::zero()));
        others
    }
}
pub(super) fn directional_eigen<T: Number>(
    d: &[T::Part],
    v: &DMatrix<T>,
    d_b: &[T::Part],
    v_b: DMatrix<T>,
    a_t: View<'_, T>,
) -> DMatrix<T> {
    let values = Spectrum::<T>::new(d, d.len());
    let e = times(&ad_times(v, &mirrored(a_t)), v);
    let partings = Parting::of_eigen(&values, v, &e);
    let others = Parting::others(&partings, d_b);
    if values.kinks(false, &others) && has_zeros(of_lower(a_t)) {
        return lower(DMatrix::from_element(d.len(), d.len(), nan()));
    }
    let rest = adjoint_of_eigen(d, v, &others, v_b);
    partings
        .iter()
        .fold(rest, |sum, p| sum + lower(p.slope(d_b)))
}
pub(super) fn directional_svd<T: Number>(
    (u, s, v): (&DMatrix<T>, &DVector<T::Part>, &DMatrix<T>),
    u_b: &DMatrix<T>,
    s_b: &DVector<T::Part>,
    v_b: DMatrix<T>,
    a_t: &DMatrix<T>,
) -> DMatrix<T> {
    let values = Spectrum::<T>::new(s.as_slice(), u.nrows().max(v.nrows()));
    let e = times(&ad_times(u, a_t), v);
    let partings = Parting::of_svd(&values, u, v, a_t, &e);
    let others = DVector::from_vec(Parting::others(&partings, s_b.as_slice()));
    if values.kinks(true, others.as_slice()) && has_zeros(a_t.iter().copied()) {
        return a_t.map(|_| nan());
    }
    let rest = adjoint_of_svd(u, s, v, u_b, &others, v_b);
    let slopes = partings.iter().map(|p| p.slope(s_b.as_slice()));
    slopes.fold(rest, |sum, slope| sum + slope)
}

/// `f .* (v' * a_t * v)`, with the phases of complex vectors on the diagonal.
fn turned_by<T: Number>(values: &Spectrum<T>, v: &DMatrix<T>, e: &DMatrix<T>) -> DMatrix<T> {
    let all = size(e.as_slice());
    let mut turn = DMatrix::from_fn(v.ncols(), v.ncols(), |i, j| match i == j {
        true => T::zero(),
        false => values.divide(
            e[(i, j)],
            values.all[j] - values.all[i],
            &[(e[(i, j)].norm1(), all)],
        ),
    });
    add_own_turns(v, &mut turn);
    Parting::forbid(&Parting::of_eigen(values, v, e), &mut turn);
    turn
}
/// Adds the phases that keep leading elements real: `-i * Im(v_t[k]) / v[k]`.
fn add_own_turns<T: Number>(v: &DMatrix<T>, turn: &mut DMatrix<T>) {
    if T::IS_REAL || v.is_empty() {
        return;
    }
    for j in 0..v.ncols() {
        let k = leading(v, j);
        let moved = (0..v.ncols()).fold(T::zero(), |sum, i| sum + v[(k, i)] * turn[(i, j)]);
        turn[(j, j)] -= T::of_parts(T::Part::zero(), moved.imaginary() / v[(k, j)].real());
    }
}
pub(super) fn tangents_of_eigen<T: Number>(
    d: &[T::Part],
    v: &DMatrix<T>,
    a_t: View<'_, T>,
) -> (Vec<T::Part>, DMatrix<T>) {
    let e = times(&ad_times(v, &mirrored(a_t)), v);
    let values = Spectrum::new(d, d.len());
    let turn = turned_by(&values, v, &e);
    let mut d_t: Vec<_> = (0..d.len()).map(|j| e[(j, j)].real()).collect();
    for Parting { group, moves, .. } in Parting::of_eigen(&values, v, &e) {
        d_t[group].copy_from_slice(&moves);
    }
    (d_t, times(v, &turn))
}
/// The tangent of the adjoint `v * m * v'`: with v_t = v * turn, it is v * (m_t + turn * m - m * turn) * v'.
pub(super) fn second_of_eigen<T: Number>(
    d: &[T::Part],
    v: &DMatrix<T>,
    d_b: &[T::Part],
    mut v_b: DMatrix<T>,
    a_t: View<'_, T>,
) -> DMatrix<T> {
    let values = Spectrum::<T>::new(d, d.len());
    if values.kinks(false, d_b) && !is_unset(of_lower(a_t)) {
        return lower(DMatrix::from_element(d.len(), d.len(), nan()));
    }
    let e = times(&ad_times(v, &mirrored(a_t)), v);
    if v_b.iter().all(|x| *x == T::zero()) {
        let all = size(e.as_slice());
        let most = size(d_b);
        let middle = DMatrix::from_fn(d.len(), d.len(), |i, j| {
            let by = d_b[j] - d_b[i];
            match i == j {
                true => T::zero(),
                false => values.divide(
                    e[(i, j)].scale(by),
                    values.all[j] - values.all[i],
                    &[(by.norm1() * e[(i, j)].norm1(), most * all)],
                ),
            }
        });
        return lower(times_ad(&times(v, &middle), v));
    }
    let turn = turned_by(&values, v, &e);
    let v_t = times(v, &turn);
    // As in the adjoint; each phase moves, too.
    let angles: Vec<_> = (0..d.len()).map(|j| crosswise(v, &v_b, j)).collect();
    let angles_t: Vec<_> = (0..d.len()).map(|j| crosswise(&v_t, &v_b, j)).collect();
    let mut v_bt = DMatrix::zeros(v_b.nrows(), v_b.ncols());
    add_moved_turns(v, &v_t, &angles, &angles_t, &mut v_bt);
    add_turns(v, |j| angles[j], &mut v_b);
    let turns = turns_of(v, &v_b);
    let t_t = ad_times(&v_t, &v_b) + ad_times(v, &v_bt);
    let gap = |i: usize, j: usize| values.all[j] - values.all[i];
    let middle = DMatrix::from_fn(d.len(), d.len(), |i, j| match i == j {
        true => T::from_real(d_b[j]),
        false => turns.share(i, j, &values, gap(i, j)),
    });
    let all = size(t_t.as_slice());
    let mut middle_t = DMatrix::from_fn(d.len(), d.len(), |i, j| match i == j {
        true => T::zero(),
        false => {
            let skew = (t_t[(i, j)] - t_t[(j, i)].conjugate()).scale(T::Part::of(0.5));
            let gap_t = e[(j, j)].real() - e[(i, i)].real();
            let x = skew - middle[(i, j)].scale(gap_t);
            values.divide(x, gap(i, j), &[(x.norm1(), all)])
        }
    });
    middle_t += times(&turn, &middle) - times(&middle, &turn);
    lower(times_ad(&times(v, &middle_t), v))
}
/// The tangent of the contribution of [`add_turns`].
fn add_moved_turns<T: Number>(
    v: &DMatrix<T>,
    v_t: &DMatrix<T>,
    along: &[T::Part],
    along_t: &[T::Part],
    v_bt: &mut DMatrix<T>,
) {
    if T::IS_REAL || v.is_empty() {
        return;
    }
    for j in 0..v.ncols() {
        let at = (leading(v, j), j);
        let (x, x_t) = (v[at].real(), v_t[at].real());
        let slope = (along_t[j] - along[j] * x_t / x) / x;
        v_bt[at] += T::of_parts(T::Part::zero(), slope);
    }
}

struct MovedVectors<T: Number> {
    s_t: Vec<T::Part>,
    turn_of_u: DMatrix<T>,
    turn_of_v: DMatrix<T>,
    u_beyond: DMatrix<T>,
    v_beyond: DMatrix<T>,
}
/// `x` without its part in the span of `u`, which has the coordinates `within`.
fn outside<T: Number>(x: DMatrix<T>, u: &DMatrix<T>, within: &DMatrix<T>) -> DMatrix<T> {
    match u.nrows() == u.ncols() {
        true => DMatrix::zeros(x.nrows(), x.ncols()),
        false => x - times(u, within),
    }
}
/// Divides columns by their singular values, where `of` is the size of their whole.
fn over_values<T: Number>(
    values: &Spectrum<T>,
    mut x: DMatrix<T>,
    of: impl Fn(usize) -> T::Part,
) -> DMatrix<T> {
    for (j, mut column) in x.column_iter_mut().enumerate() {
        let part = [(size(column.as_slice()), of(j))];
        column.apply(|x| *x = values.divide(*x, values.all[j], &part));
    }
    x
}
impl<T: Number> MovedVectors<T> {
    // With e = u' * a_t * v, a common rotation of a pair is (e + e') / (s[j] - s[i]), an opposite rotation (e - e') /
    // (s[j] + s[i]).
    fn new(values: &Spectrum<T>, u: &DMatrix<T>, v: &DMatrix<T>, a_t: &DMatrix<T>) -> Self {
        let (av, au) = (times(a_t, v), ad_times(a_t, u));
        let e = ad_times(u, &av);
        let (k, all, half) = (e.nrows(), size(e.as_slice()), T::Part::of(0.5));
        let (mut turn_of_u, mut turn_of_v) = (DMatrix::zeros(k, k), DMatrix::zeros(k, k));
        for j in 0..k {
            for i in (0..k).filter(|i| *i != j) {
                let (there, back) = (e[(i, j)].scale(half), e[(j, i)].conjugate().scale(half));
                let divide = |x: T, by| values.divide(x, by, &[(x.norm1(), all)]);
                let together = divide(there + back, values.all[j] - values.all[i]);
                let against = divide(there - back, values.all[j] + values.all[i]);
                turn_of_u[(i, j)] = together + against;
                turn_of_v[(i, j)] = together - against;
            }
            if !T::IS_REAL {
                turn_of_u[(j, j)] = imaginary_share(values, e[(j, j)].imaginary(), j, all);
            }
        }
        let partings = Parting::of_svd(values, u, v, a_t, &e);
        Parting::forbid(&partings, &mut turn_of_u);
        Parting::forbid(&partings, &mut turn_of_v);
        let most = (size(av.as_slice()), size(au.as_slice()));
        let u_beyond = over_values(values, outside(av, u, &e), |_| most.0);
        let v_beyond = over_values(values, outside(au, v, &e.adjoint()), |_| most.1);
        if !T::IS_REAL {
            for j in 0..k {
                let at = leading(v, j);
                let moved = (0..k).fold(v_beyond[(at, j)], |sum, i| {
                    sum + v[(at, i)] * turn_of_v[(i, j)]
                });
                let own = T::of_parts(T::Part::zero(), moved.imaginary() / v[(at, j)].real());
                turn_of_u[(j, j)] -= own;
                turn_of_v[(j, j)] -= own;
            }
        }
        let mut s_t: Vec<_> = (0..k).map(|j| e[(j, j)].real()).collect();
        for Parting { group, moves, .. } in partings {
            s_t[group].copy_from_slice(&moves);
        }
        MovedVectors {
            s_t,
            turn_of_u,
            turn_of_v,
            u_beyond,
            v_beyond,
        }
    }
    fn u_t(&self, u: &DMatrix<T>) -> DMatrix<T> {
        times(u, &self.turn_of_u) + &self.u_beyond
    }
    fn v_t(&self, v: &DMatrix<T>) -> DMatrix<T> {
        times(v, &self.turn_of_v) + &self.v_beyond
    }
    fn s_t(&self, j: usize) -> T::Part {
        self.s_t[j]
    }
}
/// `i * x / s[j]`
fn imaginary_share<T: Number>(values: &Spectrum<T>, x: T::Part, j: usize, of: T::Part) -> T {
    let share = values.divide(T::from_real(x), values.all[j], &[(x.norm1(), of)]);
    T::of_parts(T::Part::zero(), share.real())
}
/// The right vectors are in columns.
pub(super) fn tangents_of_svd<T: Number>(
    u: &DMatrix<T>,
    s: &DVector<T::Part>,
    v: &DMatrix<T>,
    a_t: &DMatrix<T>,
) -> (DMatrix<T>, DVector<T::Part>, DMatrix<T>) {
    let values = Spectrum::<T>::new(s.as_slice(), u.nrows().max(v.nrows()));
    let moved = MovedVectors::new(&values, u, v, a_t);
    let s_t = DVector::from_column_slice(&moved.s_t);
    (moved.u_t(u), s_t, moved.v_t(v))
}
/// The tangent of `u * m * v' + b * v' + u * c'`, where `b` and `c` are outside of the span of the vectors.
pub(super) fn second_of_svd<T: Number>(
    (u, s, v): (&DMatrix<T>, &DVector<T::Part>, &DMatrix<T>),
    u_b: &DMatrix<T>,
    s_b: &DVector<T::Part>,
    mut v_b: DMatrix<T>,
    a_t: &DMatrix<T>,
) -> DMatrix<T> {
    let k = s.len();
    let values = Spectrum::<T>::new(s.as_slice(), u.nrows().max(v.nrows()));
    if values.kinks(true, s_b.as_slice()) && !is_unset(a_t.iter().copied()) {
        return a_t.map(|_| nan());
    }
    if u_b.iter().chain(&v_b).all(|x| *x == T::zero()) {
        return second_of_values(&values, u, s_b, v, a_t);
    }
    let moved = MovedVectors::new(&values, u, v, a_t);
    let (u_t, v_t) = (moved.u_t(u), moved.v_t(v));
    let angle = |u: &DMatrix<T>| -> Vec<T::Part> { (0..k).map(|j| crosswise(u, u_b, j)).collect() };
    let both = |u: &[T::Part], v: &DMatrix<T>, v_b: &DMatrix<T>| -> Vec<T::Part> {
        (0..k).map(|j| u[j] + crosswise(v, v_b, j)).collect()
    };
    let (of_u, of_u_t) = (angle(u), angle(&u_t));
    let (angles, angles_t) = (both(&of_u, v, &v_b), both(&of_u_t, &v_t, &v_b));
    let mut v_bt = DMatrix::zeros(v_b.nrows(), k);
    add_moved_turns(v, &v_t, &angles, &angles_t, &mut v_bt);
    add_turns(v, |j| angles[j], &mut v_b);
    let (left, right) = (turns_of(u, u_b), turns_of(v, &v_b));
    let left_t = ad_times(&u_t, u_b);
    let right_t = ad_times(&v_t, &v_b) + ad_times(v, &v_bt);
    let sizes: Vec<_> = left
        .sizes
        .iter()
        .zip(&right.sizes)
        .map(|(u, v)| *u + *v)
        .collect();
    let turns = |t: DMatrix<T>| Turns {
        t,
        sizes: sizes.clone(),
    };
    let (together, against) = (turns(&left.t + &right.t), turns(&left.t - &right.t));
    let (together_t, against_t) = (&left_t + &right_t, &left_t - &right_t);
    let (scaled, all) = (
        &values.all,
        size(together_t.as_slice()) + size(against_t.as_slice()),
    );
    let mut middle = DMatrix::zeros(k, k);
    let mut middle_t = DMatrix::zeros(k, k);
    for j in 0..k {
        for i in (0..k).filter(|i| *i != j) {
            let mut share = |turns: &Turns<T>, t_t: &DMatrix<T>, by: T::Part, by_t: T::Part| {
                let m = turns.share(i, j, &values, by);
                let skew = (t_t[(i, j)] - t_t[(j, i)].conjugate()).scale(T::Part::of(0.5));
                let x = skew - m.scale(by_t);
                middle[(i, j)] += m;
                middle_t[(i, j)] += values.divide(x, by, &[(x.norm1(), all)]);
            };
            let (s_i, s_j) = (moved.s_t(i), moved.s_t(j));
            share(&together, &together_t, scaled[j] - scaled[i], s_j - s_i);
            share(&against, &against_t, scaled[j] + scaled[i], s_j + s_i);
        }
        let angle = imaginary_share(&values, -of_u[j], j, left.sizes[j]);
        let angle_t = -of_u_t[j] - angle.imaginary() * moved.s_t(j);
        middle[(j, j)] = T::from_real(s_b[j]) + angle;
        middle_t[(j, j)] = imaginary_share(&values, angle_t, j, all);
    }
    let beyond = |u: &DMatrix<T>, u_b: &DMatrix<T>, turns: &Turns<T>| {
        over_values(&values, outside(u_b.clone(), u, &turns.t), |j| {
            turns.sizes[j]
        })
    };
    let (b, c) = (beyond(u, u_b, &left), beyond(v, &v_b, &right));
    let beyond_t = |x: DMatrix<T>, b: &DMatrix<T>, sizes: &[T::Part]| {
        let mut x = x;
        for (j, mut column) in x.column_iter_mut().enumerate() {
            column.zip_apply(&b.column(j), |x, b| *x -= b.scale(moved.s_t(j)));
        }
        over_values(&values, x, |j| sizes[j])
    };
    let square = |u: &DMatrix<T>| u.nrows() == k;
    let zeros = |u: &DMatrix<T>| DMatrix::zeros(u.nrows(), k);
    let b_t = match square(u) {
        true => zeros(u),
        false => beyond_t(-times(&u_t, &left.t) - times(u, &left_t), &b, &left.sizes),
    };
    let c_t = match square(v) {
        true => zeros(v),
        false => beyond_t(
            v_bt - times(&v_t, &right.t) - times(v, &right_t),
            &c,
            &right.sizes,
        ),
    };
    let inner = times(u, &middle) + &b;
    let inner_t = times(&u_t, &middle) + times(u, &middle_t) + b_t;
    times_ad(&inner_t, v) + times_ad(&inner, &v_t) + times_ad(&u_t, &c) + times_ad(u, &c_t)
}
/// The tangent if only singular values have adjoints, equal for equal values and 0 for zero values.
fn second_of_values<T: Number>(
    values: &Spectrum<T>,
    u: &DMatrix<T>,
    s_b: &DVector<T::Part>,
    v: &DMatrix<T>,
    a_t: &DMatrix<T>,
) -> DMatrix<T> {
    let (av, au) = (times(a_t, v), ad_times(a_t, u));
    let e = ad_times(u, &av);
    let (k, half) = (e.nrows(), T::Part::of(0.5));
    let all = size(e.as_slice()) * size(s_b.as_slice());
    let middle = DMatrix::from_fn(k, k, |i, j| {
        if i == j {
            return imaginary_share(values, e[(j, j)].imaginary() * s_b[j], j, all);
        }
        let (there, back) = (e[(i, j)].scale(half), e[(j, i)].conjugate().scale(half));
        let divide = |x: T, by| values.divide(x, by, &[(x.norm1(), all)]);
        divide(
            (there + back).scale(s_b[j] - s_b[i]),
            values.all[j] - values.all[i],
        ) + divide(
            (there - back).scale(s_b[j] + s_b[i]),
            values.all[j] + values.all[i],
        )
    });
    let weighted = |mut x: DMatrix<T>| {
        let of = size(x.as_slice()) * size(s_b.as_slice());
        let each = x.column_iter_mut().zip(s_b.iter());
        each.for_each(|(mut x, s_b)| x.apply(|x| *x = x.scale(*s_b)));
        over_values(values, x, |_| of)
    };
    let beyond_u = weighted(outside(av, u, &e));
    let beyond_v = weighted(outside(au, v, &e.adjoint()));
    times_ad(&(times(u, &middle) + beyond_u), v) + times_ad(u, &beyond_v)
}

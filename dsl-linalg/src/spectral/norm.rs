use super::{Spectrum, dynamic, is_unset, nan, of};
#[cfg(test)]
use crate::samples::*;
use crate::{Dense, Number, Sizes, View, factors, scale, view::view};
use entape_core::op;
use nalgebra::{DMatrix, DefaultAllocator, Dim};
use num_traits::{One, Zero};
use std::rc::Rc;

/// The largest singular value, with several vectors if others are equal.
#[derive(Debug)]
pub struct Largest<T: Number> {
    value: T::Part,
    left: DMatrix<T>,
    right: DMatrix<T>,
    kink: Kink,
}
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kink {
    None,
    /// The value is the length of a vector, which is 0.
    Origin,
    Equal,
}
impl<T: Number> Largest<T> {
    fn of(a: View<'_, T>) -> Rc<Self> {
        let (u, values, v) = factors::svd(a);
        let groups = Spectrum::<T>::new(values.as_slice(), a.rows.max(a.cols)).groups(true);
        let equal = groups.first().filter(|group| group.start == 0);
        let kink = match equal {
            None => Kink::None,
            Some(_) if values.len() == 1 => Kink::Origin,
            Some(_) => Kink::Equal,
        };
        let first = equal.map_or(1, |group| group.end).min(values.len());
        Rc::new(Largest {
            value: values.iter().copied().next().unwrap_or(T::Part::zero()),
            left: u.columns(0, first).into_owned(),
            right: v.columns(0, first).into_owned(),
            kink,
        })
    }
    /// The tangent of the value; if several values separate, the largest tangent.
    fn tangent(&self, a_t: &DMatrix<T>) -> T::Part {
        let within = || self.left.ad_mul(a_t) * &self.right;
        let or_zero = |value: Option<&T::Part>| value.copied().unwrap_or(T::Part::zero());
        match self.kink {
            Kink::Origin => scale::norm(a_t.as_slice()),
            Kink::None => within().trace().real(),
            Kink::Equal if self.value == T::Part::zero() => {
                or_zero(factors::svd(view(a_t)).1.as_slice().first())
            }
            Kink::Equal => {
                let block = within();
                let block = (&block + block.adjoint()).scale(T::Part::of(0.5));
                or_zero(factors::symmetric_eigen(view(&block)).0.as_slice().last())
            }
        }
    }
    /// The contribution of the tangent of the adjoint, `r_b`.
    fn directional(&self, a_t: &DMatrix<T>, r_b: T::Part) -> DMatrix<T> {
        match self.kink {
            _ if is_unset(a_t.iter().copied()) => self.slope(r_b),
            Kink::None => self.slope(r_b),
            // The singular vectors of a_t are the vector and 1, or 1 and the vector.
            Kink::Origin if a_t.iter().any(|x| *x != T::zero()) => {
                Largest::of(view(a_t)).slope(r_b)
            }
            // A computed zero does not determine the direction of the matrix.
            Kink::Origin | Kink::Equal if r_b == T::Part::zero() => self.slope(r_b),
            Kink::Origin | Kink::Equal => a_t.map(|_| nan()),
        }
    }
    fn slope(&self, r_b: T::Part) -> DMatrix<T> {
        let first = |m: &DMatrix<T>| m.columns_range(..m.ncols().min(1)).into_owned();
        (first(&self.left) * first(&self.right).adjoint()).scale(r_b)
    }
    fn second(&self, a: View<'_, T>, a_t: &DMatrix<T>, r_b: T::Part) -> DMatrix<T> {
        match self.kink {
            _ if is_unset(a_t.iter().copied()) => a_t.clone(),
            Kink::None => self.turned(a, a_t).scale(r_b),
            Kink::Origin if r_b == T::Part::zero() => DMatrix::zeros(a.rows, a.cols),
            Kink::Origin | Kink::Equal => a_t.map(|_| nan()),
        }
    }
    // With e = a_t * v and f = a_t' * u, and the other vectors u_k, v_k and values s_k of a: the part of u_t along u_k
    // is (s * u_k' * e + s_k * v_k' * f) / (s^2 - s_k^2), and the part of v_t along v_k has s and s_k exchanged. The
    // other parts are e / s and f / s. The two vectors rotate against each other by im(u' * e) / s.
    fn turned(&self, a: View<'_, T>, a_t: &DMatrix<T>) -> DMatrix<T> {
        let (u, values, v) = factors::svd(a);
        let (s, left, right) = (self.value, self.left.column(0), self.right.column(0));
        let (e, f) = (a_t * right, a_t.ad_mul(&left));
        let inside = left.dotc(&e);
        let (mut left_t, mut right_t) = (e, f);
        let (mut along_u, mut along_v) = (u.ad_mul(&left_t), v.ad_mul(&right_t));
        left_t -= &u * &along_u;
        right_t -= &v * &along_v;
        left_t.unscale_mut(s);
        right_t.unscale_mut(s);
        for k in 1..values.len() {
            // Squares may be out of range.
            let (of_u, of_v, ratio) = (along_u[k], along_v[k], values[k] / s);
            let gap = (s - values[k]) * (T::Part::one() + ratio);
            along_u[k] = (of_u + of_v.scale(ratio)).unscale(gap);
            along_v[k] = (of_u.scale(ratio) + of_v).unscale(gap);
        }
        if let (Some(of_u), Some(of_v)) = (along_u.get_mut(0), along_v.get_mut(0)) {
            *of_u = (inside - T::from_real(inside.real())).unscale(s);
            *of_v = T::zero();
        }
        left_t += &u * along_u;
        right_t += &v * along_v;
        left_t * right.adjoint() + left * right_t.adjoint()
    }
}
// a_b = r_b * u * v'
#[op(
    rule_only, save(ref top: Rc<Largest<T>> = Largest::of(view(a))),
    tangent(a = top.tangent(&dynamic(a_t))),
    second(a = of::<T, R, C>(top.second(view(a), &dynamic(a_t), r_b))),
    along(a = of::<T, R, C>(top.directional(&dynamic(a_t), r_b))),
    sample(type T = f64 | Z, for n in [1, 3, 5], for (rows, cols) in [(n, n), (n + 2, n), (n, n + 2)], a = spread::<T>(rows, cols)),
    sample(type T = f64 | Z, a = fixed::<T, 2, 2>(0)),
)]
pub fn spectral_norm<T: Number, R: Dim, C: Dim>(
    #[ad_in({
        let _ = a;
        of::<T, R, C>(top.slope(r_b))
    })]
    a: &Dense<T, R, C>,
) -> T::Part
where
    DefaultAllocator: Sizes<R, C>,
{
    top.value
}

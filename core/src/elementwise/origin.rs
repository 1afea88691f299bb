//! Norms at the origin.
//!
//! The gradient of a norm `r = |x|` is `x / |x|`, and 0 at the origin by convention. Second derivatives of smooth
//! functions of it, such as `r²`, follow from one-sided derivatives along `x_t`:
//!
//! ```text
//! r_t  = |x_t|
//! x_bt = r_bt x_t / |x_t|     if r_b = 0, where x_b = r_b x / |x| does not jump, and NaN otherwise
//! ```
//! If `x` does not depend on the direction, `x_b` is unchanged. If `x_t` is a computed zero, the direction of `x` is
//! unknown.
//!
//! `r_t` is `|x_t|` only for second derivatives ([`one_sided`](crate::rule::ArgumentTangents::one_sided)).
use super::Lane;

/// Returns the tangent of the adjoint of `x` at the origin of a norm. If `one_sided`, `r_t` is the norm's one-sided
/// tangent. The result is 0 if `r_t` is [unset](Lane::unset). If `r_t` is a computed zero, it is 0 if the norm's
/// adjoint and its tangent are 0, otherwise NaN.
#[inline(always)]
pub fn tangent_at_origin<L: Lane>(one_sided: bool, (r_b, r_bt): (L, L), x_t: L, r_t: L) -> L {
    let (zero, unknown) = (r_b.zero(), r_b.splat(f64::NAN));
    if !one_sided {
        return x_t * unknown;
    }
    let exists = r_b.equal(zero);
    let moves = L::select(exists, x_t * (r_bt / r_t), unknown);
    let rests = L::select(exists & r_bt.equal(zero), zero, unknown);
    L::select(r_t.equal(zero), rests, moves).unless(r_t.is_unset())
}

//! Tangents of arguments, and sinks to second order.
use super::sink::Sinks;
use crate::kind::{Contribution, Kind, Val};

/// Tangents along one direction; `None` for an independent argument.
pub struct ArgumentTangent<'t, A: Kind, B: Kind = (), C: Kind = ()> {
    /// The tangent of the first argument.
    pub a: Option<&'t Val<A>>,
    /// The tangent of the second argument.
    pub b: Option<&'t Val<B>>,
    /// The tangent of the third argument.
    pub c: Option<&'t Val<C>>,
    /// See [`ArgumentTangents::one_sided`].
    pub one_sided: bool,
}
debug_by_name! { ['t, A: Kind, B: Kind, C: Kind] ArgumentTangent<'t, A, B, C> }
impl<A: Kind, B: Kind, C: Kind> Clone for ArgumentTangent<'_, A, B, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: Kind, B: Kind, C: Kind> Copy for ArgumentTangent<'_, A, B, C> {}

/// Tangents of arguments along `N` directions.
pub struct ArgumentTangents<'t, A: Kind, B: Kind, C: Kind, const N: usize> {
    /// The tangents of the first argument.
    pub a: Option<&'t [Val<A>; N]>,
    /// The tangents of the second argument.
    pub b: Option<&'t [Val<B>; N]>,
    /// The tangents of the third argument.
    pub c: Option<&'t [Val<C>; N]>,
    /// Whether tangents belong to one side of a kink, for second derivatives, instead of the convention.
    pub one_sided: bool,
}
debug_by_name! { ['t, A: Kind, B: Kind, C: Kind, const N: usize] ArgumentTangents<'t, A, B, C, N> }
impl<A: Kind, B: Kind, C: Kind, const N: usize> Clone for ArgumentTangents<'_, A, B, C, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: Kind, B: Kind, C: Kind, const N: usize> Copy for ArgumentTangents<'_, A, B, C, N> {}
impl<'t, A: Kind, B: Kind, C: Kind, const N: usize> ArgumentTangents<'t, A, B, C, N> {
    /// Whether no argument depends on a direction.
    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.a.is_none() && self.b.is_none() && self.c.is_none()
    }
    /// Returns the tangents along direction `j`.
    #[inline(always)]
    pub fn direction(&self, j: usize) -> ArgumentTangent<'t, A, B, C> {
        ArgumentTangent {
            a: self.a.map(|t| &t[j]),
            b: self.b.map(|t| &t[j]),
            c: self.c.map(|t| &t[j]),
            one_sided: self.one_sided,
        }
    }
}

/// Adds up the terms of a tangent.
pub struct Terms<K: Kind>(Option<Val<K>>);
debug_by_name! { [K: Kind] Terms<K> }
impl<K: Kind> Default for Terms<K> {
    #[inline(always)]
    fn default() -> Self {
        Terms(None)
    }
}
impl<K: Kind> Terms<K> {
    /// Adds a term.
    #[inline(always)]
    pub fn add<C: Contribution<K>>(&mut self, term: C) {
        let term = term.materialise();
        match &mut self.0 {
            Some(sum) => K::accumulate(sum, term),
            None => self.0 = Some(term),
        }
    }
    /// Returns the sum, or `None` without terms.
    #[inline(always)]
    pub fn sum(self) -> Option<Val<K>> {
        self.0
    }
}

/// Sinks of adjoints and of their tangents along `N` directions.
pub trait SecondSinks<A: Kind, B: Kind, C: Kind, const N: usize> {
    /// Whether adjoints are used; otherwise only tangents are.
    #[inline(always)]
    fn takes_adjoints(&self) -> bool {
        true
    }
    /// Returns the sinks of adjoints.
    fn adjoint(&mut self) -> impl Sinks<A, B, C>;
    /// Returns the sinks of tangents along direction `j`.
    fn tangent(&mut self, j: usize) -> impl Sinks<A, B, C>;
    /// Adds to the first argument's adjoint and its tangents, if wanted.
    fn add_a(&mut self, x_b: impl FnOnce() -> (Val<A>, [Val<A>; N]));
    /// [`add_a`](Self::add_a) for the second argument.
    fn add_b(&mut self, x_b: impl FnOnce() -> (Val<B>, [Val<B>; N]));
    /// [`add_a`](Self::add_a) for the third argument.
    fn add_c(&mut self, x_b: impl FnOnce() -> (Val<C>, [Val<C>; N]));
}
/// A result's adjoint with its tangents; `None` means zero.
pub struct SecondAdjoint<'t, K: Kind, const N: usize> {
    /// The adjoint.
    pub r_b: Option<&'t Val<K>>,
    /// The tangents of the adjoint.
    pub tangents: Option<&'t [Val<K>; N]>,
}
debug_by_name! { ['t, K: Kind, const N: usize] SecondAdjoint<'t, K, N> }
impl<K: Kind, const N: usize> Clone for SecondAdjoint<'_, K, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind, const N: usize> Copy for SecondAdjoint<'_, K, N> {}

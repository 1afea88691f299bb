//! Forward mode: values with tangents, without a tape.
use super::{AnyMode, ByMode, OutputKind, WritesOutputs};
use crate::{
    expr::Active,
    kind::{
        Carrier, Kind, Policy, Recycle, Slot, TangentStorage, Val, VariableCell, VariableCellOf,
        VariableId, assert_like, carrier::Forward, tangents::ForwardCell,
    },
    node::{Evaluated, Node},
    store::Part,
};
use std::{array::from_fn, rc::Rc};

impl<const N: usize> crate::sealed::Sealed for Forward<N> {}
impl<const N: usize> Carrier for Forward<N> {
    const RECORDS: bool = false;
    type ValueId = ();
    type OwnedId = ();
    type Bare<V: Copy + 'static> = ForwardCell<V, [V; N], N>;
    type Shared<V: Clone + 'static, R: Recycle<V>> = ForwardCell<V, Option<Rc<[V; N]>>, N>;
    fn share<V: Clone + 'static, R: Recycle<V>>(held: &Self::Shared<V, R>) -> Rc<V> {
        Rc::new(held.value.clone())
    }
    fn unshare<V: Clone + 'static, R: Recycle<V>>(cell: Rc<V>) -> Self::Shared<V, R> {
        ForwardCell {
            value: Rc::unwrap_or_clone(cell),
            tangents: None,
        }
    }
}
#[inline(always)]
fn forward_cell<K: Kind, const N: usize>(
    value: Val<K>,
    tangents: Option<[Val<K>; N]>,
) -> VariableCellOf<K, Forward<N>> {
    let tangents = TangentStorage::new(tangents, || K::zero_like(&value));
    K::Policy::with_tangents(value, tangents)
}
impl<K: Kind, const N: usize> Active<K, Forward<N>> {
    /// Creates a variable with tangents, its derivatives along `N` directions; panics if shapes differ.
    ///
    /// ```
    /// use entape_core::{expr::Active, mode::Forward, real::Elementary};
    ///
    /// let x = Active::<f64, Forward<2>>::with_tangents(0.5, [1.0, 0.0]);
    /// let y = Active::<f64, Forward<2>>::with_tangents(2.0, [0.0, 1.0]);
    /// let z = (x.sin() * y).eval();
    /// assert_eq!(z.tangents(), [2.0 * 0.5_f64.cos(), 0.5_f64.sin()]);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn with_tangents(value: Val<K>, tangents: [Val<K>; N]) -> Self {
        for tangent in &tangents {
            assert_like::<K>("tangent", tangent, &value);
        }
        Active::new_with_tangents(value, Some(tangents))
    }
    #[inline(always)]
    pub(crate) fn new_with_tangents(value: Val<K>, tangents: Option<[Val<K>; N]>) -> Self {
        Active::from_parts(
            forward_cell::<K, N>(value, tangents),
            VariableId::PASSIVE,
            Slot::NONE,
        )
    }
    /// Returns the derivatives of the value along the directions.
    #[inline(always)]
    pub fn tangents(&self) -> [Val<K>; N] {
        match self.tangents_ref::<N>() {
            Some(tangents) => tangents.clone(),
            None => from_fn(|_| K::zero_like(self.get())),
        }
    }
}
impl<K: Kind> Active<K, Forward> {
    /// Creates a variable with a tangent, its derivative along a direction; panics if shapes differ.
    #[inline(always)]
    #[track_caller]
    pub fn with_tangent(value: Val<K>, tangent: Val<K>) -> Self {
        Active::with_tangents(value, [tangent])
    }
    /// Returns the derivative of the value along the direction.
    #[inline(always)]
    pub fn tangent(&self) -> Val<K> {
        let [tangent] = self.tangents();
        tangent
    }
}
impl<const N: usize> AnyMode for Forward<N> {
    #[inline(always)]
    fn eval_node<K: Kind, E: Node<Kind = K>>(node: E) -> Active<K, Self> {
        let (value, tangents) = node.push::<N>();
        Active::new_with_tangents(value.own(), tangents.own())
    }
    fn copy_variable<K: Kind>(x: &Active<K, Self>) -> Active<K, Self> {
        x.same()
    }
    #[inline(always)]
    fn assign_node<K: Kind, E: Node<Kind = K>>(x: &mut Active<K, Self>, node: E) {
        *x = Self::eval_node(node);
    }
    #[inline(always)]
    fn assign_part<K: Kind, P: Part<K>, E: Node<Kind = P::Kind>>(
        x: &mut Active<K, Self>,
        part: P,
        node: E,
    ) {
        let (value, tangents) = node.push::<N>();
        let (value, tangents) = (value.own(), tangents.own());
        let held = x.held_mut();
        if tangents.is_some() || held.tangent(0).is_some() {
            let of_part = <P::Kind as Kind>::zero_like(&value);
            for j in 0..N {
                let tangent = tangents.as_ref().map_or(&of_part, |t| &t[j]);
                part.put(held.tangent_mut(j, K::zero_like), tangent.clone());
            }
        }
        part.put(held.edit(), value);
    }
    fn split_node<K: OutputKind, E: Node<Kind = K>>(node: E) -> K::New<Self> {
        let (value, tangents) = node.push::<N>();
        K::with_tangents(value.own(), tangents.own())
    }
    fn assign_outputs<K: OutputKind, E: Node<Kind = K>>(
        outputs: impl WritesOutputs<K, Self>,
        node: E,
    ) {
        outputs.set(Self::split_node(node));
    }
    #[track_caller]
    fn by_mode<A: ByMode<Self>>(act: A) -> A::Out {
        act.forward::<N>()
    }
}

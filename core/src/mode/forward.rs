//! Forward mode: values and their tangents, in registers.
use crate::{
    kind::{
        Carrier, carrier::Forward, carriers, tangents::Along,
    },
};
use std::rc::Rc;

impl<const N: usize> carriers::Carrier for Forward<N> {}
impl<const N: usize> Carrier for Forward<N> {
    const RECORDS: bool = false;
    type ValueId = ();
    type OwnedId = ();
    type Bare<V: Copy + 'static> = Along<V, [V; N]>;
    type Shared<V: Clone + 'static> = Along<V, Option<Box<[V; N]>>>;
    fn share<V: Clone + 'static>(held: &Self::Shared<V>) -> Rc<V> {
        Rc::new(held.value.clone())
    }
    fn unshare<V: Clone + 'static>(cell: Rc<V>) -> Self::Shared<V> {
        Along {
            value: Rc::unwrap_or_clone(cell),
            tangents: None,
        }
    }
}

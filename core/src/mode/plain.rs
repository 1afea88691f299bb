//! The plain mode.
use super::{AnyMode, ByMode, OutputKind, WritesOutputs};
use crate::{
    expr::Active,
    kind::{Carrier, Kind, Recycle, Recycled, VariableCell, VariableId, carrier::Plain},
    node::{Node, Produce},
    store::Part,
};
use std::rc::Rc;

impl crate::sealed::Sealed for Plain {}
impl Carrier for Plain {
    const RECORDS: bool = false;
    const PLAIN: bool = true;
    type ValueId = ();
    type OwnedId = ();
    type Bare<V: Copy + 'static> = V;
    type Shared<V: Clone + 'static, R: Recycle<V>> = Recycled<V, R>;
    fn share<V: Clone + 'static, R: Recycle<V>>(held: &Recycled<V, R>) -> Rc<V> {
        Rc::new(VariableCell::<V>::peek(held).clone())
    }
    fn unshare<V: Clone + 'static, R: Recycle<V>>(cell: Rc<V>) -> Recycled<V, R> {
        Recycled::new(Rc::unwrap_or_clone(cell))
    }
}
impl AnyMode for Plain {
    #[inline(always)]
    fn eval_node<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self> {
        Active::passive(node.evaluate().0.value())
    }
    fn copy_variable<K: Kind>(x: &Active<K, Self>) -> Active<K, Self> {
        x.passive_copy()
    }
    #[inline(always)]
    fn assign_node<K: Kind, N: Node<Kind = K>>(x: &mut Active<K, Self>, node: N) {
        *x = Self::eval_node(node);
    }
    #[inline(always)]
    fn assign_part<K: Kind, P: Part<K>, N: Node<Kind = P::Kind>>(
        x: &mut Active<K, Self>,
        part: P,
        node: N,
    ) {
        node.evaluate().0.put(&part, x.get_mut());
    }
    fn split_node<K: OutputKind, N: Node<Kind = K>>(node: N) -> K::New<Self> {
        K::new(K::cells(node.evaluate().0.value()), VariableId::PASSIVE)
    }
    fn assign_outputs<K: OutputKind, N: Node<Kind = K>>(
        outputs: impl WritesOutputs<K, Self>,
        node: N,
    ) {
        outputs.set(Self::split_node(node));
    }
    #[track_caller]
    fn by_mode<A: ByMode<Self>>(act: A) -> A::Out {
        act.plain()
    }
}

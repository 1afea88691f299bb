//! Recording modes.
use super::{AnyMode, Linear, Owned, Recording, record};
use crate::{
    expr::Active,
    kind::{Kind, Outputs, Part},
    node::Node,
};
use std::rc::Rc;

/// Records; value kinds are `Copy` and have linear identifiers.
#[derive(Clone, Copy, Debug)]
pub struct Taped;
/// Records; every kind has owned, reused identifiers. Vectors of primal values and adjoints are as long as
/// the number of variables that live at a time.
#[derive(Clone, Copy, Debug)]
pub struct Reuse;

/// The two differ in the identifier of value kinds only.
macro_rules! recording { ($($Mode:ident $Id:ident;)*) => { $(
    impl Recording for $Mode {}
    impl AnyMode for $Mode {
        const RECORDS: bool = true;
        type ValueId = $Id;
        type OwnedId = Owned;
        type Shared<V: Clone + 'static> = Rc<V>;
        fn share<V: Clone + 'static>(held: &Rc<V>) -> Rc<V> {
            held.clone()
        }
        fn unshare<V: Clone + 'static>(cell: Rc<V>) -> Rc<V> {
            cell
        }
        #[inline(always)]
        #[track_caller]
        fn eval<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self> {
            record::eval(node)
        }
        #[track_caller]
        fn copy<K: Kind>(x: &Active<K, Self>) -> Active<K, Self> {
            record::copy(x)
        }
        #[inline(always)]
        #[track_caller]
        fn assign<K: Kind, N: Node<Kind = K>>(x: &mut Active<K, Self>, node: N) {
            record::assign(x, node);
        }
        #[inline(always)]
        #[track_caller]
        fn assign_part<K: Kind, P: Part<K>, N: Node<Kind = P::Kind>>(x: &mut Active<K, Self>, part: P, node: N) {
            record::assign_part(x, part, node);
        }
        #[track_caller]
        fn split<K: Outputs, N: Node<Kind = K>>(node: N) -> K::New<Self> {
            record::split(node)
        }
        #[track_caller]
        fn assign_outputs<K: Outputs, N: Node<Kind = K>>(outputs: K::Variables<'_, Self>, node: N) {
            record::assign_outputs::<K, Self, N>(outputs, node);
        }
    }
)* } }
recording! { Taped Linear; Reuse Owned; }

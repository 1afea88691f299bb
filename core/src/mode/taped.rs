use super::{AnyMode, ByMode, OutputKind, WritesOutputs, outputs, record};
use crate::{expr::Active, kind::Kind, node::Node, store::Part, tape::Records};

impl<M: Records> AnyMode for M {
    #[inline(always)]
    #[track_caller]
    fn eval_node<K: Kind, N: Node<Kind = K>>(node: N) -> Active<K, Self> {
        record::eval(node)
    }
    #[track_caller]
    fn copy_variable<K: Kind>(x: &Active<K, Self>) -> Active<K, Self> {
        record::copy(x)
    }
    #[inline(always)]
    #[track_caller]
    fn assign_node<K: Kind, N: Node<Kind = K>>(x: &mut Active<K, Self>, node: N) {
        record::assign(x, node);
    }
    #[inline(always)]
    #[track_caller]
    fn assign_part<K: Kind, P: Part<K>, N: Node<Kind = P::Kind>>(
        x: &mut Active<K, Self>,
        part: P,
        node: N,
    ) {
        record::assign_part(x, part, node);
    }
    #[track_caller]
    fn split_node<K: OutputKind, N: Node<Kind = K>>(node: N) -> K::New<Self> {
        K::split(node)
    }
    #[track_caller]
    fn assign_outputs<K: OutputKind, N: Node<Kind = K>>(
        outputs: impl WritesOutputs<K, Self>,
        node: N,
    ) {
        outputs::assign_outputs(outputs, node);
    }
    #[track_caller]
    fn by_mode<A: ByMode<Self>>(act: A) -> A::Out {
        act.recording()
    }
}

//! Sums and products over iterators: one statement for all operands, which are a list of nodes.
use crate::{
    expr::{Active, Apply, Each, Expr, OperandOf},
    mode::AnyMode,
    node::{Node, Produce},
    real::{NumberKind, list as op},
};
use std::iter::{Product, Sum};

/// Sums and products over operands of one kind.
macro_rules! fold { ($($Trait:ident $method:ident $of:ident;)*) => { $(
    impl<K: NumberKind, M: AnyMode, X: OperandOf<K, M>> $Trait<X> for Active<K, M> {
        /// Accepts iterators over variables and plain numbers, by value or by reference, and over expressions; records
        /// one statement. The order of the operations equals the order of the plain fold, so the result is bitwise
        /// equal.
        fn $method<I: Iterator<Item = X>>(iter: I) -> Self {
            let nodes = iter.map(|x| x.into_rhs().node);
            if M::PLAIN {
                return Active::passive(K::$of(nodes.map(|node| node.forward().0.value())));
            }
            Expr::new(Apply::unary(op::$Trait, Each(nodes.collect::<Vec<_>>()))).eval()
        }
    }
)* } }
fold! {
    Sum sum sum_of;
    Product product product_of;
}

//! Sums and products over iterators, each in one statement.
use crate::{
    expr::{Active, Apply, Each, Expr, OperandOf},
    mode::AnyMode,
    node::{Node, Produce},
    real::{NumberKind, list as op},
};
use std::iter::{Product, Sum};

macro_rules! fold { ($($Trait:ident $method:ident $of:ident;)*) => { $(
    impl<K: NumberKind, M: AnyMode, X: OperandOf<K, M>> $Trait<X> for Active<K, M> {
        /// Accepts iterators over variables, plain numbers and expressions, also by reference. The result is bitwise equal to the
        /// plain fold.
        fn $method<I: Iterator<Item = X>>(iter: I) -> Self {
            let nodes = iter.map(|x| x.into_rhs().node);
            if M::PLAIN {
                return Active::passive(K::$of(nodes.map(|node| node.evaluate().0.value())));
            }
            Expr::new(Apply::unary(op::$Trait, Each(nodes.collect::<Vec<_>>()))).eval()
        }
    }
)* } }
fold! {
    Sum sum sum_of;
    Product product product_of;
}

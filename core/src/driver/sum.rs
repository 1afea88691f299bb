//! Sums and products over iterators: one statement for all operands, which are a list of nodes.
use crate::{
    expr::{Active, Apply, Each, Expr, Node, Operand, Produce},
    mode::AnyMode,
    op,
};
use std::iter::{Product, Sum};

/// The folds of one operation over operands of one real kind.
macro_rules! fold { ($($Trait:ident $method:ident $T:ident;)*) => { $(
    impl<M: AnyMode, X: Operand<M, Kind = $T>> $Trait<X> for Active<$T, M> {
        /// Over variables, by value or by reference, or over expressions; records one statement. The order of
        /// the operations is that of the plain fold, and so are all bits of the result.
        fn $method<I: Iterator<Item = X>>(iter: I) -> Self {
            let nodes = iter.map(|x| x.into_expr().node);
            if !M::RECORDS {
                return Active::passive(nodes.map(|node| node.forward().0.own()).$method());
            }
            Expr::new(Apply::unary(op::$Trait, Each(nodes.collect::<Vec<_>>()))).eval()
        }
    }
)* } }
fold! {
    Sum sum f64;
    Sum sum f32;
    Product product f64;
    Product product f32;
}

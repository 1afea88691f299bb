//! Sums and products over iterators.
//!
//! Iterators don't tell how long they are, and a statement's type tells how many operands it has. So
//! statements of 16 operands are recorded as long as there are as many, then some of 4, then of 1. The
//! order of the operations is that of the plain sum, and so are all bits of the result.
use crate::{
    expr::{Active, Apply, ByVal, Const, Expr, Node, Operand},
    mode::AnyMode,
    op,
};
use std::iter::{Product, Sum};

/// `((start + x) + x) + x ...` as one node.
macro_rules! chain {
    ($op:expr, $start:expr, $x:expr;) => { $start };
    ($op:expr, $start:expr, $x:expr; $i:tt $($rest:tt)*) => {
        chain!($op, Apply::binary($op, $start, $x), $x; $($rest)*)
    };
}

/// The folds of one operation over operands of one real kind.
macro_rules! fold { ($($Trait:ident $method:ident $Op:ident $T:ident;)*) => { $(
    impl<M: AnyMode, X: Operand<M, Kind = $T>> $Trait<X> for Active<$T, M> {
        /// Over variables, by value or by reference, or over expressions; records a statement for every
        /// 16 operands.
        fn $method<I: Iterator<Item = X>>(iter: I) -> Self {
            /// As many statements of `N` operands as there are operands for.
            fn more<M: AnyMode, N: Node<Kind = $T>>(mut sum: Active<$T, M>, nodes: &mut Nodes<N>, iter: &mut impl Iterator<Item = N>) -> Active<$T, M> {
                while nodes.fill(iter) {
                    sum = sixteen(ByVal(sum), nodes);
                }
                while nodes.len() >= 4 {
                    sum = four(ByVal(sum), nodes);
                }
                while nodes.len() > 0 {
                    sum = one(ByVal(sum), nodes);
                }
                sum
            }
            fn sixteen<M: AnyMode, N: Node<Kind = $T>>(start: impl Node<Kind = $T>, nodes: &mut Nodes<N>) -> Active<$T, M> {
                Expr::new(chain!(op::$Op, start, nodes.take(); 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)).eval()
            }
            fn four<M: AnyMode, N: Node<Kind = $T>>(start: impl Node<Kind = $T>, nodes: &mut Nodes<N>) -> Active<$T, M> {
                Expr::new(chain!(op::$Op, start, nodes.take(); 0 1 2 3)).eval()
            }
            fn one<M: AnyMode, N: Node<Kind = $T>>(start: impl Node<Kind = $T>, nodes: &mut Nodes<N>) -> Active<$T, M> {
                Expr::new(chain!(op::$Op, start, nodes.take(); 0)).eval()
            }
            let mut iter = iter.map(|x| x.into_expr().node).fuse();
            let mut nodes = Nodes::new();
            // The plain sum starts with this number, which leaves every other one as it is.
            let start: $T = std::iter::empty::<$T>().$method();
            let first = if nodes.fill(&mut iter) {
                sixteen(Const(start), &mut nodes)
            } else if nodes.len() >= 4 {
                four(Const(start), &mut nodes)
            } else if nodes.len() > 0 {
                one(Const(start), &mut nodes)
            } else {
                return Active::passive(start);
            };
            more(first, &mut nodes, &mut iter)
        }
    }
)* } }
fold! {
    Sum sum Add f64;
    Sum sum Add f32;
    Product product Mul f64;
    Product product Mul f32;
}

/// Up to 16 nodes that wait for a statement.
struct Nodes<N> {
    nodes: [Option<N>; 16],
    next: usize,
    end: usize,
}
impl<N> Nodes<N> {
    fn new() -> Self {
        Nodes {
            nodes: std::array::from_fn(|_| None),
            next: 0,
            end: 0,
        }
    }
    fn len(&self) -> usize {
        self.end - self.next
    }
    /// Fetches nodes when there are none left; whether there are 16.
    fn fill(&mut self, iter: &mut impl Iterator<Item = N>) -> bool {
        if self.next == self.end {
            (self.next, self.end) = (0, 0);
            while self.end < 16
                && let Some(node) = iter.next()
            {
                self.nodes[self.end] = Some(node);
                self.end += 1;
            }
        }
        self.len() == 16
    }
    fn take(&mut self) -> N {
        self.next += 1;
        self.nodes[self.next - 1]
            .take()
            .expect("a node was counted")
    }
}

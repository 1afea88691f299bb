//! Expressions: built by operators, and recorded as one statement by one assignment.
//!
//! Programs need [`Active`], [`Expr`], [`Operand`], [`constant`], [`lit`], [`select()`], [`either`] and
//! [`list`](list()); custom operations [`unary`], [`binary`] and [`ternary`].
//!
//! An expression is a tree of [nodes](crate::node): leaves, and [`Apply`]. [`Expr`] adds kind and mode, by which
//! operators resolve.
//!
//! ```text
//! 2.0 * a + b      Expr<f64, Taped, Apply<Add, Apply<Mul, Const<f64>, ByVal<f64>>, ByVal<f64>>>
//!  .eval()         values bottom-up, then one statement: [constant 2.0 interned] [id a, id b]
//! ```
mod active;
mod apply;
mod build;
mod call;
mod compare;
mod leaf;
mod list;
mod number;
mod numbers;
mod operand;
mod operators;
mod place;
mod select;
mod variables;

pub use self::active::Active;
pub(crate) use self::active::{Id, VariableCellOf, VersionOf};
pub use self::apply::{Apply, Expr, node_of};
pub use self::build::{FromElements, OfLength};
pub use self::call::{Binary, Ternary, Unary, binary, ternary, unary};
pub use self::compare::Compared;
pub use self::leaf::{BorrowedConst, ByRef, ByVal, Const, Copied};
pub(crate) use self::leaf::{BorrowedVariableCell, Nothing};
pub use self::list::{Detached, Nodes, ToList, detached, list, list_of};
pub use self::number::{Number, number};
pub use self::numbers::{PlainKind, PlainNumbers};
pub use self::operand::{
    Beside, Constant, HasMethods, IntoExpr, KindOf, NodeOf, Operand, OperandOf, Rhs, RhsExpr,
    SameKind, ValueOf, constant, lit, passive,
};
pub use self::operators::Out;
pub use self::place::{PartExpr, PartLeaf, PartRef, Place};
pub use self::select::{Either, Select, either, select};
pub use self::variables::Variables;
#[doc(hidden)]
pub use self::{
    apply::Nil,
    build::{
        Build, Descriptions, ElementNodes, NoElements, StoredElements, TapeBuild, Then, build,
        columns, no_elements, then,
    },
    list::{Each, Elements, TapeList},
    number::AllowsWholeNumbers,
    numbers::{GivenNumbers, OfNumbers, SweptNumbers, TapeNumbers},
    operators::OnValues,
    place::{BorrowedPart, SetPart, TapePart},
    select::{OneOf, TapeSelect},
    variables::{Given, GivenPieces, OfVariables, TapeVariables},
};

use crate::{
    kind::{Carrier, Kind},
    store::Part,
};

/// Expressions of one leaf can be copied. A copy of another expression would be computed again, and twice at each level of nested
/// uses.
macro_rules! copied { ($([$($of:tt)*] $Node:ty;)*) => { $(
    // Some leaves are not `Copy`.
    #[allow(clippy::non_canonical_clone_impl)]
    impl<$($of)*, K, M> Clone for Expr<K, M, $Node>
    where
        $Node: Clone,
    {
        fn clone(&self) -> Self {
            Expr::new(self.node.clone())
        }
    }
    impl<$($of)*, K, M> Copy for Expr<K, M, $Node> where $Node: Copy {}
)* } }
copied! {
    ['a, L: Kind, N: Carrier] ByRef<'a, L, N>;
    [V] ByVal<V>;
    [L: Kind] Const<L>;
    [L: Kind, N: Carrier] Copied<L, N>;
    ['a, L: Kind, P: Part<L>, N: Carrier] PartLeaf<'a, L, P, N>;
    ['a, L: Kind, P, N: Carrier] PartRef<'a, L, P, N>;
    ['a, L: Kind, N: Carrier] Variables<'a, L, N>;
    ['a, L: PlainKind] PlainNumbers<'a, L>;
}

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
mod wrapper;

pub use self::active::Active;
pub(crate) use self::active::{Id, VariableCellOf, VersionOf};
pub use self::apply::Apply;
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
pub use self::wrapper::{Expr, node_of};
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

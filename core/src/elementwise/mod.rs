//! Elementary functions of all kinds of numbers, called by [`Elementary`](crate::real::Elementary), and declared by
//! [`#[op(elementwise)]`](macro@crate::op) and [`elementary!`](crate::elementary).
pub mod arithmetic;
mod definition;
mod dual;
mod elements;
mod evaluation;
mod holomorphic;
mod kinds;
mod lane;
mod number;
mod operators;
mod origin;
mod remember;
mod rules;
pub mod special;
mod table;

pub use self::definition::{Broadcast, ElementKind, Elementwise, Kink, NotDeclared};
pub use self::dual::{Dual, tangents_of};
pub use self::evaluation::{ElementEvaluation, WithTangents};
pub use self::holomorphic::{FieldLane, Holomorphic};
pub use self::kinds::{NumberKind, RealKind};
pub use self::lane::Lane;
pub(crate) use self::lane::each;
#[doc(hidden)]
pub use self::number::{NumberValue, no_function, power};
pub use self::origin::tangent_at_origin;
pub use self::remember::{Cheap, Cost, Dear, Remember, Remembered};

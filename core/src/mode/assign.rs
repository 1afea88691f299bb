//! Assignments to variables and copies of them.
use super::AnyMode;
use crate::{
    elementwise::arithmetic as op,
    expr::{Active, Apply, Copied, Expr, Id, OperandOf, Rhs, VariableCellOf},
    kind::{Identifier, Kind},
    node::Node,
    rule::Rule,
};
use std::ops;

impl<K: Kind, M: AnyMode> Active<K, M> {
    /// Assigns an expression, in one statement. A variable of a value kind gets a new identifier; in a storage kind the
    /// old value is saved if an adjoint reads it. Panics like [`Expr::eval`].
    #[inline(always)]
    #[track_caller]
    pub fn assign(&mut self, to: impl OperandOf<K, M>) {
        M::assign_node(self, to.into_rhs().node);
    }
    /// Assigns the result of `f`, which receives the old value: `v.update(|v| 0.5 * v + &w)`. Panics like [`Expr::eval`].
    ///
    /// ```
    /// use entape_core::{expr::Active, mode::Plain};
    ///
    /// let mut x = Active::<f64, Plain>::passive(4.0);
    /// x.update(|x| 0.5 * x + 1.0);
    /// assert_eq!(x, 3.0);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update<B: OperandOf<K, M>>(&mut self, f: impl FnOnce(Expr<K, M, Copied<K, M>>) -> B) {
        let new = f(Expr::new(self.copied()));
        self.assign(new);
    }
}

macro_rules! compound { ($($Op:ident $Trait:ident $method:ident;)*) => { $(
    impl<K: Kind, M: AnyMode, B: Rhs<K, M, op::$Op, Node: Node>> ops::$Trait<B> for Active<K, M>
    where op::$Op: Rule<K, <B::Node as Node>::Kind, Out = K> {
        #[inline(always)]
        #[track_caller]
        fn $method(&mut self, b: B) {
            let node = Apply::binary(op::$Op, self.copied(), b.into_rhs().node);
            M::assign_node(self, node);
        }
    }
)* } }
compound! {
    Add AddAssign add_assign;
    Sub SubAssign sub_assign;
    Mul MulAssign mul_assign;
    Div DivAssign div_assign;
    Rem RemAssign rem_assign;
}

/// Copies a variable with its identifier. A variable that owns its identifier is copied by a statement that shares the
/// value. Panics like [`Expr::eval`].
impl<K: Kind, M: AnyMode> Clone for Active<K, M> {
    #[inline(always)]
    #[track_caller]
    fn clone(&self) -> Self {
        if Id::<K, M>::OWNED {
            return M::copy_variable(self);
        }
        self.same()
    }
}
impl<K: Kind, M: AnyMode> Copy for Active<K, M>
where
    VariableCellOf<K, M>: Copy,
    Id<K, M>: Copy,
{
}

//! Assignments to variables, whole and compound.
use super::{Active, Apply, Beside, Copied, Expr, IntoExpr, KindOf, Operand, OperandOf};
use crate::{kind::Kind, mode::AnyMode, op, rule::Rule};
use std::ops;

impl<K: Kind, M: AnyMode> Active<K, M> {
    /// The variable as an operand that does not borrow it.
    #[inline(always)]
    pub(crate) fn copied(&self) -> Copied<K, M> {
        Copied::new(self)
    }
    /// Assigns an expression; one statement. A variable of a value kind gets a new identifier, one of a
    /// storage kind keeps its own, and the value it had is saved if an adjoint reads it.
    ///
    /// # Panics
    /// As [`Expr::eval`].
    #[inline(always)]
    #[track_caller]
    pub fn assign(&mut self, to: impl OperandOf<K, M>) {
        M::assign(self, to.operand().into_expr().node);
    }
    /// Another name of [`assign`](Self::assign), as for places.
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, to: impl OperandOf<K, M>) {
        self.assign(to);
    }
    /// Assigns what `f` makes of the variable, whose old value it gets as an operand:
    /// `v.update(|v| 0.5 * v + &w)`.
    ///
    /// ```
    /// use entape_core::{expr::Active, mode::Plain};
    ///
    /// let mut x = Active::<f64, Plain>::new(4.0);
    /// x.update(|x| 0.5 * x + 1.0);
    /// assert_eq!(x, 3.0);
    /// ```
    ///
    /// # Panics
    /// As [`Expr::eval`].
    #[inline(always)]
    #[track_caller]
    pub fn update<B: OperandOf<K, M>>(&mut self, f: impl FnOnce(Expr<K, M, Copied<K, M>>) -> B) {
        let new = f(Expr::new(self.copied()));
        self.assign(new);
    }
}

/// Compound assignment to variables.
macro_rules! compound { ($($Op:ident $Trait:ident $method:ident;)*) => { $(
    impl<K: Kind, M: AnyMode, B: Beside<K, op::$Op, Operand: Operand<M>>> ops::$Trait<B> for Active<K, M>
    where op::$Op: Rule<K, KindOf<B::Operand, M>, Out = K> {
        #[inline(always)]
        #[track_caller]
        fn $method(&mut self, b: B) {
            let node = Apply::binary(op::$Op, self.copied(), b.operand().into_expr().node);
            M::assign(self, node);
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

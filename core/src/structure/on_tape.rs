use super::{Arguments, Inputs, ReadLeaves, Structure, ValueLeaves, VariableLeaves, Vars};
use crate::{
    error::Error,
    expr::Active,
    kind::{Kind, Val},
    mode::AnyMode,
    tape::{Gradient, Records, Tape},
};

impl<M: AnyMode + Records> Tape<M> {
    /// Creates inputs from plain values in any structure, such as a struct with
    /// [`#[derive(Structure)]`](macro@crate::Structure).
    ///
    /// ```
    /// use entape_core::{Structure, tape::Tape};
    ///
    /// #[derive(Clone, Debug, PartialEq, Structure)]
    /// struct Spring { stiffness: f64, length: f64 }
    ///
    /// let mut tape = Tape::new();
    /// let spring = tape.structure(Spring { stiffness: 2.0, length: 1.0 });
    /// let force = tape.record(|| (spring.stiffness * spring.length).eval());
    /// let slope: Spring = tape.gradient(&force)?.wrt_structure(&spring)?;
    /// assert_eq!(slope, Spring { stiffness: 1.0, length: 2.0 });
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the tape is full.
    #[track_caller]
    pub fn structure<P, I: Inputs<P>>(&mut self, values: I) -> Vars<I::Shape, M> {
        I::Shape::inputs(values.into_values(), self)
    }
}
impl<M: AnyMode + Records> Gradient<'_, M> {
    /// Returns the gradient with respect to variables in a [structure](Tape::structure), as plain values. Fails and panics like
    /// [`wrt`](Self::wrt).
    #[track_caller]
    pub fn wrt_structure<A: Arguments<M>>(
        &self,
        variables: A,
    ) -> Result<<A::Shape as Structure>::Values, Error> {
        variables.read(&mut Wrt(self)).map(A::Shape::pack)
    }
}
struct Wrt<'g, 't, M>(&'g Gradient<'t, M>);
impl<M: AnyMode + Records> ReadLeaves for Wrt<'_, '_, M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<Val<K>, Error> {
        self.0.wrt(x)
    }
}

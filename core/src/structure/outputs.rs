use super::{ArrayOf, OptionOf, SingleRefShape, Structure, VariableLeaves, VecOf};
use crate::{
    error::{Error, FunctionFailure},
    expr::{Active, Expr},
    kind::{Kind, Val},
    mode::{AnyMode, Taped},
    node::Node,
};

/// The outputs of functions: a variable, an expression, a list, array, option, tuple, struct or `Result` of outputs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a function that a driver calls",
    note = "return variables, expressions, lists, arrays or tuples of these, structs with `#[derive(entape::Structure)]`, or a `Result` of any of \
     these"
)]
pub trait Outputs<M: AnyMode = Taped> {
    /// The plain values.
    type Values: Clone + 'static;
    /// The variables.
    type Variables: 'static;
    /// The structure of the values and the variables.
    type Structure: Structure<Values = Self::Values, Of<VariableLeaves<M>> = Self::Variables>;
    /// Evaluates expressions.
    ///
    /// # Errors
    /// The error of the function itself.
    #[track_caller]
    fn evaluate(self) -> Result<Self::Variables, Error>;
}

impl<K: Kind, M: AnyMode> Outputs<M> for Active<K, M> {
    type Values = Val<K>;
    type Variables = Active<K, M>;
    type Structure = SingleRefShape<K>;
    fn evaluate(self) -> Result<Self, Error> {
        Ok(self)
    }
}
impl<K: Kind, M: AnyMode, N: Node<Kind = K>> Outputs<M> for Expr<K, M, N> {
    type Values = Val<K>;
    type Variables = Active<K, M>;
    type Structure = SingleRefShape<K>;
    fn evaluate(self) -> Result<Active<K, M>, Error> {
        Ok(self.eval())
    }
}
impl<M: AnyMode, O: Outputs<M>> Outputs<M> for Vec<O> {
    type Values = Vec<O::Values>;
    type Variables = Vec<O::Variables>;
    type Structure = VecOf<O::Structure>;
    fn evaluate(self) -> Result<Self::Variables, Error> {
        let mut variables = Vec::with_capacity(self.len());
        for output in self {
            variables.push(output.evaluate()?);
        }
        Ok(variables)
    }
}
impl<M: AnyMode, O: Outputs<M>, const N: usize> Outputs<M> for [O; N] {
    type Values = [O::Values; N];
    type Variables = [O::Variables; N];
    type Structure = ArrayOf<O::Structure, N>;
    fn evaluate(self) -> Result<Self::Variables, Error> {
        let variables = Vec::from(self).evaluate()?;
        match variables.try_into() {
            Ok(variables) => Ok(variables),
            Err(_) => unreachable!("there is a variable for each output"),
        }
    }
}
impl<M: AnyMode, O: Outputs<M>> Outputs<M> for Option<O> {
    type Values = Option<O::Values>;
    type Variables = Option<O::Variables>;
    type Structure = OptionOf<O::Structure>;
    fn evaluate(self) -> Result<Self::Variables, Error> {
        match self {
            Some(output) => output.evaluate().map(Some),
            None => Ok(None),
        }
    }
}
impl<M: AnyMode, O: Outputs<M>, E> Outputs<M> for Result<O, E>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Values = O::Values;
    type Variables = O::Variables;
    type Structure = O::Structure;
    fn evaluate(self) -> Result<Self::Variables, Error> {
        match self {
            Ok(output) => output.evaluate(),
            Err(error) => Err(match error.into().downcast::<Error>() {
                // From an inner driver.
                Ok(error) => *error,
                Err(error) => Error::Function(FunctionFailure::new(error)),
            }),
        }
    }
}

#[doc(hidden)]
pub trait Fallible {
    type Error;
}
impl<T, E> Fallible for Result<T, E> {
    type Error = E;
}

macro_rules! tuple { ($($O:ident $i:tt)*) => { const _: () = {
    use crate::{error::Error, mode::AnyMode, structure::Outputs};
    impl<M: AnyMode, $($O: Outputs<M>),*> Outputs<M> for ($($O,)*) {
        type Values = ($($O::Values,)*);
        type Variables = ($($O::Variables,)*);
        type Structure = ($($O::Structure,)*);
        fn evaluate(self) -> Result<Self::Variables, Error> {
            Ok(($(self.$i.evaluate()?,)*))
        }
    }
}; } }
pub(super) use tuple;

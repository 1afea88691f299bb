use super::{AnyMode, OutputKind, WritesOutputs};
use crate::{
    expr::{Active, Expr, IntoExpr, OfLength, Place},
    kind::{Kind, Policy},
    node::Node,
    store::{Part, PlaceIndex},
};
use std::marker::PhantomData;

struct KindOfResult<K>(PhantomData<K>);
impl<K: Kind> KindOfResult<K> {
    /// Messages of the compiler name this constant, which unlike one of the method depends only on the kind.
    const IS_VARIABLE: () = assert!(
        <K::Policy as Policy<K::Value>>::VARIABLES,
        "a result with several outputs is not a variable: separate the outputs with `.split()`"
    );
}

impl<K: Kind, M: AnyMode, N: Node<Kind = K>> Expr<K, M, N> {
    /// Evaluates into a new variable, in one statement.
    ///
    /// # Panics
    /// If a variable in the expression belongs to another tape or an older recording, or is active while no tape records.
    #[inline(always)]
    #[track_caller]
    pub fn eval(self) -> Active<K, M> {
        let () = KindOfResult::<K>::IS_VARIABLE;
        M::eval_node(self.node)
    }
}
impl<K: PlaceIndex<I>, M: AnyMode, I> Place<K, M, I> {
    /// Evaluates the place into a new variable, in one statement, which operands such as `&v[i]` do not need. Panics
    /// like [`Expr::eval`].
    #[inline(always)]
    #[track_caller]
    pub fn eval(&self) -> Active<<K::Part as Part<K>>::Kind, M> {
        self.into_expr().eval()
    }
}
impl<K: OfLength<N>, M: AnyMode, const N: usize> From<Active<K, M>> for [Active<K::Element, M>; N] {
    #[track_caller]
    fn from(entity: Active<K, M>) -> Self {
        let mut elements = [const { None }; N];
        for (i, element) in elements.iter_mut().enumerate() {
            *element = Some(entity.at(i).eval());
        }
        elements.map(|element| element.expect("an element for each index"))
    }
}

impl<K: OfLength<N>, M: AnyMode, X: Node<Kind = K>, const N: usize> From<Expr<K, M, X>>
    for [Active<K::Element, M>; N]
{
    #[track_caller]
    fn from(entity: Expr<K, M, X>) -> Self {
        entity.eval().into()
    }
}

impl<K: OutputKind, M: AnyMode, N: Node<Kind = K>> Expr<K, M, N> {
    /// Evaluates an operation with several outputs into new variables, in one statement. Panics like [`eval`](Self::eval).
    ///
    /// One variable cannot hold all outputs, so `eval` does not compile:
    ///
    /// ```compile_fail
    /// # use entape_core::{expr::{Active, unary}, mode::Plain, op::SinCos};
    /// unary(SinCos, Active::<f64, Plain>::passive(1.0)).eval();
    /// ```
    ///
    /// ```
    /// # use entape_core::{expr::{Active, unary}, mode::Plain, op::SinCos};
    /// let (s, c) = unary(SinCos, Active::<f64, Plain>::passive(1.0)).split();
    /// ```
    #[track_caller]
    pub fn split(self) -> K::New<M> {
        M::split_node::<K, N>(self.node)
    }
    /// Assigns an operation with several outputs to variables and places, in one statement. Panics like [`eval`](Self::eval).
    #[track_caller]
    pub fn assign_to(self, outputs: impl WritesOutputs<K, M>) {
        M::assign_outputs::<K, N>(outputs, self.node);
    }
}

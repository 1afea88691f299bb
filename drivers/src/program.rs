use super::{
    forward::{TangentOf, run},
    numbers::{ToNumbers, each_value},
};
use entape_core::{
    expr::Active,
    kind::{Kind, Val, assert_like},
    mode::{AnyMode, Forward, Plain, Recording, Taped},
    structure::{
        ArrayShape, FlatStructure, Function, ListShape, Mismatch, Outputs, SingleShape, SliceShape,
        Structure, ValueLeaves, Vars, ZipLeaves,
    },
    tape::Error,
};
use std::{convert::Infallible, marker::PhantomData};

/// A [`Function`], one [with inputs in any structure](Structured), or a [closure](Recorded), of an [`Objective`](super::Objective).
/// Implemented only in this crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that runs in every mode and takes a list of reals",
    note = "declare `#[entape::function] fn f(x: &[Real]) -> Real` and pass `f {{}}` here; further arguments become fields: `f {{ data: &data }}`",
    note = "for a function with other inputs, such as matrices or structs, use `Objective::like(f {{}}, &inputs)`",
    note = "for a closure over `Real`s, use `Objective::recorded(closure)`"
)]
pub trait Program: sealed::SealedProgram {
    /// The plain values.
    type Values;
}
pub(super) mod sealed {
    use entape_core::{
        mode::{AnyMode, Forward, Recording},
        structure::{FlatStructure, Structure, Vars},
        tape::Error,
    };

    pub trait SealedProgram {
        type Inputs: FlatStructure;
        type Results: FlatStructure;
        /// The mode in which values are computed.
        type Ahead: AnyMode;
        /// The mode in which derivatives are recorded.
        type Recorded: Recording;
        #[track_caller]
        fn inputs(&self, x: &[f64]) -> <Self::Inputs as Structure>::Values;
        #[track_caller]
        fn expect(&self, values: &<Self::Inputs as Structure>::Values) {
            let _ = values;
        }
        #[track_caller]
        fn plain(
            &self,
            x: &Vars<Self::Inputs, Self::Ahead>,
            to: &mut impl FnMut(f64),
        ) -> Result<(), Error>;
        #[track_caller]
        fn record(
            &self,
            x: &Vars<Self::Inputs, Self::Recorded>,
        ) -> Result<Vars<Self::Results, Self::Recorded>, Error>;
        /// Appends the coordinates of the results at `x` and of their tangents, if the program runs in forward mode.
        #[track_caller]
        fn forward<const N: usize>(
            &self,
            x: &Vars<Self::Inputs, Forward<N>>,
            values: &mut Vec<f64>,
            tangents: &mut Vec<f64>,
        ) -> Option<Result<(), Error>>;
    }
}

/// A structure for a list of reals: a list, an array, or one `f64`.
#[diagnostic::on_unimplemented(
    message = "a function of `{Self}` cannot take a list of reals",
    label = "its inputs must be a list, an array or one number of kind `f64`",
    note = "for other inputs, use `Objective::like(f {{}}, &inputs)`, and `check::expression(f, inputs)` to check the function"
)]
pub trait RealsShape: FlatStructure {
    /// Returns the numbers of a list; panics if its length is wrong.
    #[track_caller]
    fn of_list(list: &[f64]) -> Self::Values;
}
#[track_caller]
fn array<const N: usize>(list: &[f64]) -> [f64; N] {
    match list.try_into() {
        Ok(array) => array,
        Err(_) => panic!(
            "{} inputs do not fit a function of {N} inputs: pass a slice of length {N}",
            list.len()
        ),
    }
}
impl RealsShape for ListShape<f64> {
    fn of_list(list: &[f64]) -> Vec<f64> {
        list.to_vec()
    }
}
impl RealsShape for SingleShape<f64> {
    fn of_list(list: &[f64]) -> f64 {
        let [x] = array(list);
        x
    }
}
impl<const N: usize> RealsShape for ArrayShape<f64, N> {
    fn of_list(list: &[f64]) -> [f64; N] {
        array(list)
    }
}
impl<const N: usize> RealsShape for SliceShape<f64, N> {
    fn of_list(list: &[f64]) -> [f64; N] {
        array(list)
    }
}

macro_rules! by_function { ($self:ident => $function:expr) => {
    type Inputs = F::Inputs;
    type Results = <F::Output<Taped> as Outputs>::Structure;
    type Ahead = Plain;
    type Recorded = Taped;
    fn plain(&$self, x: &Vars<F::Inputs, Plain>, to: &mut impl FnMut(f64)) -> Result<(), Error> {
        pass_on($function.call(F::Inputs::view(x)), to)
    }
    fn record(&$self, x: &Vars<F::Inputs, Taped>) -> Result<Vars<Self::Results, Taped>, Error> {
        $function.call(F::Inputs::view(x)).evaluate()
    }
    fn forward<const N: usize>(
        &$self,
        x: &Vars<F::Inputs, Forward<N>>,
        values: &mut Vec<f64>,
        tangents: &mut Vec<f64>,
    ) -> Option<Result<(), Error>> {
        let outputs = run(|| $function.call(F::Inputs::view(x)));
        Some(outputs.and_then(|y| append::<N, F::Output<Forward<N>>>(&y, values, tangents)))
    }
} }
#[track_caller]
fn pass_on<M: AnyMode, O: Outputs<M>>(outputs: O, to: &mut impl FnMut(f64)) -> Result<(), Error> {
    each_value::<O::Structure, M>(&outputs.evaluate()?, to);
    Ok(())
}
fn append<const N: usize, O: Outputs<Forward<N>>>(
    outputs: &O::Variables,
    values: &mut Vec<f64>,
    tangents: &mut Vec<f64>,
) -> Result<(), Error> {
    each_value::<O::Structure, Forward<N>>(outputs, &mut |x| values.push(x));
    let to = &mut |x| tangents.push(x);
    (0..N).try_for_each(|j| {
        let reader = TangentOf(j);
        O::Structure::read(outputs, &mut ToNumbers { reader, to }).map(drop)
    })
}

impl<F: Function<Inputs: RealsShape>> sealed::SealedProgram for F {
    fn inputs(&self, x: &[f64]) -> <F::Inputs as Structure>::Values {
        F::Inputs::of_list(x)
    }
    by_function! { self => self }
}
impl<F: Function<Inputs: RealsShape>> Program for F {
    type Values = F::Values;
}
/// A function with inputs in any structure, for an [`Objective`](super::Objective).
pub struct Structured<F: Function> {
    pub(super) function: F,
    pub(super) like: <F::Inputs as Structure>::Values,
    pub(super) count: usize,
}
entape_core::debug_by_name! { [F: Function] Structured<F> }
impl<F: Function> sealed::SealedProgram for Structured<F> {
    fn inputs(&self, x: &[f64]) -> <F::Inputs as Structure>::Values {
        let (given, needed) = (x.len(), self.count);
        assert!(
            given == needed,
            "{given} numbers do not fit inputs with {needed} coordinates: pass a slice of length {needed}"
        );
        F::Inputs::from_coordinates(&self.like, &mut &*x)
    }
    fn expect(&self, values: &<F::Inputs as Structure>::Values) {
        let mut like = F::Inputs::unpack(self.like.clone());
        let values = F::Inputs::unpack(values.clone());
        let Ok(()) = F::Inputs::zip(&mut like, values, &mut SameShapes);
    }
    by_function! { self => self.function }
}
impl<F: Function> Program for Structured<F> {
    type Values = F::Values;
}
struct SameShapes;
impl ZipLeaves for SameShapes {
    type Left = ValueLeaves;
    type Right = ValueLeaves;
    type Fail = Infallible;
    #[track_caller]
    fn leaf<K: Kind>(&mut self, like: &mut Val<K>, value: Val<K>) -> Result<(), Infallible> {
        assert_like::<K>("input", &value, like);
        Ok(())
    }
    #[track_caller]
    fn mismatch(&mut self, mismatch: Mismatch) -> Infallible {
        mismatch.panic("list", "inputs")
    }
}
/// A closure over recorded variables, for an [`Objective`](super::Objective).
#[derive(Clone, Copy, Debug)]
pub struct Recorded<C, M = Taped>(pub(super) C, pub(super) PhantomData<fn(M)>);
impl<C, M: Recording, O: Outputs<M, Structure: FlatStructure>> sealed::SealedProgram
    for Recorded<C, M>
where
    C: Fn(&[Active<f64, M>]) -> O,
{
    type Inputs = ListShape<f64>;
    type Results = O::Structure;
    type Ahead = M;
    type Recorded = M;
    fn inputs(&self, x: &[f64]) -> Vec<f64> {
        x.to_vec()
    }
    fn plain(&self, x: &Vec<Active<f64, M>>, to: &mut impl FnMut(f64)) -> Result<(), Error> {
        pass_on(self.0(x), to)
    }
    fn record(&self, x: &Vec<Active<f64, M>>) -> Result<O::Variables, Error> {
        self.0(x).evaluate()
    }
    fn forward<const N: usize>(
        &self,
        _: &Vec<Active<f64, Forward<N>>>,
        _: &mut Vec<f64>,
        _: &mut Vec<f64>,
    ) -> Option<Result<(), Error>> {
        None
    }
}
impl<C, M: Recording, O: Outputs<M, Structure: FlatStructure>> Program for Recorded<C, M>
where
    C: Fn(&[Active<f64, M>]) -> O,
{
    type Values = O::Values;
}

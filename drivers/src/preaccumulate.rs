use super::{
    jacobian::Jacobian,
    numbers::{count_numbers, each_number, set_numbers},
    recording::RecordedFunctionOf,
};
use entape_core::{
    expr::{Active, Apply, PlainNumbers, Variables},
    external::External,
    kind::{Kind, Val, is_unset_number},
    mode::{ByMode, Mode, Recording, eval_known},
    op::Dot,
    structure::{
        Arguments, FlatStructure, Mismatch, Outputs, ReadLeaves, SingleRefShape, Structure,
        UnitLeaves, VariableLeaves, Vars, ZipLeaves,
    },
    tape::{Tape, keeps_parts, note_accumulated},
};
use std::{any::Any, convert::Infallible, marker::PhantomData, ops::Range, rc::Rc};

/// Runs a part of a program with few inputs and outputs, and stores its Jacobian if that takes fewer bytes. A sweep
/// then takes one step for each output.
///
/// The part receives its inputs as passed and returns [outputs of drivers](Outputs) with real
/// [coordinates](entape_core::coordinates::Coordinates). It must not use other active variables.
///
/// ```
/// use entape_core::{expr::Active, tape::Tape};
/// use entape_drivers::preaccumulate;
///
/// let mut tape = Tape::new();
/// let (a, x) = (tape.input(0.3), tape.input(0.4));
/// let y = tape.record(|| {
///     let logistic = |(a, mut x): (Active<f64>, Active<f64>)| {
///         for _ in 0..100 {
///             x = (4.0 * a * x * (1.0 - x)).eval();
///         }
///         x
///     };
///     preaccumulate((a, x), logistic)
/// });
/// assert_eq!(tape.statistics().statements, 3); // two inputs, and one for the loop
/// assert!(tape.gradient(&y)?.wrt(&a)?.is_finite());
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
///
/// The part is recorded on its own tape, which is swept for each coordinate of the outputs. If the Jacobian is larger
/// than the statements, it runs again, and must return equal results.
///
/// Second derivatives need the statements: drivers of Hessians record them, and so does a tape with
/// [`Builder::preaccumulate(false)`](entape_core::tape::Builder::preaccumulate).
///
/// # Panics
///
/// If the part uses an active variable that is not an input, the program later uses a variable of the part that is not
/// an output, or the part records an [unconditional](External::unconditional) statement.
#[track_caller]
pub fn preaccumulate<M, A, O, F>(inputs: A, part: F) -> O::Variables
where
    M: Mode,
    A: Arguments<M, Shape: FlatStructure> + Copy,
    O: Outputs<M, Structure: FlatStructure>,
    F: Fn(<A::Shape as Structure>::View<'_, M>) -> O,
{
    M::by_mode(PreaccumulatedPart {
        inputs,
        part,
        _of: PhantomData::<(M, O)>,
    })
}

struct PreaccumulatedPart<A, F, M, O> {
    inputs: A,
    part: F,
    _of: PhantomData<(M, O)>,
}
impl<M, A, O, F> PreaccumulatedPart<A, F, M, O>
where
    M: Mode,
    A: Arguments<M, Shape: FlatStructure> + Copy,
    O: Outputs<M, Structure: FlatStructure>,
    F: Fn(<A::Shape as Structure>::View<'_, M>) -> O,
{
    #[track_caller]
    fn run(&self) -> O::Variables {
        match (self.part)(self.inputs.view()).evaluate() {
            Ok(outputs) => outputs,
            Err(error) => {
                panic!("a preaccumulated part failed: {error}: check for errors before the part")
            }
        }
    }
}
impl<M, A, O, F> ByMode<M> for PreaccumulatedPart<A, F, M, O>
where
    M: Mode,
    A: Arguments<M, Shape: FlatStructure> + Copy,
    O: Outputs<M, Structure: FlatStructure>,
    F: Fn(<A::Shape as Structure>::View<'_, M>) -> O,
{
    type Out = O::Variables;
    #[track_caller]
    fn plain(self) -> O::Variables {
        self.run()
    }
    #[track_caller]
    fn forward<const N: usize>(self) -> O::Variables {
        self.run()
    }
    #[track_caller]
    fn recording(self) -> O::Variables
    where
        M: Recording,
    {
        let mut reals = ActiveReals::<M> {
            any: false,
            reals: Some(Vec::new()),
            seen: 0,
        };
        let Ok(_) = self.inputs.read(&mut reals);
        if !reals.any || !Tape::is_recording() || keeps_parts() {
            return self.run();
        }
        let values = self.inputs.values();
        let zeros = A::Shape::zero(values.clone());
        let part = |x: &Vars<A::Shape, M>| (self.part)(A::Shape::view(x));
        let Ok(mut recorded) = RecordedFunctionOf::<A::Shape, O, M>::new(part, values, false)
        else {
            return self.run();
        };
        if let Some(location) = recorded.tape.unconditional() {
            panic!(
                "a preaccumulated part communicates with other processes at {location}, and its Jacobian on this process \
                 alone would be wrong: leave the communication out of the part, or record with \
                 `Builder::preaccumulate(false)`"
            );
        }
        let (rows, columns) = recorded.size();
        // A list's length; a statement's size, handle and value.
        let needed = match &reals.reals {
            Some(active) => rows * (12 * active.len() + 28),
            None => rows * (8 * columns + size_of::<f64>()) + 256,
        };
        if recorded.tape.recorded_bytes() <= needed {
            drop(recorded);
            return self.run();
        }
        let Ok(jacobian) = recorded.jacobian() else {
            drop(recorded);
            return self.run();
        };
        let mut outputs = recorded.outputs;
        let mut store = StoreJacobian {
            inputs: self.inputs,
            zeros: Rc::new(zeros),
            jacobian: Rc::new(jacobian),
            reals: reals.reals,
            row: 0,
            _mode: PhantomData::<M>,
        };
        let Ok(()) = O::Structure::change(&mut outputs, &mut store);
        note_accumulated();
        outputs
    }
}

struct ActiveReals<M: Mode> {
    any: bool,
    reals: Option<Vec<(usize, Active<f64, M>)>>,
    seen: usize,
}
impl<M: Mode> ReadLeaves for ActiveReals<M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Infallible> {
        self.any |= x.is_active();
        let x: &dyn Any = x;
        match (x.downcast_ref::<Active<f64, M>>(), &mut self.reals) {
            (Some(x), Some(all)) if x.is_active() => all.push((self.seen, x.same())),
            (Some(_), Some(_)) => {}
            _ => self.reals = None,
        }
        self.seen += 1;
        Ok(())
    }
}

struct StoreJacobian<A: Arguments<M>, M: Mode> {
    inputs: A,
    zeros: Rc<<A::Shape as Structure>::Values>,
    jacobian: Rc<Jacobian>,
    reals: Option<Vec<(usize, Active<f64, M>)>>,
    row: usize,
    _mode: PhantomData<M>,
}
impl<M: Mode, A: Arguments<M, Shape: FlatStructure> + Copy> StoreJacobian<A, M> {
    /// A real output of real inputs: a dot product with non-zero derivatives.
    #[track_caller]
    fn dot(&self, reals: &[(usize, Active<f64, M>)], value: f64) -> Active<f64, M> {
        let row = self.jacobian.row(self.row);
        let all = reals.iter().all(|(i, _)| row[*i] == 0.0);
        let nonzero = reals.iter().filter(|(i, _)| all || row[*i] != 0.0);
        let (of, slopes): (Vec<_>, Vec<_>) = nonzero.map(|(i, x)| (x.same(), row[*i])).unzip();
        let dot = Apply::binary(Dot, Variables(&of), PlainNumbers::<f64>(&slopes));
        eval_known(dot, value)
    }
    /// Any output of any inputs: an external function.
    #[track_caller]
    fn product<K: Kind>(&self, rows: Range<usize>, value: Val<K>) -> Active<K, M> {
        let (zeros, jacobian) = (self.zeros.clone(), self.jacobian.clone());
        let (columns, of_rows, like) = (self.jacobian.clone(), rows.clone(), value.clone());
        let tangent = move |x_t: <A::Shape as Structure>::Values| {
            let mut direction = Vec::with_capacity(columns.columns());
            A::Shape::coordinates(&x_t, &mut direction);
            let mut each = of_rows.clone().map(|row| {
                // Zeros remain zero, even if the derivative is infinite.
                let terms = columns.row(row).iter().zip(&direction);
                let terms = terms.filter(|(_, x_t)| **x_t != 0.0);
                terms.map(|(slope, x_t)| slope * x_t).sum::<f64>()
            });
            let mut tangent: Val<K> = like.clone();
            set_numbers::<K>(&mut tangent, &mut || {
                each.next().expect("an entry for each row")
            });
            tangent
        };
        let adjoint = move |r_b: Val<K>| {
            let mut weights = Vec::with_capacity(rows.len());
            each_number::<K>(&r_b, &mut |weight| weights.push(weight));
            let mut sums = vec![0.0; jacobian.columns()];
            for (row, weight) in rows.clone().zip(weights) {
                // Unset adjoints contribute nothing, even if the derivative is infinite.
                if !is_unset_number(weight) {
                    let row = jacobian.row(row);
                    sums.iter_mut()
                        .zip(row)
                        .for_each(|(sum, d)| *sum += weight * d);
                }
            }
            Ok::<_, String>(A::Shape::from_coordinates(&zeros, &mut &sums[..]))
        };
        let external = External::<M, A, SingleRefShape<K>>::new(self.inputs, value, adjoint);
        external.tangent(tangent).eval()
    }
}
impl<M: Mode, A: Arguments<M, Shape: FlatStructure> + Copy> ZipLeaves for StoreJacobian<A, M> {
    type Left = VariableLeaves<M>;
    type Right = UnitLeaves;
    type Fail = Infallible;
    #[track_caller]
    fn leaf<K: Kind>(&mut self, output: &mut Active<K, M>, (): ()) -> Result<(), Infallible> {
        let rows = self.row..self.row + count_numbers::<K>(output.get());
        if output.is_active() {
            let output: &mut dyn Any = output;
            match (&self.reals, output.downcast_mut::<Active<f64, M>>()) {
                (Some(reals), Some(y)) => *y = self.dot(reals, y.value()),
                _ => {
                    let output = output.downcast_mut::<Active<K, M>>().expect("of this kind");
                    *output = self.product::<K>(rows.clone(), output.get().clone());
                }
            }
        }
        self.row = rows.end;
        Ok(())
    }
    fn mismatch(&mut self, _: Mismatch) -> Infallible {
        unreachable!("the values have the shape of the variables")
    }
}

//! The engine of all drivers: a recorded function.
use super::{
    constant::{is_undefined, nan_like, slope_of_constant, tangent_of_constant, undefined},
    jacobian::Jacobian,
    numbers::{
        ToNumbers, count, each_number, each_unit, each_value, set_numbers, write, zip_numbers,
    },
    pool::PooledTape,
};
use entape_core::{
    expr::Active,
    kind::{Kind, Val},
    mode::{AnyMode, Mode, Taped},
    store::MANY,
    structure::{
        Inputs, Mismatch, Outputs, ReadLeaves, Runs, Structure, UnitLeaves, ValueLeaves,
        VariableLeaves, Vars, ZipLeaves,
    },
    tape::{
        Adjoints, Count, Directed, Directions, Error, Gradient, Records, SweptAdjoints, Tangents,
        Tape,
    },
};
use std::{array::from_fn, convert::Infallible, marker::PhantomData, ops::Range};

/// A recorded function. Derivatives are in the structures of inputs (`S`) and outputs (`R`), or lists of coordinates.
pub struct RecordedFunction<S: Structure, R: Structure, M: AnyMode + Records = Taped> {
    pub(crate) tape: PooledTape<M>,
    pub(crate) inputs: Vars<S, M>,
    pub(crate) outputs: Vars<R, M>,
}
entape_core::debug_by_name! { [S: Structure, R: Structure, M: AnyMode + Records] RecordedFunction<S, R, M> }

pub(crate) type RecordedFunctionOf<S, O, M = Taped> =
    RecordedFunction<S, <O as Outputs<M>>::Structure, M>;

/// Records `f` at `x`; `second` is whether for second derivatives.
#[track_caller]
pub(super) fn recorded<P, I, B, F>(
    f: F,
    x: I,
    second: bool,
) -> Result<RecordedFunctionOf<I::Shape, F::Output>, Error>
where
    I: Inputs<P>,
    F: Runs<I::Shape, Taped, B, Output: Outputs>,
{
    RecordedFunctionOf::<I::Shape, F::Output>::new(
        |x| f.run(I::Shape::view(x)),
        x.into_values(),
        second,
    )
}
impl<S: Structure, R: Structure, M: Mode + Records> RecordedFunction<S, R, M> {
    #[track_caller]
    pub(crate) fn new<O: Outputs<M, Structure = R, Variables = Vars<R, M>>>(
        f: impl FnOnce(&Vars<S, M>) -> O,
        values: S::Values,
        second: bool,
    ) -> Result<Self, Error> {
        let mut tape = PooledTape::take();
        tape.adapt(second);
        let inputs = S::inputs(values, &mut tape);
        let installed = tape.install();
        let outputs = f(&inputs).evaluate()?;
        drop(installed);
        Ok(RecordedFunction {
            tape,
            inputs,
            outputs,
        })
    }
}
impl<S: Structure, R: Structure, M: AnyMode + Records> RecordedFunction<S, R, M> {
    pub(crate) fn results(&self) -> R::Values {
        R::values(&self.outputs)
    }
    pub(super) fn each_result(&self, to: &mut impl FnMut(f64)) {
        each_value::<R, M>(&self.outputs, to);
    }
    pub(crate) fn size(&self) -> (usize, usize) {
        (count::<R, M>(&self.outputs), count::<S, M>(&self.inputs))
    }
    #[track_caller]
    pub(crate) fn pull(&mut self, seeds: R::Values) -> Result<S::Values, Error> {
        let mut seeding = Seeding::new(&mut self.tape);
        R::zip(&mut self.outputs, R::unpack(seeds), &mut seeding)?;
        let seeded = seeding.seeded;
        let mut swept = Swept::of(&mut self.tape, seeded)?;
        S::read(&self.inputs, &mut swept).map(S::pack)
    }
    pub(super) fn pull_into(&mut self, seeds: &[f64], product: &mut [f64]) -> Result<(), Error> {
        let seeding = Seeding::new(&mut self.tape);
        let seeded = zip_numbers::<R, M, _>(&mut self.outputs, seeds, seeding)?.seeded;
        let reader = Swept::of(&mut self.tape, seeded)?;
        let to = &mut write(product);
        S::read(&self.inputs, &mut ToNumbers { reader, to }).map(drop)
    }
    pub(super) fn push_into(
        &mut self,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        let directions = self.tape.directions::<1>()?;
        let set = SetDirection(directions);
        let set = zip_numbers::<S, M, _>(&mut self.inputs, direction, set)?;
        let reader = TangentOnTape(set.0.sweep()?);
        let to = &mut write(product);
        R::read(&self.outputs, &mut ToNumbers { reader, to }).map(drop)
    }
    pub(super) fn jacobian_rows(&mut self, first: usize, rows: &mut [f64]) -> Result<(), Error> {
        let n = count::<S, M>(&self.inputs);
        eight_at_a_time(rows, n, first, |first, rows| {
            self.some_jacobian_rows(n, first, rows)
        })
    }
    fn some_jacobian_rows(
        &mut self,
        n: usize,
        first: usize,
        rows: &mut [f64],
    ) -> Result<(), Error> {
        let mut seeds = SeedRows {
            adjoints: self.tape.adjoints()?,
            rows: first..first + rows.len() / n.max(1),
            next: 0,
            constant: [None; MANY],
        };
        R::read(&self.outputs, &mut seeds)?;
        let constant = seeds.constant;
        let swept = &seeds.adjoints.sweep()?;
        S::read(
            &self.inputs,
            &mut ReadRows {
                swept,
                rows,
                n,
                i: 0,
            },
        )?;
        for (row, slope) in rows.chunks_exact_mut(n.max(1)).zip(constant) {
            if let Some(slope) = slope {
                row.fill(slope);
            }
        }
        Ok(())
    }
    pub(crate) fn jacobian(&mut self) -> Result<Jacobian, Error> {
        let (m, n) = self.size();
        let mut entries = vec![0.0; m * n];
        self.jacobian_rows(0, &mut entries)?;
        Ok(Jacobian::new(m, n, entries))
    }
}
impl<S: Structure, R: Structure, M: AnyMode + Records> RecordedFunction<S, R, M> {
    #[track_caller]
    pub(super) fn hessian_vector(
        &mut self,
        direction: S::Values,
    ) -> Result<(S::Values, S::Values), Error> {
        if let Some(slope) = self.slope_of_constant() {
            let gradient = match slope.is_nan() {
                true => undefined::<S, M>(&self.inputs)?,
                false => S::zero(S::values(&self.inputs)),
            };
            return Ok((gradient.clone(), gradient));
        }
        let directions = self.tape.directions::<1>()?.one_sided();
        let mut set = SetDirection(directions);
        S::zip(&mut self.inputs, S::unpack(direction), &mut set)?;
        let swept = &gradient_of::<R, 1, M>(&self.outputs, set.0.sweep()?)?;
        let gradient = S::read(&self.inputs, &mut ReadGradient(swept))?;
        let product = S::read(&self.inputs, &mut ReadAlong(swept))?;
        Ok((S::pack(gradient), S::pack(product)))
    }
    pub(super) fn hessian_vector_into(
        &mut self,
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Error> {
        if let Some(slope) = self.slope_of_constant() {
            product.fill(slope);
            return Ok(());
        }
        let directions = self.tape.directions::<1>()?.one_sided();
        let set = SetDirection(directions);
        let set = zip_numbers::<S, M, _>(&mut self.inputs, direction, set)?;
        let reader = ReadAlong(&gradient_of::<R, 1, M>(&self.outputs, set.0.sweep()?)?);
        let to = &mut write(product);
        S::read(&self.inputs, &mut ToNumbers { reader, to }).map(drop)
    }
    pub(super) fn hessian_rows(&mut self, first: usize, rows: &mut [f64]) -> Result<(), Error> {
        if let Some(slope) = self.slope_of_constant() {
            rows.fill(slope);
            return Ok(());
        }
        let n = count::<S, M>(&self.inputs);
        eight_at_a_time(rows, n, first, |first, rows| {
            self.some_hessian_rows(n, first, rows)
        })
    }
    fn some_hessian_rows(&mut self, n: usize, first: usize, rows: &mut [f64]) -> Result<(), Error> {
        let directions = self.tape.directions::<MANY>()?.one_sided();
        let columns = first..first + rows.len() / n.max(1);
        let mut set = SetUnits {
            directions,
            columns,
            next: 0,
        };
        S::read(&self.inputs, &mut set)?;
        let swept = &gradient_of::<R, MANY, M>(&self.outputs, set.directions.sweep()?)?;
        S::read(
            &self.inputs,
            &mut ReadRows {
                swept,
                rows,
                n,
                i: 0,
            },
        )
        .map(drop)
    }
    fn slope_of_constant(&self) -> Option<f64> {
        struct OfConstant<M>(Option<f64>, PhantomData<M>);
        impl<M: AnyMode> ReadLeaves for OfConstant<M> {
            type From = VariableLeaves<M>;
            type To = UnitLeaves;
            type Fail = Infallible;
            fn leaf<K: Kind>(&mut self, y: &Active<K, M>) -> Result<(), Infallible> {
                self.0 = (!y.is_active()).then(|| slope_of_constant::<K>(y.get()));
                Ok(())
            }
        }
        let mut slope = OfConstant(None, PhantomData);
        let Ok(_) = R::read(&self.outputs, &mut slope);
        slope.0
    }
    pub(super) fn hessian(&mut self) -> Result<Jacobian, Error> {
        let n = count::<S, M>(&self.inputs);
        let mut entries = vec![0.0; n * n];
        self.hessian_rows(0, &mut entries)?;
        Ok(Jacobian::new(n, n, entries))
    }
}

fn eight_at_a_time(
    rows: &mut [f64],
    n: usize,
    first: usize,
    mut compute: impl FnMut(usize, &mut [f64]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut each = rows.chunks_mut(MANY * n.max(1)).enumerate();
    each.try_for_each(|(i, rows)| compute(first + i * MANY, rows))
}
fn gradient_of<'t, R: Structure, const N: usize, M: AnyMode + Records>(
    output: &Vars<R, M>,
    tangents: Tangents<'t, N, M>,
) -> Result<SweptAdjoints<'t, N, M>, Error>
where
    Count: Directed<N>,
{
    struct SweepBack<'t, const N: usize, M: Records> {
        tangents: Option<Tangents<'t, N, M>>,
        swept: Option<SweptAdjoints<'t, N, M>>,
    }
    impl<const N: usize, M: AnyMode + Records> ReadLeaves for SweepBack<'_, N, M>
    where
        Count: Directed<N>,
    {
        type From = VariableLeaves<M>;
        type To = UnitLeaves;
        type Fail = Error;
        fn leaf<K: Kind>(&mut self, y: &Active<K, M>) -> Result<(), Error> {
            let zero = K::zero_like(y.get());
            let mut one = zero.clone();
            set_numbers::<K>(&mut one, &mut || 1.0);
            let tangents = self.tangents.take().expect("one real output");
            let swept = tangents.pull(&[y], &[one], &[from_fn(|_| zero.clone())])?;
            self.swept = Some(swept);
            Ok(())
        }
    }
    let mut back = SweepBack {
        tangents: Some(tangents),
        swept: None,
    };
    R::read(output, &mut back)?;
    Ok(back.swept.expect("one real output"))
}

#[derive(Clone, Copy, Debug, Default)]
struct SeededOutputs {
    any: bool,
    undefined: bool,
}
impl SeededOutputs {
    fn with<K: Kind, M: AnyMode>(self, output: &Active<K, M>) -> Self {
        SeededOutputs {
            any: self.any || output.is_active(),
            undefined: self.undefined || is_undefined(output),
        }
    }
}
struct Seeding<'t, M: Records> {
    tape: &'t mut Tape<M>,
    seeded: SeededOutputs,
}
impl<'t, M: Records> Seeding<'t, M> {
    fn new(tape: &'t mut Tape<M>) -> Self {
        let seeded = SeededOutputs::default();
        Seeding { tape, seeded }
    }
}
impl<M: AnyMode + Records> ZipLeaves for Seeding<'_, M> {
    type Left = VariableLeaves<M>;
    type Right = ValueLeaves;
    type Fail = Error;
    #[track_caller]
    fn leaf<K: Kind>(&mut self, y: &mut Active<K, M>, seed: Val<K>) -> Result<(), Error> {
        self.seeded = self.seeded.with(y);
        match y.is_active() {
            true => self.tape.seed(y, seed),
            false => Ok(()),
        }
    }
    #[track_caller]
    fn mismatch(&mut self, mismatch: Mismatch) -> Error {
        mismatch.panic("seed", "outputs")
    }
}
enum Swept<'t, M: Records> {
    Gradient(Gradient<'t, M>),
    Zero,
    Undefined,
}
impl<'t, M: Records> Swept<'t, M> {
    fn of(tape: &'t mut Tape<M>, seeded: SeededOutputs) -> Result<Self, Error> {
        // A sweep takes the seeds. Adjoints may also come from elsewhere.
        let gradient = match seeded.any || tape.takes_part() {
            true => Some(tape.sweep()?),
            false => None,
        };
        Ok(match gradient {
            _ if seeded.undefined => Swept::Undefined,
            Some(gradient) => Swept::Gradient(gradient),
            None => Swept::Zero,
        })
    }
}
impl<M: AnyMode + Records> ReadLeaves for Swept<'_, M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Error;
    #[inline]
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<Val<K>, Error> {
        match self {
            Swept::Gradient(gradient) => gradient.wrt(x),
            Swept::Zero => Ok(K::zero_like(x.get())),
            Swept::Undefined => nan_like::<K>(x.get()),
        }
    }
}

struct SetDirection<'t, M: Records>(Directions<'t, 1, M>);
impl<M: AnyMode + Records> ZipLeaves for SetDirection<'_, M> {
    type Left = VariableLeaves<M>;
    type Right = ValueLeaves;
    type Fail = Error;
    #[track_caller]
    fn leaf<K: Kind>(&mut self, x: &mut Active<K, M>, tangent: Val<K>) -> Result<(), Error> {
        self.0.set_along(x, 0, tangent)
    }
    #[track_caller]
    fn mismatch(&mut self, mismatch: Mismatch) -> Error {
        mismatch.panic("direction", "inputs")
    }
}
struct SetUnits<'t, M: Records> {
    directions: Directions<'t, MANY, M>,
    columns: Range<usize>,
    next: usize,
}
impl<M: AnyMode + Records> ReadLeaves for SetUnits<'_, M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Error> {
        each_unit::<K, _>(x.get(), &self.columns, &mut self.next, |j, unit| {
            self.directions.set_along(x, j, unit)
        })
    }
}
struct SeedRows<'t, M: Records> {
    adjoints: Adjoints<'t, M>,
    rows: Range<usize>,
    next: usize,
    constant: [Option<f64>; MANY],
}
impl<M: AnyMode + Records> ReadLeaves for SeedRows<'_, M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, y: &Active<K, M>) -> Result<(), Error> {
        each_unit::<K, _>(y.get(), &self.rows, &mut self.next, |j, unit| {
            if y.is_active() {
                return self.adjoints.seed(y, j, unit);
            }
            self.constant[j] = Some(slope_of_constant::<K>(y.get()));
            Ok(())
        })
    }
}

struct ReadGradient<'s, 't, M: Records>(&'s SweptAdjoints<'t, 1, M>);
impl<M: AnyMode + Records> ReadLeaves for ReadGradient<'_, '_, M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Error;
    #[inline]
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<Val<K>, Error> {
        self.0.gradient(x)
    }
}
struct ReadAlong<'s, 't, M: Records>(&'s SweptAdjoints<'t, 1, M>);
impl<M: AnyMode + Records> ReadLeaves for ReadAlong<'_, '_, M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Error;
    #[inline]
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<Val<K>, Error> {
        self.0.wrt_along(x, 0)
    }
}
/// Writes eight adjoints of each input into columns of rows with `n` entries.
struct ReadRows<'s, 't, 'r, M: Records> {
    swept: &'s SweptAdjoints<'t, MANY, M>,
    rows: &'r mut [f64],
    n: usize,
    i: usize,
}
impl<M: AnyMode + Records> ReadLeaves for ReadRows<'_, '_, '_, M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Error> {
        let adjoints = self.swept.wrt(x)?;
        let mut i = self.i;
        for (row, adjoint) in self.rows.chunks_exact_mut(self.n.max(1)).zip(&adjoints) {
            i = self.i;
            each_number::<K>(adjoint, &mut |x| {
                row[i] = x;
                i += 1;
            });
        }
        self.i = i;
        Ok(())
    }
}
struct TangentOnTape<'t, M: Records>(Tangents<'t, 1, M>);
impl<M: AnyMode + Records> ReadLeaves for TangentOnTape<'_, M> {
    type From = VariableLeaves<M>;
    type To = ValueLeaves;
    type Fail = Error;
    fn leaf<K: Kind>(&mut self, y: &Active<K, M>) -> Result<Val<K>, Error> {
        match y.is_active() {
            true => self.0.of(y).map(|[tangent]| tangent),
            false => tangent_of_constant::<K>(y.get()),
        }
    }
}

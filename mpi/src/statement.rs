//! Communications as statements on tapes.
use crate::{
    communicator::Shared,
    run::{Call, Way, note},
    transfer::{Flight, Transfer},
};
use entape_core::{
    expr::Active,
    external::{Arguments, External},
    kind::{Kind, Layout},
    mode::{AnyMode, Mode},
    structure::{
        ArrayOf, FlatStructure, ReadLeaves, SingleShape, Structure, UnitLeaves, VariableLeaves,
        Vars,
    },
};
use std::{
    cell::RefCell, collections::VecDeque, convert::Infallible, fmt, marker::PhantomData, rc::Rc,
    thread::panicking,
};

type ValuesOf<S> = <S as Structure>::Values;
type Shape<A, M> = <A as Arguments<M>>::Shape;
/// No variables.
pub(crate) type Nothing = ArrayOf<SingleShape<f64>, 0>;

/// A list of variables in the structure `S`, as an argument.
pub struct ListOf<'a, S: Structure, M: AnyMode>(pub(crate) &'a [Vars<S, M>]);
impl<S: Structure, M: AnyMode> fmt::Debug for ListOf<'_, S, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ListOf").field(&self.0.len()).finish()
    }
}
impl<S: Structure, M: AnyMode> Arguments<M> for ListOf<'_, S, M> {
    type Shape = entape_core::structure::VecOf<S>;
    fn read<F: ReadLeaves<From = VariableLeaves<M>>>(
        &self,
        f: &mut F,
    ) -> Result<Vec<S::Of<F::To>>, F::Fail> {
        self.0.iter().map(|x| S::read(x, f)).collect()
    }
    fn view(&self) -> &[Vars<S, M>]
    where
        M: Mode,
    {
        self.0
    }
}

/// Converts numbers to values of a shape, given the value on the other side of the statement.
type Convert<X, Y> = Box<dyn Fn(&X, &[f64]) -> Y>;

/// Numbers that are compared between ranks before a communication, and their names.
pub(crate) type Check = Option<([usize; 2], &'static str)>;
/// Values of arguments, and their coordinates.
pub(crate) struct Input<S: FlatStructure> {
    pub(crate) value: S::Values,
    pub(crate) numbers: Vec<f64>,
    /// Whether the shapes of all ranks are equal.
    pub(crate) alike: bool,
}
impl<S: FlatStructure> Input<S> {
    pub(crate) fn of<M: AnyMode>(arguments: &impl Arguments<M, Shape = S>) -> Self {
        let value = arguments.values();
        let numbers = S::flattened(&value);
        Input {
            value,
            numbers,
            alike: true,
        }
    }
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }
}

/// A summary of the shapes of variables.
pub(crate) struct Shapes<M> {
    /// The number of elements of all variables.
    pub(crate) elements: usize,
    /// 32 bits that depend on all shapes.
    pub(crate) hash: u32,
    _mode: PhantomData<M>,
}
impl<M: AnyMode> Shapes<M> {
    pub(crate) fn of(arguments: &impl Arguments<M>) -> Self {
        let mut shapes = Shapes {
            elements: 0,
            hash: 1,
            _mode: PhantomData,
        };
        let Ok(_) = arguments.read(&mut shapes);
        shapes
    }
}
impl<M: AnyMode> ReadLeaves for Shapes<M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Infallible> {
        let shape = K::Layout::shape(x.get());
        self.elements += K::Layout::count(shape);
        if size_of_val(&shape) > 0 {
            for byte in format!("{shape:?};").bytes() {
                self.hash = (self.hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
        Ok(())
    }
}

/// A communication before it takes place, by [`eval`](Self::eval) or [`start`](Self::start). `A` are the arguments, and
/// `R` is the structure of the results.
#[must_use = "nothing is communicated before `eval` or `start`"]
pub struct Communication<M: AnyMode, A: Arguments<M, Shape: FlatStructure>, R: FlatStructure> {
    pub(crate) shared: Rc<Shared>,
    pub(crate) call: Call,
    pub(crate) arguments: A,
    /// The values of the arguments.
    pub(crate) input: Input<A::Shape>,
    pub(crate) transfer: Rc<dyn Transfer>,
    pub(crate) check: Check,
    pub(crate) to_arguments: Convert<ValuesOf<R>, ValuesOf<Shape<A, M>>>,
    pub(crate) to_results: Convert<ValuesOf<Shape<A, M>>, ValuesOf<R>>,
}
impl<M: AnyMode, A: Arguments<M, Shape: FlatStructure>, R: FlatStructure> fmt::Debug
    for Communication<M, A, R>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Communication").field(&self.call).finish()
    }
}
impl<M: AnyMode, A: Arguments<M, Shape: FlatStructure>> Communication<M, A, A::Shape> {
    /// Describes a communication whose results have the shape of the arguments.
    pub(crate) fn alike(
        shared: &Rc<Shared>,
        call: Call,
        arguments: A,
        input: Input<A::Shape>,
        transfer: Rc<dyn Transfer>,
        check: Check,
    ) -> Self {
        Communication {
            shared: shared.clone(),
            call,
            arguments,
            input,
            transfer,
            check,
            to_arguments: Box::new(|like, mut x| A::Shape::from_coordinates(like, &mut x)),
            to_results: Box::new(|like, mut x| A::Shape::from_coordinates(like, &mut x)),
        }
    }
}
impl<M: AnyMode, A: Arguments<M, Shape: FlatStructure>, R: FlatStructure> Communication<M, A, R> {
    /// Describes a communication whose results have the shape of `results`.
    pub(crate) fn like(
        shared: &Rc<Shared>,
        call: Call,
        arguments: A,
        input: Input<A::Shape>,
        results: R::Values,
        transfer: Rc<dyn Transfer>,
        check: Check,
    ) -> Self {
        let value = input.value.clone();
        Communication {
            shared: shared.clone(),
            call,
            arguments,
            input,
            transfer,
            check,
            to_arguments: Box::new(move |_, mut x| A::Shape::from_coordinates(&value, &mut x)),
            to_results: Box::new(move |_, mut x| R::from_coordinates(&results, &mut x)),
        }
    }
    #[track_caller]
    fn check(&self) {
        note(self.call, Way::Program);
        if let Some((numbers, of)) = self.check {
            let shapes = || match self.input.alike {
                true => Shapes::of(&self.arguments).hash,
                false => 0,
            };
            self.shared.check_shapes(self.call, numbers, of, shapes);
        }
    }
    /// Makes the communication, as one statement, and returns its results in new variables.
    ///
    /// # Panics
    /// On all ranks, if operations, roots, counts or shapes differ. If an argument belongs to another tape.
    #[track_caller]
    pub fn eval(self) -> Vars<R, M> {
        self.check();
        let Communication {
            call,
            arguments,
            input,
            transfer,
            to_arguments,
            to_results,
            ..
        } = self;
        let x = input.value;
        let made = transfer.apply(Way::Program, input.numbers);
        let value = match made {
            Ok(y) => to_results(&x, &y),
            Err(reason) => panic!("{call}: {reason}"),
        };
        drop(x);
        let back = transfer.clone();
        let statement = External::<M, A, R>::new(arguments, value, move |r_b| {
            let x_b = back.apply(Way::Adjoints, R::flattened(&r_b))?;
            Ok::<_, String>(to_arguments(&r_b, &x_b))
        });
        let forth = move |x_t: ValuesOf<Shape<A, M>>| {
            let r_t = transfer.apply(Way::Tangents, A::Shape::flattened(&x_t))?;
            Ok::<_, String>(to_results(&x_t, &r_t))
        };
        let statement = statement.try_tangent(forth);
        statement.linear().unconditional().marked().eval()
    }
    /// Starts an immediate communication. [`Request::wait`] returns the results.
    ///
    /// It is two statements, at the start and at the end. A sweep starts at the statement of the end, and ends at the
    /// statement of the start.
    ///
    /// # Panics
    /// Like [`eval`](Self::eval).
    #[track_caller]
    pub fn start(self) -> Request<M, R> {
        self.check();
        let Communication {
            shared,
            call,
            arguments,
            input,
            transfer,
            to_arguments,
            to_results,
            ..
        } = self;
        let number = transfer.is_collective().then(|| shared.next_start());
        let x = input.value;
        let flight = transfer.start(Way::Program, input.numbers, false);
        let between = Rc::new(Between::<Shape<A, M>, R> {
            transfer,
            arguments: x,
            to_arguments,
            to_results,
            flights: RefCell::default(),
        });
        let (start, tangents) = (between.clone(), between.clone());
        let nothing: [f64; 0] = [];
        let statement =
            External::<M, A, Nothing>::new(arguments, nothing, move |_| start.end_of_adjoints());
        let statement = statement.try_tangent(move |x_t| {
            let x_t = A::Shape::flattened(&x_t);
            tangents.begin(Way::Tangents, x_t, None);
            Ok::<_, String>(nothing)
        });
        statement.linear().unconditional().marked().eval();
        Request {
            shared,
            call,
            number,
            flight: Some(flight),
            between: Some(between),
        }
    }
}

/// What both statements of an immediate communication use.
struct Between<A: FlatStructure, R: FlatStructure> {
    transfer: Rc<dyn Transfer>,
    arguments: A::Values,
    to_arguments: Convert<R::Values, A::Values>,
    to_results: Convert<A::Values, R::Values>,
    /// The communications in flight in a walk over the tape, one for each direction, with the adjoints of the results.
    flights: RefCell<VecDeque<(Flight, Option<R::Values>)>>,
}
impl<A: FlatStructure, R: FlatStructure> Between<A, R> {
    fn begin(&self, way: Way, x: Vec<f64>, of: Option<R::Values>) {
        let flight = self.transfer.start(way, x, false);
        self.flights.borrow_mut().push_back((flight, of));
    }
    fn end(&self, way: Way) -> Result<(Vec<f64>, Option<R::Values>), String> {
        let next = self.flights.borrow_mut().pop_front();
        let (flight, of) = next.ok_or("its other statement is not part of this sweep")?;
        Ok((self.transfer.finish(way, flight)?, of))
    }
    fn end_of_adjoints(&self) -> Result<A::Values, String> {
        let (x_b, r_b) = self.end(Way::Adjoints)?;
        let r_b = r_b.ok_or("its other statement is not part of this sweep")?;
        Ok((self.to_arguments)(&r_b, &x_b))
    }
}
/// The end of an immediate communication, with the type of its arguments erased.
trait End<R: FlatStructure> {
    fn value(&self, flight: Flight) -> Result<R::Values, String>;
    fn begin_adjoints(&self, r_b: R::Values);
    fn end_of_tangents(&self) -> Result<R::Values, String>;
}
impl<A: FlatStructure, R: FlatStructure> End<R> for Between<A, R> {
    fn value(&self, flight: Flight) -> Result<R::Values, String> {
        let y = self.transfer.finish(Way::Program, flight)?;
        Ok((self.to_results)(&self.arguments, &y))
    }
    fn begin_adjoints(&self, r_b: R::Values) {
        self.begin(Way::Adjoints, R::flattened(&r_b), Some(r_b));
    }
    fn end_of_tangents(&self) -> Result<R::Values, String> {
        let (r_t, _) = self.end(Way::Tangents)?;
        Ok((self.to_results)(&self.arguments, &r_t))
    }
}

/// An immediate communication that was started, until [`wait`](Self::wait).
///
/// # Panics
/// If it is dropped before.
#[must_use = "a communication that was started ends at `wait`"]
pub struct Request<M: AnyMode, R: FlatStructure> {
    shared: Rc<Shared>,
    call: Call,
    number: Option<usize>,
    flight: Option<Flight>,
    between: Option<Rc<dyn EndOf<M, R>>>,
}
/// An [`End`] in a mode.
trait EndOf<M, R: FlatStructure>: End<R> {}
impl<M, A: FlatStructure, R: FlatStructure> EndOf<M, R> for Between<A, R> {}
impl<M: AnyMode, R: FlatStructure> fmt::Debug for Request<M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Request").field(&self.call).finish()
    }
}
impl<M: AnyMode, R: FlatStructure> Request<M, R> {
    /// Ends the communication, and returns its results in new variables.
    ///
    /// Collective operations must end in one order on all ranks, also with respect to blocking ones: a sweep starts
    /// them in reverse.
    ///
    /// # Panics
    /// On all ranks, if their orders differ, with [checks](crate::Communicator::checks).
    #[track_caller]
    pub fn wait(mut self) -> Vars<R, M> {
        if let Some(number) = self.number {
            self.shared.check(Call::new("wait"), [number, 0], "number");
        }
        let taken = (self.flight.take(), self.between.take());
        let (Some(flight), Some(between)) = taken else {
            unreachable!("a request is waited for once");
        };
        let value = match between.value(flight) {
            Ok(value) => value,
            Err(reason) => panic!("{}: {reason}", self.call),
        };
        let (back, forth) = (between.clone(), between);
        let arguments: &[Active<f64, M>; 0] = &[];
        let statement = External::<M, _, R>::new(arguments, value, move |r_b| {
            back.begin_adjoints(r_b);
            Ok::<[f64; 0], String>([])
        });
        let statement = statement.try_tangent(move |_| forth.end_of_tangents());
        statement.linear().unconditional().marked().eval()
    }
}
impl<M: AnyMode, R: FlatStructure> Drop for Request<M, R> {
    fn drop(&mut self) {
        if self.flight.is_some() && !panicking() {
            panic!(
                "{}: a request was dropped: call `wait`, also before the function returns an error",
                self.call
            );
        }
    }
}

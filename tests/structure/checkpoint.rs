//! Gradients of loops with few states in memory are bitwise equal to gradients of the whole tape.
mod faults;

use super::assert_close;
use approx::assert_abs_diff_eq;
use entape::{
    checkpoint::{
        AnySteps, Checkpoints, Cost, Error, Gradient, Progress, StepMode, Steps, TrySteps, Values,
    },
    complex::{C64, num_complex::Complex64},
    driver::{ArrayShape, IntoValues, ListShape, Outputs, SingleRefShape, SingleShape},
    kind::{Carrier, Kind, Val},
    linalg::Dense,
    prelude::*,
    simd::arrays::ArrayKind,
    structure::{FlatStructure, ReadLeaves, Structure, ValueLeaves, VariableLeaves},
    tape,
};
use nalgebra::{DMatrix, Dyn};
use std::cell::{Cell, RefCell};

fn whole<T: Cost>(
    program: &T,
    initial: &Values<T::State>,
    parameters: &Values<T::Parameters>,
    steps: usize,
) -> (f64, Gradient<T>) {
    struct GradientOf<'g, 't>(&'g tape::Gradient<'t>);
    impl ReadLeaves for GradientOf<'_, '_> {
        type From = VariableLeaves<Taped>;
        type To = ValueLeaves;
        type Fail = tape::Error;
        fn leaf<K: Kind>(&mut self, variable: &Active<K>) -> Result<Val<K>, tape::Error> {
            self.0.wrt(variable)
        }
    }
    let mut tape = Tape::new();
    let first = T::State::inputs(initial.clone(), &mut tape);
    let p = T::Parameters::inputs(parameters.clone(), &mut tape);
    let sum = tape.record(|| {
        let (mut state, mut sum) = (None, Real::passive(0.0));
        for number in 0..steps {
            let view = || T::State::view(state.as_ref().unwrap_or(&first));
            if let Some(cost) = program.cost_along(number, view(), T::Parameters::view(&p)) {
                sum += cost;
            }
            let next = program.try_step(number, view(), T::Parameters::view(&p));
            state = Some(next.expect("a step").evaluate().expect("variables"));
        }
        let view = T::State::view(state.as_ref().unwrap_or(&first));
        sum += program.cost(view, T::Parameters::view(&p));
        sum
    });
    let gradient = tape.gradient(&sum).expect("a sweep");
    let mut read = GradientOf(&gradient);
    let state = T::State::read(&first, &mut read).expect("inputs");
    let parameters = T::Parameters::read(&p, &mut read).expect("inputs");
    (
        sum.value(),
        (T::State::pack(state), T::Parameters::pack(parameters)),
    )
}
fn bits<S: FlatStructure>(values: &Values<S>) -> Vec<u64> {
    let mut all = Vec::new();
    S::coordinates(values, &mut all);
    all.into_iter().map(f64::to_bits).collect()
}
fn bounds<M: StepMode>() -> impl Iterator<Item = Checkpoints<'static, M>> {
    let new = Checkpoints::default;
    let states = [1, 2, 3, 5, 70].map(|states| new().states(states));
    let others = [
        new().states(2).steps_at_once(4),
        new().states(2).spill(300),
        new().bytes(100_000),
        new(),
    ];
    states.into_iter().chain(others)
}
type StateOf<T> = <T as TrySteps>::State;
type ParametersOf<T> = <T as TrySteps>::Parameters;
fn compare<T, I, J>(program: &T, from: impl Fn() -> (I, J))
where
    T: Cost<Parameters: FlatStructure>,
    T: AnySteps<State = StateOf<T>, Parameters = ParametersOf<T>>,
    I: IntoValues<StateOf<T>>,
    J: IntoValues<ParametersOf<T>>,
{
    let (x, p) = from();
    let (initial, parameters) = (x.into_values(), p.into_values());
    for steps in [0, 1, 2, 3, 8, 29, 61] {
        let (value, gradient) = whole(program, &initial, &parameters, steps);
        let numbers = |(value, gradient): &(f64, Gradient<T>)| {
            let state = bits::<StateOf<T>>(&gradient.0);
            let parameters = bits::<ParametersOf<T>>(&gradient.1);
            (value.to_bits(), state, parameters)
        };
        let expected = numbers(&(value, gradient));
        for (checkpoints, reuse) in bounds::<Taped>().zip(bounds::<Reuse>()) {
            let (x, p) = from();
            let known = checkpoints.value_and_gradient(program, x, p, steps);
            let (x, p) = from();
            let until =
                |number, _: entape::checkpoint::View<'_, StateOf<T>, Plain>| number == steps;
            let unknown = checkpoints.value_and_gradient_until(program, x, p, until);
            let (x, p) = from();
            let reused = reuse.value_and_gradient(program, x, p, steps);
            for result in [known, unknown] {
                let found = numbers(&result.expect("a gradient"));
                assert_eq!(found, expected, "{steps} steps, {checkpoints:?}");
            }
            let found = numbers(&reused.expect("a gradient"));
            assert_eq!(
                found, expected,
                "{steps} steps in the mode Reuse, {reuse:?}"
            );
        }
    }
}

struct Pendulum;
impl Steps for Pendulum {
    type State = (ArrayShape<f64, 2>, SingleShape<f32>);
    type Parameters = ListShape<f64>;
    type Output<M: Mode> = ([Real<M>; 2], Real32<M>);
    fn step<M: Mode>(
        &self,
        number: usize,
        state: ([Real<M>; 2], Real32<M>),
        p: &[Real<M>],
    ) -> Self::Output<M> {
        AnySteps::step(self, number, &state, &p.to_vec())
    }
}
impl Cost for Pendulum {
    fn cost<M: Mode>(&self, state: ([Real<M>; 2], Real32<M>), p: &[Real<M>]) -> Real<M> {
        AnySteps::cost(self, &state, &p.to_vec())
    }
    fn cost_along<M: Mode>(
        &self,
        number: usize,
        state: ([Real<M>; 2], Real32<M>),
        p: &[Real<M>],
    ) -> Option<Real<M>> {
        AnySteps::cost_along(self, number, &state, &p.to_vec())
    }
}
#[allow(clippy::ptr_arg, clippy::op_ref)] // the variables of a list, by reference
impl AnySteps for Pendulum {
    type State = StateOf<Self>;
    type Parameters = ListShape<f64>;
    type Output<M: AnyMode> = ([Real<M>; 2], Real32<M>);
    fn step<M: AnyMode>(
        &self,
        number: usize,
        ([x, v], s): &([Real<M>; 2], Real32<M>),
        p: &Vec<Real<M>>,
    ) -> Self::Output<M> {
        let force = (&p[2] * (0.3 * number as f64).sin() - &p[0] * x.sin() - &p[1] * v).eval();
        let v = (v + 0.1 * force + 0.01 * s.to_f64()).eval();
        let s = (0.9_f32 * s + (x * &v).to_f32()).eval();
        ([(x + 0.1 * &v).eval(), v], s)
    }
    fn cost<M: AnyMode>(
        &self,
        ([x, v], s): &([Real<M>; 2], Real32<M>),
        p: &Vec<Real<M>>,
    ) -> Real<M> {
        (x * x + v * s.to_f64() + &p[0] * &p[1]).eval()
    }
    fn cost_along<M: AnyMode>(
        &self,
        number: usize,
        ([x, _], _): &([Real<M>; 2], Real32<M>),
        p: &Vec<Real<M>>,
    ) -> Option<Real<M>> {
        // Also a variable returned unchanged.
        match number % 5 {
            0 => Some((&p[2] * x).eval()),
            3 => Some(x.clone()),
            _ => None,
        }
    }
}

/// Advection with diffusion of two fields, one of which is written in place.
struct Fields;
impl Steps for Fields {
    type State = (
        SingleRefShape<ArrayKind<f64>>,
        SingleRefShape<ArrayKind<f64>>,
    );
    type Parameters = (SingleShape<f64>, SingleRefShape<ArrayKind<f64>>);
    type Output<M: Mode> = (Array<M>, Array<M>);
    fn step<M: Mode>(
        &self,
        _: usize,
        (u, v): (&Array<M>, &Array<M>),
        (a, k): (Real<M>, &Array<M>),
    ) -> (Array<M>, Array<M>) {
        fields(u, v, &a, k)
    }
}
fn fields<M: AnyMode>(
    u: &Array<M>,
    v: &Array<M>,
    a: &Real<M>,
    k: &Array<M>,
) -> (Array<M>, Array<M>) {
    let n = u.len();
    let mut new = u.clone();
    let inner = u.slice(1..n - 1);
    let flow = a * (u.slice(2..) - u.slice(..n - 2));
    let spread = k.slice(1..n - 1) * (u.slice(2..) - 2.0 * inner + u.slice(..n - 2));
    new.slice_mut(1..n - 1)
        .assign(inner + 0.1 * (spread - flow));
    let v = (v + 0.1 * (&new * &new - v).sin()).eval();
    (new, v)
}
impl Cost for Fields {
    fn cost<M: Mode>(&self, (u, v): (&Array<M>, &Array<M>), _: (Real<M>, &Array<M>)) -> Real<M> {
        (u.norm_squared() + u.dot(v)).eval()
    }
}
impl AnySteps for Fields {
    type State = StateOf<Self>;
    type Parameters = ParametersOf<Self>;
    type Output<M: AnyMode> = (Array<M>, Array<M>);
    fn step<M: AnyMode>(
        &self,
        _: usize,
        (u, v): &(Array<M>, Array<M>),
        (a, k): &(Real<M>, Array<M>),
    ) -> (Array<M>, Array<M>) {
        fields(u, v, a, k)
    }
    fn cost<M: AnyMode>(&self, (u, v): &(Array<M>, Array<M>), _: &(Real<M>, Array<M>)) -> Real<M> {
        (u.norm_squared() + u.dot(v)).eval()
    }
}

/// A damped rotation by a matrix, so small that its adjoint collects nothing, with a complex number.
struct Rotation;
type MatrixShape = SingleRefShape<Dense<f64, Dyn, Dyn>>;
impl Steps for Rotation {
    type State = (MatrixShape, SingleShape<C64>);
    type Parameters = (MatrixShape, SingleShape<C64>);
    type Output<M: Mode> = (Matrix<M>, Complex<M>);
    fn step<M: Mode>(
        &self,
        _: usize,
        (x, z): (&Matrix<M>, Complex<M>),
        (a, w): (&Matrix<M>, Complex<M>),
    ) -> (Matrix<M>, Complex<M>) {
        rotation(x, &z, a, &w)
    }
}
fn rotation<M: AnyMode>(
    x: &Matrix<M>,
    z: &Complex<M>,
    a: &Matrix<M>,
    w: &Complex<M>,
) -> (Matrix<M>, Complex<M>) {
    let turned = (a * x).eval();
    let z = (z * w + turned.trace() * 0.1).eval();
    ((&turned + x * (&z).norm_sqr() * 0.01).eval(), z)
}
impl Cost for Rotation {
    fn cost<M: Mode>(
        &self,
        (x, z): (&Matrix<M>, Complex<M>),
        (a, _): (&Matrix<M>, Complex<M>),
    ) -> Real<M> {
        (x.norm_squared() + z.norm_sqr() + (a * x).trace()).eval()
    }
}
impl AnySteps for Rotation {
    type State = StateOf<Self>;
    type Parameters = ParametersOf<Self>;
    type Output<M: AnyMode> = (Matrix<M>, Complex<M>);
    fn step<M: AnyMode>(
        &self,
        _: usize,
        (x, z): &(Matrix<M>, Complex<M>),
        (a, w): &(Matrix<M>, Complex<M>),
    ) -> (Matrix<M>, Complex<M>) {
        rotation(x, z, a, w)
    }
    fn cost<M: AnyMode>(
        &self,
        (x, z): &(Matrix<M>, Complex<M>),
        (a, _): &(Matrix<M>, Complex<M>),
    ) -> Real<M> {
        (x.norm_squared() + z.norm_sqr() + (a * x).trace()).eval()
    }
}

#[test]
fn gradients_of_reals_agree_with_the_whole_tape() {
    compare(&Pendulum, || (([0.5, -0.3], 0.25_f32), vec![1.3, 0.2, 0.7]));
}
#[test]
fn gradients_of_arrays_agree_with_the_whole_tape() {
    let field = |seed: f64| (0..9).map(|i| (seed + i as f64).sin()).collect::<Vec<_>>();
    let (u, v, k) = (field(0.3), field(1.7), field(0.9));
    compare(&Fields, || ((&u, &v), (0.4, &k)));
}
#[test]
fn gradients_of_matrices_and_complex_numbers_agree_with_the_whole_tape() {
    let x = DMatrix::from_fn(2, 2, |i, j| (1.0 + 2.0 * i as f64 + j as f64).cos());
    let a = DMatrix::from_row_slice(2, 2, &[0.8, -0.55, 0.5, 0.75]);
    let (z, w) = (Complex64::new(0.3, -0.4), Complex64::new(0.6, 0.7));
    compare(&Rotation, || ((&x, z), (&a, w)));
}
#[test]
fn a_seed_may_replace_the_cost_and_a_closure_the_program() -> Result<(), Error> {
    let (initial, p) = (([0.5, -0.3], 0.25_f32), [1.3, 0.2, 0.7]);
    let checkpoints = Checkpoints::new().states(4);
    let seed = ([1.0, -2.0], 3.0_f32);
    let (last, by_seed) = checkpoints.vjp(&Pendulum, initial, &p, 40, seed)?;
    let step = |i: usize, x: ([Real; 2], Real32), p: &[Real]| Steps::step(&Pendulum, i, x, p);
    let cost = |([x, v], s): ([Real; 2], Real32), _: &[Real]| {
        (x - 2.0 * v + (3.0_f32 * s).to_f64()).eval()
    };
    let (y, by_closures) = checkpoints.value_and_gradient_of(step, cost, initial, &p[..], 40)?;
    assert_eq!(by_seed, by_closures);
    let step = |i: usize, x: &([Real<Reuse>; 2], Real32<Reuse>), p: &Vec<Real<Reuse>>| {
        AnySteps::step(&Pendulum, i, x, p)
    };
    let cost = |([x, v], s): &([Real<Reuse>; 2], Real32<Reuse>), _: &Vec<Real<Reuse>>| {
        (x - 2.0 * v + (3.0_f32 * s).to_f64()).eval()
    };
    let reuse = Checkpoints::<Reuse>::default().states(4);
    let reused = reuse.value_and_gradient_of(step, cost, initial, &p[..], 40)?;
    assert_eq!(reused, (y, by_closures));
    let ([x, v], s) = last;
    assert_eq!(y, x - 2.0 * v + f64::from(3.0 * s));
    let (last, (state, parameters)) = checkpoints.vjp(&Pendulum, initial, &p, 0, seed)?;
    assert_eq!((last, state, parameters), (initial, seed, vec![0.0; 3]));
    Ok(())
}

#[test]
fn steps_of_the_mode_reuse_are_plain_or_recorded_in_this_mode() -> Result<(), Error> {
    #[derive(Default)]
    struct Modes(RefCell<Vec<&'static str>>);
    impl AnySteps for Modes {
        type State = SingleShape<f64>;
        type Parameters = SingleShape<f64>;
        type Output<M: AnyMode> = Result<Real<M>, String>;
        fn step<M: AnyMode>(&self, i: usize, x: &Real<M>, a: &Real<M>) -> Result<Real<M>, String> {
            self.0.borrow_mut().push(std::any::type_name::<M>());
            match i {
                7 => Err(String::from("a step fails")),
                _ => Ok((a * x).eval()),
            }
        }
        fn cost<M: AnyMode>(&self, x: &Real<M>, _: &Real<M>) -> Real<M> {
            x.clone()
        }
    }
    let checkpoints = Checkpoints::<Reuse>::default().states(1);
    let modes = Modes::default();
    let found = checkpoints.value_and_gradient(&modes, 3.0, 2.0, 3)?;
    assert_eq!(found, (24.0, (8.0, 36.0)));
    let last = |mode: &&str| String::from(mode.rsplit("::").next().unwrap_or_default());
    let modes: Vec<_> = modes.0.borrow().iter().map(last).collect();
    assert_eq!(
        modes,
        ["Plain", "Plain", "Reuse", "Plain", "Reuse", "Reuse"]
    );
    let failed = checkpoints.value_and_gradient(&Modes::default(), 3.0, 2.0, 9);
    let message = failed.expect_err("a failed step").to_string();
    assert!(message.contains("a step fails"), "{message}");
    Ok(())
}

#[test]
fn a_loop_is_one_statement_in_a_larger_program() -> Result<(), Box<dyn std::error::Error>> {
    fn program<M: Mode>(
        checkpoints: Option<Checkpoints<'static>>,
        (x, p): (&[Real<M>; 2], &[Real<M>]),
    ) -> Real<M> {
        let p: Vec<_> = p.iter().map(|p| (p * x[0]).eval()).collect();
        let (mut state, steps) = ((*x, x[1].to_f32().eval()), 25);
        match checkpoints {
            Some(checkpoints) => {
                let loops = checkpoints.as_statement(Pendulum, state, &p, steps);
                state = loops.expect("no step fails");
            }
            None => {
                for number in 0..steps {
                    state = Steps::step(&Pendulum, number, state, &p);
                }
            }
        }
        let ([y, v], s) = state;
        (y * v * x[0] + s.to_f64() * p[1]).eval()
    }
    let mut tape = Tape::new();
    let x = [tape.input(0.5), tape.input(-0.3)];
    let p = tape.inputs([1.3, 0.2, 0.7]);
    let mut gradients = Vec::new();
    let start = tape.position();
    for checkpoints in [
        None,
        Some(Checkpoints::new().states(3)),
        Some(Checkpoints::new()),
    ] {
        let is_one = checkpoints.is_some();
        tape.reset_to(&start)?;
        let y = tape.record(|| program(checkpoints, (&x, &p)));
        assert!(!is_one || tape.statistics().statements < 12);
        // Swept twice, like any statement.
        for _ in 0..2 {
            let gradient = tape.gradient(&y)?;
            gradients.push((y.value(), gradient.wrt_all(&x)?, gradient.wrt_all(&p)?));
        }
    }
    // Within the statement all bits are equal. Its adjoints are added to others as one sum, which rounds differently.
    assert!(
        gradients[0] == gradients[1] && gradients[2..].windows(2).all(|pair| pair[0] == pair[1])
    );
    let all = |(y, x, p): &(f64, Vec<f64>, Vec<f64>)| [&[*y], &x[..], &p[..]].concat();
    assert_close(&all(&gradients[0]), &all(&gradients[2]), 1e-14);

    // With tangents, the steps are made in that mode.
    let (_, x_b, p_b) = &gradients[0];
    let along = |([a, b], p): ([Real<Forward>; 2], &[Real<Forward>])| {
        program(Some(Checkpoints::new()), (&[a, b], p))
    };
    let p = [1.3, 0.2, 0.7];
    let (_, slope) = entape::jvp(
        along,
        ([0.5, -0.3], &p[..]),
        ([1.0, 0.5], vec![0.1, 0.0, -0.2]),
    )?;
    let expected = x_b[0] + 0.5 * x_b[1] + 0.1 * p_b[0] - 0.2 * p_b[2];
    assert_abs_diff_eq!(slope, expected, epsilon = 1e-6);
    Ok(())
}
/// The logistic map, which counts how often its steps are made and recorded.
struct Counted {
    made: RefCell<Vec<usize>>,
    recorded: RefCell<Vec<usize>>,
}
impl Counted {
    fn new(steps: usize) -> Self {
        let none = || RefCell::new(vec![0; steps]);
        let (made, recorded) = (none(), none());
        Counted { made, recorded }
    }
}
impl Steps for Counted {
    type State = SingleShape<f64>;
    type Parameters = SingleShape<f64>;
    type Output<M: Mode> = Real<M>;
    fn step<M: Mode>(&self, number: usize, x: Real<M>, a: Real<M>) -> Real<M> {
        let counts = match <M as Carrier>::RECORDS {
            true => &self.recorded,
            false => &self.made,
        };
        counts.borrow_mut()[number] += 1;
        (a * x * (1.0 - x)).eval()
    }
}
impl Cost for Counted {
    fn cost<M: Mode>(&self, x: Real<M>, _: Real<M>) -> Real<M> {
        x
    }
}
/// The number of steps that can be reversed if each is made at most this often.
fn reach(states: u64, repeats: u64) -> u64 {
    (1..=repeats).fold(1, |product, i| product * (states + i) / i)
}
#[test]
fn steps_are_repeated_as_often_as_predicted() -> Result<(), Error> {
    for (steps, states) in [
        (1, 1),
        (10, 1),
        (10, 3),
        (35, 3),
        (36, 3),
        (100, 5),
        (250, 4),
        (400, 20),
    ] {
        let counted = Counted::new(steps);
        let last = Cell::new(Progress::default());
        let checkpoints = Checkpoints::new().states(states).progress(|p| last.set(*p));
        checkpoints.value_and_gradient(&counted, 0.3, 3.7, steps)?;
        assert_eq!(counted.recorded.take(), vec![1; steps]);
        let made = counted.made.take();
        let sum: usize = made.iter().sum();
        // Griewank and Walther: the least r with this reach, and r l - reach(states + 1, r - 1)
        let (states, l) = (states as u64, steps as u64);
        let r = (0..).find(|&r| reach(states, r) >= l).expect("a number");
        let theory = if r == 0 {
            0
        } else {
            r * l - reach(states + 1, r - 1)
        };
        assert_eq!(sum as u64, theory, "{steps} steps, {states} states");
        assert!(made.iter().all(|&count| count as u64 <= r));
        let p = last.get();
        assert_eq!(
            (p.steps, p.advanced, p.to_advance, p.reversed),
            (Some(steps), sum, Some(sum), steps)
        );
        assert_eq!(p.fraction(), Some(1.0));

        // Once to determine the number, and on the way back at most r times.
        let counted = Counted::new(steps);
        checkpoints.value_and_gradient_until(&counted, 0.3, 3.7, |number, _| number == steps)?;
        assert_eq!(counted.recorded.take(), vec![1; steps]);
        let made = counted.made.take();
        assert!(
            made.iter()
                .all(|&count| (1..=1 + r).contains(&(count as u64)))
        );
        let p = last.get();
        assert_eq!(
            (p.steps, p.advanced, p.to_advance),
            (Some(steps), made.iter().sum(), p.to_advance)
        );
        assert_eq!(p.fraction(), Some(1.0));
    }
    Ok(())
}
#[test]
fn progress_increases_to_the_end() -> Result<(), Error> {
    let all = RefCell::new(Vec::new());
    let checkpoints = Checkpoints::new()
        .states(3)
        .progress(|p| all.borrow_mut().push(*p));
    checkpoints.value_and_gradient(&Counted::new(2000), 0.3, 3.7, 2000)?;
    let all = all.take();
    let fractions: Vec<_> = all.iter().filter_map(Progress::fraction).collect();
    assert!(all.len() > 2000 && fractions.len() == all.len());
    assert!(fractions.is_sorted() && fractions[0] > 0.0 && fractions.ends_with(&[1.0]));
    Ok(())
}

#[test]
fn stored_states_and_the_tape_respect_the_bound() {
    let field = |seed: f64| {
        (0..1000)
            .map(|i| (seed + 0.1 * i as f64).sin())
            .collect::<Vec<_>>()
    };
    let (u, v, k) = (field(0.3), field(1.7), field(0.9));
    let run = |bytes: usize| {
        let checkpoints = Checkpoints::new().bytes(bytes);
        let run = || checkpoints.value_and_gradient(&Fields, (&u, &v), (0.1, &k), 400);
        let mut gradient = None;
        let counts = allocation_counter::measure(|| gradient = Some(run().expect("a gradient")));
        (counts.bytes_max as usize, gradient)
    };
    // 16 kB for a state, and more for the tape of a step.
    let [(most, small), (_, large)] = [1 << 20, 100 << 20].map(run);
    assert!(most < 3 << 19, "{most} bytes");
    assert!(small == large);
}
#[test]
fn unlimited_bounds_are_permitted() -> Result<(), Error> {
    let program = Counted::new(20);
    let expected = whole(&program, &0.3, &3.7, 20);
    let all = usize::MAX;
    for checkpoints in [
        Checkpoints::new().states(all),
        Checkpoints::new().bytes(all),
        Checkpoints::new().states(2).spill(all),
        Checkpoints::new().states(2).steps_at_once(all),
    ] {
        let gradient = checkpoints.value_and_gradient(&program, 0.3, 3.7, 20)?;
        assert_eq!(gradient, expected);
    }
    Ok(())
}

//! External functions that take part in every sweep, and linear ones. A queue plays the counterpart of a communication.
use entape_core::{
    expr::Active,
    external::external,
    mode::{AnyMode, Forward, Reuse, Taped},
    real::Elementary,
    tape::{Error, Tape},
};
use entape_drivers::{jvp, value_and_gradient, vjp};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
};

type Queue = Rc<RefCell<VecDeque<f64>>>;
fn take(queue: &Queue) -> f64 {
    queue.borrow_mut().pop_front().expect("a message")
}

fn send<M: AnyMode>(x: &Active<f64, M>, forth: &Queue, back: &Queue) {
    forth.borrow_mut().push_back(x.value());
    let (forth, back) = (forth.clone(), back.clone());
    external(x, [0.0; 0], move |[]| take(&back))
        .tangent(move |x_t| {
            forth.borrow_mut().push_back(x_t);
            []
        })
        .linear()
        .unconditional()
        .eval();
}
fn receive<M: AnyMode>(forth: &Queue, back: &Queue) -> Active<f64, M> {
    let value = take(forth);
    let (forth, back) = (forth.clone(), back.clone());
    let nothing: &[Active<f64, M>] = &[];
    external(nothing, value, move |r_b: f64| {
        back.borrow_mut().push_back(r_b);
        vec![]
    })
    .tangent(move |_| take(&forth))
    .linear()
    .unconditional()
    .eval()
}
/// `x³ exp(x)`, where the cube is sent and received.
fn program<M: AnyMode>(x: &Active<f64, M>) -> Active<f64, M> {
    let (forth, back) = (Queue::default(), Queue::default());
    let cube = (x * x * x).eval();
    send(&cube, &forth, &back);
    let received = receive(&forth, &back);
    (received * x.exp()).eval()
}
fn derivatives(x: f64) -> [f64; 3] {
    let e = x.exp();
    let [a, b, c] = [x * x * x, 3.0 * x * x, 6.0 * x];
    [a * e, (a + b) * e, (a + 2.0 * b + c) * e]
}
fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-13 * b.abs(), "{a} for {b}");
}

#[test]
fn a_value_that_is_sent_and_received_has_all_derivatives() -> Result<(), Error> {
    let [value, first, second] = derivatives(0.7);
    let (y, y_t) = jvp(|x: Active<f64, Forward>| program(&x), 0.7, 2.0)?;
    assert_close(y, value);
    assert_close(y_t, 2.0 * first);
    fn on_tape<M>([first, second]: [f64; 2]) -> Result<(), Error>
    where
        Tape<M>: Default,
        M: entape_core::mode::Recording + entape_core::tape::Records,
    {
        let mut tape = Tape::<M>::default();
        let x = tape.input(0.7);
        let y = tape.record(|| program(&x));
        for _ in 0..2 {
            assert_close(tape.gradient(&y)?.wrt(&x)?, first);
            let mut directions = tape.directions::<1>()?;
            directions.set(&x, [3.0])?;
            let tangents = directions.sweep()?;
            assert_close(tangents.of(&y)?[0], 3.0 * first);
            let swept = tangents.gradient(&y)?;
            assert_close(swept.gradient(&x)?, first);
            assert_close(swept.wrt(&x)?[0], 3.0 * second);
            let mut directions = tape.directions::<8>()?;
            directions.set_along(&x, 5, 3.0)?;
            let swept = directions.sweep()?.gradient(&y)?;
            assert_close(swept.wrt_along(&x, 5)?, 3.0 * second);
            assert_eq!(swept.wrt_along(&x, 4)?, 0.0);
            let mut adjoints = tape.adjoints()?;
            adjoints.seed(&y, 3, 2.0)?;
            let swept = adjoints.sweep()?.wrt(&x)?;
            assert_close(swept[3], 2.0 * first);
            assert_eq!(swept[2], 0.0);
        }
        Ok(())
    }
    on_tape::<Taped>([first, second])?;
    on_tape::<Reuse>([first, second])
}

type Calls = [Rc<Cell<usize>>; 2];
/// An identity, and counters of calls of adjoint and tangent.
fn counted<M: AnyMode>(x: &[Active<f64, M>], unconditional: bool) -> (Vec<Active<f64, M>>, Calls) {
    let calls = [Rc::new(Cell::new(0)), Rc::new(Cell::new(0))];
    let [back, forth] = calls.clone();
    let count = |cell: &Cell<usize>| cell.set(cell.get() + 1);
    let values: Vec<f64> = x.iter().map(|x| x.value()).collect();
    let identity = external(x, values, move |r_b: Vec<f64>| {
        count(&back);
        r_b
    })
    .tangent(move |x_t| {
        count(&forth);
        x_t
    });
    let identity = match unconditional {
        true => identity.unconditional(),
        false => identity,
    };
    (identity.eval(), calls)
}

#[test]
fn it_is_called_in_every_sweep() -> Result<(), Error> {
    for (unconditional, expected) in [(true, [1, 9]), (false, [0, 0])] {
        let mut tape = Tape::new();
        let x = tape.input(2.0);
        let passive = [Active::passive(1.0), Active::passive(5.0)];
        let (y, (r, calls)) = tape.record(|| ((x * x).eval(), counted(&passive, unconditional)));
        assert_eq!([r[0].value(), r[1].value()], [1.0, 5.0]);
        assert_eq!(r[0].is_active(), unconditional);
        assert_eq!(tape.gradient(&y)?.wrt(&x)?, 4.0);
        assert_eq!(calls[0].get(), expected[0]);
        let mut directions = tape.directions::<1>()?;
        directions.set(&x, [1.0])?;
        let tangents = directions.sweep()?;
        assert_eq!(tangents.of(&y)?, [4.0]);
        if unconditional {
            assert_eq!(tangents.of(&r[0])?, [0.0]);
        }
        _ = tape.directions::<8>()?.sweep()?;
        assert_eq!(calls[1].get(), expected[1]);
        let mut adjoints = tape.adjoints()?;
        adjoints.seed(&y, 2, 1.0)?;
        _ = adjoints.sweep()?;
        assert_eq!(calls[0].get(), 9 * expected[0]);
    }
    let passive = [Active::<f64, Forward<3>>::passive(1.0)];
    assert_eq!(counted(&passive, true).1[1].get(), 3);
    assert!(!counted(&[Active::<f64>::passive(1.0)], true).0[0].is_active());
    Ok(())
}

#[test]
fn adjoints_may_come_from_elsewhere() -> Result<(), Error> {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let back = Queue::default();
    tape.record(|| send(&(x * x).eval(), &Queue::default(), &back));
    for adjoint in [1.0, 10.0] {
        back.borrow_mut().push_back(adjoint);
        assert_eq!(tape.sweep()?.wrt(&x)?, adjoint * 4.0);
    }
    back.borrow_mut().push_back(0.0);
    let y = tape.record(|| (x * 3.0).eval());
    assert_eq!(tape.gradient(&y)?.wrt(&x)?, 3.0);
    tape.reset();
    assert_eq!(tape.sweep().map(|_| ()), Err(Error::NotSeeded));
    Ok(())
}

#[test]
fn drivers_sweep_for_such_adjoints_if_no_output_depends_on_inputs() -> Result<(), Error> {
    let back = Queue::default();
    let f = |x: Active<f64>| {
        send(&(x * x).eval(), &Queue::default(), &back);
        Active::<f64>::passive(5.0)
    };
    back.borrow_mut().push_back(10.0);
    assert_eq!(vjp(f, 2.0, 1.0)?, (5.0, 40.0));
    back.borrow_mut().push_back(100.0);
    assert_eq!(value_and_gradient(f, 2.0)?, (5.0, 400.0));
    Ok(())
}

#[test]
fn results_of_linear_functions_may_be_overwritten() -> Result<(), Error> {
    // Tangents of several results are replaced, and restored in reverse order.
    let mut tape = Tape::<Reuse>::default();
    let x = tape.inputs([0.3, 0.4]);
    let y = tape.record(|| {
        let mut y: Vec<Active<f64, Reuse>> = x.iter().map(|x| (x * 2.0).eval()).collect();
        for _ in 0..2 {
            let values = vec![y[1].value(), y[0].value()];
            let swapped = external(&y, values, |r_b: Vec<f64>| vec![r_b[1], r_b[0]]);
            let swapped = swapped.tangent(|x_t| vec![x_t[1], x_t[0]]).linear().eval();
            for (y, swapped) in y.iter_mut().zip(&swapped) {
                y.assign(swapped * swapped);
            }
        }
        (&y[0] * (&y[1]).sin()).eval()
    });
    // y₀ = (2 x₀)⁴, y₁ = (2 x₁)⁴
    let (a, b) = (16.0 * 0.3_f64.powi(4), 16.0 * 0.4_f64.powi(4));
    let (a1, b1) = (64.0 * 0.3_f64.powi(3), 64.0 * 0.4_f64.powi(3));
    let a2 = 192.0 * 0.3_f64.powi(2);
    for _ in 0..2 {
        let mut directions = tape.directions::<1>()?;
        directions.set(&x[0], [1.0])?;
        let swept = directions.sweep()?.gradient(&y)?;
        assert_close(swept.gradient(&x[0])?, a1 * b.sin());
        assert_close(swept.gradient(&x[1])?, a * b.cos() * b1);
        assert_close(swept.wrt(&x[0])?[0], a2 * b.sin());
        assert_close(swept.wrt(&x[1])?[0], a1 * b.cos() * b1);
    }
    Ok(())
}

#[test]
fn a_failure_in_a_sweep_to_second_order_is_an_error() -> Result<(), Error> {
    use entape_core::external::try_external;
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let y = tape.record(|| {
        let r = try_external(x, 2.0, |_: f64| Err::<f64, _>("no counterpart"));
        let r = r.tangent(|x_t| x_t).linear().eval();
        (r * r).eval()
    });
    let mut directions = tape.directions::<1>()?;
    directions.set(&x, [1.0])?;
    let failed = directions.sweep()?.gradient(&y);
    let Err(Error::External(failure)) = failed.map(|_| ()) else {
        panic!("an error");
    };
    assert_eq!(failure.reason, "no counterpart");
    Ok(())
}

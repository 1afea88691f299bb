use crate::support::{Array, ArrayOps, both, tape};
use entape_core::{
    expr::{Active, list},
    kind::List,
    mode::{Recording, Reuse, Taped},
    op,
    tape::{Error, Position, Tape},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `x[0], x[0] + x[1], ..`
#[op]
fn running_sum(
    #[ad_in({
        let mut sum: Vec<f64> = r_b.iter().rev().scan(0.0, |s, r_b| { *s += r_b; Some(*s) }).collect();
        sum.reverse();
        sum
    })]
    x: List<f64>,
) -> List<f64> {
    x.iter()
        .scan(0.0, |s, x| {
            *s += x;
            Some(*s)
        })
        .collect()
}

struct Program<M: Recording> {
    tape: Tape<M>,
    x: Active<f64, M>,
    v: Active<Array, M>,
    y: Active<f64, M>,
    positions: Vec<Position>,
}
/// `y = x⁴ + x⁷ (v0² + v1²)` at `x = 2`, `v = (1, 2)`.
const WHOLE: (f64, [f64; 2]) = (
    4.0 * 8.0 + 7.0 * 64.0 * 5.0,
    [2.0 * 128.0, 2.0 * 128.0 * 2.0],
);

impl<M: Recording> Program<M> {
    fn new(chunk: usize) -> Self {
        let mut tape = tape::<M>(chunk);
        let x: Active<f64, M> = tape.input(2.0);
        let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
        let mut positions = vec![tape.position()];
        let mut mark = |tape: &Tape<M>| positions.push(tape.position());
        let a = tape.record(|| (&x * &x).eval());
        mark(&tape);
        tape.record(|| v[0] *= &a);
        mark(&tape);
        tape.record(|| v[1] *= &a);
        mark(&tape);
        tape.record(|| v.update(|v| v.clone() * v));
        mark(&tape);
        let b = tape.record(|| (v.total() * &x).eval());
        mark(&tape);
        let sums = tape.record(|| running_sum(list(&[a, b])).split());
        mark(&tape);
        let y = tape.record(|| (&sums[0] * &sums[1]).eval());
        mark(&tape);
        Program {
            tape,
            x,
            v,
            y,
            positions,
        }
    }
    fn seed(&mut self) {
        self.tape.seed(&self.y, 1.0).unwrap();
    }
    fn sweep_to(&mut self, position: usize) -> Option<Error> {
        self.tape.sweep_to(&self.positions[position]).err()
    }
    #[track_caller]
    fn goes_on(&mut self) {
        let gradient = self.tape.sweep().unwrap();
        let [x_b, v_b] = [
            gradient.wrt(&self.x).map(|x| vec![x]),
            gradient.wrt(&self.v),
        ];
        assert_eq!((x_b, v_b), (Ok(vec![WHOLE.0]), Ok(WHOLE.1.to_vec())));
    }
    #[track_caller]
    fn is_at_its_end(&mut self) {
        assert_eq!(self.tape.sweep().err(), Some(Error::NotSeeded));
        assert_eq!(self.sweep_to(0), Some(Error::NotSeeded));
        self.seed();
        self.goes_on();
    }
}

fn on<M: Recording>(chunk: usize) {
    let mut program = Program::<M>::new(chunk);
    let last = program.positions.len() - 1;
    for stop in 0..=last {
        for next in 0..=stop {
            program.seed();
            assert_eq!(program.sweep_to(stop), None);
            assert_eq!(program.sweep_to(stop), None);
            assert_eq!(program.sweep_to(next), None);
            if next < last {
                assert_eq!(program.sweep_to(next + 1), Some(Error::NotSeeded));
            }
            program.goes_on();
            program.is_at_its_end();
        }
    }
    program.seed();
    (0..=last)
        .rev()
        .for_each(|at| assert_eq!(program.sweep_to(at), None));
    program.goes_on();
    assert_eq!(program.v.get(), &vec![16.0, 64.0]);
    program.seed();
    assert_eq!(program.sweep_to(3), None);
    let (x, v) = (&program.x, &program.v);
    let z = program.tape.record(|| (v.total() * x).eval());
    // x⁵ (v0² + v1²)
    let gradient = program.tape.gradient(&z).unwrap();
    assert_eq!(gradient.wrt(x), Ok(5.0 * 16.0 * 5.0));
}
#[test]
fn a_sweep_continues_where_it_stopped() {
    both(on::<Taped>, on::<Reuse>);
}

fn at_positions<M: Recording>(chunk: usize) {
    let mut program = Program::<M>::new(chunk);
    // y = (v0² + v1²) x a + a², for constant v = (4, 8) and a = 4
    program.seed();
    let gradient = program.tape.sweep_to(&program.positions[3]).unwrap();
    assert_eq!(
        gradient.wrt(&program.v),
        Ok(vec![2.0 * 4.0 * 8.0, 2.0 * 8.0 * 8.0])
    );
    assert_eq!(gradient.wrt(&program.x), Ok(80.0 * 4.0));
    // For v = (4, 2), of which v1 a is squared.
    let gradient = program.tape.sweep_to(&program.positions[2]).unwrap();
    assert_eq!(
        gradient.wrt(&program.v),
        Ok(vec![64.0, 2.0 * 8.0 * 8.0 * 4.0])
    );
    program.goes_on();
}
#[test]
fn derivatives_at_a_position_are_those_of_the_rest() {
    both(at_positions::<Taped>, at_positions::<Reuse>);
}

fn ended<M: Recording>(chunk: usize) {
    let mut program = Program::<M>::new(chunk);
    program.is_at_its_end();
    let stop = |program: &mut Program<M>| {
        program.seed();
        assert_eq!(program.sweep_to(3), None);
    };
    stop(&mut program);
    program.tape.record(|| ());
    program.is_at_its_end();
    stop(&mut program);
    let _: Active<f64, M> = program.tape.input(1.0);
    program.is_at_its_end();
    stop(&mut program);
    assert_eq!(program.tape.find_non_finite(), None);
    program.is_at_its_end();
    stop(&mut program);
    assert!(program.tape.to_dot().contains("s0"));
    program.is_at_its_end();
    stop(&mut program);
    let end = program.positions[7].clone();
    program.tape.reset_to(&end).unwrap();
    program.is_at_its_end();
    stop(&mut program);
    assert!(
        program
            .tape
            .seed(&Active::<f64, M>::passive(1.0), 1.0)
            .is_err()
    );
    program.goes_on();
    stop(&mut program);
    program.seed();
    program.goes_on();
    stop(&mut program);
    let gradient = program.tape.gradient(&program.x).unwrap();
    assert_eq!(gradient.wrt(&program.x), Ok(1.0));
    stop(&mut program);
    program.tape.reset();
    assert_eq!(program.tape.sweep().err(), Some(Error::NotSeeded));
}
#[test]
fn recording_resets_and_inspection_end_a_stopped_sweep() {
    both(ended::<Taped>, ended::<Reuse>);
}

#[test]
fn a_panic_of_a_rule_ends_a_sweep() {
    #[op]
    fn fails(#[ad_in(if r_b > 0.0 { panic!("as asked for") } else { r_b })] x: f64) -> f64 {
        x
    }
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    let middle = tape.position();
    let y = tape.record(|| fails(x * x).eval());
    tape.seed(&y, 1.0).unwrap();
    let end = catch_unwind(AssertUnwindSafe(|| tape.sweep_to(&middle).map(drop)));
    assert!(end.is_err());
    assert_eq!(tape.sweep().err(), Some(Error::NotSeeded));
    tape.seed(&y, -1.0).unwrap();
    assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(-4.0));
}

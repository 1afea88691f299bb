//! Equal statements in one run, and with others between them.
use entape_complex::{C64, Complex, ComplexOps, num_complex::Complex64};
use entape_core::{
    expr::constant,
    mode::{Recording, Reuse, Taped},
    tape::{Error, Tape},
};

/// Negates the number twice if statements are to be `apart`.
fn next<M: Recording>(z: Complex<M>, apart: bool) -> Complex<M> {
    match apart {
        true => (-(-z).eval()).eval(),
        false => z,
    }
}
/// Extends the list by equal statements.
type Program<M> = fn(&mut Vec<Complex<M>>, usize, bool);

fn chain<M: Recording>(z: &mut Vec<Complex<M>>, steps: usize, apart: bool) {
    for _ in 0..steps {
        let y = &z[z.len() - 1];
        let y = (y * y + &z[0]).eval();
        z.push(next(y, apart));
    }
}
fn horner<M: Recording>(z: &mut Vec<Complex<M>>, steps: usize, apart: bool) {
    for _ in 0..steps {
        let y = &z[z.len() - 1];
        let y = (&z[1] * y - y).eval();
        z.push(next(y, apart));
    }
}
fn two_back<M: Recording>(z: &mut Vec<Complex<M>>, steps: usize, apart: bool) {
    for _ in 0..steps {
        let (x, y) = (&z[z.len() - 2], &z[z.len() - 1]);
        let y = (x * y + x).eval();
        z.push(next(y, apart));
    }
}
fn any<M: Recording>(z: &mut Vec<Complex<M>>, steps: usize, apart: bool) {
    let mut state = 1_u32;
    let mut random = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        n - 1 - (state >> 16) as usize % n.min(4)
    };
    for _ in 0..steps {
        let [x, y, w] = [(); 3].map(|()| &z[random(z.len())]);
        let y = (x * y + w).eval();
        z.push(next(y, apart));
    }
}
fn mixed<M: Recording>(z: &mut Vec<Complex<M>>, steps: usize, apart: bool) {
    for _ in 0..steps {
        let y = &z[z.len() - 1];
        let y = (y.part(C64::RE) * &z[0] + y.part(C64::IM) * y).eval();
        z.push(next(y, apart));
    }
}
/// Varying constants, except for the first ones, are stored in statements.
fn constants<M: Recording>(z: &mut Vec<Complex<M>>, steps: usize, apart: bool) {
    for i in 0..steps {
        let y = &z[z.len() - 1];
        let y = (y * Complex64::new(0.5, 0.01 * i as f64) + &z[1]).eval();
        z.push(next(y, apart));
    }
}

fn gradient<M: Recording>(
    program: Program<M>,
    steps: usize,
    apart: bool,
    chunk: Option<usize>,
) -> (f64, [Complex64; 2]) {
    let builder = Tape::<M>::builder();
    let mut tape = match chunk {
        Some(bytes) => builder.chunk_bytes(bytes).build(),
        None => builder.build(),
    }
    .expect("a tape");
    let inputs = [Complex64::new(0.3, 0.4), Complex64::new(-0.2, 0.5)].map(|z| tape.input(z));
    let y = tape.record(|| {
        let mut z = inputs.iter().map(Clone::clone).collect();
        program(&mut z, steps, apart);
        (&z[z.len() - 1]).norm_sqr().eval()
    });
    let mut sweep = || {
        let gradient = tape.gradient(&y).expect("recorded");
        inputs
            .each_ref()
            .map(|z| gradient.wrt(z).expect("an input"))
    };
    let first = sweep();
    assert_eq!(first, sweep(), "a second sweep");
    (y.value(), first)
}
fn agree<M: Recording>(programs: [Program<M>; 6]) {
    for (i, program) in programs.into_iter().enumerate() {
        for steps in [1, 2, 3, 5, 64, 66, 300] {
            let apart = gradient(program, steps, true, None);
            assert!(apart.1.iter().any(|z| *z != Complex64::ZERO) && apart.0.is_finite());
            for chunk in [None, Some(32), Some(100)] {
                let run = gradient(program, steps, false, chunk);
                assert_eq!(
                    run, apart,
                    "program {i}, {steps} steps, chunks of {chunk:?}"
                );
            }
        }
    }
}
#[test]
fn runs_are_equal_to_statements_one_by_one() {
    agree::<Taped>([chain, horner, two_back, any, mixed, constants]);
    agree::<Reuse>([chain, horner, two_back, any, mixed, constants]);
}

/// Made of reals, the first number has the first identifier of its kind.
#[test]
fn a_run_may_end_at_the_first_identifier() {
    for steps in [1, 2, 70] {
        let mut tape = Tape::new();
        let x = tape.input(0.5);
        let y = tape.record(|| {
            let mut all = (0..steps).map(|_| (x * constant(Complex64::new(1.0, 2.0))).eval());
            let last = all.next_back().expect("one at least");
            last.norm_sqr().eval()
        });
        let gradient = tape.gradient(&y).expect("recorded");
        assert_eq!(gradient.wrt(&x).expect("an input"), 5.0);
    }
}
#[test]
fn a_position_splits_a_run() -> Result<(), Error> {
    let (mut tape, steps) = (Tape::new(), 20);
    let z = tape.input(Complex64::new(0.3, 0.4));
    let step = |y: Complex| (y * y + z).eval();
    let half = tape.record(|| (0..steps).fold(z, |y, _| step(y)));
    let position = tape.position();
    let y = tape.record(|| (0..steps).fold(half, |y, _| step(y)).norm_sqr().eval());
    let whole = tape.gradient(&y)?.wrt(&z)?;

    tape.seed(&y, 1.0)?;
    let gradient = tape.sweep_to(&position)?;
    let (of_half, of_z) = (gradient.wrt(&half)?, gradient.wrt(&z)?);
    tape.reset_to(&position)?;
    tape.seed(&half, of_half)?;
    let rest = tape.sweep()?.wrt(&z)?;
    assert!((of_z + rest - whole).norm() <= 1e-15 * whole.norm());
    Ok(())
}

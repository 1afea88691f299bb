//! Bundle adjustment by lanes: four observations at once, and many in one recording.
use entape::{
    prelude::*,
    simd::{Compare, wide::f64x4},
};
use evaluation_worker::{
    Fault,
    objectives::{Derive, INPUTS, Observation},
};
use std::array::from_fn;

const LANES: usize = 4;
const GIVEN: usize = INPUTS + 3;
const BLOCK: usize = 2 * INPUTS + 1;
/// Observations of one recording, which stays in the caches.
const RECORDED: usize = 256;

pub(super) fn derive(observations: Observation, x: Vec<f64>) -> Derive {
    let reads = observations.reads_of_all();
    let seen = observations.seen;
    let mut tape = Tape::new();
    Box::new(move |all| {
        all.resize(BLOCK * reads.len(), 0.0);
        let mut value = 0.0;
        let recordings = reads.chunks(RECORDED).zip(seen.chunks(RECORDED));
        for ((reads, seen), all) in recordings.zip(all.chunks_mut(BLOCK * RECORDED)) {
            tape.reset();
            let batches = reads.chunks(LANES).zip(seen.chunks(LANES));
            let given = batches
                .clone()
                .flat_map(|(reads, seen)| given(&x, reads, seen));
            let inputs: Vec<Realx4> = tape.inputs(given.collect::<Vec<f64x4>>());
            let errors =
                tape.record(|| inputs.as_chunks().0.iter().map(errors).collect::<Vec<_>>());
            for ((reads, _), errors) in batches.zip(&errors) {
                for error in errors {
                    let lanes = &error.value().to_array()[..reads.len()];
                    value += lanes.iter().map(|e| e * e).sum::<f64>();
                }
            }
            jacobian(&mut tape, &inputs, &errors, all).map_err(Fault::tool)?;
        }
        Ok(value)
    })
}
/// The inputs of observations in lanes: of the errors, the weight again for its own error, and the measurement. As an
/// input, it makes all statements equal.
fn given(x: &[f64], reads: &[[usize; INPUTS]], seen: &[[f64; 2]]) -> [f64x4; GIVEN] {
    let of = |lane: usize| lane.min(reads.len() - 1);
    let lanes = |f: &dyn Fn(usize) -> f64| f64x4::new(from_fn(|lane| f(of(lane))));
    from_fn(|i| match i.checked_sub(INPUTS) {
        None => lanes(&|lane| x[reads[lane][i]]),
        Some(0) => lanes(&|lane| x[reads[lane][INPUTS - 1]]),
        Some(k) => lanes(&|lane| seen[lane][k - 1]),
    })
}
/// The blocks of the Jacobian. Batches share no inputs, so a sweep gives a row of each block.
fn jacobian(
    tape: &mut Tape,
    inputs: &[Realx4],
    errors: &[[Realx4; 3]],
    all: &mut [f64],
) -> Result<(), Error> {
    for row in 0..2 {
        for errors in errors {
            tape.seed(&errors[row], f64x4::ONE)?;
            if row == 0 {
                tape.seed(&errors[2], f64x4::ONE)?;
            }
        }
        let gradient = tape.sweep()?.wrt_all(inputs)?;
        let (gradient, _) = gradient.as_chunks::<GIVEN>();
        for (gradient, all) in gradient.iter().zip(all.chunks_mut(BLOCK * LANES)) {
            for (lane, block) in all.chunks_exact_mut(BLOCK).enumerate() {
                let entry = |i: usize| gradient[i].as_array()[lane];
                let own = &mut block[row * INPUTS..][..INPUTS];
                own.iter_mut()
                    .enumerate()
                    .for_each(|(i, own)| *own = entry(i));
                if row == 0 {
                    block[2 * INPUTS] = entry(INPUTS);
                }
            }
        }
    }
    Ok(())
}
/// The errors of observations and of their weights. The rotation of `x` is `x + a r × x + b r × (r × x)`.
fn errors(given: &[Realx4; GIVEN]) -> [Realx4; 3] {
    let &[
        r0,
        r1,
        r2,
        c0,
        c1,
        c2,
        f,
        u0,
        u1,
        k0,
        k1,
        x0,
        x1,
        x2,
        w,
        again,
        s0,
        s1,
    ] = given;
    let square = (r0 * r0 + r1 * r1 + r2 * r2).eval();
    // the limits for a zero angle
    let none = square.simd_eq(0.0);
    let angle = none.select(1.0, square).sqrt().eval();
    let a = none.select(1.0, angle.sin() / angle).eval();
    let b = none
        .select(0.5, (1.0 - angle.cos()) / (angle * angle))
        .eval();
    let o = [(x0 - c0).eval(), (x1 - c1).eval(), (x2 - c2).eval()];
    let r = [r0, r1, r2];
    let once = cross(r, o);
    let twice = cross(r, once);
    let p: [Realx4; 3] = from_fn(|i| (o[i] + a * once[i] + b * twice[i]).eval());
    let (q0, q1) = ((p[0] / p[2]).eval(), (p[1] / p[2]).eval());
    let square = (q0 * q0 + q1 * q1).eval();
    let scale = (f * (1.0 + k0 * square + k1 * square * square)).eval();
    [
        (w * (q0 * scale + u0 - s0)).eval(),
        (w * (q1 * scale + u1 - s1)).eval(),
        (1.0 - again * again).eval(),
    ]
}
fn cross(a: [Realx4; 3], b: [Realx4; 3]) -> [Realx4; 3] {
    from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (a[j] * b[k] - a[k] * b[j]).eval()
    })
}

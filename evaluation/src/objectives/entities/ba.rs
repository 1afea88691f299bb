//! Bundle adjustment by lanes: four observations at once, each block of the Jacobian by one sweep for each of its outputs.
use entape::{
    prelude::*,
    simd::{Compare, wide::f64x4},
};
use evaluation_worker::{
    Fault,
    objectives::{CAMERA, Derive, Objective, Observation},
};
use std::array::from_fn;

const LANES: usize = 4;
const INPUTS: usize = CAMERA + 4;

pub(super) fn derive(observations: Observation, x: Vec<f64>) -> Derive {
    let reads: Vec<[usize; INPUTS]> = (0..observations.parts())
        .map(|part| {
            observations
                .reads(part)
                .try_into()
                .expect("a camera, a point and a weight")
        })
        .collect();
    let seen = observations.seen;
    let mut tape = Tape::new();
    Box::new(move |all| {
        all.resize((2 * INPUTS + 1) * reads.len(), 0.0);
        let mut value = 0.0;
        let batches = reads.chunks(LANES).zip(seen.chunks(LANES));
        for ((reads, seen), all) in batches.zip(all.chunks_mut((2 * INPUTS + 1) * LANES)) {
            tape.reset();
            // the last observation fills lanes that are left
            let of = |lane: usize| lane.min(reads.len() - 1);
            let lanes = |f: &dyn Fn(usize) -> f64| f64x4::new(from_fn(|lane| f(of(lane))));
            let inputs: [Realx4; INPUTS] =
                from_fn(|i| tape.input(lanes(&|lane| x[reads[lane][i]])));
            let seen: [f64x4; 2] = from_fn(|i| lanes(&|lane| seen[lane][i]));
            let errors = tape.record(|| errors(&inputs, seen));
            let mut block = |row: usize, first: usize, inputs: &[Realx4]| {
                tape.seed(&errors[row], f64x4::ONE)?;
                let gradient = tape.sweep()?;
                for (column, input) in inputs.iter().enumerate() {
                    let entries = gradient.wrt(input)?.to_array();
                    for (all, entry) in all.chunks_exact_mut(2 * INPUTS + 1).zip(entries) {
                        all[first + column] = entry;
                    }
                }
                Ok::<_, Error>(())
            };
            block(0, 0, &inputs).map_err(Fault::tool)?;
            block(1, INPUTS, &inputs).map_err(Fault::tool)?;
            block(2, 2 * INPUTS, &inputs[INPUTS - 1..]).map_err(Fault::tool)?;
            for error in errors {
                value += error.value().to_array()[..reads.len()]
                    .iter()
                    .map(|e| e * e)
                    .sum::<f64>();
            }
        }
        Ok(value)
    })
}
/// The errors of observations and of their weights. The rotation of `x` is `x + a r × x + b r × (r × x)`.
fn errors(x: &[Realx4; INPUTS], seen: [f64x4; 2]) -> [Realx4; 3] {
    let &[r0, r1, r2, c0, c1, c2, f, u0, u1, k0, k1, x0, x1, x2, w] = x;
    let square = (r0 * r0 + r1 * r1 + r2 * r2).eval();
    // Without an angle, `a` and `b` are what they tend to.
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
        (w * (q0 * scale + u0 - seen[0])).eval(),
        (w * (q1 * scale + u1 - seen[1])).eval(),
        (1.0 - w * w).eval(),
    ]
}
fn cross(a: [Realx4; 3], b: [Realx4; 3]) -> [Realx4; 3] {
    from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (a[j] * b[k] - a[k] * b[j]).eval()
    })
}

//! Bundle adjustment by lanes: four observations at once, and many of them in one recording.
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
/// Derivatives of an observation.
const BLOCK: usize = 2 * INPUTS + 1;
/// Observations of one recording, which stays in the caches.
const RECORDED: usize = 256;

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
        all.resize(BLOCK * reads.len(), 0.0);
        let mut value = 0.0;
        let recordings = reads.chunks(RECORDED).zip(seen.chunks(RECORDED));
        for ((reads, seen), all) in recordings.zip(all.chunks_mut(BLOCK * RECORDED)) {
            tape.reset();
            let each = reads.chunks(LANES).zip(seen.chunks(LANES));
            let batches: Vec<Batch> = each
                .map(|(reads, seen)| Batch::record(&mut tape, &x, reads, seen))
                .collect();
            value += batches.iter().map(Batch::squares).sum::<f64>();
            jacobian(&mut tape, &batches, all).map_err(Fault::tool)?;
        }
        Ok(value)
    })
}
/// Observations in lanes: how many there are, their inputs, and their errors.
struct Batch {
    count: usize,
    inputs: [Realx4; INPUTS],
    /// The weight again, as the input of its own error.
    weight: Realx4,
    errors: [Realx4; 2],
    weight_error: Realx4,
}
impl Batch {
    fn record(tape: &mut Tape, x: &[f64], reads: &[[usize; INPUTS]], seen: &[[f64; 2]]) -> Self {
        // the last observation fills lanes that are left
        let of = |lane: usize| lane.min(reads.len() - 1);
        let inputs: [Realx4; INPUTS] =
            from_fn(|i| tape.input(f64x4::new(from_fn(|lane| x[reads[of(lane)][i]]))));
        let weight = tape.input(inputs[INPUTS - 1].value());
        let seen: [f64x4; 2] = from_fn(|i| f64x4::new(from_fn(|lane| seen[of(lane)][i])));
        let (errors, weight_error) =
            tape.record(|| (errors(&inputs, seen), (1.0 - weight * weight).eval()));
        Batch {
            count: reads.len(),
            inputs,
            weight,
            errors,
            weight_error,
        }
    }
    fn squares(&self) -> f64 {
        let squares = |error: &Realx4| {
            let all = error.value().to_array();
            all[..self.count].iter().map(|e| e * e).sum::<f64>()
        };
        self.errors
            .iter()
            .chain([&self.weight_error])
            .map(squares)
            .sum()
    }
}
/// The blocks of the Jacobian: as batches share no inputs, a sweep gives a row of each, and that of a weight's error with the first.
fn jacobian(tape: &mut Tape, batches: &[Batch], all: &mut [f64]) -> Result<(), Error> {
    for row in 0..2 {
        for batch in batches {
            tape.seed(&batch.errors[row], f64x4::ONE)?;
            if row == 0 {
                tape.seed(&batch.weight_error, f64x4::ONE)?;
            }
        }
        let gradient = tape.sweep()?;
        for (batch, all) in batches.iter().zip(all.chunks_mut(BLOCK * LANES)) {
            let mut put = |place: usize, entries: f64x4| {
                for (block, entry) in all.chunks_exact_mut(BLOCK).zip(entries.to_array()) {
                    block[place] = entry;
                }
            };
            for (column, input) in batch.inputs.iter().enumerate() {
                put(row * INPUTS + column, gradient.wrt(input)?);
            }
            if row == 0 {
                put(2 * INPUTS, gradient.wrt(&batch.weight)?);
            }
        }
    }
    Ok(())
}
/// The errors of observations. The rotation of `x` is `x + a r × x + b r × (r × x)`.
fn errors(x: &[Realx4; INPUTS], seen: [f64x4; 2]) -> [Realx4; 2] {
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
    ]
}
fn cross(a: [Realx4; 3], b: [Realx4; 3]) -> [Realx4; 3] {
    from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (a[j] * b[k] - a[k] * b[j]).eval()
    })
}

//! The pose of a hand by reals in forward mode, with one expression for each coordinate of a point.
use entape::prelude::*;
use evaluation_worker::{
    Fault,
    objectives::{
        Derive, Hand, Objective, Pose, Program, THETA, derivatives, fingers, parent, summary,
    },
};
use std::array::from_fn;

/// Directions of one pass: four are enough for the 26 directions of the pose and the two of coordinates in triangles.
const WIDTH: usize = 7;

pub(super) fn derive(hand: Hand, x: Vec<f64>) -> Derive {
    let program = Program::new(hand);
    let hand = program.objective.clone();
    let directions: Vec<usize> = (0..x.len()).map(|input| hand.direction(input)).collect();
    let count = hand.directions();
    let mut tangents = vec![0.0; hand.rows() * count];
    let mut values = Vec::new();
    Box::new(move |all| {
        for first in (0..count).step_by(WIDTH) {
            let input = |(&x, &of): (&f64, &usize)| {
                let along = from_fn(|j| if first + j == of { 1.0 } else { 0.0 });
                Real::<Forward<WIDTH>>::with_tangents(x, along)
            };
            let inputs: Vec<_> = x.iter().zip(&directions).map(input).collect();
            let outputs = errors(&hand, &inputs);
            for (output, row) in outputs.iter().zip(tangents.chunks_exact_mut(count)) {
                row[first..]
                    .iter_mut()
                    .zip(output.tangents())
                    .for_each(|(to, t)| *to = t);
            }
            values.clear();
            values.extend(outputs.iter().map(Real::value));
        }
        derivatives(&program, all, |_, row, column| {
            tangents[row * count + directions[column]]
        });
        Ok::<_, Fault>(summary(&values))
    })
}
fn errors<M: Mode>(hand: &Hand, x: &[Real<M>]) -> Vec<Real<M>> {
    let (theta, own) = x.split_at(THETA);
    let transforms = transforms(hand, theta);
    let whole = rotation([theta[0], theta[1], theta[2]]);
    let place = |vertex: usize| -> [Real<M>; 3] {
        let near = &hand.vertices[vertex];
        from_fn(|i| {
            let term = |k: usize| {
                let (bone, q) = &near[k];
                let row = &transforms[*bone][4 * i..4 * i + 4];
                row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3] * q[3]
            };
            (term(0) + term(1) + term(2) + term(3)).eval()
        })
    };
    let mut errors = Vec::with_capacity(hand.rows());
    for (c, (corners, measured)) in hand.corners.iter().zip(&hand.measured).enumerate() {
        let mut at = place(corners[0]);
        if hand.surface {
            let (u, v) = (own[2 * c], own[2 * c + 1]);
            let [second, third] = [1, 2].map(|k| place(corners[k]));
            at = from_fn(|i| (u * at[i] + v * second[i] + (1.0 - u - v) * third[i]).eval());
        }
        for i in 0..3 {
            let row = &whole[3 * i..3 * i + 3];
            let moved = row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + theta[3 + i];
            errors.push((measured[i] - moved).eval());
        }
    }
    errors
}
fn transforms<M: Mode>(hand: &Hand, theta: &[Real<M>]) -> Vec<Pose<Real<M>>> {
    let mut absolute: Vec<Pose<Real<M>>> = Vec::with_capacity(hand.relative.len());
    for (bone, relative) in hand.relative.iter().enumerate() {
        let mut turned = relative.map(Real::<M>::passive);
        let (x, z) = fingers(bone);
        // the rotation about x acts first, so its factor is the last
        for (input, a, b) in [(z, 0, 1), (x, 1, 2)] {
            let Some(input) = input else { continue };
            let (cos, sin) = (theta[input].cos().eval(), theta[input].sin().eval());
            for row in turned.as_chunks_mut::<4>().0 {
                let (p, q) = (row[a], row[b]);
                (row[a], row[b]) = ((p * cos + q * sin).eval(), (q * cos - p * sin).eval());
            }
        }
        absolute.push(match parent(bone) {
            Some(parent) => {
                let a = &absolute[parent];
                product(a, &turned)
            }
            None => turned,
        });
    }
    let both = absolute.iter().zip(&hand.inverse);
    both.map(|(absolute, inverse)| times_plain(absolute, inverse))
        .collect()
}
fn product<M: Mode>(a: &Pose<Real<M>>, b: &Pose<Real<M>>) -> Pose<Real<M>> {
    from_fn(|c| {
        let (i, j) = (4 * (c / 4), c % 4);
        let product = a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j];
        if j == 3 {
            (product + a[i + 3]).eval()
        } else {
            product.eval()
        }
    })
}
fn times_plain<M: Mode>(a: &Pose<Real<M>>, b: &Pose<f64>) -> Pose<Real<M>> {
    from_fn(|c| {
        let (i, j) = (4 * (c / 4), c % 4);
        let product = a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j];
        if j == 3 {
            (product + a[i + 3]).eval()
        } else {
            product.eval()
        }
    })
}
fn rotation<M: Mode>(r: [Real<M>; 3]) -> [Real<M>; 9] {
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt().eval();
    let [x, y, z] = r.map(|r| (r / angle).eval());
    let (sin, cos) = (angle.sin().eval(), angle.cos().eval());
    let rest = (1.0 - cos).eval();
    let square = |a: Real<M>| (a * a * rest + cos).eval();
    let above = |a: Real<M>, b: Real<M>, c: Real<M>| (a * b * rest - c * sin).eval();
    let below = |a: Real<M>, b: Real<M>, c: Real<M>| (a * b * rest + c * sin).eval();
    [
        square(x),
        above(x, y, z),
        below(x, z, y),
        below(x, y, z),
        square(y),
        above(y, z, x),
        above(x, z, y),
        below(y, z, x),
        square(z),
    ]
}

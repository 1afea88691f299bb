//! Hand-written bundle adjustment: the Jacobian of each observation by the chain rule, forward.
use evaluation_worker::objectives::{Derive, INPUTS, Observation};

type Vector = [f64; 3];

pub(super) fn derive(observations: Observation, x: Vec<f64>) -> Derive {
    let reads = observations.reads_of_all();
    Box::new(move |all| {
        all.resize((2 * INPUTS + 1) * reads.len(), 0.0);
        let mut value = 0.0;
        let blocks = all.as_chunks_mut().0.iter_mut();
        for ((reads, seen), block) in reads.iter().zip(&observations.seen).zip(blocks) {
            value += jacobian(&reads.map(|i| x[i]), *seen, block);
        }
        Ok(value)
    })
}
/// The sum of the squared errors; the rotation of `o = x - c` is `o + a r × o + b r × (r × o)`.
fn jacobian(x: &[f64; INPUTS], seen: [f64; 2], block: &mut [f64; 2 * INPUTS + 1]) -> f64 {
    let &[r0, r1, r2, c0, c1, c2, f, u0, u1, k0, k1, x0, x1, x2, w] = x;
    let (r, o) = ([r0, r1, r2], [x0 - c0, x1 - c1, x2 - c2]);
    let s = dot(r, r);
    // `a` and `b` with their derivatives with respect to `s`
    let (a, b, a_s, b_s) = if s == 0.0 {
        (1.0, 0.5, -1.0 / 6.0, -1.0 / 24.0)
    } else {
        let angle = s.sqrt();
        let (sin, cos) = angle.sin_cos();
        let (a, b) = (sin / angle, (1.0 - cos) / s);
        (a, b, (cos - a) / (2.0 * s), (0.5 * a - b) / s)
    };
    let once = cross(r, o);
    let twice = cross(r, once);
    let p: Vector = std::array::from_fn(|i| o[i] + a * once[i] + b * twice[i]);
    let q = [p[0] / p[2], p[1] / p[2]];
    let square = q[0] * q[0] + q[1] * q[1];
    let radial = 1.0 + k0 * square + k1 * square * square;
    let slope = 2.0 * (k0 + 2.0 * k1 * square);
    let e = [
        f * radial * q[0] + u0 - seen[0],
        f * radial * q[1] + u1 - seen[1],
    ];
    for row in 0..2 {
        let block = &mut block[row * INPUTS..][..INPUTS];
        let q_b: [f64; 2] = std::array::from_fn(|j| {
            let own = if j == row { radial } else { 0.0 };
            w * f * (own + q[row] * slope * q[j])
        });
        let p_b = [
            q_b[0] / p[2],
            q_b[1] / p[2],
            -(q_b[0] * q[0] + q_b[1] * q[1]) / p[2],
        ];
        let back = cross(r, p_b);
        let o_b: Vector = {
            let twice = cross(r, back);
            std::array::from_fn(|i| p_b[i] - a * back[i] + b * twice[i])
        };
        // p_b (a r × o) = a r (o × p_b), and correspondingly p_b (b r × (r × o))
        let s_b = a_s * dot(p_b, once) + b_s * dot(p_b, twice);
        let first = cross(o, p_b);
        let second = cross(once, p_b);
        let third = cross(o, cross(p_b, r));
        for i in 0..3 {
            block[i] = 2.0 * r[i] * s_b + a * first[i] + b * (second[i] + third[i]);
            block[3 + i] = -o_b[i];
            block[11 + i] = o_b[i];
        }
        block[6] = w * radial * q[row];
        block[7] = if row == 0 { w } else { 0.0 };
        block[8] = if row == 1 { w } else { 0.0 };
        block[9] = w * f * q[row] * square;
        block[10] = w * f * q[row] * square * square;
        block[14] = e[row];
    }
    block[2 * INPUTS] = -2.0 * w;
    let weight = 1.0 - w * w;
    w * w * (e[0] * e[0] + e[1] * e[1]) + weight * weight
}
fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

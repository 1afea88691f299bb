//! Bundle adjustment: the distances between observed and projected points. Each observation is a part.
//!
//! A camera has a rotation `r` (its axis times its angle), a centre `c`, a focal length `f`, a principal point `u` and
//! two numbers of radial distortion `k`. An observation has a camera, a point `x`, a weight `w` and a measurement `s`:
//!
//! ```text
//! p = R(r) (x - c),   q = (p_0, p_1) / p_2,   e = w (f (1 + k_0 |q|² + k_1 |q|⁴) q + u - s),   1 - w²
//! ```
use super::{Case, Objective, case::Random};
use crate::Number;

pub const CAMERA: usize = 11;
pub const INPUTS: usize = CAMERA + 3 + 1;

#[derive(Clone, Debug)]
pub struct Observation {
    cameras: usize,
    points: usize,
    /// The camera and the point of each.
    pub of: Vec<[usize; 2]>,
    pub seen: Vec<[f64; 2]>,
}
pub(super) fn random(
    random: &mut Random,
    cameras: usize,
    points: usize,
    observations: usize,
) -> (Vec<f64>, Vec<f64>) {
    let mut inputs = Vec::new();
    for _ in 0..cameras {
        inputs.extend(random.normals(3, 0.3));
        inputs.extend(random.normals(2, 0.5));
        inputs.push(-8.0 + random.normal());
        inputs.push(random.uniform(400.0, 600.0));
        inputs.extend(random.normals(2, 5.0));
        inputs.extend(random.normals(2, 0.01));
    }
    inputs.extend(random.normals(3 * points, 1.0));
    inputs.extend((0..observations).map(|_| random.uniform(0.5, 1.5)));
    let mut data = Vec::new();
    for i in 0..observations {
        data.extend([(i % cameras) as f64, (i % points) as f64]);
    }
    data.extend(random.normals(2 * observations, 30.0));
    (inputs, data)
}
impl Observation {
    pub fn reads_of_all(&self) -> Vec<[usize; INPUTS]> {
        let of = |part| self.reads(part).try_into();
        let all = (0..self.parts()).map(of).collect::<Result<_, _>>();
        all.expect("a camera, a point and a weight")
    }
}
impl Objective for Observation {
    fn new(case: &Case) -> Self {
        let &[cameras, points, observations] = &case.sizes[..] else {
            unreachable!("a case has the sizes of its objective");
        };
        let (of, seen) = case.data.split_at(2 * observations);
        Observation {
            cameras,
            points,
            of: of
                .as_chunks()
                .0
                .iter()
                .map(|pair: &[f64; 2]| pair.map(|i| i as usize))
                .collect(),
            seen: seen.as_chunks().0.to_vec(),
        }
    }
    fn parts(&self) -> usize {
        self.of.len()
    }
    fn reads(&self, part: usize) -> Vec<usize> {
        let [camera, point] = self.of[part];
        let points = CAMERA * self.cameras;
        let weights = points + 3 * self.points;
        let camera = CAMERA * camera..CAMERA * (camera + 1);
        let point = points + 3 * point..points + 3 * (point + 1);
        camera.chain(point).chain([weights + part]).collect()
    }
    fn rows(&self) -> usize {
        3
    }
    fn columns(&self, row: usize) -> Vec<usize> {
        match row {
            0 | 1 => (0..INPUTS).collect(),
            _ => vec![INPUTS - 1],
        }
    }
    fn run<T: Number>(&self, part: usize, x: &[T], outputs: &mut Vec<T>) {
        let x: &[T; INPUTS] = x.try_into().expect("a camera, a point and a weight");
        outputs.extend(errors(x, self.seen[part]));
    }
}
/// The errors of an observation and of its weight.
#[inline(always)]
fn errors<T: Number>(x: &[T; INPUTS], seen: [f64; 2]) -> [T; 3] {
    let &[r0, r1, r2, c0, c1, c2, f, u0, u1, k0, k1, x0, x1, x2, w] = x;
    let [p0, p1, p2] = rotated([r0, r1, r2], [x0 - c0, x1 - c1, x2 - c2]);
    let (q0, q1) = (p0 / p2, p1 / p2);
    let square = q0 * q0 + q1 * q1;
    let scale = f * ((k0 * square).plus(1.0) + k1 * square * square);
    [
        w * (q0 * scale + u0.plus(-seen[0])),
        w * (q1 * scale + u1.plus(-seen[1])),
        (-(w * w)).plus(1.0),
    ]
}
#[inline(always)]
fn rotated<T: Number>(r: [T; 3], x: [T; 3]) -> [T; 3] {
    let square = dot(r, r);
    if square.value() == 0.0 {
        let turned = cross(r, x);
        return [x[0] + turned[0], x[1] + turned[1], x[2] + turned[2]];
    }
    let angle = square.root();
    let (cos, sin) = (angle.cos(), angle.sin());
    let axis = r.map(|r| r / angle);
    let turned = cross(axis, x);
    let along = dot(axis, x) * (-cos).plus(1.0);
    std::array::from_fn(|i| x[i] * cos + turned[i] * sin + axis[i] * along)
}
#[inline(always)]
fn dot<T: Number>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
#[inline(always)]
fn cross<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

//! The pose of a hand: the distances between the points of a skinned surface and their measured positions. Several
//! bones move a vertex, each with a weight:
//!
//! ```text
//! A_b = A_parent(b) B_b R_b,   v = R (sum_b w_b A_b C_b p) + t,   e = measured - v
//! ```
//!
//! `B_b` is the bone in the frame of its parent at rest, `C_b` the inverse of the bone at rest. Inputs are the rotation
//! `R` of the whole hand (axis times angle), its translation `t`, and four angles of each finger. On the surface, a
//! measured point has two more inputs, its coordinates in a triangle.
use super::{Case, Name, Objective, case::Random};
use crate::Number;

pub const THETA: usize = 6 + 4 * FINGERS;
const FINGERS: usize = 5;
/// The wrist, four bones for each finger, the forearm.
pub const BONES: usize = 2 + 4 * FINGERS;
const NEAR: usize = 4;

/// A rotation with a shift in each last column: the first three rows, row by row.
pub type Pose<T> = [T; 12];

#[derive(Clone, Debug)]
pub struct Hand {
    /// The frame of each bone at rest in the frame of its parent.
    pub relative: Vec<Pose<f64>>,
    pub inverse: Vec<Pose<f64>>,
    /// For each vertex, four bones, and its position times the weight of each, with the weight.
    pub vertices: Vec<[(usize, [f64; 4]); NEAR]>,
    /// One vertex of each measured point, or the three of its triangle.
    pub corners: Vec<[usize; 3]>,
    pub measured: Vec<[f64; 3]>,
    pub surface: bool,
}
pub fn parent(bone: usize) -> Option<usize> {
    match bone {
        0 => None,
        b if b == BONES - 1 || (b - 1).is_multiple_of(4) => Some(0),
        b => Some(b - 1),
    }
}
/// Returns the inputs that rotate a bone about the x and z axes of its frame.
pub fn fingers(bone: usize) -> (Option<usize>, Option<usize>) {
    if bone == 0 || bone == BONES - 1 {
        return (None, None);
    }
    let (finger, joint) = ((bone - 1) / 4, (bone - 1) % 4);
    let first = 6 + 4 * finger;
    match joint {
        0 => (None, None),
        1 => (Some(first), Some(first + 1)),
        joint => (Some(first + joint), None),
    }
}
pub(super) fn random(
    random: &mut Random,
    vertices: usize,
    points: usize,
    surface: bool,
) -> (Vec<f64>, Vec<f64>) {
    let mut inputs = random.normals(THETA, 0.3);
    let mut data = Vec::new();
    let mut rest: Vec<Pose<f64>> = Vec::new();
    for bone in 0..BONES {
        let [x, y, z] = [(); 3].map(|()| 0.4 * random.normal());
        let mut relative = rotation([x, y, z].map(|angle| angle + 0.01));
        for i in 0..3 {
            relative[4 * i + 3] = 0.5 * random.normal();
        }
        rest.push(parent(bone).map_or(relative, |p| times(&rest[p], &relative)));
        data.extend(relative);
    }
    data.extend(rest.iter().flat_map(inverse));
    for _ in 0..vertices {
        let place = [(); 3].map(|()| random.normal());
        let first = random.below(BONES);
        let weights = [(); NEAR].map(|()| random.uniform(0.1, 1.0));
        let all: f64 = weights.iter().sum();
        for (k, w) in weights.into_iter().enumerate() {
            let w = w / all;
            data.push(((first + 5 * k) % BONES) as f64);
            data.extend([w * place[0], w * place[1], w * place[2], w]);
        }
    }
    for _ in 0..points {
        data.extend((0..3).map(|_| random.below(vertices) as f64));
    }
    data.extend(random.normals(3 * points, 1.0));
    if surface {
        inputs.extend((0..2 * points).map(|_| random.uniform(0.1, 0.4)));
    }
    (inputs, data)
}
fn inverse(m: &Pose<f64>) -> Pose<f64> {
    let mut inverse = [0.0; 12];
    for i in 0..3 {
        for j in 0..3 {
            inverse[4 * i + j] = m[4 * j + i];
            inverse[4 * i + 3] -= m[4 * j + i] * m[4 * j + 3];
        }
    }
    inverse
}
impl Hand {
    fn transforms<T: Number>(&self, theta: &[T]) -> Vec<Pose<T>> {
        let mut absolute: Vec<Pose<T>> = Vec::with_capacity(BONES);
        for (bone, relative) in self.relative.iter().enumerate() {
            let input = |i: usize| theta[i];
            let (x, z) = fingers(bone);
            let turned = turned(relative, x.map(input), z.map(input));
            absolute.push(match parent(bone) {
                Some(parent) => times(&absolute[parent], &turned),
                None => turned,
            });
        }
        let both = absolute.iter().zip(&self.inverse);
        both.map(|(absolute, inverse)| times_plain(absolute, inverse))
            .collect()
    }
    fn place<T: Number>(&self, transforms: &[Pose<T>], vertex: usize) -> [T; 3] {
        std::array::from_fn(|i| {
            let mut terms = self.vertices[vertex].iter().map(|(bone, q)| {
                let row = &transforms[*bone][4 * i..4 * i + 4];
                row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3] * q[3]
            });
            let first = terms.next().expect("a vertex has bones");
            terms.fold(first, |sum, term| sum + term)
        })
    }
}
impl Objective for Hand {
    fn new(case: &Case) -> Self {
        let &[vertices, points] = &case.sizes[..] else {
            unreachable!("a case has the sizes of its objective");
        };
        let (bones, rest) = case.data.split_at(2 * 12 * BONES);
        let (relative, inverse) = bones.as_chunks().0.split_at(BONES);
        let (weighted, rest) = rest.split_at(5 * NEAR * vertices);
        let (corners, measured) = rest.split_at(3 * points);
        let near = |v: &[f64; 5 * NEAR]| {
            std::array::from_fn(|k| {
                let [bone, place @ ..] = v.as_chunks::<5>().0[k];
                (bone as usize, place)
            })
        };
        Hand {
            relative: relative.to_vec(),
            inverse: inverse.to_vec(),
            vertices: weighted.as_chunks().0.iter().map(near).collect(),
            corners: corners
                .as_chunks()
                .0
                .iter()
                .map(|c: &[f64; 3]| c.map(|i| i as usize))
                .collect(),
            measured: measured.as_chunks().0.to_vec(),
            surface: case.name == Name::HandSurface,
        }
    }
    fn reads(&self, _: usize) -> Vec<usize> {
        let own = if self.surface {
            2 * self.corners.len()
        } else {
            0
        };
        (0..THETA + own).collect()
    }
    fn rows(&self) -> usize {
        3 * self.corners.len()
    }
    fn columns(&self, row: usize) -> Vec<usize> {
        let own = THETA + 2 * (row / 3);
        let own = if self.surface { own..own + 2 } else { 0..0 };
        (0..THETA).chain(own).collect()
    }
    /// The coordinates of different points share directions.
    fn direction(&self, input: usize) -> usize {
        match input.checked_sub(THETA) {
            Some(own) => THETA + own % 2,
            None => input,
        }
    }
    fn run<T: Number>(&self, _: usize, x: &[T], outputs: &mut Vec<T>) {
        let (theta, own) = x.split_at(THETA);
        let transforms = self.transforms(theta);
        let whole = rotation([theta[0], theta[1], theta[2]]);
        for (c, (corners, measured)) in self.corners.iter().zip(&self.measured).enumerate() {
            let mut place = self.place(&transforms, corners[0]);
            if self.surface {
                let (u, v) = (own[2 * c], own[2 * c + 1]);
                let w = (-(u + v)).plus(1.0);
                let [second, third] = [1, 2].map(|k| self.place(&transforms, corners[k]));
                place = std::array::from_fn(|i| u * place[i] + v * second[i] + w * third[i]);
            }
            for i in 0..3 {
                let row = &whole[4 * i..4 * i + 3];
                let moved =
                    row[0] * place[0] + row[1] * place[1] + row[2] * place[2] + theta[3 + i];
                outputs.push((-moved).plus(measured[i]));
            }
        }
    }
}
/// `relative` times a rotation about x, then about z; a missing angle is zero.
fn turned<T: Number>(relative: &Pose<f64>, x: Option<T>, z: Option<T>) -> Pose<T> {
    let (mut columns, shift) = (
        [0, 1, 2].map(|j| [0, 1, 2].map(|i| T::constant(relative[4 * i + j]))),
        [0, 1, 2].map(|i| T::constant(relative[4 * i + 3])),
    );
    let mut turn = |angle: T, a: usize, b: usize| {
        let (cos, sin) = (angle.cos(), angle.sin());
        let (p, q) = (columns[a], columns[b]);
        columns[a] = std::array::from_fn(|i| p[i] * cos + q[i] * sin);
        columns[b] = std::array::from_fn(|i| q[i] * cos - p[i] * sin);
    };
    if let Some(z) = z {
        turn(z, 0, 1);
    }
    if let Some(x) = x {
        turn(x, 1, 2);
    }
    std::array::from_fn(|c| match c % 4 {
        3 => shift[c / 4],
        j => columns[j][c / 4],
    })
}
fn rotation<T: Number>(r: [T; 3]) -> Pose<T> {
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).root();
    let [x, y, z] = r.map(|r| r / angle);
    let (sin, cos) = (angle.sin(), angle.cos());
    let rest = (-cos).plus(1.0);
    let (xs, ys, zs) = (x * sin, y * sin, z * sin);
    let (xy, xz, yz) = (x * y * rest, x * z * rest, y * z * rest);
    let zero = T::constant(0.0);
    [
        [x * x * rest + cos, xy - zs, xz + ys, zero],
        [xy + zs, y * y * rest + cos, yz - xs, zero],
        [xz - ys, yz + xs, z * z * rest + cos, zero],
    ]
    .concat()
    .try_into()
    .unwrap_or_else(|_| unreachable!("three rows of four"))
}
fn times<T: Number>(a: &Pose<T>, b: &Pose<T>) -> Pose<T> {
    std::array::from_fn(|c| {
        let (i, j) = (4 * (c / 4), c % 4);
        let product = a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j];
        if j == 3 { product + a[i + 3] } else { product }
    })
}
fn times_plain<T: Number>(a: &Pose<T>, b: &Pose<f64>) -> Pose<T> {
    std::array::from_fn(|c| {
        let (i, j) = (4 * (c / 4), c % 4);
        let product = a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j];
        if j == 3 { product + a[i + 3] } else { product }
    })
}

//! Graphs of poses and landmarks, in the format of g2o.
use crate::{Outcome, numbers};
use nalgebra::{Matrix2, Matrix3};
use std::collections::BTreeMap;

/// A step from one pose to another, or a landmark seen from a pose, which is a step without an angle.
pub struct Edge<const N: usize> {
    pub from: usize,
    pub to: usize,
    /// The difference in the frame of the first pose.
    pub measured: [f64; N],
    /// The transposed Cholesky factor of the inverse covariance, row by row.
    pub weights: [[f64; N]; N],
}
#[derive(Default)]
pub struct Graph {
    pub start: BTreeMap<usize, [f64; 3]>,
    pub poses: usize,
    pub landmarks: usize,
    pub steps: Vec<Edge<3>>,
    pub sights: Vec<Edge<2>>,
}
impl Graph {
    /// Reads `EDGE_SE2`, `VERTEX_SE2` and `LANDMARK2` or `EDGE_SE2_XY`, with at most `most` poses.
    pub fn read(text: &str, most: usize) -> Outcome<Self> {
        let mut graph = Graph::default();
        // consecutive numbers instead of the file's
        let (mut poses, mut landmarks) = (BTreeMap::new(), BTreeMap::new());
        let number = |names: &mut BTreeMap<usize, usize>, name| {
            let next = names.len();
            *names.entry(name).or_insert(next)
        };
        for line in text.lines() {
            let words: Vec<_> = line.split_whitespace().collect();
            let (tag, ids, x): (_, Vec<usize>, Vec<f64>) = match &words[..] {
                [tag @ "VERTEX_SE2", id, x @ ..] => (
                    *tag,
                    numbers([*id].into_iter())?,
                    numbers(x.iter().copied())?,
                ),
                [
                    tag @ ("EDGE_SE2" | "LANDMARK2" | "EDGE_SE2_XY"),
                    a,
                    b,
                    x @ ..,
                ] => (
                    *tag,
                    numbers([*a, *b].into_iter())?,
                    numbers(x.iter().copied())?,
                ),
                _ => continue,
            };
            let in_poses = if x.len() == 5 { &ids[..1] } else { &ids[..] };
            let ids: Vec<usize> = in_poses
                .iter()
                .map(|id| number(&mut poses, *id))
                .chain(ids.get(in_poses.len()).copied())
                .collect();
            if ids[..in_poses.len()].iter().any(|i| *i >= most) {
                continue;
            }
            match (tag, &ids[..], &x[..]) {
                ("VERTEX_SE2", &[id], &[x, y, angle]) => {
                    graph.start.insert(id, [x, y, angle]);
                }
                ("EDGE_SE2", &[from, to], &[x, y, angle, xx, xy, xa, yy, ya, aa]) => {
                    let precision = Matrix3::new(xx, xy, xa, xy, yy, ya, xa, ya, aa);
                    let factor = precision
                        .cholesky()
                        .ok_or("a weight that is not positive")?
                        .l();
                    let (measured, weights) = ([x, y, angle], factor.data.0);
                    graph.steps.push(Edge {
                        from,
                        to,
                        measured,
                        weights,
                    });
                }
                ("LANDMARK2" | "EDGE_SE2_XY", &[from, id], &[x, y, xx, xy, yy]) => {
                    let factor = Matrix2::new(xx, xy, xy, yy)
                        .cholesky()
                        .ok_or("a weight that is not positive")?
                        .l();
                    let (measured, weights) = ([x, y], factor.data.0);
                    let to = number(&mut landmarks, id);
                    graph.sights.push(Edge {
                        from,
                        to,
                        measured,
                        weights,
                    });
                }
                _ => return Err(format!("cannot read `{line}`").into()),
            }
        }
        (graph.poses, graph.landmarks) = (poses.len().min(most), landmarks.len());
        Ok(graph)
    }
    /// Returns the initial poses, except for the first one, which is fixed, and landmarks: from the file, or by
    /// odometry and first sights.
    pub fn begin(&self) -> Outcome<Vec<f64>> {
        let mut poses: Vec<_> = (0..self.poses)
            .map(|i| self.start.get(&i).copied())
            .collect();
        poses[0] = Some(self.first());
        let seen = |[x, y, angle]: [f64; 3], [dx, dy]: [f64; 2]| {
            let (sin, cos) = angle.sin_cos();
            [x + cos * dx - sin * dy, y + sin * dx + cos * dy]
        };
        for step in &self.steps {
            if let (Some(from), None, [dx, dy, turn]) =
                (poses[step.from], poses[step.to], step.measured)
            {
                let [x, y] = seen(from, [dx, dy]);
                poses[step.to] = Some([x, y, from[2] + turn]);
            }
        }
        let poses: Option<Vec<_>> = poses.into_iter().collect();
        let poses = poses.ok_or("a pose without a step to it")?;
        let mut landmarks = vec![[0.0; 2]; self.landmarks];
        for sight in self.sights.iter().rev() {
            landmarks[sight.to] = seen(poses[sight.from], sight.measured);
        }
        Ok(poses
            .into_iter()
            .skip(1)
            .flatten()
            .chain(landmarks.into_iter().flatten())
            .collect())
    }
    pub fn first(&self) -> [f64; 3] {
        self.start.get(&0).copied().unwrap_or_default()
    }
}

//! The graph of measurements: how it is read, and its residuals.
use applications::{Outcome, numbers};
use entape::{Function, driver::ListShape, prelude::*};
use nalgebra::{Matrix2, Matrix3};
use std::{collections::BTreeMap, f64::consts::TAU};

pub(crate) const VICTORIA_PARK: &str = include_str!("../../../data/victoria_park.g2o");

/// A step from a pose to another one, or a landmark as seen from a pose, which is the former without an angle.
pub(crate) struct Edge<const N: usize> {
    pub(crate) from: usize,
    pub(crate) to: usize,
    measured: [f64; N],
    /// The transposed Cholesky factor of the inverse covariance, row by row.
    weights: [[f64; N]; N],
}
#[derive(Default)]
pub(crate) struct Graph {
    /// As far as the file tells.
    start: BTreeMap<usize, [f64; 3]>,
    pub(crate) poses: usize,
    pub(crate) landmarks: usize,
    pub(crate) steps: Vec<Edge<3>>,
    pub(crate) sights: Vec<Edge<2>>,
}
impl Graph {
    pub(crate) fn read(text: &str, most: usize) -> Outcome<Self> {
        let mut graph = Graph::default();
        // numbers from 0 on for the names of the file
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
    /// The poses but for the first one, which does not move, and the landmarks: as the file or the odometry and the first sight of each tell.
    pub(crate) fn begin(&self) -> Outcome<Vec<f64>> {
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
    pub(crate) fn first(&self) -> [f64; 3] {
        self.start.get(&0).copied().unwrap_or_default()
    }
    fn pose<M: Mode>(&self, x: &[Real<M>], i: usize) -> [Real<M>; 3] {
        match i.checked_sub(1) {
            None => self.first().map(Real::passive),
            Some(i) => [x[3 * i], x[3 * i + 1], x[3 * i + 2]],
        }
    }
    fn landmark<M: Mode>(&self, x: &[Real<M>], i: usize) -> [Real<M>; 2] {
        let i = 3 * (self.poses - 1) + 2 * i;
        [x[i], x[i + 1]]
    }
}
/// A place as a pose sees it.
fn seen_from<M: Mode>([x, y, angle]: [Real<M>; 3], place: [Real<M>; 2]) -> [Real<M>; 2] {
    let (sin, cos, dx, dy) = (
        angle.sin().eval(),
        angle.cos().eval(),
        place[0] - x,
        place[1] - y,
    );
    [(cos * dx + sin * dy).eval(), (cos * dy - sin * dx).eval()]
}
impl<const N: usize> Edge<N> {
    /// The components of an error, weighted so that their squares are of mean 1.
    fn weighted<M: Mode>(&self, error: [Real<M>; N]) -> [Real<M>; N] {
        self.weights
            .map(|row| row.iter().zip(&error).map(|(w, e)| w * e).sum())
    }
}
impl Function for Graph {
    type Inputs = ListShape<f64>;
    type Values = Vec<f64>;
    type Output<M: Mode> = Vec<Real<M>>;
    /// The residuals.
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Vec<Real<M>> {
        let mut residuals = Vec::with_capacity(3 * self.steps.len() + 2 * self.sights.len());
        for step in &self.steps {
            let ([mx, my, turn], (from, to)) = (
                step.measured,
                (self.pose(x, step.from), self.pose(x, step.to)),
            );
            let [along, aside] = seen_from(from, [to[0], to[1]]);
            // as g2o has it: the error as the measured pose sees it
            let (sin, cos) = turn.sin_cos();
            let (dx, dy) = (along - mx, aside - my);
            let angle = (to[2] - from[2] - turn).eval();
            let error = [
                (cos * dx + sin * dy).eval(),
                (cos * dy - sin * dx).eval(),
                (angle - TAU * (angle.value() / TAU).round()).eval(),
            ];
            residuals.extend(step.weighted(error));
        }
        for sight in &self.sights {
            let [along, aside] = seen_from(self.pose(x, sight.from), self.landmark(x, sight.to));
            let [mx, my] = sight.measured;
            residuals.extend(sight.weighted([(along - mx).eval(), (aside - my).eval()]));
        }
        residuals
    }
}

//! Clusters by matrices: the points of a cluster are the columns of a matrix, whose distances from the mean are one
//! statement. Points are assigned to means by plain numbers, as in all programs.
use super::blocks;
use entape::{
    core::tape::Records,
    linalg::nalgebra::{DMatrix, DVector},
    mode::Plain,
    prelude::*,
};
use evaluation_worker::{
    Fault,
    objectives::{Derive, KMeans},
};

const BLOCK: usize = 512;

pub(super) fn gradient(kmeans: KMeans, x: Vec<f64>) -> Derive {
    let clusters = Clusters::new(kmeans);
    let mut tape = Tape::new();
    Box::new(move |all| {
        tape.reset();
        let means = clusters.inputs(&mut tape, &x);
        let y = tape.record(|| clusters.objective(&means));
        let gradient = tape.gradient(&y).map_err(Fault::tool)?;
        all.clear();
        for mean in &means {
            all.extend(gradient.wrt(mean).map_err(Fault::tool)?.iter());
        }
        Ok(y.value())
    })
}
/// The Hessian is diagonal, so its diagonal is the Hessian times ones.
pub(super) fn newton(kmeans: KMeans, x: Vec<f64>) -> Derive {
    let clusters = Clusters::new(kmeans);
    let ones = DVector::from_element(clusters.dimension, 1.0);
    let mut tape = Tape::new();
    Box::new(move |all| {
        tape.reset();
        let means = clusters.inputs(&mut tape, &x);
        let y = tape.record(|| clusters.objective(&means));
        all.clear();
        let mut both = || {
            let mut directions = tape.directions::<1>()?;
            for mean in &means {
                directions.set_along(mean, 0, ones.clone())?;
            }
            let swept = directions.sweep()?.gradient(&y)?;
            for mean in &means {
                all.extend(swept.gradient(mean)?.iter());
            }
            for mean in &means {
                let [diagonal] = swept.wrt(mean)?;
                all.extend(diagonal.iter());
            }
            Ok::<_, Error>(())
        };
        both().map_err(Fault::tool)?;
        Ok(y.value())
    })
}

/// The points, and data computed from them before the clock starts.
struct Clusters {
    dimension: usize,
    points: Vec<f64>,
    /// In blocks of rows, each followed by a one.
    blocks: Vec<Matrix<Plain>>,
}
impl Clusters {
    fn new(kmeans: KMeans) -> Self {
        let d = kmeans.dimension;
        Clusters {
            dimension: d,
            blocks: blocks(&kmeans.points, d, BLOCK),
            points: kmeans.points,
        }
    }
    fn inputs<M: Mode + Records>(&self, tape: &mut Tape<M>, x: &[f64]) -> Vec<Vector<M>> {
        let means = x.chunks_exact(self.dimension);
        means
            .map(|mean| tape.input(DVector::from_column_slice(mean)))
            .collect()
    }
    fn objective<M: Mode>(&self, means: &[Vector<M>]) -> Real<M> {
        let d = self.dimension;
        let mut members = vec![Vec::new(); means.len()];
        for (point, mean) in self.points.chunks_exact(d).zip(self.nearest(means)) {
            members[mean as usize].extend_from_slice(point);
        }
        let mut total = Real::passive(0.0);
        for (mean, members) in means.iter().zip(members) {
            let ones = Vector::<M>::passive(DVector::from_element(members.len() / d, 1.0));
            let members = Matrix::<M>::passive(DMatrix::from_vec(d, ones.nrows(), members));
            total += (mean.outer(&ones) - &members).norm_squared();
        }
        total
    }
    /// The distance from a mean `m` is smallest if `|m|²/2 - m x` is.
    fn nearest<M: Mode>(&self, means: &[Vector<M>]) -> Vec<u32> {
        let d = self.dimension;
        let at = |i: usize, k: usize| match means[k].get() {
            m if i < d => -m[i],
            m => 0.5 * m.norm_squared(),
        };
        let map = Matrix::passive(DMatrix::from_fn(d + 1, means.len(), at));
        let mut all = Vec::with_capacity(self.points.len() / d);
        for block in &self.blocks {
            let distances = (block * &map).eval();
            let mut best = vec![(f64::INFINITY, 0); block.nrows()];
            for (k, distances) in distances.get().column_iter().enumerate() {
                for (best, &distance) in best.iter_mut().zip(&distances) {
                    if distance < best.0 {
                        *best = (distance, k as u32);
                    }
                }
            }
            all.extend(best.iter().map(|best| best.1));
        }
        all
    }
}

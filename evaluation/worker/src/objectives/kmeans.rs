//! Clusters: the sum of the squared distances of points from the nearest mean. The nearest mean is found with plain
//! numbers. Source: L. Bottou and Y. Bengio, *Convergence properties of the k-means algorithms* (1994).
use super::{Case, Name, Objective, case::Random};
use crate::Number;

#[derive(Clone, Debug)]
pub struct KMeans {
    pub dimension: usize,
    pub means: usize,
    pub points: Vec<f64>,
    newton: bool,
}
pub(super) fn random(
    random: &mut Random,
    dimension: usize,
    means: usize,
    points: usize,
) -> (Vec<f64>, Vec<f64>) {
    let data = random.normals(points * dimension, 1.0);
    // so that every cluster has points
    let near = data[..means * dimension].iter().map(|x| x + 1e-3);
    (near.collect(), data)
}
impl KMeans {
    pub fn each_point(&self) -> impl Iterator<Item = &[f64]> {
        self.points.chunks_exact(self.dimension)
    }
}
pub fn nearest(means: &[f64], point: &[f64]) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (j, mean) in means.chunks_exact(point.len()).enumerate() {
        let distance = mean
            .iter()
            .zip(point)
            .map(|(m, x)| (m - x) * (m - x))
            .sum::<f64>();
        if distance < best.0 {
            best = (distance, j);
        }
    }
    best.1
}
impl Objective for KMeans {
    fn new(case: &Case) -> Self {
        let &[dimension, means, _] = &case.sizes[..] else {
            unreachable!("a case has the sizes of its objective");
        };
        KMeans {
            dimension,
            means,
            points: case.data.clone(),
            newton: case.name == Name::Newton,
        }
    }
    fn curvature(&self) -> bool {
        self.newton
    }
    fn reads(&self, _: usize) -> Vec<usize> {
        self.columns(0)
    }
    fn columns(&self, _: usize) -> Vec<usize> {
        (0..self.dimension * self.means).collect()
    }
    fn run<T: Number>(&self, _: usize, x: &[T], outputs: &mut Vec<T>) {
        let means: Vec<f64> = x.iter().map(Number::value).collect();
        let mut total = T::constant(0.0);
        for point in self.each_point() {
            let mean = &x[nearest(&means, point) * self.dimension..][..self.dimension];
            for (&m, &p) in mean.iter().zip(point) {
                let difference = m.plus(-p);
                total = total.plus_product(difference, difference);
            }
        }
        outputs.push(total);
    }
}

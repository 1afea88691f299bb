//! Clusters by arrays over the points of a cluster: a statement for each mean and coordinate. Which points belong to a mean is found with
//! plain numbers, as in all programs.
use entape::prelude::*;
use evaluation_worker::{
    Fault,
    objectives::{Derive, KMeans, nearest},
};

pub(super) fn gradient(kmeans: KMeans, x: Vec<f64>) -> Derive {
    let mut tape = Tape::new();
    Box::new(move |all| {
        tape.reset();
        let inputs = tape.inputs(x.iter().copied());
        let y = tape.record(|| objective(&kmeans, &inputs));
        *all = tape
            .gradient(&y)
            .and_then(|g| g.wrt_all(&inputs))
            .map_err(Fault::tool)?;
        Ok(y.value())
    })
}
/// Gradient and diagonal of the Hessian, which has nothing else: so it is the Hessian times ones.
pub(super) fn newton(kmeans: KMeans, x: Vec<f64>) -> Derive {
    let mut tape = Tape::<Second>::default();
    Box::new(move |all| {
        tape.reset();
        let inputs = tape.inputs(x.iter().copied());
        let y = tape.record(|| objective(&kmeans, &inputs));
        all.clear();
        let mut both = || {
            let mut directions = tape.directions::<1>()?;
            for x in &inputs {
                directions.set_along(x, 0, 1.0)?;
            }
            let swept = directions.sweep()?.gradient(&y)?;
            for x in &inputs {
                all.push(swept.gradient(x)?);
            }
            for x in &inputs {
                all.push(swept.wrt(x)?[0]);
            }
            Ok::<_, Error>(())
        };
        both().map_err(Fault::tool)?;
        Ok(y.value())
    })
}
fn objective<M: Mode>(kmeans: &KMeans, x: &[Real<M>]) -> Real<M> {
    let d = kmeans.dimension;
    let means: Vec<f64> = x.iter().map(Real::value).collect();
    let of: Vec<usize> = kmeans
        .each_point()
        .map(|point| nearest(&means, point))
        .collect();
    let mut counts = vec![0; kmeans.means];
    of.iter().for_each(|&mean| counts[mean] += 1);
    // The coordinates of the points of each mean, one list after the other.
    let mut members: Vec<Vec<f64>> = (0..x.len())
        .map(|i| Vec::with_capacity(counts[i / d]))
        .collect();
    for (point, mean) in kmeans.each_point().zip(of) {
        for (list, &x) in members[mean * d..][..d].iter_mut().zip(point) {
            list.push(x);
        }
    }
    let mut total = Real::passive(0.0);
    for (&mean, members) in x.iter().zip(members) {
        let members = Array::<M>::passive(members);
        total += (&members - mean).norm_squared();
    }
    total
}

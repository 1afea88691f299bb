//! Hand-written derivatives of the objectives, as a yardstick.
mod ba;
mod lstm;

use evaluation_worker::{
    Fault,
    objectives::{Asian, Case, Derive, END, Gmm, KMeans, Name, Objective, Ode, nearest},
};

pub(super) fn derive(case: &Case) -> Result<Derive, Fault> {
    let x = case.inputs.clone();
    Ok(match case.name {
        Name::Gmm => gmm(Objective::new(case), &x),
        Name::Ba => ba::derive(Objective::new(case), x),
        Name::Lstm => lstm::derive(Objective::new(case), x),
        Name::Ode => ode(Objective::new(case), x),
        Name::KMeans | Name::Newton => kmeans(Objective::new(case), x),
        Name::Asian => asian(Objective::new(case), x),
        Name::Hand | Name::HandSurface => {
            return Err(Fault::Argument("the tool has the objective"));
        }
    })
}
fn gmm(gmm: Gmm, x: &[f64]) -> Derive {
    let parameters = gmm.parameters(x);
    Box::new(move |all| {
        let (value, gradient) = gmm.problem.by_hand(&parameters);
        *all = gradient.lists().concat();
        Ok(value)
    })
}
fn kmeans(kmeans: KMeans, x: Vec<f64>) -> Derive {
    Box::new(move |all| {
        let curvature = kmeans.curvature();
        all.clear();
        all.resize(if curvature { 2 * x.len() } else { x.len() }, 0.0);
        let (gradient, diagonal) = all.split_at_mut(x.len());
        let mut value = 0.0;
        for point in kmeans.each_point() {
            let first = nearest(&x, point) * point.len();
            for (i, p) in (first..).zip(point) {
                let difference = x[i] - p;
                value += difference * difference;
                gradient[i] += 2.0 * difference;
                if curvature {
                    diagonal[i] += 2.0;
                }
            }
        }
        Ok(value)
    })
}
/// The derivatives of a price are its multiples: with respect to the drift by the number of steps, and to the spread by the
/// sum of the normal numbers.
fn asian(asian: Asian, x: Vec<f64>) -> Derive {
    Box::new(move |all| {
        let (h, [spot, rate, volatility]) = (asian.step(), [x[0], x[1], x[2]]);
        let (drift, spread) = (
            h * (rate - 0.5 * volatility * volatility),
            h.sqrt() * volatility,
        );
        let (mut paid, mut by_drift, mut by_spread, mut count) = (0.0, 0.0, 0.0, 0.0);
        for normals in asian.normals.chunks_exact(asian.steps) {
            let (mut price, mut walk) = (spot, 0.0);
            let [mut sum, mut drifts, mut spreads] = [0.0; 3];
            for (i, z) in normals.iter().enumerate() {
                price *= (drift + spread * z).exp();
                walk += z;
                sum += price;
                drifts += (i + 1) as f64 * price;
                spreads += walk * price;
            }
            if sum * h > asian.strike {
                count += 1.0;
                paid += sum * h;
                by_drift += drifts * h;
                by_spread += spreads * h;
            }
        }
        let share = (-rate).exp() / asian.paths as f64;
        let value = share * (paid - count * asian.strike);
        let by_rate = share * h * by_drift - value;
        let by_volatility = share * (h.sqrt() * by_spread - h * volatility * by_drift);
        *all = vec![share * paid / spot, by_rate, by_volatility];
        Ok(value)
    })
}
fn ode(Ode { states: n, steps }: Ode, x: Vec<f64>) -> Derive {
    let h = END / steps as f64;
    // where the slope of a stage is evaluated, from the state and the slope before
    let ahead = [0.0, 0.5 * h, 0.5 * h, h];
    let weights = [h / 6.0, h / 3.0, h / 3.0, h / 6.0];
    let mut at = vec![0.0; 4 * n * steps];
    let [mut y, mut k, mut next, mut y_b, mut k_b, mut at_b] = [(); 6].map(|()| vec![0.0; n]);
    Box::new(move |x_b| {
        y.fill(0.0);
        for at in at.chunks_exact_mut(4 * n) {
            next.copy_from_slice(&y);
            for (stage, at) in at.chunks_exact_mut(n).enumerate() {
                for i in 0..n {
                    at[i] = y[i] + ahead[stage] * k[i];
                }
                k[0] = x[0];
                for i in 1..n {
                    k[i] = x[i] * at[i - 1];
                }
                for i in 0..n {
                    next[i] += weights[stage] * k[i];
                }
            }
            y.copy_from_slice(&next);
        }
        x_b.clear();
        x_b.resize(n, 0.0);
        y_b.fill(0.0);
        y_b[n - 1] = 1.0;
        for at in at.chunks_exact(4 * n).rev() {
            // from the state after, and from the stages
            at_b.fill(0.0);
            next.copy_from_slice(&y_b);
            for (stage, at) in at.chunks_exact(n).enumerate().rev() {
                let behind = ahead.get(stage + 1).unwrap_or(&0.0);
                for i in 0..n {
                    k_b[i] = weights[stage] * y_b[i] + behind * at_b[i];
                }
                x_b[0] += k_b[0];
                for i in 1..n {
                    x_b[i] += k_b[i] * at[i - 1];
                    at_b[i - 1] = k_b[i] * x[i];
                }
                at_b[n - 1] = 0.0;
                for i in 0..n {
                    next[i] += at_b[i];
                }
            }
            y_b.copy_from_slice(&next);
        }
        Ok(y[n - 1])
    })
}

//! Minimisation along gradients: the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno.

/// What is moved.
pub(crate) trait Point {
    fn coordinates(&self) -> Vec<f64>;
    fn from_coordinates(x: &[f64]) -> Self;
}
/// Where it ended.
pub(crate) struct Minimum<P> {
    /// All points, the minimum last.
    pub(crate) path: Vec<P>,
    pub(crate) loss: f64,
}
impl<P> Minimum<P> {
    pub(crate) fn point(&self) -> &P {
        self.path.last().expect("a path has a start")
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
fn plus(a: &[f64], t: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + t * b).collect()
}

/// Minimises `f`, which returns the loss and its gradient.
pub(crate) fn bfgs<P: Point, E>(
    start: P,
    f: impl Fn(&P) -> Result<(f64, P), E>,
) -> Result<Minimum<P>, E> {
    let mut x = start.coordinates();
    let n = x.len();
    let (mut loss, gradient) = f(&start)?;
    let mut gradient = gradient.coordinates();
    // the inverse of the second derivatives, as far as it is known
    let unit = |i: usize| (0..n).map(move |j| if i == j { 1.0 } else { 0.0 });
    let mut inverse: Vec<Vec<f64>> = (0..n).map(|i| unit(i).collect()).collect();
    let mut path = vec![start];
    for _ in 0..2000 {
        let mut step: Vec<f64> = inverse.iter().map(|row| -dot(row, &gradient)).collect();
        let mut slope = dot(&step, &gradient);
        if slope >= 0.0 {
            step = gradient.iter().map(|g| -g).collect();
            slope = -dot(&gradient, &gradient);
            inverse = (0..n).map(|i| unit(i).collect()).collect();
        }
        if slope.abs() < 1e-26 {
            break;
        }
        // half of the step until the loss falls enough
        let mut length = f64::min(1.0, 0.3 / dot(&step, &step).sqrt());
        let next = loop {
            let point = P::from_coordinates(&plus(&x, length, &step));
            let (new, new_gradient) = f(&point)?;
            if new <= loss + 1e-4 * length * slope {
                break Some((point, new, new_gradient.coordinates()));
            }
            length /= 2.0;
            if length < 1e-14 {
                break None;
            }
        };
        let Some((point, new, new_gradient)) = next else {
            break;
        };
        let s: Vec<f64> = step.iter().map(|d| length * d).collect();
        let y = plus(&new_gradient, -1.0, &gradient);
        let sy = dot(&s, &y);
        if sy > 0.0 {
            // inverse + (1 + y'By/s'y) ss'/s'y - (Bys' + sy'B)/s'y
            let by: Vec<f64> = inverse.iter().map(|row| dot(row, &y)).collect();
            let scale = (1.0 + dot(&y, &by) / sy) / sy;
            for i in 0..n {
                for j in 0..n {
                    inverse[i][j] += scale * s[i] * s[j] - (by[i] * s[j] + s[i] * by[j]) / sy;
                }
            }
        }
        (x, loss, gradient) = (point.coordinates(), new, new_gradient);
        path.push(point);
    }
    Ok(Minimum { path, loss })
}

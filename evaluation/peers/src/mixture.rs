//! The Hessian of a mixture of Gaussians by `num-dual`: hyper-dual numbers, with ten by ten directions in each pass.
use evaluation_worker::{Fault, Job, Tool, read, serve_beside};
use nalgebra::{Const, U1};
use num_dual::{Derivative, DualNum, HyperDualSVec64};

const DIMENSION: usize = 3;
const COMPONENTS: usize = 10;
const FACTOR: usize = DIMENSION * (DIMENSION + 1) / 2;
const INPUTS: usize = COMPONENTS * (1 + DIMENSION + FACTOR);
const WIDTH: usize = 10;
type Hyper = HyperDualSVec64<WIDTH, WIDTH>;

fn log_sum_exp<T: DualNum<Primitive = f64> + Copy>(x: &[T]) -> T {
    let max = x
        .iter()
        .fold(x[0], |max, &x| if x.re() > max.re() { x } else { max });
    x.iter().map(|&x| (x - max).exp()).sum::<T>().ln() + max
}
fn norm_squared<T: DualNum<Primitive = f64> + Copy>(x: &[T]) -> T {
    x.iter().map(|&x| x * x).sum()
}
fn objective<T: DualNum<Primitive = f64> + Copy>(x: &[T], points: &[f64]) -> T {
    let (alphas, rest) = x.split_at(COMPONENTS);
    let (means, icf) = rest.split_at(COMPONENTS * DIMENSION);
    let each_factor = || icf.chunks_exact(FACTOR);
    let diagonal = |factor: &[T]| -> [T; DIMENSION] { std::array::from_fn(|i| factor[i].exp()) };
    let diagonals: Vec<_> = each_factor().map(diagonal).collect();
    let sums: Vec<T> = each_factor()
        .map(|factor| factor[..DIMENSION].iter().copied().sum())
        .collect();
    let mut sum = T::from(0.0);
    let mut terms = [T::from(0.0); COMPONENTS];
    for point in points.chunks_exact(DIMENSION) {
        for (k, (mean, factor)) in means.chunks_exact(DIMENSION).zip(each_factor()).enumerate() {
            let centred: [T; DIMENSION] = std::array::from_fn(|i| -mean[i] + point[i]);
            let mut product: [T; DIMENSION] = std::array::from_fn(|i| diagonals[k][i] * centred[i]);
            let mut below = factor[DIMENSION..].iter();
            for i in 0..DIMENSION {
                for (product, &l) in product[i + 1..].iter_mut().zip(&mut below) {
                    *product += l * centred[i];
                }
            }
            terms[k] = alphas[k] + sums[k] - norm_squared(&product) * 0.5;
        }
        sum += log_sum_exp(&terms);
    }
    for (factor, diagonal) in each_factor().zip(&diagonals) {
        sum += (norm_squared(diagonal) + norm_squared(&factor[DIMENSION..])) * 0.5;
    }
    sum - log_sum_exp(alphas) * (points.len() / DIMENSION) as f64
}

struct Blocks {
    numbers: Vec<f64>,
    hessian: Vec<f64>,
}
impl Blocks {
    fn parts(&self) -> (&[f64], &[f64], f64) {
        let (x, rest) = self.numbers.split_at(INPUTS);
        let (constant, points) = rest.split_last().expect("the constant");
        (x, points, *constant)
    }
}
pub(crate) fn work(job: &Job<String>) -> Result<(), Fault> {
    let numbers = read(&job.numbers)?;
    let plain = Blocks {
        numbers: numbers.clone(),
        hessian: Vec::new(),
    };
    let plain = move || {
        let (x, points, constant) = plain.parts();
        objective(x, points) + constant
    };
    serve_beside(job, plain, || {
        let hessian = vec![0.0; INPUTS * INPUTS];
        Ok(Blocks { numbers, hessian })
    })
}
impl Tool for Blocks {
    const TWO_CALLS: bool = false;
    fn record(&mut self) -> Result<f64, Fault> {
        let mut hessian = std::mem::take(&mut self.hessian);
        let (inputs, points, constant) = self.parts();
        let mut value = 0.0;
        for first in (0..INPUTS).step_by(WIDTH) {
            for second in (first..INPUTS).step_by(WIDTH) {
                let mut x: Vec<Hyper> = inputs.iter().map(|&x| Hyper::from_re(x)).collect();
                for i in 0..WIDTH {
                    x[first + i].eps1 = Derivative::derivative_generic(Const, U1, i);
                    x[second + i].eps2 = Derivative::derivative_generic(U1, Const, i);
                }
                let y = objective(&x, points);
                value = y.re + constant;
                let block = y.eps1eps2.unwrap_generic(Const, Const);
                for i in 0..WIDTH {
                    for j in 0..WIDTH {
                        hessian[(first + i) * INPUTS + second + j] = block[(i, j)];
                        hessian[(second + j) * INPUTS + first + i] = block[(i, j)];
                    }
                }
            }
        }
        self.hessian = hessian;
        Ok(value)
    }
    fn reverse(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn gradient(&mut self) -> Result<Vec<f64>, Fault> {
        Ok(self.hessian.clone())
    }
}

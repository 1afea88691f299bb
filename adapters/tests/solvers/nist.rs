//! Nonlinear regressions of NIST, Statistical Reference Datasets (StRD), <https://www.itl.nist.gov/div898/strd/>. The
//! files in `data` are in the public domain.
use entape::{Function, Objective, driver::ListShape, prelude::*};
use nalgebra::DMatrix;

pub(crate) struct Regression {
    model: Model,
    /// Response and predictor.
    data: Vec<[f64; 2]>,
    pub(crate) starts: [Vec<f64>; 2],
    pub(crate) parameters: Vec<f64>,
    pub(crate) deviations: Vec<f64>,
    pub(crate) sum_of_squares: f64,
}
#[derive(Clone, Copy)]
enum Model {
    Misra1a,
    Mgh09,
    /// Of third degree above and below: Thurber, Hahn1.
    Cubics,
}
impl Model {
    fn at<M: Mode>(self, b: &[Real<M>], x: f64) -> Real<M> {
        let cubic = |b: [Real<M>; 4]| (b[0] + x * (b[1] + x * (b[2] + x * b[3]))).eval();
        match self {
            Model::Misra1a => (b[0] * (1.0 - (-b[1] * x).exp())).eval(),
            Model::Mgh09 => (b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3])).eval(),
            Model::Cubics => {
                let one = Real::passive(1.0);
                (cubic([b[0], b[1], b[2], b[3]]) / cubic([one, b[4], b[5], b[6]])).eval()
            }
        }
    }
}
impl Function for &Regression {
    type Inputs = ListShape<f64>;
    type Values = Vec<f64>;
    type Output<M: Mode> = Vec<Real<M>>;
    fn call<M: Mode>(&self, b: &[Real<M>]) -> Vec<Real<M>> {
        let residual = |[y, x]: &[f64; 2]| (self.model.at(b, *x) - *y).eval();
        self.data.iter().map(residual).collect()
    }
}
impl Regression {
    fn parse(model: Model, text: &str) -> Self {
        let number = |word: &str| word.parse::<f64>().ok();
        let numbers = |text: &str| {
            text.split_whitespace()
                .map_while(number)
                .collect::<Vec<_>>()
        };
        let (mut parameters, mut data, mut sum_of_squares) = (Vec::new(), Vec::new(), f64::NAN);
        for line in text.lines() {
            if let Some((name, rest)) = line.split_once(" = ")
                && name.trim().starts_with('b')
            {
                parameters.push(numbers(rest));
            } else if let Some(sum) = line.strip_prefix("Residual Sum of Squares:") {
                sum_of_squares = numbers(sum)[0];
            } else if let &[y, x] = numbers(line).as_slice() {
                data.push([y, x]);
            }
        }
        let column = |j| parameters.iter().map(|b: &Vec<f64>| b[j]).collect();
        let expected = text
            .lines()
            .find_map(|line| line.strip_prefix("Number of Observations:"));
        assert_eq!(expected.map(numbers), Some(vec![data.len() as f64]));
        Regression {
            model,
            data,
            starts: [column(0), column(1)],
            parameters: column(2),
            deviations: column(3),
            sum_of_squares,
        }
    }
    pub(crate) fn misra1a() -> Self {
        Self::parse(Model::Misra1a, include_str!("../data/Misra1a.dat"))
    }
    pub(crate) fn mgh09() -> Self {
        Self::parse(Model::Mgh09, include_str!("../data/MGH09.dat"))
    }
    pub(crate) fn thurber() -> Self {
        Self::parse(Model::Cubics, include_str!("../data/Thurber.dat"))
    }
    pub(crate) fn hahn1() -> Self {
        Self::parse(Model::Cubics, include_str!("../data/Hahn1.dat"))
    }
    pub(crate) fn degrees_of_freedom(&self) -> f64 {
        (self.data.len() - self.parameters.len()) as f64
    }
    /// Asserts that parameters agree with the certified ones, after a Gauss-Newton method that stopped when it
    /// predicted a relative gain of less than `tolerance` in the sum of squares.
    ///
    /// With the Jacobian `J`, the last step `s` has `|J s|² <= tolerance * sum of squares`. A Newton step with the
    /// Hessian `H` is longer by at most the largest eigenvalue of `inverse(H) J' J`, twice that for models that are not
    /// quadratic. By the definition of the standard deviations, `|J e|² <= c * sum of squares` implies that `e` is at
    /// most `sqrt(c * degrees of freedom)` deviations long in each parameter. NIST certifies eleven digits.
    #[track_caller]
    pub(crate) fn assert_solved(&self, found: &[f64], tolerance: f64) {
        let width = 2.0 * self.lengthening() * (tolerance * self.degrees_of_freedom()).sqrt();
        for (i, found) in found.iter().enumerate() {
            let (certified, deviation) = (self.parameters[i], self.deviations[i]);
            let bound = width * deviation + 5e-11 * certified.abs();
            let off = (found - certified).abs();
            assert!(
                off <= bound,
                "b{}: {found} is {off:e} from {certified}, not {bound:e}",
                i + 1
            );
        }
    }
    /// The maximal ratio of a Newton step to a Gauss-Newton step near the certified parameters.
    fn lengthening(&self) -> f64 {
        let dense = |m: entape::driver::Jacobian| {
            DMatrix::from_row_slice(m.rows(), m.columns(), m.as_slice())
        };
        let jacobian = Objective::new(self).jacobian(&self.parameters);
        let hessian = Objective::new(HalfSquares(self)).hessian(&self.parameters);
        let r = dense(jacobian.expect("a Jacobian")).qr().unpack_r();
        let inverse = r.try_inverse().expect("independent parameters");
        let relative = inverse.transpose() * dense(hessian.expect("a Hessian")) * inverse;
        1.0 / relative.symmetric_eigenvalues().min()
    }
}
struct HalfSquares<'r>(&'r Regression);
impl Function for HalfSquares<'_> {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, b: &[Real<M>]) -> Real<M> {
        self.0.call(b).iter().map(|r| 0.5 * r * r).sum()
    }
}

//! Values and gradients of PyTorch.
use entape_core::{
    expr::{Active, constant},
    op,
    real::Elementary,
    tape::{Gradient, Tape},
};
use entape_linalg::*;
use nalgebra::{DMatrix, Dyn, OMatrix, U1};
use serde_json::Value;

const TOLERANCE: f64 = 1e-10;
type Plain = DMatrix<f64>;

trait Variable: Sized {
    fn input(tape: &mut Tape, value: &Plain) -> Self;
    fn gradient(&self, gradient: &Gradient<'_>) -> Plain;
    fn value(&self) -> Plain;
    fn seed(&self, tape: &mut Tape, seed: &Plain);
}
impl Variable for Active<f64> {
    fn input(tape: &mut Tape, value: &Plain) -> Self {
        tape.input(value[0])
    }
    fn gradient(&self, gradient: &Gradient<'_>) -> Plain {
        Plain::from_element(1, 1, gradient.wrt(self).unwrap())
    }
    fn value(&self) -> Plain {
        Plain::from_element(1, 1, self.value())
    }
    fn seed(&self, tape: &mut Tape, seed: &Plain) {
        tape.seed(self, seed[0]).unwrap();
    }
}
macro_rules! dense { ($($R:ty, $C:ty, $rows:expr, $cols:expr;)*) => { $(
    impl Variable for Active<Dense<f64, $R, $C>> {
        fn input(tape: &mut Tape, value: &Plain) -> Self {
            let of = OMatrix::from_column_slice_generic($rows(value), $cols(value), value.as_slice());
            tape.input::<Dense<f64, $R, $C>>(of)
        }
        fn gradient(&self, gradient: &Gradient<'_>) -> Plain {
            let g = gradient.wrt(self).unwrap();
            Plain::from_column_slice(g.nrows(), g.ncols(), g.as_slice())
        }
        fn value(&self) -> Plain {
            Plain::from_column_slice(self.get().nrows(), self.get().ncols(), self.get().as_slice())
        }
        fn seed(&self, tape: &mut Tape, seed: &Plain) {
            let (rows, cols) = self.get().shape_generic();
            tape.seed(self, OMatrix::from_column_slice_generic(rows, cols, seed.as_slice())).unwrap();
        }
    }
)* } }
fn one(_: &Plain) -> U1 {
    U1
}
dense! {
    Dyn, Dyn, |v: &Plain| Dyn(v.nrows()), |v: &Plain| Dyn(v.ncols());
    Dyn, U1, |v: &Plain| Dyn(v.len()), one;
    U1, Dyn, one, |v: &Plain| Dyn(v.len());
}

struct Case {
    name: String,
    inputs: Vec<Plain>,
    outputs: Vec<Plain>,
    seeds: Vec<Plain>,
    gradients: Vec<Plain>,
    symmetric: bool,
}
fn arrays(list: &Value) -> Vec<Plain> {
    let array = |a: &Value| {
        let numbers = |v: &Value| -> Vec<f64> {
            v.as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
                .collect()
        };
        let shape: Vec<usize> = numbers(&a["shape"]).iter().map(|x| *x as usize).collect();
        let (rows, cols) = match *shape {
            [] => (1, 1),
            [n] => (n, 1),
            [m, n] => (m, n),
            _ => panic!("an array with more than two dimensions"),
        };
        Plain::from_row_slice(rows, cols, &numbers(&a["re"]))
    };
    list.as_array().unwrap().iter().map(array).collect()
}
impl Case {
    fn close(&self, what: &str, got: &Plain, want: &Plain) {
        assert_eq!(got.len(), want.len(), "{}: {what}", self.name);
        let scale = want.amax().max(1e-3);
        let worst = got
            .iter()
            .zip(want)
            .map(|(g, w)| (g - w).abs())
            .fold(0.0, f64::max);
        assert!(
            worst <= TOLERANCE * scale,
            "{}: {what} is {got}, not {want}: {worst:e}",
            self.name
        );
    }
    fn gradient(&self, i: usize, got: &Plain) {
        let got = if self.symmetric && got.is_square() {
            (got + got.transpose()) * 0.5
        } else {
            got.clone()
        };
        self.close(&format!("gradient {i}"), &got, &self.gradients[i]);
    }
    fn one<A: Variable, O: Variable>(&self, f: impl FnOnce(&A) -> O) {
        let mut tape = Tape::new();
        let a = A::input(&mut tape, &self.inputs[0]);
        let y = tape.record(|| f(&a));
        self.close("value", &y.value(), &self.outputs[0]);
        y.seed(&mut tape, &self.seeds[0]);
        let gradient = tape.sweep().unwrap();
        self.gradient(0, &a.gradient(&gradient));
    }
    fn two<A: Variable, B: Variable, O: Variable>(&self, f: impl FnOnce(&A, &B) -> O) {
        let mut tape = Tape::new();
        let (a, b) = (
            A::input(&mut tape, &self.inputs[0]),
            B::input(&mut tape, &self.inputs[1]),
        );
        let y = tape.record(|| f(&a, &b));
        self.close("value", &y.value(), &self.outputs[0]);
        y.seed(&mut tape, &self.seeds[0]);
        let gradient = tape.sweep().unwrap();
        self.gradient(0, &a.gradient(&gradient));
        self.gradient(1, &b.gradient(&gradient));
    }
    fn element(&self) {
        let mut tape = Tape::new();
        let a = tape.input(self.inputs[0][0]);
        let (b, v) = (
            Vector::input(&mut tape, &self.inputs[1]),
            Vector::input(&mut tape, &self.inputs[2]),
        );
        let y = tape.record(|| {
            let mut y = v.clone();
            let i = 1.min(y.get().len() - 1);
            y[i].assign(a * &b[0] / 2.0);
            y
        });
        self.close("value", &Variable::value(&y), &self.outputs[0]);
        Variable::seed(&y, &mut tape, &self.seeds[0]);
        let gradient = tape.sweep().unwrap();
        self.gradient(0, &a.gradient(&gradient));
        self.gradient(1, &b.gradient(&gradient));
        self.gradient(2, &v.gradient(&gradient));
    }
    /// Both factors, with the signs of LAPACK.
    fn qr(&self) {
        let mut tape = Tape::new();
        let a = Matrix::input(&mut tape, &self.inputs[0]);
        let (q, r) = tape.record(|| {
            let qr = a.qr();
            let r = qr.r().eval();
            let signs = Plain::from_diagonal(
                &r.get()
                    .diagonal()
                    .zip_map(&self.outputs[1].diagonal(), |a, b| (a * b).signum()),
            );
            let signs = || constant(signs.clone());
            ((qr.q() * signs()).eval(), (signs() * &r).eval())
        });
        self.close("q", q.get(), &self.outputs[0]);
        self.close("r", r.get(), &self.outputs[1]);
        tape.seed(&q, self.seeds[0].clone()).unwrap();
        tape.seed(&r, self.seeds[1].clone()).unwrap();
        let gradient = tape.sweep().unwrap();
        self.gradient(0, &a.gradient(&gradient));
    }
    fn run(&self) {
        let (name, _) = self.name.split_once("[n=").unwrap();
        match name {
            "matmul" | "matmul rectangular" => self.two(|a: &Matrix, b: &Matrix| (a * b).eval()),
            "mat_vec" => self.two(|a: &Matrix, b: &Vector| (a * b).eval()),
            "tr_mul" => self.two(|a: &Matrix, b: &Matrix| a.tr_mul(b).eval()),
            "row_vec*mat" => self.two(|a: &RowVector, b: &Matrix| (a * b).eval()),
            "add" => self.two(|a: &Matrix, b: &Matrix| (a + b).eval()),
            "sub" => self.two(|a: &Matrix, b: &Matrix| (a - b).eval()),
            "scale" => self.two(|a: &Active<f64>, b: &Matrix| (a * b).eval()),
            "div_scalar" => self.two(|a: &Matrix, b: &Active<f64>| (a / b).eval()),
            "component_mul" => self.two(|a: &Matrix, b: &Matrix| a.component_mul(b).eval()),
            "component_div" => {
                self.two(|a: &Matrix, b: &Matrix| a.component_div(b.add_scalar(3.0)).eval())
            }
            "transpose" => self.one(|a: &Matrix| a.transpose().eval()),
            "trace" => self.one(|a: &Matrix| a.trace().eval()),
            "sum" => self.one(|a: &Matrix| a.sum().eval()),
            "dot" => self.two(|a: &Vector, b: &Vector| a.dot(b).eval()),
            "outer" => self.two(|a: &Vector, b: &Vector| a.outer(b).eval()),
            "kron" => self.two(|a: &Matrix, b: &Matrix| a.kronecker(b).eval()),
            "norm" => self.one(|a: &Matrix| a.norm().eval()),
            "norm_squared" => self.one(|a: &Matrix| a.norm_squared().eval()),
            "norm l1" => self.one(|a: &Vector| a.norm_l1().eval()),
            "diagonal" => self.one(|a: &Matrix| a.diagonal().eval()),
            "from_diagonal" => self.one(|a: &Vector| from_diagonal(a).eval()),
            "det" => self.one(|a: &Matrix| a.determinant()),
            "ln_abs_det" => self.one(|a: &Matrix| a.ln_abs_det()),
            "inverse" => self.one(|a: &Matrix| a.try_inverse().unwrap()),
            "solve vec" => {
                self.two(|a: &Matrix, b: &Vector| a.lu().solve(b).unwrap().eval());
                self.two(|a: &Matrix, b: &Vector| a.qr().solve(b).unwrap().eval());
            }
            "solve mat" => {
                self.two(|a: &Matrix, b: &Matrix| a.lu().solve(b).unwrap().eval());
                self.two(|a: &Matrix, b: &Matrix| a.qr().solve(b).unwrap().eval());
            }
            "least squares (A is m x n)" => {
                self.two(|a: &Matrix, b: &Vector| a.qr().solve(b).unwrap().eval())
            }
            "cholesky (symmetric gradient)" => {
                self.one(|a: &Matrix| a.cholesky().unwrap().l().eval())
            }
            "spd solve" => self.two(|a: &Matrix, b: &Vector| a.cholesky().unwrap().solve(b).eval()),
            "solve_lower" => {
                self.two(|a: &Matrix, b: &Matrix| a.solve_lower_triangular(b).unwrap().eval())
            }
            "solve_upper (L^T)" => {
                self.two(|a: &Matrix, b: &Matrix| a.tr_solve_lower_triangular_unchecked(b).eval())
            }
            "qr (thin; R with the sign of LAPACK)" => self.qr(),
            "qr projector Q Q^T" => self.one(|a: &Matrix| {
                let q = a.qr().q().eval();
                q.mul_tr(&q).eval()
            }),
            "symmetric eigenvalues" => self.one(|a: &Matrix| a.symmetric_eigen().eigenvalues),
            "spectral function V exp(d) V^T" => self.one(|a: &Matrix| {
                let SymmetricEigen {
                    eigenvalues: d,
                    eigenvectors: v,
                } = a.symmetric_eigen();
                (&v * from_diagonal(d.map(op::Exp)) * v.transpose()).eval()
            }),
            "singular values" => self.one(|a: &Matrix| a.svd().singular_values),
            "nuclear projector U V^T" => self.one(|a: &Matrix| {
                let svd = a.svd();
                (&svd.u * &svd.v_t).eval()
            }),
            "exp (matrix exponential)" => self.one(|a: &Matrix| Elementary::exp(a).eval()),
            "powi(3)" => self.one(|a: &Matrix| a.powi(3).eval()),
            "pseudo_inverse" => self.one(|a: &Matrix| a.pseudo_inverse(1e-12).eval()),
            "quadratic form" => self.two(|v: &Vector, a: &Matrix| v.quadratic_form(a).eval()),
            "map tanh" => self.one(|a: &Matrix| a.map(op::Tanh).eval()),
            "row_sum" => self.one(|a: &Matrix| a.column_sum().eval()),
            "cross" => self.two(|a: &Vector, b: &Vector| {
                let [a, b] = [a, b].map(|v| gather(v.elements(), 3, 1));
                let r: FixedVector<3> = a.cross(b).eval();
                let r: Vector = gather(r.elements(), 3, 1).eval();
                r
            }),
            "block read" => self.one(|a: &Matrix| {
                let shape = self.outputs[0].shape();
                a.view((0, 0), shape).eval()
            }),
            "element in place: v[1]=a*b[0]/2" => self.element(),
            _ => panic!("no operation for the case {name}"),
        }
    }
}

#[test]
fn values_and_gradients_agree_with_pytorch() {
    let data: Value = serde_json::from_str(include_str!("../data/ops_linalg.json")).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 138);
    for case in cases {
        let note = case["note"].as_str().unwrap_or_default();
        Case {
            name: case["name"].as_str().unwrap().to_owned(),
            inputs: arrays(&case["inputs"]),
            outputs: arrays(&case["outputs"]),
            seeds: arrays(&case["seeds"]),
            gradients: arrays(&case["gradients"]),
            symmetric: note.contains("symmetris"),
        }
        .run();
    }
}

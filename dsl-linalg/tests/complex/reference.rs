//! Values and gradients of PyTorch, in all modes and with tiny chunks.
use crate::C;
use entape_complex::Complex;
use entape_core::{
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    real::Elementary,
    tape::{Gradient, Tape},
};
use entape_linalg::{self as linalg, *};
use nalgebra::DMatrix;
use serde_json::Value as Json;

/// Real arrays are the real parts of complex ones.
type Array = DMatrix<C>;

enum Value<M: AnyMode> {
    Real(entape_core::expr::Active<f64, M>),
    Complex(Complex<M>),
    Vector(ComplexVector<M>),
    RealVector(linalg::Vector<M>),
    Matrix(ComplexMatrix<M>),
    RealMatrix(linalg::Matrix<M>),
}
use Value::*;
impl<M: AnyMode> Value<M> {
    fn value(&self) -> Array {
        match self {
            Real(x) => Array::from_element(1, 1, x.value().into()),
            Complex(z) => Array::from_element(1, 1, z.value()),
            Vector(v) => Array::from_column_slice(v.get().len(), 1, v.get().as_slice()),
            RealVector(v) => Array::from_fn(v.get().len(), 1, |i, _| v.get()[i].into()),
            Matrix(m) => m.get().clone(),
            RealMatrix(m) => m.get().map(C::from),
        }
    }
}
impl<M: Recording> Value<M> {
    fn seed(&self, tape: &mut Tape<M>, seed: &Array) {
        match self {
            Real(x) => tape.seed(x, seed[0].re),
            Complex(z) => tape.seed(z, seed[0]),
            Vector(v) => tape.seed(v, seed.column(0).into_owned()),
            RealVector(v) => tape.seed(v, seed.column(0).map(|z| z.re)),
            Matrix(m) => tape.seed(m, seed.clone()),
            RealMatrix(m) => tape.seed(m, seed.map(|z| z.re)),
        }
        .unwrap();
    }
    fn gradient(&self, of: &Gradient<'_, M>) -> Array {
        match self {
            Complex(z) => Array::from_element(1, 1, of.wrt(z).unwrap()),
            Vector(v) => {
                let v = of.wrt(v).unwrap();
                Array::from_column_slice(v.len(), 1, v.as_slice())
            }
            Matrix(m) => of.wrt(m).unwrap(),
            RealMatrix(m) => of.wrt(m).unwrap().map(C::from),
            _ => panic!("no input of this kind in the data"),
        }
    }
}

/// Applies the operation of a case, by each available method.
fn apply<M: AnyMode>(name: &str, x: &[Value<M>]) -> Vec<Value<M>> {
    let name = name.split('[').next().unwrap();
    match (name, x) {
        ("matmul", [Matrix(a), Matrix(b)]) => vec![Matrix((a * b).eval())],
        ("mat_vec", [Matrix(a), Vector(v)]) => vec![Vector((a * v).eval())],
        ("adjoint (C^H D)", [Matrix(a), Matrix(b)]) => vec![
            Matrix((a.adjoint() * b).eval()),
            Matrix(a.ad_mul(b).eval()),
            Matrix(a.conjugate().tr_mul(b).eval()),
            Matrix(a.adjoint().mul_ad(b.adjoint()).eval()),
        ],
        ("scale by complex", [Complex(z), Matrix(a)]) => {
            vec![Matrix((z * a).eval()), Matrix((a * z).eval())]
        }
        ("real matrix * complex vector", [RealMatrix(a), Vector(v)]) => {
            vec![Vector((a * v).eval()), Vector((a.to_complex() * v).eval())]
        }
        ("dotc", [Vector(v), Vector(w)]) => {
            vec![
                Complex(v.dotc(w).eval()),
                Complex(v.conjugate().dot(w).eval()),
            ]
        }
        ("norm", [Matrix(a)]) => vec![Real(a.norm().eval())],
        ("trace", [Matrix(a)]) => vec![Complex(a.trace().eval())],
        ("det", [Matrix(a)]) => vec![Complex(a.determinant())],
        ("inverse", [Matrix(a)]) => vec![Matrix(a.try_inverse().unwrap())],
        ("solve vec", [Matrix(a), Vector(v)]) => vec![
            Vector(a.lu().solve(v).unwrap().eval()),
            Vector(a.qr().solve(v).unwrap().eval()),
        ],
        ("solve mat", [Matrix(a), Matrix(b)]) => vec![
            Matrix(a.lu().solve(b).unwrap().eval()),
            Matrix(a.qr().solve(b).unwrap().eval()),
        ],
        ("cholesky (hermitian)", [Matrix(a)]) => vec![Matrix(a.cholesky().unwrap().l().eval())],
        ("hermitian eigenvalues", [Matrix(a)]) => {
            vec![RealVector(a.symmetric_eigen().eigenvalues)]
        }
        ("singular values", [Matrix(a)]) => vec![RealVector(a.svd().singular_values)],
        ("exp (matrix exponential)", [Matrix(a)]) => vec![Matrix(Elementary::exp(a).eval())],
        _ => panic!("no operation for the case {name}"),
    }
}

fn array(json: &Json) -> (bool, usize, Array) {
    let numbers = |v: &Json| -> Vec<f64> {
        let numbers = v.as_array().unwrap();
        numbers.iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let shape: Vec<usize> = numbers(&json["shape"])
        .iter()
        .map(|x| *x as usize)
        .collect();
    let (rows, cols) = match *shape {
        [] => (1, 1),
        [n] => (n, 1),
        [m, n] => (m, n),
        _ => panic!("an array with more than two dimensions"),
    };
    let re = numbers(&json["re"]);
    let complex = !json["im"].is_null();
    let im = match complex {
        true => numbers(&json["im"]),
        false => vec![0.0; re.len()],
    };
    let all = re.iter().zip(im).map(|(re, im)| C::new(*re, im));
    (
        complex,
        shape.len(),
        Array::from_row_iterator(rows, cols, all),
    )
}
fn arrays(json: &Json) -> Vec<(bool, usize, Array)> {
    json.as_array().unwrap().iter().map(array).collect()
}
#[track_caller]
fn assert_close(got: &Array, want: &Array, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    let each = got.iter().zip(want).map(|(got, want)| (got - want).norm());
    let worst = each.fold(0.0, f64::max);
    let scale = want.iter().fold(1e-3_f64, |s, z| s.max(z.norm()));
    assert!(
        worst <= 1e-11 * scale,
        "{what} is {got}, not {want}: {worst:e}"
    );
}

fn recorded<M: Recording>(case: &Json, chunk: Option<usize>) {
    let name = case["name"].as_str().unwrap();
    let (_, _, output) = array(&case["outputs"][0]);
    let (_, _, seed) = array(&case["seeds"][0]);
    let hermitian = case["note"]
        .as_str()
        .is_some_and(|n| n.contains("hermitise"));
    let ways = apply::<Plain>(name, &plain(case)).len();
    for way in 0..ways {
        let builder = Tape::<M>::builder();
        let mut tape = match chunk {
            Some(bytes) => builder.chunk_bytes(bytes).build(),
            None => builder.build(),
        }
        .unwrap();
        let inputs: Vec<Value<M>> = arrays(&case["inputs"])
            .into_iter()
            .map(|input| match input {
                (true, 0, a) => Complex(tape.input(a[0])),
                (true, 1, a) => Vector(tape.input(a.column(0).into_owned())),
                (true, _, a) => Matrix(tape.input(a)),
                (false, _, a) => RealMatrix(tape.input(a.map(|z| z.re))),
            })
            .collect();
        let y = tape.record(|| apply(name, &inputs).swap_remove(way));
        assert_close(&y.value(), &output, name);
        y.seed(&mut tape, &seed);
        let gradient = tape.sweep().unwrap();
        for (x, (_, _, want)) in inputs.iter().zip(arrays(&case["gradients"])) {
            let mut got = x.gradient(&gradient);
            if hermitian {
                got = (&got + got.adjoint()) * C::from(0.5);
            }
            assert_close(&got, &want, name);
        }
    }
}
fn plain(case: &Json) -> Vec<Value<Plain>> {
    let of = |input: (bool, usize, Array)| match input {
        (true, 0, a) => Complex(entape_complex::Complex::passive(a[0])),
        (true, 1, a) => Vector(ComplexVector::passive(a.column(0).into_owned())),
        (true, _, a) => Matrix(ComplexMatrix::passive(a)),
        (false, _, a) => RealMatrix(linalg::Matrix::passive(a.map(|z| z.re))),
    };
    arrays(&case["inputs"]).into_iter().map(of).collect()
}

#[test]
fn values_and_gradients_agree_with_pytorch() {
    let data = include_str!("../data/ops_complex_linalg.json");
    let data: Json = serde_json::from_str(data).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 48);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let (_, _, output) = array(&case["outputs"][0]);
        for y in apply(name, &plain(case)) {
            assert_close(&y.value(), &output, name);
        }
        for chunk in [None, Some(64)] {
            recorded::<Taped>(case, chunk);
            recorded::<Reuse>(case, chunk);
        }
    }
}

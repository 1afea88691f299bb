//! The programs of linear algebra on small matrices, compared with the reference data.
use entape::prelude::*;
use entape_programs::linalg::{self, Analysis, Kalman};
use entape_tests::{assert_close, numbers, program as reference};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

const TOLERANCE: f64 = 1e-10;

struct Case<M: Recording> {
    tape: Tape<M>,
    data: Value,
    matrices: Vec<(&'static str, Matrix<M>)>,
    vectors: Vec<(&'static str, Vector<M>)>,
    scalars: Vec<(&'static str, Active<f64, M>)>,
}
impl<M: Recording> Case<M> {
    fn new(name: &str, mut tape: Tape<M>, inputs: &[&'static str]) -> Self {
        let data = reference(name);
        let n = data["n"].as_u64().unwrap() as usize;
        let (mut matrices, mut vectors, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
        for &input in inputs {
            match &data["inputs"][input] {
                Value::Array(list) if list.len() == n * n => {
                    let value = DMatrix::from_row_slice(n, n, &numbers(&data["inputs"][input]));
                    matrices.push((input, tape.input(value)));
                }
                Value::Array(_) => {
                    let value = DVector::from_vec(numbers(&data["inputs"][input]));
                    vectors.push((input, tape.input(value)));
                }
                number => scalars.push((input, tape.input(number.as_f64().unwrap()))),
            }
        }
        Case {
            tape,
            data,
            matrices,
            vectors,
            scalars,
        }
    }
    fn steps(&self) -> usize {
        self.data["steps"].as_u64().unwrap() as usize
    }
    fn m(&self, name: &str) -> &Matrix<M> {
        &self.matrices.iter().find(|(n, _)| *n == name).unwrap().1
    }
    fn v(&self, name: &str) -> &Vector<M> {
        &self.vectors.iter().find(|(n, _)| *n == name).unwrap().1
    }
    fn s(&self, name: &str) -> &Active<f64, M> {
        &self.scalars.iter().find(|(n, _)| *n == name).unwrap().1
    }
    fn check(mut self, program: impl FnOnce(&Self) -> Active<f64, M>) {
        let mut tape = std::mem::take(&mut self.tape);
        let y = tape.record(|| program(&self));
        let want = self.data["value"].as_f64().unwrap();
        assert_close("value", &[*y.get()], &[want], TOLERANCE);
        for _ in 0..2 {
            let gradient = tape.gradient(&y).unwrap();
            let expected = |name: &str| &self.data["gradient"][name];
            for (name, x) in &self.matrices {
                let got = gradient.wrt(x).unwrap().transpose();
                assert_close(name, got.as_slice(), &numbers(expected(name)), TOLERANCE);
            }
            for (name, x) in &self.vectors {
                let got = gradient.wrt(x).unwrap();
                assert_close(name, got.as_slice(), &numbers(expected(name)), TOLERANCE);
            }
            for (name, x) in &self.scalars {
                let want = expected(name).as_f64().unwrap();
                assert_close(name, &[gradient.wrt(x).unwrap()], &[want], TOLERANCE);
            }
        }
    }
}
fn tiny<M: Recording>() -> Tape<M> {
    Tape::builder().chunk_bytes(64).build().unwrap()
}
macro_rules! programs { ($($name:ident $case:literal [$($input:literal)*] |$c:ident| $run:expr;)*) => { $(
    #[test]
    fn $name() {
        fn run<M: Recording>(tape: Tape<M>) {
            Case::new($case, tape, &[$($input),*]).check(|$c| $run);
        }
        run(Tape::<Taped>::default());
        run(tiny::<Taped>());
        run(Tape::<Reuse>::default());
        run(tiny::<Reuse>());
    }
)* } }
programs! {
    t1 "t1" ["A" "B"] |c| linalg::product(c.m("A"), c.m("B"));
    t2 "t2" ["A" "b"] |c| linalg::solve(c.m("A"), c.v("b")).unwrap();
    t2m "t2m" ["A" "B"] |c| linalg::solve_many(c.m("A"), c.m("B")).unwrap();
    t3 "t3" ["F" "B" "Q" "H" "R" "P" "u" "x" "z"] |c| {
        let model = Kalman {
            f: c.m("F"), b: c.m("B"), q: c.m("Q"), h: c.m("H"), r: c.m("R"), u: c.v("u"), z: c.v("z"),
        };
        model.run(c.v("x"), c.m("P"), c.steps()).unwrap()
    };
    t4 "t4" ["W" "A" "x0" "y" "v1" "z1" "v2" "z2" "alpha" "beta" "tau"] |c| {
        let analysis = Analysis {
            w: c.m("W"), a: c.m("A"), x0: c.v("x0"), y: c.v("y"),
            alpha: c.s("alpha"), beta: c.s("beta"), tau: c.s("tau"),
        };
        analysis.run(["v1", "z1", "v2", "z2"].map(|name| c.v(name)), c.steps())
    };
}

#[test]
fn plain_programs_have_the_values_of_the_reference() {
    let data = reference("t1");
    let matrix = |name: &str| {
        let value = DMatrix::from_row_slice(5, 5, &numbers(&data["inputs"][name]));
        Matrix::<Plain>::passive(value)
    };
    let y = linalg::product(&matrix("A"), &matrix("B"));
    assert_close(
        "value",
        &[y.value()],
        &[data["value"].as_f64().unwrap()],
        TOLERANCE,
    );
}

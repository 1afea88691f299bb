use approx::abs_diff_eq;
use entape_core::{
    expr::Active,
    real::Elementary,
    tape::{Gradient, Tape},
};
use entape_simd::{
    Array,
    arrays::{ArrayOps, Compare, MaskOps, Slices},
};
use serde_json::Value;

const TOLERANCE: f64 = 1e-12;
type Real = Active<f64>;

trait Variable: Sized {
    fn input(tape: &mut Tape, value: &[f64]) -> Self;
    fn numbers(&self) -> Vec<f64>;
    fn seed(&self, tape: &mut Tape, seed: &[f64]);
    fn gradient(&self, gradient: &Gradient<'_>) -> Vec<f64>;
}
impl Variable for Real {
    fn input(tape: &mut Tape, value: &[f64]) -> Self {
        tape.input(value[0])
    }
    fn numbers(&self) -> Vec<f64> {
        vec![self.value()]
    }
    fn seed(&self, tape: &mut Tape, seed: &[f64]) {
        tape.seed(self, seed[0]).unwrap();
    }
    fn gradient(&self, gradient: &Gradient<'_>) -> Vec<f64> {
        vec![gradient.wrt(self).unwrap()]
    }
}
impl Variable for Array {
    fn input(tape: &mut Tape, value: &[f64]) -> Self {
        tape.input(value.to_vec())
    }
    fn numbers(&self) -> Vec<f64> {
        self.get().clone()
    }
    fn seed(&self, tape: &mut Tape, seed: &[f64]) {
        tape.seed(self, seed.to_vec()).unwrap();
    }
    fn gradient(&self, gradient: &Gradient<'_>) -> Vec<f64> {
        gradient.wrt(self).unwrap()
    }
}

struct Case {
    name: String,
    inputs: Vec<Vec<f64>>,
    output: Vec<f64>,
    seed: Vec<f64>,
    gradients: Vec<Vec<f64>>,
}
fn numbers(array: &Value) -> Vec<f64> {
    let list = array["re"].as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}
fn arrays(list: &Value) -> Vec<Vec<f64>> {
    list.as_array().unwrap().iter().map(numbers).collect()
}
impl Case {
    fn close(&self, what: &str, got: &[f64], want: &[f64]) {
        let scale = want.iter().fold(1e-3, |m: f64, x| m.max(x.abs()));
        let close = abs_diff_eq!(got, want, epsilon = TOLERANCE * scale);
        assert!(close, "{}: {what} is {got:?}, not {want:?}", self.name);
    }
    fn finish<Y: Variable>(&self, tape: &mut Tape, y: &Y) {
        self.close("value", &y.numbers(), &self.output);
        y.seed(tape, &self.seed);
    }
    fn one<Y: Variable>(&self, f: impl FnOnce(&Array) -> Y) {
        let mut tape = Tape::new();
        let a = Array::input(&mut tape, &self.inputs[0]);
        let y = tape.record(|| f(&a));
        self.finish(&mut tape, &y);
        let gradient = tape.sweep().unwrap();
        self.close("gradient", &a.gradient(&gradient), &self.gradients[0]);
    }
    fn two<Y: Variable>(&self, f: impl FnOnce(&Array, &Array) -> Y) {
        let mut tape = Tape::new();
        let (a, b) = (
            Array::input(&mut tape, &self.inputs[0]),
            Array::input(&mut tape, &self.inputs[1]),
        );
        let y = tape.record(|| f(&a, &b));
        self.finish(&mut tape, &y);
        let gradient = tape.sweep().unwrap();
        self.close("gradient 0", &a.gradient(&gradient), &self.gradients[0]);
        self.close("gradient 1", &b.gradient(&gradient), &self.gradients[1]);
    }
    fn real_and_arrays(&self) {
        let mut tape = Tape::new();
        let s = Real::input(&mut tape, &self.inputs[0]);
        let (a, b) = (
            Array::input(&mut tape, &self.inputs[1]),
            Array::input(&mut tape, &self.inputs[2]),
        );
        let y = tape.record(|| (s * &a + &b).eval());
        self.finish(&mut tape, &y);
        let gradient = tape.sweep().unwrap();
        self.close("gradient 0", &s.gradient(&gradient), &self.gradients[0]);
        self.close("gradient 1", &a.gradient(&gradient), &self.gradients[1]);
        self.close("gradient 2", &b.gradient(&gradient), &self.gradients[2]);
    }
    fn run(&self) {
        let (name, _) = self.name.split_once("[n=").unwrap_or_default();
        match name {
            "abs" => self.one(|a| a.abs().eval()),
            "exp" => self.one(|a| a.exp().eval()),
            "ln" => self.one(|a| a.ln().eval()),
            "sin" => self.one(|a| a.sin().eval()),
            "sqrt" => self.one(|a| a.sqrt().eval()),
            "tanh" => self.one(|a| a.tanh().eval()),
            "add" => self.two(|a, b| (a + b).eval()),
            "mul" => self.two(|a, b| (a * b).eval()),
            "div" => self.two(|a, b| (a / b).eval()),
            "hypot" => self.two(|a, b| a.hypot(b).eval()),
            "max" => self.two(|a, b| a.max(b).eval()),
            "dot" => self.two(|a, b| a.dot(b).eval()),
            "sum" => self.one(|a| a.sum().eval()),
            "norm" => self.one(|a| a.norm().eval()),
            "reduce max" => self.one(|a| a.reduce_max().eval()),
            "real * array + array" => self.real_and_arrays(),
            "select(a>0, a*b, b)" => self.two(|a, b| a.simd_gt(0.0).select(a * b, b).eval()),
            _ if self.name.starts_with("stencil") => self.one(|a| {
                let n = a.get().len();
                (a.slice(2..) - 2.0 * a.slice(1..n - 1) + a.slice(..n - 2)).eval()
            }),
            _ => panic!("no test for {}", self.name),
        }
    }
}

#[test]
fn values_and_gradients_agree_with_pytorch() {
    let data: Value = serde_json::from_str(include_str!("../data/ops_array.json")).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 53);
    for case in cases {
        let case = Case {
            name: case["name"].as_str().unwrap().to_owned(),
            inputs: arrays(&case["inputs"]),
            output: numbers(&case["outputs"][0]),
            seed: numbers(&case["seeds"][0]),
            gradients: arrays(&case["gradients"]),
        };
        case.run();
    }
}

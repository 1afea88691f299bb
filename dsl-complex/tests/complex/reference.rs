use entape_complex::{
    Complex, ComplexOps, PolarCoordinates, Powers, RealOps, cis, from_polar, new,
    num_complex::Complex64,
};
use entape_core::{
    expr::Active,
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    real::Elementary,
    tape::Tape,
};
use serde_json::Value as Json;

enum Value<M: AnyMode> {
    R(Active<f64, M>),
    C(Complex<M>),
}
use Value::{C, R};
impl<M: AnyMode> From<Active<f64, M>> for Value<M> {
    fn from(x: Active<f64, M>) -> Self {
        R(x)
    }
}
impl<M: AnyMode> From<Complex<M>> for Value<M> {
    fn from(z: Complex<M>) -> Self {
        C(z)
    }
}
impl<M: AnyMode> Value<M> {
    fn value(&self) -> Complex64 {
        match self {
            R(x) => x.value().into(),
            C(z) => z.value(),
        }
    }
}

fn apply<M: AnyMode>(name: &str, x: &[Value<M>]) -> Value<M> {
    macro_rules! by_name { ($z:ident: $($name:ident)*) => { match name {
        $( stringify!($name) => $z.$name().eval().into(), )*
        "neg" => (-$z).eval().into(),
        "powi(3)" => $z.powi(3).eval().into(),
        "powi(-2)" => $z.powi(-2).eval().into(),
        "powf(1.7)" => $z.powf(1.7).eval().into(),
        _ => panic!("no operation for the case {name}"),
    } } }
    match x {
        [C(z)] => by_name! { z:
            re im conj norm arg norm_sqr inv exp ln sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh
            atanh log10
        },
        [R(x)] => match name {
            "cis" => cis(x).eval().into(),
            _ => panic!("no operation for the case {name}"),
        },
        [C(z), C(w)] => match name {
            "add" => (z + w).eval().into(),
            "sub" => (z - w).eval().into(),
            "mul" => (z * w).eval().into(),
            "div" => (z / w).eval().into(),
            "powc" => z.powc(w).eval().into(),
            _ => panic!("no operation for the case {name}"),
        },
        [C(z), R(x)] => match name {
            "mul_real" => (z * x).eval().into(),
            "div_real" => (z / x).eval().into(),
            "real_div" => (x / z).eval().into(),
            "add_real" => (z + x).eval().into(),
            "powf(z,y)" => z.powf(x).eval().into(),
            "program: |(z*z*a).re| mixed" => {
                ((z * z * x).re().powi(2) + (z / x).norm()).eval().into()
            }
            _ => panic!("no operation for the case {name}"),
        },
        [R(x), R(y)] => match name {
            "from_polar" => from_polar(x, y).eval().into(),
            "new" => new(x, y).eval().into(),
            _ => panic!("no operation for the case {name}"),
        },
        _ => panic!("the case {name} has other arguments"),
    }
}

fn scalar(array: &Json) -> (Complex64, bool) {
    let part = |part: &str| array[part][0].as_f64();
    let im = part("im");
    let re = part("re").expect("a real part");
    (Complex64::new(re, im.unwrap_or(0.0)), im.is_some())
}
fn scalars(arrays: &Json) -> Vec<(Complex64, bool)> {
    let arrays = arrays.as_array().expect("a list of arrays");
    arrays.iter().map(scalar).collect()
}
#[track_caller]
fn assert_close(got: Complex64, want: Complex64, what: &str) {
    let error = (got - want).norm();
    assert!(
        error <= 1e-11 * want.norm(),
        "{what}: {got} instead of {want}"
    );
}

fn recorded<M: Recording>(case: &Json, chunk: Option<usize>) {
    let name = case["name"].as_str().expect("a name");
    let builder = Tape::<M>::builder();
    let builder = match chunk {
        Some(bytes) => builder.chunk_bytes(bytes),
        None => builder,
    };
    let mut tape = builder.build().expect("a tape");
    let inputs: Vec<Value<M>> = scalars(&case["inputs"])
        .into_iter()
        .map(|(value, complex)| match complex {
            true => C(tape.input(value)),
            false => R(tape.input(value.re)),
        })
        .collect();
    let y = tape.record(|| apply(name, &inputs));
    assert_close(y.value(), scalar(&case["outputs"][0]).0, name);
    let (seed, _) = scalar(&case["seeds"][0]);
    match &y {
        R(y) => tape.seed(y, seed.re),
        C(y) => tape.seed(y, seed),
    }
    .expect("a recorded output");
    let gradient = tape.sweep().expect("a sweep");
    let want = scalars(&case["gradients"]);
    assert_eq!(inputs.len(), want.len());
    for (x, (want, _)) in inputs.iter().zip(want) {
        let got = match x {
            R(x) => gradient.wrt(x).expect("an input").into(),
            C(z) => gradient.wrt(z).expect("an input"),
        };
        assert_close(got, want, name);
    }
}

#[test]
fn values_and_gradients_agree_with_pytorch() {
    let data: Json =
        serde_json::from_str(include_str!("../data/ops_complex.json")).expect("the data is JSON");
    let cases = data["cases"].as_array().expect("a list of cases");
    assert_eq!(cases.len(), 41);
    for case in cases {
        let plain: Vec<Value<Plain>> = scalars(&case["inputs"])
            .into_iter()
            .map(|(value, complex)| match complex {
                true => C(Complex::passive(value)),
                false => R(Active::passive(value.re)),
            })
            .collect();
        let name = case["name"].as_str().expect("a name");
        let want = scalar(&case["outputs"][0]).0;
        assert_close(apply(name, &plain).value(), want, name);
        for chunk in [None, Some(64)] {
            recorded::<Taped>(case, chunk);
            recorded::<Reuse>(case, chunk);
        }
    }
}

#[test]
fn all_modes_agree() {
    fn program<M: AnyMode>(z: &Complex<M>, x: &Active<f64, M>) -> Active<f64, M> {
        let mut w = (z * x).eval();
        for k in 0..20 {
            w.update(|w| (w * w).exp() / 8.0 + z.conj());
            if k % 3 == 0 {
                w *= x.cis();
            }
        }
        let (r, phi) = w.to_polar();
        (r * phi.sin() + (z * z * x).re()).eval()
    }
    fn run<M: Recording>(chunk: Option<usize>) -> (f64, Complex64, f64) {
        let builder = Tape::<M>::builder();
        let mut tape = match chunk {
            Some(bytes) => builder.chunk_bytes(bytes).build(),
            None => builder.build(),
        }
        .expect("a tape");
        let (z, x) = (tape.input(Complex64::new(0.3, 0.4)), tape.input(0.7));
        let y = tape.record(|| program(&z, &x));
        let gradient = tape.gradient(&y).expect("recorded");
        let of = (gradient.wrt(&z), gradient.wrt(&x));
        (y.value(), of.0.expect("an input"), of.1.expect("an input"))
    }
    let plain = program::<Plain>(
        &Complex::passive(Complex64::new(0.3, 0.4)),
        &Active::passive(0.7),
    );
    let taped = run::<Taped>(None);
    assert_eq!(plain.value(), taped.0);
    assert_eq!(run::<Taped>(Some(32)), taped);
    assert_eq!(run::<Reuse>(None), taped);
    assert_eq!(run::<Reuse>(Some(32)), taped);
}

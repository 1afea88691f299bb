use crate::{Real, assert_close, gradient};
use entape_core::real::Elementary;
use serde_json::Value;

fn unary(name: &str, x: Real) -> Option<Real> {
    macro_rules! by_name { ($($name:ident)*) => { match name {
        $( stringify!($name) => x.$name().eval(), )*
        "neg" => (-x).eval(),
        "powi(-3)" => x.powi(-3).eval(),
        "powi(4)" => x.powi(4).eval(),
        "powf(2.5)" => x.powf(2.5).eval(),
        _ => return None,
    } } }
    Some(by_name! {
        sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp_m1 ln log2 log10 ln_1p
        sqrt cbrt recip abs erf erfc ln_gamma
    })
}
fn binary(name: &str, x: Real, y: Real) -> Option<Real> {
    Some(match name {
        "add" => (x + y).eval(),
        "sub" => (x - y).eval(),
        "mul" => (x * y).eval(),
        "div" => (x / y).eval(),
        "powf(x,y)" => x.powf(y).eval(),
        "atan2" => x.atan2(y).eval(),
        "hypot" => x.hypot(y).eval(),
        "max" => x.max(y).eval(),
        "min" => x.min(y).eval(),
        "copysign" => x.copysign(y).eval(),
        _ => return None,
    })
}

fn numbers(arrays: &Value) -> Vec<f64> {
    arrays
        .as_array()
        .unwrap()
        .iter()
        .map(|array| array["re"][0].as_f64().unwrap())
        .collect()
}

#[test]
fn values_and_gradients_equal_those_of_pytorch() {
    let data: Value = serde_json::from_str(include_str!("../data/ops_real.json")).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 41);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let unknown = || panic!("no operation for the case {name}");
        let seed = numbers(&case["seeds"])[0];
        let (y, slopes) = match *numbers(&case["inputs"]) {
            [a] => {
                let (y, slope) = gradient([a], |[a]| unary(name, a).unwrap_or_else(unknown));
                (y, slope.to_vec())
            }
            [a, b] => {
                let (y, slopes) =
                    gradient([a, b], |[a, b]| binary(name, a, b).unwrap_or_else(unknown));
                (y, slopes.to_vec())
            }
            [a, b, c] => {
                let (y, slopes) = gradient([a, b, c], |[a, b, c]| a.mul_add(b, c).eval());
                (y, slopes.to_vec())
            }
            _ => panic!("four arguments"),
        };
        assert_close(y, numbers(&case["outputs"])[0], 1e-12, &name);
        let want = numbers(&case["gradients"]);
        assert_eq!(slopes.len(), want.len());
        for (slope, want) in slopes.iter().zip(want) {
            assert_close(seed * slope, want, 1e-12, &name);
        }
    }
}

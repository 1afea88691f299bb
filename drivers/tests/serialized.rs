//! Matrices of derivatives with `serde`.
use entape_core::expr::Active;
use entape_drivers::{Error, Jacobian, ValueGradientHessian, value_gradient_hessian};
use serde_json::{Value, from_str, from_value, json, to_string, to_value};

#[test]
fn jacobians_are_read_as_they_were_written() {
    let shapes = [(0, 0), (0, 3), (3, 0), (1, 3), (3, 1), (2, 3)];
    for (rows, columns) in shapes {
        let values = (0..rows * columns).map(|i| i as f64 * 0.75 - 1.0).collect();
        let j = Jacobian::new(rows, columns, values);
        let read: Jacobian = from_str(&to_string(&j).unwrap()).unwrap();
        assert_eq!(read, j);
        assert_eq!((read.rows(), read.columns()), (rows, columns));
    }
    let written = to_value(Jacobian::new(1, 2, vec![1.5, -0.25])).unwrap();
    let want = json!({ "rows": 1, "columns": 2, "values": [1.5, -0.25] });
    assert_eq!(written, want);
}

#[track_caller]
fn assert_refused<T: serde::de::DeserializeOwned + std::fmt::Debug>(written: Value, reason: &str) {
    let error = from_value::<T>(written.clone()).expect_err(reason);
    assert!(error.to_string().contains(reason), "{written}: {error}");
}

#[test]
fn malformed_jacobians_are_errors() {
    let dense = |rows: u64, columns: u64, values: &[f64]| json!({ "rows": rows, "columns": columns, "values": values });
    let refused = |written, reason| assert_refused::<Jacobian>(written, reason);
    refused(
        dense(2, 2, &[1.0; 3]),
        "3 entries do not fill a 2 x 2 Jacobian",
    );
    refused(
        dense(2, 2, &[1.0; 5]),
        "5 entries do not fill a 2 x 2 Jacobian",
    );
    refused(
        dense(0, 2, &[1.0]),
        "1 entries do not fill a 0 x 2 Jacobian",
    );
    refused(dense(1, 1, &[]), "0 entries do not fill a 1 x 1 Jacobian");
    // Their product is zero in 64 bits.
    refused(dense(1 << 32, 1 << 32, &[]), "0 entries");
    refused(dense(1 << 63, 2, &[]), "0 entries");
    let text = json!({ "rows": 1, "columns": 1, "values": ["1.0"] });
    refused(text, "expected f64");
    let negative = json!({ "rows": -1, "columns": -1, "values": [1.0] });
    refused(negative, "expected usize");
    refused(json!({ "rows": 1, "values": [1.0] }), "columns");
    refused(json!([[1.0]]), "expected usize");
}

#[test]
fn second_derivatives_are_read_as_they_were_written() -> Result<(), Error> {
    let all = value_gradient_hessian(
        |(x, y): (Active<f64>, Active<f64>)| (x * x * y).eval(),
        (2.0, 3.0),
    )?;
    let read: ValueGradientHessian<f64, (f64, f64)> = from_str(&to_string(&all).unwrap()).unwrap();
    assert_eq!(read, all);
    assert_eq!((read.value, read.gradient), (12.0, (12.0, 4.0)));
    assert_eq!(read.hessian.as_slice(), [6.0, 4.0, 4.0, 0.0]);
    let mut short = to_value(&all).unwrap();
    short["hessian"]["values"] = json!([6.0, 4.0, 4.0]);
    let reason = "3 entries do not fill a 2 x 2 Jacobian";
    assert_refused::<ValueGradientHessian<f64, (f64, f64)>>(short, reason);
    Ok(())
}

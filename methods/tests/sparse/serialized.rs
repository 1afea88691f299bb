use entape_core::expr::Active;
use entape_drivers::{Error, Objective};
use entape_methods::sparse::{SparseJacobian, SparseObjective};
use serde_json::{Value, from_value, json, to_value};

#[track_caller]
fn refused(written: Value, reason: &str) {
    let error = from_value::<SparseJacobian>(written.clone()).expect_err(reason);
    assert!(error.to_string().contains(reason), "{written}: {error}");
}

fn sparse(columns: u64, row_pointers: &[u64], column_indices: &[u64], values: &[f64]) -> Value {
    json!({
        "columns": columns, "row_pointers": row_pointers, "column_indices": column_indices, "values": values,
    })
}

fn example() -> Result<SparseJacobian, Error> {
    let f = Objective::recorded(|x: &[Active<f64>]| {
        vec![
            (x[0] * x[2]).eval(),
            Active::passive(1.0),
            (x[3] * 5.0 - x[1]).eval(),
        ]
    });
    f.sparse_jacobian(&[2.0, 3.0, 4.0, 5.0])
}

#[test]
fn sparse_jacobians_are_read_as_they_were_written() -> Result<(), Error> {
    let j = example()?;
    let written = to_value(&j).unwrap();
    let want = sparse(4, &[0, 2, 2, 4], &[0, 2, 1, 3], &[4.0, 2.0, -1.0, 5.0]);
    assert_eq!(written, want);
    let read: SparseJacobian = from_value(written).unwrap();
    assert_eq!(read, j);
    assert_eq!(read.get(2, 3), Some(5.0));
    assert_eq!(read.times(&[1.0, 2.0, 3.0, 4.0]), [10.0, 0.0, 18.0]);
    assert_eq!(read.to_dense(), j.to_dense());
    for (rows, columns) in [(0, 0), (0, 3), (3, 0), (1, 3)] {
        let empty = sparse(columns, &vec![0; rows + 1], &[], &[]);
        let read: SparseJacobian = from_value(empty.clone()).unwrap();
        assert_eq!(
            (read.rows(), read.columns(), read.iter().count()),
            (rows, columns as usize, 0)
        );
        assert_eq!(to_value(&read).unwrap(), empty);
    }
    Ok(())
}

#[test]
fn malformed_sparse_jacobians_are_errors() {
    let (one, two) = ([1.0], [1.0, 2.0]);
    refused(
        sparse(2, &[0, 1], &[0], &two),
        "2 values do not fit 1 entries",
    );
    refused(
        sparse(2, &[0, 2], &[0, 1], &one),
        "1 values do not fit 2 entries",
    );
    let pointers = "rise from 0 to the number of entries";
    refused(sparse(2, &[], &[], &[]), pointers);
    refused(sparse(2, &[1, 2], &[0, 1], &two), pointers);
    refused(sparse(2, &[0, 1], &[0, 1], &two), pointers);
    refused(sparse(2, &[0, 3], &[0, 1], &two), pointers);
    refused(sparse(2, &[0, 2, 1, 2], &[0, 1], &two), pointers);
    refused(sparse(2, &[0, u64::MAX, 2], &[0, 1], &two), pointers);
    let second =
        "the columns in row 1 of a sparse Jacobian must be in ascending order and less than 2";
    refused(sparse(2, &[0, 0, 2], &[1, 0], &two), second);
    refused(sparse(2, &[0, 0, 2], &[1, 1], &two), second);
    refused(sparse(2, &[0, 1, 2], &[0, 2], &two), second);
    refused(sparse(0, &[0, 1], &[0], &one), "less than 0");
    refused(
        json!({ "columns": 1, "row_pointers": [0] }),
        "column_indices",
    );
}

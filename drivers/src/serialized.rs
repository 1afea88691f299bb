//! Matrices of derivatives with `serde`, validated on reading.
#![cfg(feature = "serde")]
use super::jacobian::Jacobian;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Dense {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}
impl TryFrom<Dense> for Jacobian {
    type Error = String;
    fn try_from(
        Dense {
            rows,
            columns,
            values,
        }: Dense,
    ) -> Result<Self, String> {
        match rows.checked_mul(columns) == Some(values.len()) {
            true => Ok(Jacobian::new(rows, columns, values)),
            false => Err(format!(
                "{} entries do not fill a {rows} x {columns} Jacobian: pass `rows * columns` entries, row by row",
                values.len()
            )),
        }
    }
}

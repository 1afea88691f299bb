//! Statistics, written by `serde`.
use entape_core::tape::Tape;
use serde_json::{json, to_value};

#[test]
fn statistics_are_written_by_the_names_of_their_fields() {
    let mut tape = Tape::new();
    let x = tape.input(2.0);
    tape.record(|| (x * x + x).eval());
    let statistics = tape.statistics();
    let written = to_value(&statistics).unwrap();
    assert_eq!(written["statements"], json!(2));
    assert_eq!(
        written["allocated_bytes"],
        json!(statistics.allocated_bytes)
    );
    assert_eq!(written["kinds"][0]["kind"], json!(statistics.kinds[0].kind));
    assert_eq!(
        written["kinds"].as_array().map(Vec::len),
        Some(statistics.kinds.len())
    );
}

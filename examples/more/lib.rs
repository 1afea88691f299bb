//! The examples that need other crates: `cargo run --release -p entape-examples --example filter`.

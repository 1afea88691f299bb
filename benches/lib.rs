//! The benches: `cargo bench -p entape-benches --bench burgers`.

use entape_simd::machine::{levels, limited_to};

/// Runs a test at each instruction level of the machine.
pub(crate) fn at_each_level(test: impl Fn()) {
    for level in levels() {
        println!("at level {level:?}"); // shown if it fails
        limited_to(level, &test);
    }
}

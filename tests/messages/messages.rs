//! The messages of the compiler, and their positions.

#[test]
fn programs_are_refused_with_a_remedy() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("annotations/*.rs");
    cases.compile_fail("misuse/*.rs");
}

pub struct Failure { pub ranks: usize }
pub fn all() -> Vec<(&'static str, Failure)> { vec![] }
pub fn check(_: &str, _: &Failure) -> Result<(), String> { Ok(()) }
pub fn run_one(_: &str) {}

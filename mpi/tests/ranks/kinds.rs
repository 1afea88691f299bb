use crate::Test;
pub fn tests() -> [Test; 0] { [] }

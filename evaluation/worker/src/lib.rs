//! What a process does that the evaluation starts to measure one tool on one program at one size.
//!
//! Every tool is measured so, entape as well as other crates and tools of other languages: a fresh process has a peak
//! of memory of its own, its first run is a cold one, and one that fails takes nothing with it.
//!
//! ```text
//! arguments        TOOL PROGRAM N STEPS ROUNDS NUMBERS GRADIENT
//!                  NUMBERS is a file with the inputs and the weights of the program (see Problem)
//! it runs once     writes the value and the gradient to the file GRADIENT
//! it prints        {"event":"gradient"}
//! it reads         a line: `go`, if the gradient is right, and it goes on
//! it runs often    and prints {"event":"measured", ...} (see Measured)
//! or it prints     {"event":"unable","why":"..."}, if the tool can't do the program
//! ```
//!
//! Both files hold numbers of 8 bytes, the least significant first, matrices row by row.
#![forbid(unsafe_code)]

mod numbers;
pub mod objectives;
mod plain;
mod problem;
mod protocol;
mod reference;
mod serve;

pub use numbers::{Number, run};
pub use plain::Plain;
pub use problem::{Problem, Program, by_rows};
pub use protocol::{Bytes, Event, Job, Measured, Times, read, write};
pub use reference::{reference, reference_gradient};
pub use serve::{Fault, Tool, serve, serve_beside};

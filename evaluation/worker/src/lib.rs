//! The process that the evaluation starts to measure one tool on one program at one size.
//!
//! A fresh process has a separate memory peak, its first run is cold, and its failure does not affect others.
//!
//! ```text
//! arguments        TOOL PROGRAM N STEPS ROUNDS NUMBERS GRADIENT
//!                  NUMBERS is a file with the inputs and the weights of the program (see Problem)
//! it runs once     writes the value and the gradient to the file GRADIENT
//! it prints        {"event":"gradient"}
//! it reads         a line: `go` if the gradient is right
//! it runs often    and prints {"event":"measured", ...} (see Measured)
//! or it prints     {"event":"unable","why":"..."}, if the tool cannot express the program
//! ```
//!
//! Both files hold numbers of 8 bytes, the least significant first, matrices row by row.
#![allow(missing_docs)]
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

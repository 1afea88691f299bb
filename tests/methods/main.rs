//! Methods for programs that have structure, with the kinds of all DSLs.
mod checkpoint;

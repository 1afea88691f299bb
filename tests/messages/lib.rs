//! Programs that the compiler must refuse, and what it says then: mistakes in annotations, and misuse that types rule out.

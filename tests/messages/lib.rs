//! Programs that the compiler must reject, with its messages: errors in annotations, and misuse that types rule out.

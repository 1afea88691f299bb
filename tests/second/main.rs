//! Sweeps along directions: shapes of values that share a slot, and calls in any order.
mod calls;
mod kinks;
mod marks;
mod parts;
mod shapes;

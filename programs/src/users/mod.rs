//! Programs as users write them, in five fields: each as a plain program of `f64`, and with derivatives.
pub mod arm;
pub mod basin;
pub mod control;
pub mod costs;
pub mod hierarchy;
pub mod volatility;

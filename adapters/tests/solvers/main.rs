//! Each adapter with its solver, on problems with known solutions.
#[cfg(feature = "argmin-nalgebra")]
mod argmin;
#[cfg(feature = "basin")]
mod basin;
#[cfg(feature = "diffsol")]
mod diffsol;
#[cfg(feature = "least-squares")]
mod least_squares;
#[cfg(feature = "levenberg-marquardt")]
mod levenberg_marquardt;
#[cfg(any(feature = "argmin-nalgebra", feature = "levenberg-marquardt"))]
mod nist;
#[cfg(feature = "nuts-rs")]
mod nuts_rs;
#[cfg(all(feature = "argmin", feature = "levenberg-marquardt"))]
mod structs;

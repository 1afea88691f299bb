//! A mixture of Gaussians: its objective, the plain program, the hand-written gradient, and programs of reals and lists.
//!
//! The objective is taken from F. Šrajer, Z. Kukelova and A. Fitzgibbon, *A benchmark of selected algorithmic differentiation
//! tools on some problems in computer vision and machine learning* (2018).
pub mod problem;
pub mod programs;

//! A mixture of Gaussians, from F. Šrajer, Z. Kukelova and A. Fitzgibbon, *A benchmark of selected algorithmic
//! differentiation tools on some problems in computer vision and machine learning* (2018).
pub mod problem;
pub mod programs;

//! Quantum control: the infidelity of a CNOT gate of two coupled qubits by piecewise constant pulses, 160 unknowns.
use entape::{
    complex::num_complex::{Complex64, c64},
    linalg::FixedComplexMatrix,
    prelude::*,
};
use nalgebra::{Matrix2, Matrix4};

type M4 = Matrix4<Complex64>;
/// Hamiltonians of two qubits, and the wanted gate.
#[derive(Debug)]
pub struct System {
    drift: M4,
    controls: [M4; 4],
    target: M4,
    dt: f64,
    penalty: f64,
}
impl System {
    pub fn new(dt: f64) -> Self {
        let (o, l, i) = (c64(0.0, 0.0), c64(1.0, 0.0), c64(0.0, 1.0));
        let [one, x, y, z] = [
            Matrix2::new(l, o, o, l),
            Matrix2::new(o, l, l, o),
            Matrix2::new(o, -i, i, o),
            Matrix2::new(l, o, o, -l),
        ];
        let half = c64(0.5, 0.0);
        let pairs = [
            x.kronecker(&one),
            y.kronecker(&one),
            one.kronecker(&x),
            one.kronecker(&y),
        ];
        System {
            drift: z.kronecker(&z) * half,
            controls: pairs.map(|c| c * half),
            target: M4::new(l, o, o, o, o, l, o, o, o, o, o, l, o, o, l, o),
            dt,
            penalty: 1e-4,
        }
    }
}

pub mod plain {
    use super::{M4, System, c64};

    pub fn infidelity(u: &[f64], s: &System) -> f64 {
        let (mut total, mut energy) = (M4::identity(), 0.0);
        for slice in u.chunks(4) {
            let mut h = s.drift;
            for (c, u) in s.controls.iter().zip(slice) {
                h += c * c64(*u, 0.0);
                energy += u * u;
            }
            total = (h * c64(0.0, -s.dt)).exp() * total;
        }
        let overlap = (s.target.adjoint() * total).trace();
        1.0 - overlap.norm_sqr() / 16.0 + s.penalty * s.dt * energy
    }
}

#[entape::function]
pub fn infidelity(u: &[Real], s: &System) -> Real {
    let mut total = FixedComplexMatrix::<4, 4>::passive(M4::identity());
    let mut energy = passive(0.0);
    for slice in u.chunks(4) {
        let mut h = FixedComplexMatrix::<4, 4>::passive(s.drift);
        for (c, u) in s.controls.iter().zip(slice) {
            h += u * constant(c);
            energy += u * u;
        }
        total = (h * c64(0.0, -s.dt)).exp() * total;
    }
    let overlap = (constant(s.target.adjoint()) * total).trace();
    1.0 - overlap.norm_sqr() / 16.0 + s.penalty * s.dt * energy
}

pub fn data(slices: usize) -> Vec<f64> {
    (0..4 * slices)
        .map(|k| 0.5 * (1.3 * k as f64).sin())
        .collect()
}

//! The gate: what is driven, what is wanted, and how good a pulse is.
use entape::complex::num_complex::c64;
use entape::{Function, driver::ListShape, linalg::ComplexMatrix, prelude::*};
use nalgebra::DMatrix;
use std::f64::consts::TAU;

type Operator = DMatrix<nalgebra::Complex<f64>>;

/// Frequencies times 2 π, in radians for each ns.
const ANHARMONICITY: f64 = -0.330 * TAU;
const DETUNING: f64 = 0.200 * TAU;
const COUPLING: f64 = 0.0038 * TAU;
/// How much a change between slices of the whole range costs, as part of the infidelity.
const ROUGHNESS: f64 = 1e-3;
/// How much it costs to be in higher levels on the way, where what is not modelled begins.
const EXCURSION: f64 = 5e-2;

/// What is driven, and what is wanted.
pub(crate) struct Gate {
    /// The energies without a pulse.
    drift: Operator,
    /// What each amplitude adds.
    controls: Vec<Operator>,
    /// The states of the qubits among all states, one in each column, and where they ought to come.
    pub(crate) states: Operator,
    wanted: Operator,
    /// The bound of each amplitude.
    strongest: f64,
    /// The length of a slice.
    dt: f64,
}
/// `a` of an oscillator, which takes it one level down.
fn lowering(levels: usize) -> Operator {
    let root = |i, j| if j == i + 1 { (j as f64).sqrt() } else { 0.0 };
    DMatrix::from_fn(levels, levels, |i, j| c64(root(i, j), 0.0))
}
/// The two drives of a transmon: in phase, and a quarter of a turn behind.
fn drives(a: &Operator) -> [Operator; 2] {
    let up = a.adjoint();
    [(a + &up) * c64(0.5, 0.0), (&up - a) * c64(0.0, 0.5)]
}
/// The energy of a transmon in a frame that turns with the drive.
fn energy(a: &Operator, detuning: f64) -> Operator {
    let n = a.adjoint() * a;
    &n * c64(detuning, 0.0) + (&n * &n - &n) * c64(0.5 * ANHARMONICITY, 0.0)
}
impl Gate {
    /// A CNOT of two transmons, or a NOT of one.
    pub(crate) fn new(two: bool, levels: usize, strongest: f64, dt: f64) -> Self {
        let (a, one) = (lowering(levels), Operator::identity(levels, levels));
        let (drift, controls, qubits, ends) = if two {
            let (first, second) = (a.kronecker(&one), one.kronecker(&a));
            let swap = first.adjoint() * &second;
            let coupling = (&swap + swap.adjoint()) * c64(COUPLING, 0.0);
            let drift = energy(&first, DETUNING) + energy(&second, 0.0) + coupling;
            let controls = [drives(&first), drives(&second)].concat();
            (
                drift,
                controls,
                vec![0, 1, levels, levels + 1],
                vec![0, 1, 3, 2],
            )
        } else {
            (energy(&a, 0.0), drives(&a).to_vec(), vec![0, 1], vec![1, 0])
        };
        // The states of the qubits are those of the coupled transmons that are next to those of single ones.
        let eigen = drift.map(|z| z.re).symmetric_eigen().eigenvectors;
        let nearest = |i: &usize| {
            let vector = eigen.column(eigen.row(*i).transpose().iamax());
            vector.map(|x| c64(x * vector[*i].signum(), 0.0))
        };
        let states: Vec<_> = qubits.iter().map(nearest).collect();
        let wanted: Vec<_> = ends.iter().map(|&i: &usize| states[i].clone()).collect();
        Gate {
            drift,
            controls,
            states: Operator::from_columns(&states),
            wanted: Operator::from_columns(&wanted),
            strongest,
            dt,
        }
    }
    /// The states of the qubits after each slice, as `after` is shown them, for amplitudes of any size, which are bounded here.
    pub(crate) fn run<M: Mode>(
        &self,
        x: &[Real<M>],
        mut after: impl FnMut(&ComplexMatrix<M>),
    ) -> ComplexMatrix<M> {
        let turned = |h: &Operator| ComplexMatrix::<M>::passive(h * c64(0.0, -self.dt));
        let drift = turned(&self.drift);
        let controls: Vec<_> = self.controls.iter().map(turned).collect();
        let mut states = ComplexMatrix::<M>::passive(self.states.clone());
        after(&states);
        for amplitudes in x.chunks_exact(controls.len()) {
            let mut exponent = drift.clone();
            for (x, control) in amplitudes.iter().zip(&controls) {
                exponent += control * (self.strongest * x.tanh());
            }
            states = (exponent.exp() * &states).eval();
            after(&states);
        }
        states
    }
    /// The fidelity of the gate, the part that leaks, and the mean part in higher levels on the way.
    pub(crate) fn quality<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 3] {
        let qubits = ComplexMatrix::<M>::passive(self.states.clone());
        let wanted = ComplexMatrix::<M>::passive(self.wanted.clone());
        let count = self.states.ncols() as f64;
        let (mut kept, mut all) = (Real::passive(0.0), Real::passive(0.0));
        let end = self.run(x, |states| {
            kept = qubits.ad_mul(states).norm_squared().eval();
            all += kept;
        });
        let alike = wanted.dotc(&end).norm_sqr();
        let fidelity = ((alike + kept) / (count * (count + 1.0))).eval();
        let times = (x.len() / self.controls.len() + 1) as f64;
        let share = |kept: Real<M>, of: f64| (1.0 - kept / of).eval();
        [fidelity, share(kept, count), share(all, times * count)]
    }
}
impl Function for Gate {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
        let width = self.controls.len();
        let change = |k: usize| (x[k + width].tanh() - x[k].tanh()).powi(2);
        let rough: Real<M> = (0..x.len() - width).map(change).sum();
        let slices = (x.len() / width) as f64;
        let [fidelity, _, excursion] = self.quality(x);
        (fidelity - 1.0 - EXCURSION * excursion - ROUGHNESS / slices * rough).eval()
    }
}

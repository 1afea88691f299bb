//! The gate: what is driven, what is wanted, and how good a pulse is.
use entape::{
    Function, complex::num_complex::c64, driver::ListShape, linalg::ComplexMatrix, prelude::*,
};
use nalgebra::DMatrix;
use std::f64::consts::{PI, TAU};

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
    pub(crate) controls: Vec<Operator>,
    /// The states of the qubits among all states, one in each column, and where they ought to come.
    pub(crate) states: Operator,
    wanted: Operator,
    /// What each amplitude is to begin with, at most.
    start: Vec<f64>,
    /// The bound of each amplitude.
    pub(crate) strongest: f64,
    slices: usize,
    /// The length of a slice.
    pub(crate) dt: f64,
}
/// `a` of an oscillator, which takes it one level down.
fn lowering(levels: usize) -> Operator {
    DMatrix::from_fn(levels, levels, |i, j| {
        c64(if j == i + 1 { (j as f64).sqrt() } else { 0.0 }, 0.0)
    })
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
    pub(crate) fn not(levels: usize, duration: f64, slices: usize) -> Self {
        let a = lowering(levels);
        let states = Operator::identity(levels, 2);
        let flip = DMatrix::from_fn(2, 2, |i, j| c64(if i == j { 0.0 } else { 1.0 }, 0.0));
        Gate {
            drift: energy(&a, 0.0),
            controls: drives(&a).to_vec(),
            wanted: &states * flip,
            states,
            // half a turn, as the mean of the start's form is a half
            start: vec![2.0 * PI / duration, 0.0],
            strongest: 4.0 * PI / duration,
            slices,
            dt: duration / slices as f64,
        }
    }
    pub(crate) fn cnot(levels: usize, duration: f64, slices: usize) -> Self {
        let (a, one) = (lowering(levels), Operator::identity(levels, levels));
        let (first, second) = (a.kronecker(&one), one.kronecker(&a));
        let swap = first.adjoint() * &second;
        let coupling = (&swap + swap.adjoint()) * c64(COUPLING, 0.0);
        let drift = energy(&first, DETUNING) + energy(&second, 0.0) + coupling;
        // The states of the qubits are those of the coupled transmons that are next to those of single ones.
        let eigen = drift.map(|z| z.re).symmetric_eigen();
        let nearest = |i: usize| {
            let vector = eigen
                .eigenvectors
                .column(eigen.eigenvectors.row(i).transpose().iamax());
            vector.map(|x| c64(x * vector[i].signum(), 0.0))
        };
        let basis = [0, 1, levels, levels + 1].map(nearest);
        let [at_00, at_01, at_10, at_11] = [0, 1, 3, 2].map(|i| basis[i].clone());
        Gate {
            drift,
            controls: [drives(&first), drives(&second)].concat(),
            states: Operator::from_columns(&basis),
            wanted: Operator::from_columns(&[at_00, at_01, at_10, at_11]),
            start: [0.048, 0.0, 0.0016, 0.0].map(|x| x * TAU).to_vec(),
            strongest: 0.080 * TAU,
            slices,
            dt: duration / slices as f64,
        }
    }
    /// The numbers behind the amplitudes at the start: a pulse that rises and falls as a sine.
    pub(crate) fn begin(&self) -> Vec<f64> {
        let form = |k: usize| (PI * (k as f64 + 0.5) / self.slices as f64).sin().powi(2);
        let each = |k| {
            self.start
                .iter()
                .map(move |most| (most * form(k) / self.strongest).atanh())
        };
        (0..self.slices).flat_map(each).collect()
    }
    /// The states of the qubits after each slice, as `after` is shown them, for amplitudes of any size, which are bounded here.
    pub(crate) fn run<M: Mode>(
        &self,
        x: &[Real<M>],
        mut after: impl FnMut(&ComplexMatrix<M>),
    ) -> ComplexMatrix<M> {
        let turned = |h: &Operator| ComplexMatrix::<M>::passive(h * c64(0.0, -self.dt));
        let (drift, controls) = (
            turned(&self.drift),
            self.controls.iter().map(turned).collect::<Vec<_>>(),
        );
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
        let [qubits, wanted] =
            [&self.states, &self.wanted].map(|m| ComplexMatrix::<M>::passive(m.clone()));
        let count = self.states.ncols() as f64;
        let (mut kept, mut all) = (Real::passive(0.0), Real::passive(0.0));
        let end = self.run(x, |states| {
            kept = qubits.ad_mul(states).norm_squared().eval();
            all += kept;
        });
        let alike = wanted.dotc(&end).norm_sqr();
        let fidelity = ((alike + kept) / (count * (count + 1.0))).eval();
        let times = (self.slices + 1) as f64;
        [
            fidelity,
            (1.0 - kept / count).eval(),
            (1.0 - all / (times * count)).eval(),
        ]
    }
}
impl Function for Gate {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
        let width = self.controls.len();
        let changes = x[width..]
            .iter()
            .zip(x)
            .map(|(b, a)| (b.tanh() - a.tanh()).powi(2));
        let rough: Real<M> = changes.sum();
        let [fidelity, _, excursion] = self.quality(x);
        (fidelity - 1.0 - EXCURSION * excursion - ROUGHNESS / self.slices as f64 * rough).eval()
    }
}

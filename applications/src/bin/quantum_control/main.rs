//! Pulses for a CNOT gate of two transmons, found by gradients through the Schrödinger equation.
//!
//! The lowest two levels of a transmon are a qubit, and a fast pulse leaks into the others. Amplitudes of the pulse are
//! constant in short slices, so the gate is a product of exponentials of complex matrices (N. Khaneja et al., *Optimal
//! control of coupled spin dynamics: design of NMR pulse sequences by gradient ascent algorithms*, 2005).
//!
//! The transmons are always coupled, and driven at the frequency of the second one. Frequencies are from S. Sheldon, E.
//! Magesan, J. M. Chow and J. M. Gambetta, *Procedure for systematic tuning of a cross-resonance gate*, 2016, whose
//! gate took 160 ns with a fidelity of 0.991.
//!
//! The fidelity is the mean over all states of the qubits, and counts leakage as loss (L. H. Pedersen, N. M. Møller and
//! K. Mølmer, *Fidelity of quantum operations*, 2007). The pulse is found with few levels, refined with one more, and
//! checked with one more again.
use applications::{
    Outcome, Settings, maximise,
    picture::{self, BLUE, Chart, GREEN, GREY, Layer, Legend, Mark::*, ORANGE, RED},
    plain,
};
use entape::driver::{Function, ListShape};
use entape::{complex::num_complex::c64, linalg::ComplexMatrix, prelude::*};
use nalgebra::DMatrix;
use std::f64::consts::{PI, TAU};

const SETTINGS: &[[&str; 3]] = &[
    ["levels", "levels of a transmon to begin with", "3"],
    ["duration", "of the pulse in ns", "160"],
    ["slices", "of the pulse", "160"],
    ["steps", "steps of L-BFGS", "300"],
    ["refine", "steps with one level more", "80"],
];
/// In radians for each ns.
const ANHARMONICITY: f64 = -0.330 * TAU;
const DETUNING: f64 = 0.200 * TAU;
const COUPLING: f64 = 0.0038 * TAU;
/// The bound of each amplitude.
const STRONGEST: f64 = 0.080 * TAU;
/// The drives of both transmons, in phase and delayed by a quarter of a turn, and the largest amplitudes of a plain
/// pulse.
const CONTROLS: [(&str, f64); 4] = [
    ("first, in phase", 0.048 * TAU),
    ("first, behind", 0.0),
    ("second, in phase", 0.0016 * TAU),
    ("second, behind", 0.0),
];
/// The cost of changes between slices, in units of infidelity.
const ROUGHNESS: f64 = 1e-3;
/// The cost of populating higher levels, near the limit of the model.
const EXCURSION: f64 = 5e-2;

type Operator = DMatrix<nalgebra::Complex<f64>>;
struct Gate {
    /// The energies without a pulse, and the contribution of each amplitude.
    drift: Operator,
    controls: [Operator; 4],
    /// The states of the qubits, one in each column, and their desired images.
    states: Operator,
    wanted: Operator,
    dt: f64,
}
impl Gate {
    fn new(levels: usize, dt: f64) -> Self {
        // for one oscillator: the lowering operator
        let root = |i, j| if j == i + 1 { (j as f64).sqrt() } else { 0.0 };
        let a = Operator::from_fn(levels, levels, |i, j| c64(root(i, j), 0.0));
        let one = Operator::identity(levels, levels);
        let [first, second] = [a.kronecker(&one), one.kronecker(&a)];
        // in a frame that rotates with the drive
        let energy = |a: &Operator, detuning: f64| {
            let n = a.adjoint() * a;
            &n * c64(detuning, 0.0) + (&n * &n - &n) * c64(0.5 * ANHARMONICITY, 0.0)
        };
        let swap = first.adjoint() * &second;
        let coupling = (&swap + swap.adjoint()) * c64(COUPLING, 0.0);
        let drift = energy(&first, DETUNING) + energy(&second, 0.0) + coupling;
        let in_phase = |a: &Operator| (a + a.adjoint()) * c64(0.5, 0.0);
        let behind = |a: &Operator| (a.adjoint() - a) * c64(0.0, 0.5);
        let [x, y] = [in_phase(&first), behind(&first)];
        // the states of the coupled transmons nearest to the states of single ones
        let eigen = drift.map(|z| z.re).symmetric_eigen().eigenvectors;
        let nearest = |i: usize| {
            let vector = eigen.column(eigen.row(i).transpose().iamax());
            vector.map(|x| c64(x * vector[i].signum(), 0.0))
        };
        let [s00, s01, s10, s11] = [0, 1, levels, levels + 1].map(nearest);
        Gate {
            drift,
            controls: [x, y, in_phase(&second), behind(&second)],
            states: Operator::from_columns(&[s00.clone(), s01.clone(), s10.clone(), s11.clone()]),
            wanted: Operator::from_columns(&[s00, s01, s11, s10]),
            dt,
        }
    }
    /// The states of the qubits before the first slice and after each, for unbounded amplitudes, which are bounded
    /// here.
    fn run<M: Mode>(&self, x: &[Real<M>]) -> Vec<ComplexMatrix<M>> {
        let turned = |h: &Operator| ComplexMatrix::<M>::passive(h * c64(0.0, -self.dt));
        let (drift, controls) = (turned(&self.drift), self.controls.each_ref().map(turned));
        let mut states = vec![ComplexMatrix::<M>::passive(self.states.clone())];
        for (i, amplitudes) in x.chunks_exact(controls.len()).enumerate() {
            let mut exponent = drift.clone();
            for (x, control) in amplitudes.iter().zip(&controls) {
                exponent += control * (STRONGEST * x.tanh());
            }
            states.push((exponent.exp() * &states[i]).eval());
        }
        states
    }
    /// The fidelity, the leakage, and the mean population of higher levels.
    fn quality<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 3] {
        let constant = |states: &Operator| ComplexMatrix::<M>::passive(states.clone());
        let [qubits, wanted] = [&self.states, &self.wanted].map(constant);
        let states = self.run(x);
        let kept = |states| qubits.ad_mul(states).norm_squared().eval();
        let kept: Vec<Real<M>> = states.iter().map(kept).collect();
        let (slices, of_all) = (kept.len() - 1, 4.0);
        let alike = wanted.dotc(&states[slices]).norm_sqr();
        let fidelity = (alike + kept[slices]) / (of_all * (of_all + 1.0));
        let leakage = 1.0 - kept[slices] / of_all;
        let away = 1.0 - kept.iter().sum::<Real<M>>() / (of_all * kept.len() as f64);
        [fidelity.eval(), leakage.eval(), away.eval()]
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

fn main() -> Outcome {
    let settings = Settings::read("quantum_control", "Pulses that make a CNOT", SETTINGS)?;
    let levels = settings.get::<usize>("levels")?.max(2);
    let slices: usize = settings.get("slices")?;
    let dt = settings.get::<f64>("duration")? / slices as f64;
    // rises and falls like a sine
    let form = |k: usize| (PI * (k as f64 + 0.5) / slices as f64).sin().powi(2);
    let slice = |k| CONTROLS.map(|(_, most)| (most * form(k) / STRONGEST).atanh());
    let start: Vec<_> = (0..slices).flat_map(slice).collect();

    let gates = [0, 1, 2].map(|more| Gate::new(levels + more, dt));
    let coarse = maximise::lbfgs(&gates[0], start.clone(), settings.get("steps")?)?;
    let fine = maximise::lbfgs(&gates[1], coarse.at.clone(), settings.get("refine")?)?;
    let (count, gradients) = (start.len(), [coarse.gradients, fine.gradients]);
    println!("{count} amplitudes, {gradients:?} gradients");
    let [start, coarse, fine] = [&start, &coarse.at, &fine.at].map(|x| plain(x));
    let report = |when, x: &[Real<Plain>], more: usize| {
        let [fidelity, leakage, way] = gates[more].quality(x).map(|q| q.value());
        print!("{when} fidelity {fidelity:.6} leakage {leakage:.1e} on the way {way:.1e}");
        println!(" with {} levels", levels + more);
    };
    report("start", &start, 0);
    report("found", &coarse, 0);
    report("refined", &fine, 1);
    report("checked", &fine, 2);

    let colours = [BLUE, RED, GREEN, ORANGE, GREY];
    let pulse = |(i, (name, _)): (usize, (&'static str, f64))| {
        let megahertz = |x: &Real<Plain>| 1e3 * STRONGEST / TAU * x.value().tanh();
        let heights = fine.iter().skip(i).step_by(CONTROLS.len()).map(megahertz);
        Layer::new(name, colours[i], Line(1), picture::slices(dt, heights))
    };
    let pulses = CONTROLS.into_iter().enumerate().map(pulse).collect();
    // the image of `10`, which flips
    let share = |states: &ComplexMatrix<Plain>| {
        let inner = gates[1].states.ad_mul(&states.get().column(2));
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| inner[i].norm_sqr());
        [a, b, c, d, 1.0 - inner.norm_squared()]
    };
    let shares: Vec<_> = gates[1].run(&fine).iter().map(share).collect();
    let curve = |(i, name): (usize, &'static str)| {
        let points = shares.iter().enumerate();
        let points = points.map(|(k, share)| (k as f64 * dt, share[i]));
        Layer::new(name, colours[i], Line(2), points)
    };
    let names = ["00", "01", "10", "11", "leaked"].into_iter().enumerate();
    let curves = names.map(curve).collect();
    let chart = |title, y, layers| Chart::new(title, ["ns", y], Legend::UpperRight, layers);
    let pulses = chart("Pulses", "MHz", pulses);
    let curves = chart("A state that turns over", "part in each state", curves);
    picture::draw(settings.output(), (620, 460), &[pulses, curves])
}

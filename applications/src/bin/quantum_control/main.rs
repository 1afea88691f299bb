//! Pulses that make a quantum gate, found by gradients through the Schrödinger equation.
//!
//! A transmon is an oscillator whose levels are not quite equally spaced; the lowest two are a qubit, and a fast pulse leaks into the others.
//! Amplitudes of the pulse are constant in short slices, so the propagator of a slice is the exponential of a complex matrix, and the
//! gate is the product of all (N. Khaneja et al., *Optimal control of coupled spin dynamics: design of NMR pulse sequences by gradient
//! ascent algorithms*, 2005). In entape the exponential of a matrix is one operation, with an exact gradient.
//!
//! `--gate not` turns one transmon over. `--gate cnot`, the default, makes a CNOT of two that are coupled all the time, which are
//! driven at the frequency of the second one; frequencies are those of S. Sheldon, E. Magesan, J. M. Chow and J. M. Gambetta,
//! *Procedure for systematic tuning of a cross-resonance gate*, 2016, whose gate took 160 ns and had a fidelity of 0.991.
//!
//! The fidelity is the mean over all states of the qubits, and counts what leaks as lost (L. H. Pedersen, N. M. Møller and K. Mølmer,
//! *Fidelity of quantum operations*, 2007). As levels that are left out are an error, the pulse is found with few of them, refined with one
//! more, and checked with one more again. Look at how far it comes from where a plain pulse begins, and at what the check says.
use applications::{
    Outcome, Settings, maximise,
    picture::{self, BLUE, Chart, GREEN, GREY, Layer, Legend, Mark::*, ORANGE, RED},
    plain,
};
use entape::complex::num_complex::c64;
use entape::{Function, driver::ListShape, linalg::ComplexMatrix, prelude::*};
use nalgebra::DMatrix;
use std::f64::consts::{PI, TAU};

const SETTINGS: &[[&str; 3]] = &[
    ["gate", "`not` of one transmon or `cnot` of two", "cnot"],
    ["levels", "levels of a transmon to begin with", "3"],
    ["duration", "in ns; 0 is 10 for `not`, 160 for `cnot`", "0"],
    ["slices", "of a pulse; 0 is one for each ns", "0"],
    ["steps", "steps of L-BFGS", "300"],
    ["refine", "steps with one level more", "80"],
];

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
struct Gate {
    /// The energies without a pulse.
    drift: Operator,
    /// What each amplitude adds.
    controls: Vec<Operator>,
    /// The states of the qubits among all states, one in each column, and where they ought to come.
    states: Operator,
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
    fn new(two: bool, levels: usize, strongest: f64, dt: f64) -> Self {
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
    fn run<M: Mode>(
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
    fn quality<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 3] {
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

fn main() -> Outcome {
    let about = "Pulses that make a quantum gate";
    let settings = Settings::read("quantum_control", about, SETTINGS)?;
    let levels = settings.get::<usize>("levels")?.max(2);
    let name: String = settings.get("gate")?;
    let (two, usual) = match name.as_str() {
        "not" => (false, 10.0),
        "cnot" => (true, 160.0),
        _ => return Err(format!("--gate {name}: `not` or `cnot`").into()),
    };
    let or = |given: f64, usual: f64| if given > 0.0 { given } else { usual };
    let duration = or(settings.get("duration")?, usual);
    let slices = or(settings.get("slices")?, duration.ceil()) as usize;
    // A pulse that rises and falls as a sine. Half a turn is made by it, as the mean of its form is a half.
    let (strongest, most) = match two {
        false => (4.0 * PI / duration, vec![2.0 * PI / duration, 0.0]),
        true => (
            0.080 * TAU,
            [0.048, 0.0, 0.0016, 0.0].map(|x| x * TAU).to_vec(),
        ),
    };
    let form = |k: usize| (PI * (k as f64 + 0.5) / slices as f64).sin().powi(2);
    let slice = |k| {
        most.iter()
            .map(move |most| (most * form(k) / strongest).atanh())
    };
    let start: Vec<_> = (0..slices).flat_map(slice).collect();

    let dt = duration / slices as f64;
    let gates = [0, 1, 2].map(|more| Gate::new(two, levels + more, strongest, dt));
    let coarse = maximise::lbfgs(&gates[0], start.clone(), settings.get("steps")?)?;
    let fine = maximise::lbfgs(&gates[1], coarse.at.clone(), settings.get("refine")?)?;
    let (count, gradients) = (start.len(), [coarse.gradients, fine.gradients]);
    println!("{name} in {duration} ns, {count} amplitudes, {gradients:?} gradients");
    let (coarse, fine) = (plain(&coarse.at), plain(&fine.at));
    let all = [
        ("start", &plain(&start)),
        ("found", &coarse),
        ("refined", &fine),
        ("checked", &fine),
    ];
    for ((when, x), more) in all.into_iter().zip([0, 0, 1, 2]) {
        let [fidelity, leakage, way] = gates[more].quality(x).map(|q| q.value());
        print!("{when} fidelity {fidelity:.6} leakage {leakage:.1e} on the way {way:.1e}");
        println!(" with {} levels", levels + more);
    }

    let (gate, width) = (&gates[1], most.len());
    let colours = [BLUE, RED, GREEN, ORANGE];
    let pulse = |i: usize| {
        let megahertz = |x: &Real<Plain>| 1e3 * strongest / TAU * x.value().tanh();
        let heights = fine.iter().skip(i).step_by(width).map(megahertz);
        let names = [
            "first, in phase",
            "first, behind",
            "second, in phase",
            "second, behind",
        ];
        Layer::new(names[i], colours[i], Line(1), picture::slices(dt, heights))
    };
    // of the last state that turns over, `1` or `10`
    let (watched, names) = match two {
        false => (1, vec!["0", "1", "leaked"]),
        true => (2, vec!["00", "01", "10", "11", "leaked"]),
    };
    let mut shares = vec![Vec::new(); names.len()];
    gate.run(&fine, |states| {
        let time = shares[0].len() as f64 * dt;
        let inner = gate.states.ad_mul(&states.get().column(watched));
        let leaked = 1.0 - inner.norm_squared();
        let all = inner.iter().map(|z| z.norm_sqr()).chain([leaked]);
        shares
            .iter_mut()
            .zip(all)
            .for_each(|(list, share)| list.push((time, share)));
    });
    let colours = colours[..names.len() - 1].iter().chain([&GREY]);
    let curves = shares.into_iter().zip(names).zip(colours);
    let curves = curves.map(|((points, name), colour)| Layer::new(name, *colour, Line(2), points));
    let chart = |title, y, layers| Chart::new(title, ["ns", y], Legend::UpperRight, layers);
    let pulses = chart("Pulses", "MHz", (0..width).map(pulse).collect());
    let state = chart(
        "A state that turns over",
        "part in each state",
        curves.collect(),
    );
    picture::draw(settings.output(), (620, 460), &[pulses, state])
}

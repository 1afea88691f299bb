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
    picture::{self, BLUE, Chart, GREEN, GREY, Layer, Legend, Mark, ORANGE, RED},
    plain,
};
use std::f64::consts::TAU;

mod gate;
use gate::Gate;

const SETTINGS: &[[&str; 3]] = &[
    ["gate", "`not` of one transmon or `cnot` of two", "cnot"],
    ["levels", "levels of a transmon to begin with", "3"],
    [
        "duration",
        "of the gate in ns; 0 is 10 for `not` and 160 for `cnot`",
        "0",
    ],
    ["slices", "of a pulse; 0 is one for each ns", "0"],
    ["steps", "steps of L-BFGS", "300"],
    ["refine", "steps with one level more", "80"],
];

fn main() -> Outcome {
    let settings = Settings::read(
        "quantum_control",
        "Pulses that make a quantum gate",
        SETTINGS,
    )?;
    let (name, levels) = (
        settings.get::<String>("gate")?,
        settings.get::<usize>("levels")?.max(2),
    );
    let (make, usual): (fn(usize, f64, usize) -> Gate, f64) = match name.as_str() {
        "not" => (Gate::not, 10.0),
        "cnot" => (Gate::cnot, 160.0),
        _ => return Err(format!("--gate {name}: `not` or `cnot`").into()),
    };
    let or = |given: f64, usual: f64| if given > 0.0 { given } else { usual };
    let duration = or(settings.get("duration")?, usual);
    let slices = or(settings.get("slices")?, duration.ceil()) as usize;
    let gates = [0, 1, 2].map(|more| make(levels + more, duration, slices));
    let start = gates[0].begin();
    let coarse = maximise::lbfgs(&gates[0], start.clone(), settings.get("steps")?)?;
    let fine = maximise::lbfgs(&gates[1], coarse.at.clone(), settings.get("refine")?)?;

    let gradients = [coarse.gradients, fine.gradients];
    println!(
        "{name} in {duration} ns, {} amplitudes, {gradients:?} gradients",
        start.len()
    );
    let all = [
        ("start", 0, &start),
        ("found", 0, &coarse.at),
        ("refined", 1, &fine.at),
        ("checked", 2, &fine.at),
    ];
    for (when, more, x) in all {
        let quality = gates[more].quality(&plain(x));
        let [fidelity, leakage, on_the_way] = quality.map(|q| q.value());
        let levels = levels + more;
        println!(
            "{when} fidelity {fidelity:.6} leakage {leakage:.1e} on the way {on_the_way:.1e} with {levels} levels"
        );
    }

    let program = &gates[1];
    let width = program.controls.len();
    let colours = [BLUE, RED, GREEN, ORANGE];
    let (found, dt) = (&fine.at, program.dt);
    let steps = |i: usize| {
        let amplitude = move |k: usize| 1e3 * program.strongest / TAU * found[k * width + i].tanh();
        (0..slices).flat_map(move |k| [k, k + 1].map(|end| (end as f64 * dt, amplitude(k))))
    };
    let names = [
        "first, in phase",
        "first, behind",
        "second, in phase",
        "second, behind",
    ];
    let pulses = (0..width).map(|i| Layer::new(names[i], colours[i], Mark::Line(1), steps(i)));
    // of the last state that turns over, `1` or `10`
    let watched = program.states.ncols() - if width == 2 { 1 } else { 2 };
    let mut shares = vec![Vec::new(); program.states.ncols() + 1];
    program.run(&plain(found), |states| {
        let time = (shares[0].len() as f64) * program.dt;
        let inner = program.states.ad_mul(&states.get().column(watched));
        let all = inner
            .iter()
            .map(|z| z.norm_sqr())
            .chain([1.0 - inner.norm_squared()]);
        shares
            .iter_mut()
            .zip(all)
            .for_each(|(list, share)| list.push((time, share)));
    });
    let names = if width == 2 {
        vec!["0", "1", "leaked"]
    } else {
        vec!["00", "01", "10", "11", "leaked"]
    };
    let curves = shares.into_iter().zip(names).zip(
        colours
            .into_iter()
            .take(program.states.ncols())
            .chain([GREY]),
    );
    let curves =
        curves.map(|((points, name), colour)| Layer::new(name, colour, Mark::Line(2), points));
    let chart = |title, y, layers| Chart {
        title,
        x: "ns",
        y,
        layers,
        legend: Legend::UpperRight,
    };
    let charts = [
        chart("Pulses", "MHz", pulses.collect()),
        chart(
            "A state that turns over",
            "part in each state",
            curves.collect(),
        ),
    ];
    picture::draw(settings.output(), (620, 460), &charts)
}

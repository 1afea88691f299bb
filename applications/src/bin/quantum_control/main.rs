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
use entape::prelude::*;
use std::f64::consts::{PI, TAU};

mod gate;
use gate::Gate;

const SETTINGS: &[[&str; 3]] = &[
    ["gate", "`not` of one transmon or `cnot` of two", "cnot"],
    ["levels", "levels of a transmon to begin with", "3"],
    ["duration", "in ns; 0 is 10 for `not`, 160 for `cnot`", "0"],
    ["slices", "of a pulse; 0 is one for each ns", "0"],
    ["steps", "steps of L-BFGS", "300"],
    ["refine", "steps with one level more", "80"],
];

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

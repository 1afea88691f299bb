//! Runs each program on a small problem, and checks its results.
use std::{path::Path, process::Command};

#[track_caller]
fn run(program: &str, name: &str, settings: &[&str]) -> Printed {
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg"));
    let run = Command::new(program)
        .args(settings)
        .arg("--output")
        .arg(&picture)
        .output()
        .expect("the program starts");
    let text = String::from_utf8(run.stdout).expect("text");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.success(),
        "{name} {settings:?}\n{text}\n{errors}"
    );
    let drawn = std::fs::read_to_string(&picture).expect("a picture");
    assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"));
    Printed(text)
}
struct Printed(String);
impl Printed {
    /// The numbers after these words at the beginning of a line.
    #[track_caller]
    fn after(&self, words: &str) -> Vec<f64> {
        let rest = self.0.lines().find_map(|line| line.strip_prefix(words));
        let rest = rest.unwrap_or_else(|| panic!("no line begins with `{words}` in\n{}", self.0));
        let trimmed = rest.split_whitespace().map(|word| word.trim_matches(','));
        trimmed.filter_map(|word| word.parse().ok()).collect()
    }
}

#[test]
fn gaussian_process() {
    let settings = ["--every", "75", "--tune", "10", "--draws", "10"];
    let printed = run(
        env!("CARGO_BIN_EXE_gaussian_process"),
        "gaussian_process",
        &settings,
    );
    let wave = printed.after("wave, ppm");
    assert!(
        (1.0..10.0).contains(&wave[0]) && (1.0..10.0).contains(&wave[1]),
        "{wave:?}"
    );
    let share = printed.after("in the band of 95 % are")[0];
    assert!(share > 70.0, "{share} %");
}

/// A plain pulse is not a CNOT; the pulse found is, also with additional levels.
#[test]
fn quantum_control() {
    let settings = [
        "--levels", "2", "--slices", "20", "--steps", "60", "--refine", "40",
    ];
    let printed = run(
        env!("CARGO_BIN_EXE_quantum_control"),
        "quantum_control",
        &settings,
    );
    let [start, refined, checked] =
        ["start", "refined", "checked"].map(|when| printed.after(&format!("{when} fidelity"))[0]);
    assert!(start < 0.5 && refined > 0.99, "{start}, {refined}");
    assert!(checked > 0.98, "{checked}");
}

/// The result of g2o 2.3 (G. Grisetti and others, 2011) for this file.
#[test]
fn slam() {
    let printed = run(env!("CARGO_BIN_EXE_slam"), "slam", &["--poses", "120"]);
    let chi2 = printed.after("chi2 after")[0];
    assert!((chi2 - 0.531_208).abs() < 2e-4, "{chi2}");
}

/// Paths and closed form agree within their standard errors and the error of Euler's steps.
#[test]
fn greeks() {
    let settings = ["--paths", "1600", "--steps", "4", "--spots", "1"];
    let printed = run(env!("CARGO_BIN_EXE_greeks"), "greeks", &settings);
    for (name, of, bias) in [
        ("price", 0, 0.01),
        ("spot", 0, 0.01),
        ("rate", 0, 0.01),
        ("today", 0, 0.02),
        ("v", 1, 0.1),
        ("theta", 1, 0.1),
        ("today", 1, 0.02),
    ] {
        let numbers = printed.after(&format!("{name} "));
        let [mean, error, exact] = numbers[3 * of..][..3] else {
            panic!("{name}: {numbers:?}");
        };
        assert!(
            (mean - exact).abs() < 4.0 * error + bias * exact.abs(),
            "{name}: {numbers:?}"
        );
        assert!(error < 0.1 * exact.abs(), "{name}: {numbers:?}");
    }
}

/// The classical model has the parameters of the literature, and the network comes closer to the counts.
#[test]
fn neural_ode() {
    let settings = ["--per-year", "2", "--width", "4", "--steps", "60"];
    let printed = run(env!("CARGO_BIN_EXE_neural_ode"), "neural_ode", &settings);
    let found = printed.after("Lotka and Volterra's parameters");
    for (found, published) in found.iter().zip([0.55, 0.028, 0.80, 0.024]) {
        assert!(
            (found / published - 1.0).abs() < 0.15,
            "{found} for {published}"
        );
    }
    let [classical, network] =
        ["left of them", "left of the network"].map(|words| printed.after(words));
    assert!(
        network[0] + network[1] < classical[0] + classical[1],
        "{network:?}, {classical:?}"
    );
}

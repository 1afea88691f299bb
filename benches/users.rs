//! Programs as users write them: plain mode and value with gradient over the plain program, and what rustc takes to compile each.
//!
//! ```text
//! cargo bench -p entape-benches --bench users               times, then compilation in release and debug
//! cargo bench -p entape-benches --bench users -- times      times alone
//! cargo bench -p entape-benches --bench users -- --test     each program once
//! ```
//!
//! Times are medians of thread CPU time, of rounds in which all versions take turns. For the compilation, a package in
//! the target folder has one program, and a main function with its gradient and, except for the basin, a product with
//! its Hessian. Its dependencies are built first. Cargo and its children take the user seconds. The memory is the
//! largest resident set of rustc, from `/proc`.
use entape_benches::{cargo, package};
use entape_programs::{measure::ms, users::costs};
use std::{
    env,
    error::Error as StdError,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::Duration,
};

fn main() -> Result<(), Box<dyn StdError>> {
    let given = |argument: &str| env::args().any(|a| a == argument);
    let once = given("--test");
    times(if once { 1 } else { 21 });
    if once || given("times") {
        return Ok(());
    }
    compilation()
}

fn times(rounds: usize) {
    println!(
        "| program | plain, µs | mode `Plain` over plain | value and gradient over plain |\n|---|--:|--:|--:|"
    );
    for costs in costs::measure(rounds) {
        let [plain, mode, both] = [costs.plain, costs.mode, costs.gradient].map(ms);
        println!(
            "| {} | {:.1} | {:.2} | {:.1} |",
            costs.name,
            plain * 1e3,
            mode / plain,
            both / plain
        );
    }
    println!();
}

/// Each program, and the source of its inputs: `x`, `v` and `f`.
const PROGRAMS: [(&str, &str); 5] = [
    (
        "arm",
        "let (x, data) = program::data(); let f = program::misfit { readings: &data };",
    ),
    (
        "hierarchy",
        "let (x, data) = program::data(); let f = program::log_posterior { groups: &data };",
    ),
    (
        "volatility",
        "let (x, g, q) = program::data(201, 60); let f = program::misfit { grid: &g, quotes: &q };",
    ),
    (
        "control",
        "let (x, s) = (program::data(40), program::System::new(0.1)); let f = program::infidelity { s: &s };",
    ),
    (
        "basin",
        "let (x, b) = program::data(64, 100); let f = program::misfit { b: &b, steps: 100 };",
    ),
];
fn compilation() -> Result<(), Box<dyn StdError>> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let nalgebra =
        "nalgebra = { version = \"0.35\", default-features = false, features = [\"std\"] }\n";
    let temporary = env!("CARGO_TARGET_TMPDIR");
    let package = package(temporary, "users", "features = [\"linalg\"]", nalgebra)?;
    println!("| program | release, user s | MB | debug, user s | MB |\n|---|--:|--:|--:|--:|");
    let builds = [&["build", "--release"][..], &["build"]];
    fs::write(package.join("src/main.rs"), "fn main() {}\n")?;
    for build in builds {
        compile(&package, build)?; // the dependencies
    }
    for (name, inputs) in PROGRAMS {
        let source = root.join(format!("programs/src/users/{name}.rs"));
        let more = match name {
            "basin" => "f.value_and_gradient(&f.coordinates(&x))",
            _ => "(f.value_and_gradient(&x[..]), f.hessian_vector(&x[..], &x[..]))",
        };
        let new = match name {
            "basin" => "entape::Objective::like(f, &x)",
            _ => "entape::Objective::new(f)",
        };
        let text = format!(
            "#[path = {source:?}]\n#[allow(dead_code)]\nmod program;\nfn main() {{\n    {inputs}\n    \
             let f = {new};\n    println!(\"{{:?}}\", {more});\n}}\n"
        );
        let mut row = format!("| {name}");
        for build in builds {
            fs::write(package.join("src/main.rs"), &text)?;
            let (seconds, megabytes) = compile(&package, build)?;
            row += &format!(" | {seconds:.1} | {megabytes:.0}");
        }
        println!("{row} |");
    }
    Ok(())
}
/// Returns the user seconds of a build, and the largest memory of rustc in MB.
fn compile(package: &Path, arguments: &[&str]) -> Result<(f64, f64), Box<dyn StdError>> {
    let before = children_user_seconds()?;
    let mut child = cargo(package, arguments).stdout(Stdio::null()).spawn()?;
    let mut peak = 0.0_f64;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = peak.max(memory_of_children(child.id()));
        thread::sleep(Duration::from_millis(20));
    };
    match status.success() {
        true => Ok((children_user_seconds()? - before, peak)),
        false => Err("the program does not compile".into()),
    }
}
/// The user time of children of this process that have ended, from `/proc`, in hundredths of seconds.
fn children_user_seconds() -> Result<f64, Box<dyn StdError>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let mut fields = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks: f64 = fields.nth(13).ok_or("a field")?.parse()?;
    Ok(ticks / 100.0)
}
/// The largest peak of the memory of the children of a process, in MB.
fn memory_of_children(parent: u32) -> f64 {
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0.0;
    };
    let peak = |status: String| {
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let of_parent = field("PPid:")?.trim() == parent.to_string();
        let kilobytes = field("VmHWM:")?.split_whitespace().next()?.parse::<f64>();
        of_parent.then_some(kilobytes.ok()? / 1e3)
    };
    let statuses = processes
        .flatten()
        .map(|p| fs::read_to_string(p.path().join("status")));
    statuses.flatten().filter_map(peak).fold(0.0, f64::max)
}

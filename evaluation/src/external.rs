//! Tools of other languages: a Python script for JAX and PyTorch, and a C++ file each for ADOL-C and Stan Math,
//! compiled on demand.
use crate::{Outcome, peers::one_thread, process::Starter};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The Python with the packages; `python3` by default.
const PYTHON: &str = "EVALUATION_PYTHON";

pub(crate) fn starters() -> Outcome<Vec<(&'static str, Starter)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("external");
    let python = env::var(PYTHON).unwrap_or_else(|_| "python3".into());
    let mut all = Vec::new();
    for (name, package) in [("jax", "jax"), ("pytorch", "torch")] {
        if succeeds(Command::new(&python).args(["-c", &format!("import {package}, numpy")])) {
            let script = folder.join("tensors.py").to_string_lossy().into_owned();
            all.push((name, start(python.clone().into(), vec![script])));
        } else {
            let requirements = folder.join("requirements.txt");
            println!(
                "{name} is skipped: install it with `{python} -m pip install -r {}` ({PYTHON} names the Python)",
                requirements.display()
            );
        }
    }
    let this = env::current_exe()?;
    let target = this
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("target"))
        .join("external");
    fs::create_dir_all(&target)?;
    for (name, flags, install) in [
        (
            "adolc",
            vec!["-ladolc".into()],
            "apt-get install g++ libadolc-dev".to_string(),
        ),
        (
            "stan",
            stan(&python),
            format!("apt-get install g++, and {python} -m pip install httpstan"),
        ),
    ] {
        let program = target.join(name);
        let there = !flags.is_empty()
            && (is_fresh(&program, &folder) || compiles(&folder, name, &flags, &program));
        match there {
            true => all.push((name, start(program, Vec::new()))),
            false => println!("{name} is skipped: install it with `{install}`"),
        }
    }
    Ok(all)
}
fn is_fresh(program: &Path, folder: &Path) -> bool {
    let age = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let files = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path());
    let sources = files.filter(|path| path.extension().is_some_and(|e| e == "cpp" || e == "hpp"));
    age(program) > sources.map(|path| age(&path)).max().flatten()
}
fn compiles(folder: &Path, name: &str, flags: &[String], program: &Path) -> bool {
    println!("compiling {name}");
    Command::new(env::var("CXX").unwrap_or_else(|_| "c++".into()))
        .args(["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-o"])
        .arg(program)
        .arg(folder.join(name).with_extension("cpp"))
        .args(flags)
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
fn start(program: PathBuf, arguments: Vec<String>) -> Starter {
    Starter {
        program,
        arguments,
        variables: one_thread(),
    }
}
fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
/// The flags for the headers inside the package `httpstan`; empty if it is missing.
fn stan(python: &str) -> Vec<String> {
    let find = "from importlib.util import find_spec as find; print(find('httpstan').submodule_search_locations[0])";
    let output = Command::new(python).args(["-c", find]).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        return Vec::new();
    };
    let package = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let (include, lib) = (package.join("include"), package.join("lib"));
    vec![
        "-D_REENTRANT".into(),
        "-DTBB_INTERFACE_NEW".into(),
        format!("-I{}", include.display()),
        format!("-L{}", lib.display()),
        format!("-Wl,-rpath,{}", lib.display()),
        "-ltbb".into(),
    ]
}

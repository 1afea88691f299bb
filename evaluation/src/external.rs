//! Tools of other languages: a Python script for JAX and PyTorch, and a C++ file for each other library, compiled on
//! demand. Programs for libraries without a package are in a folder of the user's.
use crate::{Outcome, peers::one_thread, process::Starter};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The Python with the packages; `python3` by default.
const PYTHON: &str = "EVALUATION_PYTHON";
/// A folder with C++ programs on `programs.hpp`, which are named after a tool.
const PROGRAMS: &str = "EVALUATION_PROGRAMS";

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
    let given = env::var_os(PROGRAMS).map_or_else(|| folder.clone(), PathBuf::from);
    for (source, names, flags, install) in [
        (
            "adolc",
            &["adolc"][..],
            vec!["-ladolc".into()],
            "apt-get install g++ libadolc-dev".to_string(),
        ),
        (
            "stan",
            &["stan"],
            stan(&python),
            format!("apt-get install g++, and {python} -m pip install httpstan"),
        ),
        (
            "codipack",
            &["codipack", "codipack-primal"],
            Vec::new(),
            format!("codipack.cpp in the folder {PROGRAMS}"),
        ),
        (
            "adept",
            &["adept"],
            Vec::new(),
            format!("adept.cpp in the folder {PROGRAMS}"),
        ),
        (
            "cppad",
            &["cppad"],
            Vec::new(),
            format!("cppad.cpp in the folder {PROGRAMS}"),
        ),
    ] {
        let program = target.join(source);
        let own = folder.join(source).with_extension("cpp").exists();
        let sources = if own { &folder } else { &given };
        let file = sources.join(source).with_extension("cpp");
        if is_fresh(&program, [&folder, sources]) || compiles(&file, &folder, &flags, &program) {
            let starter = |name: &&'static str| (*name, start(program.clone(), Vec::new()));
            all.extend(names.iter().map(starter));
        } else {
            println!("{source} is skipped, it needs: {install}");
        }
    }
    Ok(all)
}
fn is_fresh(program: &Path, folders: [&PathBuf; 2]) -> bool {
    let age = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let entries = folders
        .into_iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let files = entries.flatten().flatten().map(|file| file.path());
    let sources = files.filter(|path| path.extension().is_some_and(|e| e == "cpp" || e == "hpp"));
    age(program) > sources.map(|path| age(&path)).max().flatten()
}
fn compiles(file: &Path, include: &Path, flags: &[String], program: &Path) -> bool {
    println!("compiling {}", file.display());
    Command::new(env::var("CXX").unwrap_or_else(|_| "c++".into()))
        .args(["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-o"])
        .arg(program)
        .arg("-I")
        .arg(include)
        .arg(file)
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

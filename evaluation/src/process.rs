//! Measuring processes: started, checked during the run, and ended if they take too much.
use evaluation_worker::{Event, Job, Measured, read};
use std::{
    fmt::Display,
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    str::FromStr,
    sync::atomic::{AtomicU8, Ordering},
    thread,
    time::{Duration, Instant},
};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// The command that starts a tool: a program and its first arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Starter {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) variables: Vec<(String, String)>,
}
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
}
#[derive(Debug)]
pub(crate) enum End {
    Measured(Measured),
    /// The gradient is in the file, and the process was told to stop.
    Stopped,
    Unable(String),
    Wrong(String),
    Memory,
    Time,
    Failed(String),
}

const ENDED: u8 = 1;
const MEMORY: u8 = 2;
const TIME: u8 = 3;

/// Runs a job; `check` examines value and gradient and returns a fault, or whether to continue.
pub(crate) fn run<P: Display + FromStr>(
    starter: &Starter,
    job: &Job<P>,
    limits: Limits,
    check: impl FnOnce(&[f64]) -> Result<bool, String>,
) -> io::Result<End> {
    let mut child = Command::new(&starter.program)
        .args(&starter.arguments)
        .args(job.arguments())
        .envs(starter.variables.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let state = AtomicU8::new(0);
    let pid = Pid::from_u32(child.id());
    thread::scope(|scope| {
        scope.spawn(|| guard(pid, limits, &state));
        let mut errors = child.stderr.take();
        let errors = scope.spawn(move || {
            let mut text = String::new();
            let _ = errors.as_mut().map(|e| e.read_to_string(&mut text));
            text
        });
        let end = talk(&mut child, &job.gradient, check);
        let success = child.wait();
        let stopped = state.swap(ENDED, Ordering::Relaxed);
        let errors = errors.join().unwrap_or_default();
        match (stopped, end?, success?.success()) {
            (MEMORY, ..) => Ok(End::Memory),
            (TIME, ..) => Ok(End::Time),
            (_, Some(end), _) => Ok(end),
            (.., success) => Ok(End::Failed(match errors.trim().lines().last() {
                Some(line) => line.into(),
                None => format!("ended without a result, success: {success}"),
            })),
        }
    })
}
fn talk(
    child: &mut Child,
    gradient: &Path,
    check: impl FnOnce(&[f64]) -> Result<bool, String>,
) -> io::Result<Option<End>> {
    let mut input = child.stdin.take();
    let Some(output) = child.stdout.take() else {
        return Ok(None);
    };
    let mut lines = BufReader::new(output).lines();
    let mut event = || {
        let mut events = lines
            .by_ref()
            .map_while(Result::ok)
            .filter_map(|l| serde_json::from_str(&l).ok());
        events.next()
    };
    match event() {
        Some(Event::Gradient) => (),
        Some(Event::Unable { why }) => return Ok(Some(End::Unable(why))),
        _ => return Ok(None),
    }
    match check(&read(gradient)?) {
        Ok(true) => (),
        Ok(false) => return Ok(Some(End::Stopped)),
        Err(wrong) => return Ok(Some(End::Wrong(wrong))),
    }
    if let Some(input) = &mut input {
        let _ = writeln!(input, "go");
    }
    Ok(match event() {
        Some(Event::Measured(measured)) => Some(End::Measured(measured)),
        _ => None,
    })
}
fn guard(pid: Pid, limits: Limits, state: &AtomicU8) {
    let start = Instant::now();
    let mut system = System::new();
    while state.load(Ordering::Relaxed) == 0 {
        thread::sleep(Duration::from_millis(10));
        let kind = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, kind);
        let Some(process) = system.process(pid) else {
            continue;
        };
        let reason = match () {
            () if process.memory() > limits.bytes => MEMORY,
            () if start.elapsed() > limits.time => TIME,
            () => continue,
        };
        if state
            .compare_exchange(0, reason, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            process.kill();
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use evaluation_worker::{Program, write};

    /// A tool as a shell script; `$7` is the file of the gradient.
    fn end(script: &str, bytes: u64, right: impl FnOnce(&[f64]) -> Result<bool, String>) -> End {
        let folder = tempfile::tempdir().unwrap();
        let gradient = folder.path().join("gradient");
        write(&gradient, &[1.0, 2.0]).unwrap();
        let job = Job {
            tool: "script".into(),
            program: Program::T1,
            n: 1,
            steps: 1,
            rounds: 1,
            numbers: folder.path().join("numbers"),
            gradient,
        };
        let starter = Starter {
            program: "sh".into(),
            arguments: vec!["-c".into(), script.into(), "sh".into()],
            variables: vec![("EVENT".into(), r#"{"event":"gradient"}"#.into())],
        };
        let limits = Limits {
            bytes,
            time: Duration::from_millis(300),
        };
        run(&starter, &job, limits, right).unwrap()
    }
    const GO: &str = r#"echo other words; echo $EVENT; read go; test "$go" = go && echo         '{"event":"measured","rounds":3,"cold":{"record":1,"reverse":2},"warm":{"record":null,"reverse":4}}'"#;
    const MUCH: u64 = 1 << 40;

    #[test]
    fn a_right_tool_is_measured() {
        let End::Measured(measured) = end(GO, MUCH, |got| Ok(got == [1.0, 2.0])) else {
            panic!("it was not measured");
        };
        assert_eq!(
            (measured.rounds, measured.warm.both(), measured.cold.both()),
            (3, 4.0, 3.0)
        );
        assert_eq!((measured.plain, measured.tape), (None, None));
    }
    #[test]
    fn a_wrong_tool_is_not_measured() {
        assert!(
            matches!(end(GO, MUCH, |_| Err("wrong".into())), End::Wrong(why) if why == "wrong")
        );
        assert!(matches!(end(GO, MUCH, |_| Ok(false)), End::Stopped));
    }
    #[test]
    fn other_ends_are_told() {
        let unable = r#"echo '{"event":"unable","why":"no matrices"}'"#;
        assert!(
            matches!(end(unable, MUCH, |_| Ok(true)), End::Unable(why) if why == "no matrices")
        );
        let failed = "echo one >&2; echo the reason >&2; exit 1";
        assert!(matches!(end(failed, MUCH, |_| Ok(true)), End::Failed(why) if why == "the reason"));
        let endless = "echo $EVENT; exec sleep 60";
        assert!(matches!(end(endless, MUCH, |_| Ok(true)), End::Time));
        assert!(matches!(end(endless, 1, |_| Ok(true)), End::Memory));
    }
}

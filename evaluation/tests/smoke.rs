//! The whole run at the smallest sizes. A tool of entape is measured only if it has the gradient of the
//! reference data and of the hand-written adjoint.
use std::{error::Error, fs, process::Command};

#[test]
fn every_tool_is_right_and_measured() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evaluation"));
        command
            .args(arguments)
            .arg("--out")
            .arg(folder.path())
            .output()
    };
    let output = run(&["--smoke"])?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let results = folder.path().join("results.csv");
    let mut rows = csv::Reader::from_path(&results)?;
    let column = |name: &str, rows: &mut csv::Reader<fs::File>| {
        let headers = rows.headers().expect("a line of names");
        headers
            .iter()
            .position(|header| header == name)
            .expect("a column of that name")
    };
    let columns =
        ["program", "tool", "status", "reverse", "plain", "note"].map(|c| column(c, &mut rows));
    let mut points = Vec::new();
    for row in rows.records() {
        let row = row?;
        let [program, tool, status, reverse, plain, note] = columns.map(|c| row[c].to_string());
        assert_eq!(status, "measured", "{program} {tool}: {note}");
        assert!(plain.parse::<f64>()? > 0.0);
        assert!(tool == "plain" || reverse.parse::<f64>()? > 0.0);
        points.push(format!("{program} {tool}"));
    }
    for program in ["t1", "t2", "t2m", "t3", "t4"] {
        for tool in ["plain", "hand", "entities", "reals", "reuse"] {
            assert!(
                points.contains(&format!("{program} {tool}")),
                "{program} {tool}"
            );
        }
    }
    for tool in [
        "plain",
        "hand",
        "entities",
        "reals",
        "fused",
        "reuse",
        "reuse-fused",
    ] {
        assert!(
            points.contains(&format!("burgers {tool}")),
            "burgers {tool}"
        );
    }

    let mixture = fs::read_to_string(folder.path().join("mixture.csv"))?;
    assert!(mixture.contains("\n20,reals,"), "{mixture}");

    let objectives = folder.path().join("objectives.csv");
    let mut measured = Vec::new();
    for row in csv::Reader::from_path(&objectives)?.records() {
        let row = row?;
        assert!(row[3].parse::<f64>()? > 0.0, "{row:?}");
        measured.push(format!("{} {}", &row[0], &row[2]));
    }
    for point in [
        "gmm hand",
        "ba entities",
        "lstm fused",
        "hand fused",
        "hand-surface reals",
        "kmeans-newton entities",
        "asian fused",
    ] {
        assert!(measured.iter().any(|m| m == point), "{point}");
    }

    let users = fs::read_to_string(folder.path().join("users.csv"))?;
    assert_eq!(users.lines().count(), 6, "{users}");

    let summary = fs::read_to_string(folder.path().join("README.md"))?;
    let first = summary.lines().next().unwrap_or_default();
    assert!(first.starts_with("# Evaluation of 20") && first.contains(", commit "));
    for text in [
        "goals. The other goals",
        "| volatility |",
        "| entape, reals fused |",
    ] {
        assert!(summary.contains(text), "{summary}");
    }
    let page = fs::read_to_string(folder.path().join("report.html"))?;
    for text in [
        "the Hessian of a mixture of Gaussians",
        "ba: bundle adjustment",
        "Burgers: recording time",
        "T4: memory",
        "Scaling of the tape",
        "complex numbers: Horner",
        "</html>",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // nothing is fetched: the only addresses are XML namespaces
    for (at, _) in page.match_indices("http") {
        assert!(
            page[at..].starts_with("http://www.w3.org/"),
            "{}",
            &page[at..at + 40]
        );
    }
    // the report can be written again from the results
    fs::remove_file(folder.path().join("report.html"))?;
    assert!(
        run(&["--results", &results.to_string_lossy()])?
            .status
            .success()
    );
    // with the date and the commit of the run
    let again = fs::read_to_string(folder.path().join("README.md"))?;
    assert_eq!(again, summary);
    let again = fs::read_to_string(folder.path().join("report.html"))?;
    assert!(again.contains("Scaling of the tape") && again.contains("complex numbers: Horner"));
    let path = results.to_string_lossy();
    assert!(
        run(&["--compare", &path, "--results", &path])?
            .status
            .success()
    );
    Ok(())
}
/// Points that would exceed the memory limit are skipped, and the run continues.
#[cfg(target_os = "linux")]
#[test]
fn the_budget_holds() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let output = Command::new(env!("CARGO_BIN_EXE_evaluation"))
        .args([
            "--smoke",
            "--only",
            "programs",
            "--program",
            "t2",
            "--memory",
            "0.00001",
            "--out",
        ])
        .arg(folder.path())
        .output()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let results = fs::read_to_string(folder.path().join("results.csv"))?;
    assert!(results.lines().skip(1).count() >= 4);
    assert!(
        results
            .lines()
            .skip(1)
            .all(|line| line.contains("left-out")),
        "{results}"
    );
    Ok(())
}

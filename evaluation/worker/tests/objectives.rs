//! The programs of the objectives, compared with the values and derivatives of the reference data.
use entape_tests::assert_close;
use evaluation_worker::objectives::{
    Case, Name, Objective, Program, Visitor, derivatives, references,
};

struct ByDifferences<'x>(&'x [f64]);
impl Visitor for ByDifferences<'_> {
    type Output = (f64, Vec<f64>);
    fn visit<O: Objective>(self, objective: O) -> Self::Output {
        let program = Program::new(objective);
        let run = |x: &[f64]| {
            let mut outputs = Vec::new();
            program.run(x, &mut outputs);
            outputs
        };
        let moved = |input: usize, by: f64| {
            let mut x = self.0.to_vec();
            x[input] += by;
            run(&x)
        };
        let rows = program.objective.rows();
        let h = 1e-5;
        let mut all = Vec::new();
        derivatives(&program, &mut all, |part, row, column| {
            let (input, row) = (program.reads()[part][column], part * rows + row);
            (moved(input, h)[row] - moved(input, -h)[row]) / (2.0 * h)
        });
        if program.objective.curvature() {
            let (h, middle) = (1e-3, run(self.0)[0]);
            let second = |i: usize| (moved(i, h)[0] + moved(i, -h)[0] - 2.0 * middle) / (h * h);
            all.extend((0..self.0.len()).map(second));
        }
        let value = program.finish(&run(self.0), &mut all);
        (value, all)
    }
}

#[test]
fn references_agree_with_differences() {
    let all = references();
    assert_eq!(
        all.iter().map(|(case, _)| case.name).collect::<Vec<_>>(),
        Name::ALL
    );
    for (case, expected) in all {
        let (value, derivatives) = case.visit(ByDifferences(&case.inputs));
        assert_close(case.name.name(), &[value], &expected[..1], 1e-12);
        let scale = expected[1..].iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        assert_eq!(derivatives.len(), expected.len() - 1);
        for (a, b) in derivatives.iter().zip(&expected[1..]) {
            assert!(
                (a - b).abs() <= 1e-6 * scale,
                "{}: {a} instead of {b}",
                case.name
            );
        }
    }
}
#[test]
fn a_file_gives_the_case_that_was_written() {
    let case = Case::random(Name::HandSurface, &[8, 3]);
    let path = std::env::temp_dir().join(format!("entape-case-{}", std::process::id()));
    case.write(&path).unwrap();
    let read = Case::read(case.name, &path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read.unwrap(), case);
    assert!(Case::read(case.name, &path).is_err());
}

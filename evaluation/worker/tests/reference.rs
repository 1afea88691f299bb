//! The plain programs and the programs of numbers, compared with the values of the reference data.
use entape_tests::{assert_close, program as case};
use evaluation_worker::{Plain, Problem, Program, reference, run};

#[test]
fn values() {
    for program in Program::ALL {
        let want = case(program.name())["value"].as_f64().expect("a number");
        let problem = reference(program);
        let plain = Plain::new(&problem).run();
        assert_close("plain", &[plain], &[want], 1e-12);
        let numbers = run(&problem, &problem.numbers[..problem.inputs()]);
        assert_close("numbers", &[numbers], &[want], 1e-12);
    }
}
/// At sizes at which kernels work by blocks.
#[test]
fn timed() {
    for program in Program::ALL {
        let problem = Problem::timed(program, 37, 3);
        assert_eq!(problem.numbers.len(), Problem::len(program, 37));
        let plain = Plain::new(&problem).run();
        let numbers = run(&problem, &problem.numbers[..problem.inputs()]);
        assert_close(program.name(), &[numbers], &[plain], 1e-10);
    }
}

//! Sums on several threads: lost contributions, or adjoints of another thread. Reported for Enzyme.jl (#3378), burn
//! (#5573), Torch (#790) and Stan (math #222, #1918).
use crate::near;
use entape::{parallel::Parallel, prelude::*};
use rayon::ThreadPoolBuilder;

#[test]
fn a_shared_input_gets_the_adjoints_of_all_terms() {
    for threads in [1, 2, 4] {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        for terms in [0, 1, 2, 63, 2000] {
            for sum in [
                Parallel::new(),
                Parallel::new().any_order(),
                Parallel::new().block(1),
            ] {
                let (value, slope) = pool
                    .install(|| sum.sum(terms, |x: Real, _| x, 0.5))
                    .expect("a sum");
                assert_eq!((value, slope), (0.5 * terms as f64, terms as f64));
            }
        }
    }
}
#[test]
fn inputs_of_some_terms_get_their_adjoints() {
    let pool = ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .expect("threads");
    let term = |x: &[Real], i: usize| {
        let mut y = x[i % 3];
        for _ in 0..i % 5 {
            y *= x[0];
        }
        y
    };
    let x = [0.9, 2.0, -1.5];
    let mut want = [0.0; 3];
    for i in 0..1000 {
        let n = (i % 5) as i32;
        want[0] += x[i % 3] * f64::from(n) * f64::powi(x[0], n - 1);
        want[i % 3] += f64::powi(x[0], n);
    }
    for _ in 0..20 {
        let (_, gradient) = pool
            .install(|| Parallel::new().sum(1000, term, &x))
            .expect("a sum");
        near("the gradient", &gradient, &want);
    }
}
#[test]
fn threads_may_share_an_objective() {
    #[entape::function]
    fn f<M: Mode>(x: &[Real<M>]) -> Real<M> {
        x.iter().map(|x| x.powi(3).eval()).sum()
    }
    let objective = Objective::new(f {});
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let objective = &objective;
            scope.spawn(move || {
                for i in 0..200 {
                    let x: Vec<f64> = (0..1 + (i + thread) % 7)
                        .map(|j| j as f64 + thread as f64)
                        .collect();
                    let want: Vec<f64> = x.iter().map(|x| 3.0 * x * x).collect();
                    near(
                        "the gradient",
                        &objective.gradient(&x).expect("a gradient"),
                        &want,
                    );
                }
            });
        }
    });
}

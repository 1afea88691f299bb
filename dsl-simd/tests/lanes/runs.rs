//! Equal statements in one run, and with others between them.
use crate::{levels::at_each_level, once};
use entape_core::{expr::Active, real::Elementary, tape::Tape};
use entape_simd::{Lanes, LanesOps, SimdVector, wide::*};

macro_rules! runs { ($run:ident: $($V:ident)*) => { $(
    #[test]
    fn $V() {
        /// Value and gradient of `steps` statements, each followed by two negations if they are `apart`.
        fn program(steps: usize, apart: bool) -> impl PartialEq + std::fmt::Debug {
            let shifted = |shift: f32| $V::from_fn(|i| (0.25 + shift + i as f32 / 16.0).into());
            let mut tape = Tape::new();
            let [x, w] = [0.5, 0.0].map(|shift| tape.input(shifted(shift)));
            let y = tape.record(|| {
                let mut y: Active<Lanes<$V>> = x;
                for i in 0..steps {
                    // The first statements store their constants beside handles, so they do not form a run.
                    y = (y * w + (x - y).max(shifted(-0.5)) / (y * y + shifted(i as f32))).eval();
                    if apart {
                        y = (-y).eval();
                        y = (-y).eval();
                    }
                }
                y.reduce_add().eval()
            });
            let mut sweep = || {
                let gradient = tape.gradient(&y).expect("recorded");
                [&x, &w].map(|x| gradient.wrt(x).expect("an input"))
            };
            let first = sweep();
            assert_eq!(first, sweep(), "a second sweep");
            (y.value(), first)
        }
        $run(|| for steps in [1, 2, 3, 64, 66, 300] {
            assert_eq!(program(steps, false), program(steps, true), "{steps} statements");
        });
    }
)* } }
runs! { at_each_level: f64x4 }
runs! { once: f64x2 f64x8 f32x4 f32x8 f32x16 }

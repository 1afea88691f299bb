//! Generated code works without imports, within other macros, beside any name, and without warnings.
#![deny(warnings, missing_docs, unreachable_pub, clippy::all)]

mod bare {
    #![no_implicit_prelude]

    #[::entape_core::kind(value = (f64, f64), adjoint = ::core::option::Option<(f64, f64)>, zero = |_| (0.0, 0.0), add = |a, b| { a.0 += b.0; a.1 += b.1 })]
    pub(crate) struct Pair;

    #[::entape_core::operations(ext = pub(crate) PairOps)]
    impl Pair {
        #[op(save(f: f64 = p.0), shared(t = r_b * f), save(r))]
        fn first(#[ad_in((t, t))] p: &Self, #[ad_passive] n: usize) -> f64 {
            let _ = n;
            p.0
        }
        #[op]
        fn set_first(#[ad_inout((0.0, p_b.1))] p: &mut Self, #[ad_in(p_b.0)] x: f64) {
            p.0 = x;
        }
        #[op(passive)]
        fn is_first(#[ad_inp] p: Self) -> bool {
            p.0 > p.1
        }
    }

    #[::entape_core::op(elementwise, sample(x = 1.0..2.0))]
    fn twice<L: Lane>(#[ad_in(r_b + r_b)] x: L) -> L {
        x + x
    }

    #[::entape_core::op(crate = ::entape_core, sample(x = 1.0..2.0))]
    fn thrice(#[ad_in(r_b * 3.0)] x: f64) -> f64 {
        x * 3.0
    }
}

/// Parameters and arguments with the names of generated code.
mod names {
    use entape_core::op;

    #[op(sample(primals = 0.5..1.0, saved = 0.5..1.0, sinks = 2.0, value = 3.0))]
    fn result(
        #[ad_in(r_b * saved * sinks * value)] primals: f64,
        #[ad_in(r_b * primals * sinks * value)] saved: f64,
        #[ad_passive] sinks: f64,
        #[ad_passive] value: f64,
    ) -> f64 {
        primals * saved * sinks * value
    }

    #[op(sample(c = 0.5..1.0, a = 0.5..1.0, b = 0.5..1.0))]
    fn order(#[ad_in(r_b * a)] c: f64, #[ad_in(r_b * c)] a: f64, #[ad_in(-r_b)] b: f64) -> f64 {
        c * a - b
    }

    #[op]
    pub(super) fn length<const M: usize>(#[ad_in([r_b; M])] v: crate::kinds::Fixed<f64, M>) -> f64 {
        v.iter().sum()
    }
}

#[rustfmt::skip]
mod short {
    use entape_core::op;
    #[op(sample(x = 0.5..1.0))]
    fn root(#[ad_in(r_b * 0.5 / r)] x: f64) -> f64 { x.sqrt() }
    #[op(self_adjoint, sample(x = 0.5..1.0))]
    fn same(x: f64) -> f64 { x }
    #[op(elementwise, sample(x = 0.5..1.0))]
    fn lanes<L: Lane>(#[ad_in(r_b)] x: L) -> L { x }
    #[op(passive)]
    fn number(#[ad_inp] x: f64) -> f64 { x }
    #[op(sample(x = 0.5..1.0))]
    fn output(#[ad_in(w_b)] x: f64, #[ad_out] w: &mut f64) { *w = x }
}

/// With formulas from both sides.
mod inside {
    macro_rules! scaled { ($($name:ident $op:ident $factor:expr, $formula:expr;)*) => { $(
        #[entape_core::op(name = $op, save(s: f64 = $factor), sample(x = -1.0..1.0, y = 0.5..1.0))]
        fn $name(#[ad_in(r_b * s * y)] x: f64, #[ad_in($formula)] y: f64) -> f64 { s * x * y }
    )* } }
    scaled! {
        doubled Doubled 2.0, r_b * 2.0 * x;
        tripled Tripled 3.0, r_b * r / y;
    }
}

#[test]
fn generated_code_works_beside_any_name() {
    use bare::PairOps as _;
    use bare::PairOpsMut as _;
    use entape_core::{expr::Active, mode::Plain};
    let mut p = Active::<bare::Pair, Plain>::passive((1.0, 2.0));
    p.set_first(3.0);
    assert!(p.is_first());
    assert_eq!(p.first(1).eval().value(), 3.0);
    let v = Active::<crate::kinds::Fixed<f64, 2>, Plain>::passive([1.0, 2.0]);
    assert_eq!(names::length(v).eval().value(), 3.0);
}

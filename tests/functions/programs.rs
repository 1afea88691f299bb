use super::*;
use nalgebra::Vector3;

mod volatility {
    use super::*;

    const KNOTS: usize = 5;
    struct Market<T> {
        log_vol: [[T; KNOTS]; 3],
        rate: T,
        spot: T,
    }
    pub(super) struct Quote {
        pub(super) step: usize,
        pub(super) strike: f64,
        pub(super) price: f64,
    }
    pub(super) struct Grid {
        pub(super) n: usize,
        pub(super) steps: usize,
        pub(super) dt: f64,
        pub(super) dx: f64,
    }
    impl Grid {
        fn x(&self, i: usize) -> f64 {
            (i as f64 - (self.n / 2) as f64) * self.dx
        }
        fn knot(&self, i: usize) -> (usize, f64) {
            let at = ((self.x(i) + 1.0) / 2.0 * 4.0).clamp(0.0, 4.0 - 1e-9);
            (at as usize, at.fract())
        }
        fn layer(&self, step: usize) -> (usize, f64) {
            let at = step as f64 / self.steps as f64 * 1.999999;
            (at as usize, at.fract())
        }
    }

    pub(super) fn by_hand<M: Mode>(p: &[Real<M>], grid: &Grid, quotes: &[Quote]) -> Vec<Real<M>> {
        let n = grid.n;
        let row = |i: usize| std::array::from_fn(|j| p[i * KNOTS + j]);
        let market = Market {
            log_vol: std::array::from_fn(row),
            rate: p[15],
            spot: p[16],
        };
        let (zero, one) = (Real::<M>::passive(0.0), Real::<M>::passive(1.0));
        let start = |i: usize| Real::<M>::passive((1.0 - grid.x(i).exp()).max(0.0));
        let mut c: Vec<Real<M>> = (0..n).map(start).collect();
        let mut out = vec![];
        for step in 0..grid.steps {
            let (layer, u) = grid.layer(step);
            let (mut low, mut mid, mut up, mut rhs) =
                (vec![zero; n], vec![one; n], vec![zero; n], vec![zero; n]);
            rhs[0] = c[0];
            rhs[n - 1] = c[n - 1];
            for i in 1..n - 1 {
                let (k, w) = grid.knot(i);
                let v = |l: usize| {
                    ((1.0 - w) * market.log_vol[l][k] + w * market.log_vol[l][k + 1]).eval()
                };
                let half = (0.5 * (2.0 * ((1.0 - u) * v(layer) + u * v(layer + 1))).exp()).eval();
                let d = (half / (grid.dx * grid.dx)).eval();
                let a = ((half + market.rate) / (2.0 * grid.dx)).eval();
                let l = (0.5 * grid.dt * (d + a)).eval();
                let r = (0.5 * grid.dt * (d - a)).eval();
                low[i] = (-l).eval();
                up[i] = (-r).eval();
                mid[i] = (1.0 + l + r).eval();
                rhs[i] = (c[i] + l * (c[i - 1] - c[i]) + r * (c[i + 1] - c[i])).eval();
            }
            for i in 1..n {
                let w = (low[i] / mid[i - 1]).eval();
                let (of_mid, of_rhs) = (w * up[i - 1], w * rhs[i - 1]);
                mid[i] -= of_mid;
                rhs[i] -= of_rhs;
            }
            c[n - 1] = (rhs[n - 1] / mid[n - 1]).eval();
            for i in (0..n - 1).rev() {
                c[i] = ((rhs[i] - up[i] * c[i + 1]) / mid[i]).eval();
            }
            for q in quotes.iter().filter(|q| q.step == step) {
                let at = ((q.strike / market.spot).ln() / grid.dx + (n / 2) as f64).eval();
                let (i, w) = (at.value() as usize, at.fract().eval());
                out.push((market.spot * ((1.0 - w) * c[i] + w * c[i + 1]) - q.price).eval());
            }
        }
        out.extend(p[..15].iter().map(|v| (0.01 * (v - 0.22_f64.ln())).eval()));
        out
    }

    #[entape::function]
    pub(super) fn prices(p: &[Real], grid: &Grid, quotes: &[Quote]) -> Vec<Real> {
        let n = grid.n;
        let row = |i: usize| std::array::from_fn(|j| p[i * KNOTS + j]);
        let market = Market {
            log_vol: std::array::from_fn(row),
            rate: p[15],
            spot: p[16],
        };
        let (zero, one) = (Real::passive(0.0), Real::passive(1.0));
        let start = |i: usize| Real::passive((1.0 - grid.x(i).exp()).max(0.0));
        let mut c: Vec<Real> = (0..n).map(start).collect();
        let mut out = vec![];
        for step in 0..grid.steps {
            let (layer, u) = grid.layer(step);
            let (mut low, mut mid, mut up, mut rhs) =
                (vec![zero; n], vec![one; n], vec![zero; n], vec![zero; n]);
            rhs[0] = c[0];
            rhs[n - 1] = c[n - 1];
            for i in 1..n - 1 {
                let (k, w) = grid.knot(i);
                let v = |l: usize| (1.0 - w) * market.log_vol[l][k] + w * market.log_vol[l][k + 1];
                let half = 0.5 * (2.0 * ((1.0 - u) * v(layer) + u * v(layer + 1))).exp();
                let (d, a) = (
                    half / (grid.dx * grid.dx),
                    (half + market.rate) / (2.0 * grid.dx),
                );
                let (l, r) = (0.5 * grid.dt * (d + a), 0.5 * grid.dt * (d - a));
                low[i] = -l;
                up[i] = -r;
                mid[i] = 1.0 + l + r;
                rhs[i] = c[i] + l * (c[i - 1] - c[i]) + r * (c[i + 1] - c[i]);
            }
            for i in 1..n {
                let w = low[i] / mid[i - 1];
                mid[i] -= w * up[i - 1];
                rhs[i] -= w * rhs[i - 1];
            }
            c[n - 1] = rhs[n - 1] / mid[n - 1];
            for i in (0..n - 1).rev() {
                c[i] = (rhs[i] - up[i] * c[i + 1]) / mid[i];
            }
            for q in quotes.iter().filter(|q| q.step == step) {
                let at = (q.strike / market.spot).ln() / grid.dx + (n / 2) as f64;
                let (i, w) = (at.value() as usize, at.fract());
                out.push(market.spot * ((1.0 - w) * c[i] + w * c[i + 1]) - q.price);
            }
        }
        out.extend(p[..15].iter().map(|v| 0.01 * (v - 0.22_f64.ln())));
        out
    }
}
#[test]
fn local_volatility_has_the_statements_written_by_hand() {
    use volatility::{Grid, Quote, by_hand, prices};
    let grid = Grid {
        n: 41,
        steps: 6,
        dt: 1.0 / 6.0,
        dx: 0.1,
    };
    let quote = |step| Quote {
        step,
        strike: 97.0,
        price: 10.0,
    };
    let quotes = [quote(2), quote(5)];
    let mut p = [0.22_f64.ln(); 17];
    (p[15], p[16]) = (0.03, 100.3);
    let want = statements(|p| by_hand(p, &grid, &quotes), p);
    assert_eq!(statements(|p| prices(p, &grid, &quotes), p), want);
    let f = prices {
        grid: &grid,
        quotes: &quotes,
    };
    #[entape::function]
    fn misfit(p: &[Real], f: &prices<'_>) -> Real {
        f.call(p).norm_squared()
    }
    check::gradient(misfit { f: &f }, &p).unwrap();
    let all = Objective::new(f)
        .values_and_jacobian(&p)
        .expect("a Jacobian");
    let by_hand = entape::values_and_jacobian(|p: &[Real]| by_hand(p, &grid, &quotes), &p);
    let want = by_hand.expect("a Jacobian");
    assert_eq!(all.0, want.0);
    for (got, want) in all.1.as_slice().iter().zip(want.1.as_slice()) {
        assert!(
            (got - want).abs() <= 1e-9 * (1.0 + want.abs()),
            "{got} {want}"
        );
    }
}

mod arm {
    use super::*;

    pub(super) struct Link<M: Mode> {
        offset: Real<M>,
        d: Real<M>,
        a: Real<M>,
        alpha: Real<M>,
    }
    pub(super) struct Arm<M: Mode> {
        links: [Link<M>; 2],
        tool: FixedVector<3, M>,
    }
    #[entape::function]
    impl Arm<M> {
        pub(super) fn of(p: &[Real]) -> Self {
            let link = |i: usize| Link {
                offset: p[4 * i],
                d: p[4 * i + 1],
                a: p[4 * i + 2],
                alpha: p[4 * i + 3],
            };
            Arm {
                links: std::array::from_fn(link),
                tool: vector![p[8], p[9], p[10]],
            }
        }
        pub(super) fn hand(&self, q: &[f64]) -> FixedVector<3> {
            let mut turn = FixedMatrix::identity();
            let mut at = FixedVector::zeros();
            for (l, &q) in self.links.iter().zip(q) {
                let (s, c) = (q + l.offset).sin_cos();
                let (sa, ca) = l.alpha.sin_cos();
                at += turn * vector![l.a * c, l.a * s, l.d];
                turn *= matrix![c, -s * ca, s * sa; s, c * ca, -c * sa; 0.0, sa, ca];
            }
            at + turn * self.tool
        }
    }
    #[entape::function]
    pub(super) fn misfit(p: &[Real], readings: &[([f64; 2], Vector3<f64>)]) -> Real {
        let arm = Arm::of(p);
        let errors = readings
            .iter()
            .map(|(q, seen)| (arm.hand(q) - constant(*seen)).norm_squared());
        errors.sum::<Real>()
    }
}
#[test]
fn the_calibration_of_an_arm_has_the_statements_written_by_hand() {
    let p = [
        0.1, 0.09, 0.02, 1.57, 0.0, 0.1, -0.425, 0.3, 0.02, 0.0, 0.11,
    ];
    let readings: Vec<_> = (0..4)
        .map(|k| {
            (
                [0.3 * k as f64, 0.7 - 0.2 * k as f64],
                Vector3::new(0.1, 0.2, 0.3),
            )
        })
        .collect();
    check::gradient(
        arm::misfit {
            readings: &readings,
        },
        &p,
    )
    .unwrap();
    check::hessian(
        arm::misfit {
            readings: &readings,
        },
        &p,
    )
    .unwrap();
}

mod users {
    use super::*;
    use entape_programs::users::{arm, basin, control, hierarchy, volatility};

    /// Compares a function with its plain program: the value, and the gradient with central differences along two vectors.
    #[track_caller]
    fn agree(
        f: impl Function<Inputs: entape::driver::RealsShape, Values = f64>,
        x: &[f64],
        plain: impl Fn(&[f64]) -> f64,
    ) {
        let objective = Objective::new(&f);
        let (value, gradient) = objective.value_and_gradient(x).expect("a gradient");
        let want = plain(x);
        assert!(
            (value - want).abs() <= 1e-9 * want.abs(),
            "{value} instead of {want}"
        );
        assert!((objective.value(x) - want).abs() <= 1e-9 * want.abs());
        for k in 0..2 {
            let v: Vec<f64> = (0..x.len())
                .map(|i| (1.0 + (3 * i + k) as f64).sin())
                .collect();
            let at = |h: f64| {
                let x: Vec<f64> = x.iter().zip(&v).map(|(x, v)| x + h * v).collect();
                plain(&x)
            };
            let h = 1e-5;
            let want = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let got: f64 = gradient.iter().zip(&v).map(|(g, v)| g * v).sum();
            let size: f64 = gradient.iter().zip(&v).map(|(g, v)| (g * v).abs()).sum();
            assert!((got - want).abs() <= 1e-6 * size, "{got} instead of {want}");
        }
        // In all modes: adjoints against forward mode, and second derivatives.
        check::hessian(&f, x).unwrap();
    }
    #[test]
    fn the_arm_agrees_with_its_plain_program() {
        let (p, readings) = arm::data();
        let f = arm::misfit {
            readings: &readings,
        };
        agree(&f, &p, |p| arm::plain::misfit(p, &readings));
    }
    #[test]
    fn the_hierarchy_agrees_with_its_plain_program() {
        let (p, groups) = hierarchy::data();
        let f = hierarchy::log_posterior { groups: &groups };
        agree(&f, &p, |p| hierarchy::plain::log_posterior(p, &groups));
    }
    #[test]
    fn the_volatility_agrees_with_its_plain_program() {
        let (p, grid, quotes) = volatility::data(41, 8);
        let f = volatility::misfit {
            grid: &grid,
            quotes: &quotes,
        };
        agree(&f, &p, |p| volatility::plain::misfit(p, &grid, &quotes));
    }
    #[test]
    fn the_control_agrees_with_its_plain_program() {
        let (u, system) = (control::data(4), control::System::new(0.1));
        let f = control::infidelity { s: &system };
        agree(&f, &u, |u| control::plain::infidelity(u, &system));
    }
    #[test]
    fn the_basin_agrees_with_its_plain_program() {
        let (level, b) = basin::data(6, 5);
        #[entape::function]
        fn misfit(level: &[Real], b: &basin::Basin) -> Real {
            let level: Matrix = gather(list(level), 6, 6);
            basin::misfit(&level, b, 5)
        }
        let plain = |x: &[f64]| basin::plain::misfit(&DMatrix::from_column_slice(6, 6, x), &b, 5);
        agree(misfit { b: &b }, level.as_slice(), plain);
        // Statements do not grow with the cells.
        let count = |n| {
            let (level, b) = basin::data(n, 5);
            let mut tape = Tape::new();
            let level = tape.input(level);
            tape.record(|| basin::misfit(&level, &b, 5));
            tape.statistics().statements
        };
        assert_eq!(count(6), count(12));
    }
}

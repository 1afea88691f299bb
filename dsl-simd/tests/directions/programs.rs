use crate::{Program, Real, check};
use entape_core::{
    expr::constant,
    mode::Mode,
    real::{Cast, Elementary},
    tape::Error,
};
use entape_simd::{
    Array, GatherOps, LanesOps, Realx4, SplatOps,
    arrays::{
        ArrayMembers, ArrayOps, Compare as _, Gathers, Indexed, Indices, MaskOps, Slices, Splats,
        Strides,
    },
    wide::f64x4,
};

struct InLanes;
impl Program for InLanes {
    fn run<M: Mode>(_: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M> {
        use entape_simd::Compare as _;
        let mut w = ((a * v).exp() + constant(f64x4::splat(0.3)).max(v)).eval();
        w[2].assign(a * v.lane(0));
        w[0] += v.reduce_mul();
        let low = w.simd_lt(1.5);
        let s = low.select((1.5 - w).sqrt(), w.sin() * a).eval();
        let t = (w.dot(s) + s.reduce_max() * w.reduce_min() + s.reduce_add()).eval();
        let reals = (s * w).scatter().split();
        let g = [reals[3], reals[0], a, t].gather::<f64x4>().eval();
        let sum: Realx4<M> = [g, s, w].iter().sum();
        let h = ((g.abs() + 0.1).powf(v) + t.splat::<f64x4>() / (1.0 + sum * sum)).eval();
        (h.hypot(w).reduce_add() + h.mul_add(w, s).dot(h) + low.select(a, v).reduce_mul()).eval()
    }
}
#[test]
fn lanes_have_second_derivatives() -> Result<(), Error> {
    check::<InLanes>()
}

struct InPlace;
impl Program for InPlace {
    fn run<M: Mode>(u: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M> {
        let mut w = (a * u + 0.5).eval();
        for _ in 0..2 {
            let old = w.slice_at(..5);
            w.slice_mut(1..)
                .assign(old * u.slice(1..) + u.slice(..5).sin());
            w[0].assign(&u[3] * a);
            w[2] += v.lane(1) * a;
            w.slice_step_mut(.., 2).add_assign(u.slice_step(1.., 2) * a);
        }
        let kept = w.clone();
        let mut fresh = Array::<M>::passive(vec![0.5; 6]);
        fresh.slice_mut(2..4).assign(w.slice(..2) * a);
        w *= a;
        w.slice_mut(4..).assign(constant(vec![1.0, 2.0]));
        (w.dot(&kept) + (&w * &fresh).norm() + fresh.norm_squared() + kept.exp().mean()).eval()
    }
}
#[test]
fn writes_to_arrays_have_second_derivatives() -> Result<(), Error> {
    check::<InPlace>()
}

struct Choices;
impl Program for Choices {
    fn run<M: Mode>(u: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M> {
        let x = v.lane(3).eval();
        let w = (u * x - 0.4).eval();
        let low = w.simd_lt(0.6).and(w.simd_gt(-5.0)).eval();
        let s = low.select((0.6 - &w).sqrt(), u.ln() * a).eval();
        let t = low.not().select(x, &s).eval();
        let powers = (u.powf(a) + s.max(0.1).min(x) + u.hypot(x).atan2(&t)).eval();
        let single = (u.to_f32() * a.to_f32()).to_f64().eval();
        let extremes = (powers.reduce_max() * s.reduce_min() + (&t - &s).sum()).eval();
        (powers.norm() + extremes + single.sum() * 1e-8 + u.mul_add(&t, x).norm_squared()).eval()
    }
}
#[test]
fn choices_between_arrays_have_second_derivatives() -> Result<(), Error> {
    check::<Choices>()
}

struct Moves;
impl Program for Moves {
    fn run<M: Mode>(u: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M> {
        let (from, to) = (Indices::from(&[0, 0, 4, 5]), Indices::from(&[1, 3, 2, 2]));
        let reals = v.scatter().split();
        let few = [reals[1], a, reals[2]].gather_array().eval();
        let longer = few.concat(u).concat(constant(vec![1.0, 2.0])).eval();
        let padded = constant(vec![1.0; 4]).concat(&few * a).eval();
        let flow = (u.take(&to) - u.take(&from) * a).eval();
        let moved = (longer.rotate(3) * longer.shift(-2) + longer.reverse()).eval();
        let back = (u.cumulative_sum() * flow.add_up(&to, 6)).scatter().split();
        let spread = (a.splat_array(7) * padded.cumulative_sum()).eval();
        (moved.norm_squared() + spread.norm() + back[2] * back[1] + back[3]).eval()
    }
}
#[test]
fn moved_elements_have_second_derivatives() -> Result<(), Error> {
    check::<Moves>()
}

struct Shifted;
impl Program for Shifted {
    fn run<M: Mode>(u: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M> {
        let data = || constant(vec![1.0, 2.0, 4.0]);
        let x = v.lane(0).eval();
        let passive = Array::<M>::passive(vec![0.5; 3]);
        let centred = (data() - a).eval();
        let sums = ((data() - a * x).sum() * (data() - x).mean()).eval();
        let extremes = (x - data()).rotate(1).reduce_max() + (data() + a).to_f32().sum().to_f64();
        let joined = (data() - x).concat(data() - a).cumulative_sum().sum();
        let few = (data() - a)
            .take(&[2, 0, 2, 1])
            .dot(constant(vec![0.5, 1.0, 2.0, 3.0]));
        let linear = (sums + extremes * 1e-8 + joined + few).eval();
        let sum = (u.slice(..3) * (&passive + a * x)).sum().eval();
        ((data() - a * x).powi(2).sum() + centred.norm() + sum + linear).eval()
    }
}
#[test]
fn numbers_beside_constants_have_second_derivatives() -> Result<(), Error> {
    check::<Shifted>()
}

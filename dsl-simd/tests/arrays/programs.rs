use crate::levels::at_each_level;
use approx::abs_diff_eq;
use entape_core::{
    expr::{Active, constant, select},
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    real::{Elementary, Reals},
    tape::Tape,
};
use entape_simd::{
    Array, Array32,
    arrays::{
        ArrayMembers, ArrayOps, Compare, Filled, Gathers, Indexed, MaskOps, Slices, Strides,
        release_memory,
    },
};

type Real<M = entape_core::mode::Taped> = Active<f64, M>;
/// Around the lengths of registers and of blocks.
const LENGTHS: [usize; 10] = [2, 3, 5, 7, 8, 9, 17, 127, 129, 300];

fn data(length: usize, shift: f64) -> Vec<f64> {
    let number = |i: usize| (0.7 * i as f64 + shift).sin() + 0.1 * shift;
    (0..length).map(number).collect()
}
#[track_caller]
fn close(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    let scale = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let close = abs_diff_eq!(g, w, epsilon = 1e-12 * scale);
        assert!(close, "{what} of {} at {i}: {g}, not {w}", got.len());
    }
}
trait Program {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M>;
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M>;
}
fn on_tape<M: Recording, P: Program>(x: &[f64]) {
    let name = std::any::type_name::<P>();
    let mut tape = Tape::<M>::default();
    let (v, s) = (tape.input(x.to_vec()), tape.input(0.8));
    let y = tape.record(|| P::arrays(&v, &s));
    let mut single = Tape::<M>::default();
    let vn: Vec<_> = x.iter().map(|&x| single.input(x)).collect();
    let sn = single.input(0.8);
    let yn = single.record(|| P::reals(&vn, &sn));
    close(name, &[y.value()], &[yn.value()]);
    let want = single.gradient(&yn).unwrap();
    let want_v: Vec<_> = vn.iter().map(|x| want.wrt(x).unwrap()).collect();
    for _ in 0..2 {
        let got = tape.gradient(&y).unwrap();
        close(name, &got.wrt(&v).unwrap(), &want_v);
        close(name, &[got.wrt(&s).unwrap()], &[want.wrt(&sn).unwrap()]);
    }
}
fn agree<P: Program>() {
    at_each_level(|| LENGTHS.into_iter().for_each(agree_at::<P>));
}
fn agree_at<P: Program>(length: usize) {
    let x = data(length, 0.4);
    on_tape::<Taped, P>(&x);
    on_tape::<Reuse, P>(&x);
    let s = Real::<Plain>::passive(0.8);
    let single: Vec<_> = x.iter().map(|&x| Real::<Plain>::passive(x)).collect();
    let y = P::arrays(&Array::<Plain>::passive(x), &s);
    close("plain", &[y.value()], &[P::reals(&single, &s).value()]);
}
fn copies<M: AnyMode>(v: &[Real<M>]) -> Vec<Real<M>> {
    v.iter().map(|x| (x * 1.0).eval()).collect()
}
fn sum_of_squares<M: AnyMode>(v: &[Real<M>]) -> Real<M> {
    v.norm_squared().eval()
}

struct Overlap;
impl Program for Overlap {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let mut u = (v * 1.0).eval();
        let old = u.slice_at(1..);
        u.slice_mut(..n - 1).assign(old * s);
        let old = u.slice_at(..n - 1);
        u.slice_mut(1..).assign(old.sin() + v.slice(1..));
        let (west, east) = (u.slice_at(..n - 1), u.slice_at(1..));
        u.slice_mut(1..).assign(east * s - west);
        u.slice_mut(1..n - 1).mul_assign(v.slice(..n - 2));
        u.update(|u| u * s + v);
        u.norm_squared().eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let n = v.len();
        let mut u = copies(v);
        let old = copies(&u);
        (0..n - 1).for_each(|i| u[i] = (&old[i + 1] * s).eval());
        let old = copies(&u);
        (1..n).for_each(|i| u[i] = ((&old[i - 1]).sin() + &v[i]).eval());
        let old = copies(&u);
        (1..n).for_each(|i| u[i] = (&old[i] * s - &old[i - 1]).eval());
        (1..n - 1).for_each(|i| u[i] = (&u[i] * &v[i - 1]).eval());
        (0..n).for_each(|i| u[i] = (&u[i] * s + &v[i]).eval());
        sum_of_squares(&u)
    }
}
#[test]
fn overlapping_slices_read_the_old_array() {
    agree::<Overlap>();
}

struct Unaligned;
impl Program for Unaligned {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let mut y = Real::<M>::passive(0.0);
        for from in 0..n.min(5) {
            let length = n - from;
            y += (v.slice(from..) * v.slice(..length) * s).sum();
        }
        y
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let mut y = Real::<M>::passive(0.0);
        for from in 0..v.len().min(5) {
            (from..v.len()).for_each(|i| y += &v[i] * &v[i - from] * s);
        }
        y
    }
}
#[test]
fn slices_begin_anywhere() {
    agree::<Unaligned>();
}

struct Stride;
impl Program for Stride {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let mut u = (v * 2.0).eval();
        let half = n / 2;
        u.slice_step_mut(..2 * half, 2)
            .assign(v.slice_step(1.., 2) * v.slice(..half) + s);
        u.slice_step_mut(1.., 3).mul_assign(s);
        let old = u.slice_step_at(.., 2);
        u.slice_mut(..n.div_ceil(2)).assign(old.exp());
        u.norm_squared().eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let n = v.len();
        let mut u: Vec<_> = v.iter().map(|x| (x * 2.0).eval()).collect();
        (0..n / 2).for_each(|i| u[2 * i] = (&v[2 * i + 1] * &v[i] + s).eval());
        (1..n).step_by(3).for_each(|i| u[i] = (&u[i] * s).eval());
        let old = copies(&u);
        (0..n.div_ceil(2)).for_each(|i| u[i] = (&old[2 * i]).exp().eval());
        sum_of_squares(&u)
    }
}
#[test]
fn strided_slices_are_read_and_written() {
    agree::<Stride>();
}

struct Selections;
impl Program for Selections {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let mut u = (v * 2.0).eval();
        let at: Vec<_> = (0..n).step_by(3).rev().collect();
        u.select_mut(&at).mul_assign(v.take(&at) + s);
        let negative = v.simd_lt(0.0).eval();
        u.masked_mut(negative.get()).add_assign(s);
        u.slice_mut(n / 2..).slice_mut(..n / 4).fill(s);
        u.slice_step_mut(.., 2)
            .slice_step_mut(.., 2)
            .mul_assign(3.0);
        let old = u.select_at(&at);
        u.slice_mut(..at.len()).sub_assign(old.exp());
        u.norm_squared().eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let n = v.len();
        let mut u: Vec<_> = v.iter().map(|x| (x * 2.0).eval()).collect();
        for i in (0..n).step_by(3) {
            u[i] = (&u[i] * (&v[i] + s)).eval();
        }
        for (u, _) in u.iter_mut().zip(v).filter(|(_, v)| *v.get() < 0.0) {
            *u = (&*u + s).eval();
        }
        (n / 2..n / 2 + n / 4).for_each(|i| u[i] = (s * 1.0).eval());
        (0..n).step_by(4).for_each(|i| u[i] = (&u[i] * 3.0).eval());
        let old = copies(&u);
        for (i, k) in (0..n).step_by(3).rev().enumerate() {
            u[i] = (&u[i] - (&old[k]).exp()).eval();
        }
        sum_of_squares(&u)
    }
}
#[test]
fn selections_and_places_of_places_are_written() {
    agree::<Selections>();
}
#[test]
#[should_panic(expected = "`select_mut`: the index 2 occurs twice")]
fn selected_elements_differ() {
    Array::<Plain>::passive(vec![0.0; 3])
        .select_mut(&[2, 1, 2])
        .fill(1.0);
}
#[test]
#[should_panic(
    expected = "`masked_mut`: a mask of length 2 cannot select elements of an array of length 3"
)]
fn a_mask_has_the_length_of_the_array() {
    Array::<Plain>::passive(vec![0.0; 3])
        .masked_mut(&[true; 2])
        .fill(1.0);
}

struct Backwards;
impl Program for Backwards {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let mut u = (v * v.slice_step(.., -1) * s).eval();
        u.slice_step_mut(1.., -2).mul_assign(v.slice_step(1.., 2));
        let old = u.slice_step_at(.., -1);
        u.update(|u| u + old);
        u.slice_step_mut(.., -(n as isize) - 3).add_assign(s);
        let turned = (u.rotate(-1) * u.reverse() + v.rotate(2)).eval();
        let odd: Vec<_> = (1..n).step_by(2).collect();
        let picked = turned.take(&odd).add_up(&odd, n);
        (picked + v).norm_squared().eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let n = v.len();
        let mut u: Vec<_> = (0..n).map(|i| (&v[i] * &v[n - 1 - i] * s).eval()).collect();
        for (k, i) in (1..n).rev().step_by(2).enumerate() {
            u[i] = (&u[i] * &v[1 + 2 * k]).eval();
        }
        let old = copies(&u);
        (0..n).for_each(|i| u[i] = (&u[i] + &old[n - 1 - i]).eval());
        u[n - 1] = (&u[n - 1] + s).eval();
        let turned = (0..n).map(|i| &u[(i + 1) % n] * &u[n - 1 - i] + &v[(2 * n + i - 2) % n]);
        let turned: Vec<_> = turned.map(|x| x.eval()).collect();
        let ends = (0..n).map(|i| match i % 2 {
            1 => (&turned[i] + &v[i]).eval(),
            _ => (&v[i] * 1.0).eval(),
        });
        sum_of_squares(&ends.collect::<Vec<_>>())
    }
}
#[test]
fn slices_go_backwards() {
    agree::<Backwards>();
}

struct Reductions;
impl Program for Reductions {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let c = Array::<M>::passive(data(n, 0.7));
        let squares = (v * s).dot(v.sin() + &c).eval();
        let u = ((v * &c).sum() * v - (v.slice_step(.., -1) * v).mean() * s).eval();
        let inner = v.slice(1..) * u.slice(..n - 1) + v.slice_step(..n - 1, 1);
        let norms = (inner.norm() * s + (&u - s * v).norm_squared() * squares).eval();
        let positive = v.simd_gt(0.0).select(v.exp(), &u * &c);
        let largest = (positive * s).reduce_max() - (u.cumulative_sum() * &c).reduce_min();
        let running = c.dot(v.cumulative_sum()) + (&c * &c).sum();
        (norms + largest + running).eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let n = v.len();
        let c = data(n, 0.7);
        let mut squares = Real::<M>::passive(0.0);
        (0..n).for_each(|i| squares += &v[i] * s * ((&v[i]).sin() + c[i]));
        let (mut sum, mut mean) = (Real::<M>::passive(0.0), Real::<M>::passive(0.0));
        (0..n).for_each(|i| sum += &v[i] * c[i]);
        (0..n).for_each(|i| mean += &v[n - 1 - i] * &v[i] / n as f64);
        let u: Vec<_> = v.iter().map(|v| (&sum * v - &mean * s).eval()).collect();
        let inner: Vec<_> = (0..n - 1)
            .map(|i| (&v[i + 1] * &u[i] + &v[i]).eval())
            .collect();
        let rest: Vec<_> = (0..n).map(|i| (&u[i] - s * &v[i]).eval()).collect();
        let norms = (inner.norm() * s + rest.norm_squared() * squares).eval();
        let positive = (0..n).map(|i| match v[i].value() > 0.0 {
            true => ((&v[i]).exp() * s).eval(),
            false => (&u[i] * c[i] * s).eval(),
        });
        let positive: Vec<_> = positive.collect();
        let (mut total, mut sums) = (Real::<M>::passive(0.0), Vec::new());
        let mut running = Real::<M>::passive(0.0);
        let mut of_v = Real::<M>::passive(0.0);
        for i in 0..n {
            total += &u[i];
            sums.push((&total * c[i]).eval());
            of_v += &v[i];
            running += c[i] * &of_v + c[i] * c[i];
        }
        (norms + positive.max() - sums.min() + running).eval()
    }
}
#[test]
fn expressions_are_reduced() {
    agree::<Reductions>();
}

struct Elements;
impl Program for Elements {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let mut u = (v * &v[1] + s).eval();
        u[0].assign(&v[n - 1] * s);
        u[1] += v.at(0);
        let e = u.at(n - 1) * u.at(0);
        u[n - 1].assign(e);
        let chosen = u.simd_lt(v).select(&u * &u, v * s);
        let y = (chosen.mean() + u.dot(v) / u.norm() + u.reduce_max() * u.reduce_min()).eval();
        (y + &u[n / 2]).eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let n = v.len();
        let mut u: Vec<_> = v.iter().map(|x| (x * &v[1] + s).eval()).collect();
        u[0] = (&v[n - 1] * s).eval();
        u[1] = (&u[1] + &v[0]).eval();
        u[n - 1] = (&u[n - 1] * &u[0]).eval();
        let chosen: Vec<_> = (0..n)
            .map(|i| match u[i].value() < v[i].value() {
                true => (&u[i] * &u[i]).eval(),
                false => (&v[i] * s).eval(),
            })
            .collect();
        let y = (chosen.mean() + u.dot(v) / u.norm() + u.max() * u.min()).eval();
        (y + &u[n / 2]).eval()
    }
}
#[test]
fn elements_are_operands_and_places() {
    agree::<Elements>();
}

struct Choices;
impl Program for Choices {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let w = (v * s + 0.1).eval();
        let inside = w.simd_gt(-0.5).and(w.simd_lt(s)).eval();
        let some = w.simd_ge(v).xor(inside.not());
        let u = (inside.select(v * v, s) + some.or(v.simd_ne(v)).select(s, &w)).eval();
        let every_third = constant((0..v.len()).map(|i| i % 3 == 0).collect::<Vec<_>>());
        let (y, z) = (every_third.select(0.0, &u), v.simd_le(0.0).select(s, 2.0));
        assert!(v.is_empty() || inside.any() || inside.not().all());
        (y.norm_squared() + (&u * z).sum()).eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let mut sum = Real::passive(0.0);
        for (i, v) in v.iter().enumerate() {
            let w = (v * s + 0.1).eval();
            let inside = w > -0.5 && w < *s;
            let some = (w >= *v) == inside;
            let u = select(inside, v * v, s) + select(some, s, &w);
            let u = u.eval();
            if i % 3 != 0 {
                sum += &u * &u;
            }
            sum += &u * select(*v <= 0.0, s, 2.0);
        }
        sum
    }
}
#[test]
fn choices_have_the_gradients_of_the_selected_side() {
    agree::<Choices>();
}

struct Moves;
impl Program for Moves {
    fn arrays<M: AnyMode>(v: &Array<M>, s: &Real<M>) -> Real<M> {
        let n = v.get().len();
        let c = || constant(data(n, 1.5));
        let u = (v.shift(1) * c() + v.shift(-2) - (v * s).cumulative_sum()).eval();
        let w = u.concat(v * c()).eval();
        let mut x = w.scatter().split();
        x[0] = (&x[0] * s).eval();
        let z = x.gather_array().eval();
        (z.norm_squared() + w.sum()).eval()
    }
    fn reals<M: AnyMode>(v: &[Real<M>], s: &Real<M>) -> Real<M> {
        let (n, c) = (v.len(), data(v.len(), 1.5));
        let zero = || Real::<M>::passive(0.0);
        let (mut sum, mut w) = (zero(), vec![]);
        for i in 0..n {
            sum += &v[i] * s;
            let before = if i > 0 {
                (&v[i - 1] * 1.0).eval()
            } else {
                zero()
            };
            let behind = if i + 2 < n {
                (&v[i + 2] * 1.0).eval()
            } else {
                zero()
            };
            w.push((before * c[i] + behind - &sum).eval());
        }
        (0..n).for_each(|i| w.push((&v[i] * c[i]).eval()));
        let total = w.sum().eval();
        w[0] = (&w[0] * s).eval();
        (w.norm_squared() + total).eval()
    }
}
#[test]
fn moved_elements_have_the_gradients_of_reals() {
    agree::<Moves>();
}

#[test]
fn empty_arrays_have_neutral_reductions() {
    let mut tape = Tape::new();
    let v = tape.input(Vec::<f64>::new());
    let s = tape.input(2.0);
    let y = tape.record(|| {
        let w = ((&v * s).exp() + v.shift(1) + v.cumulative_sum()).eval();
        assert!(w.get().is_empty());
        (w.sum() + w.mean() + w.norm() + w.dot(&v) + s).eval()
    });
    assert_eq!(y.value(), 2.0);
    let gradient = tape.gradient(&y).unwrap();
    assert_eq!(gradient.wrt(&s).unwrap(), 1.0);
    assert!(gradient.wrt(&v).unwrap().is_empty());
}

#[test]
fn extremes_and_norms_follow_their_conventions() {
    let mut tape = Tape::new();
    let mut gradient = |x: &[f64], f: &dyn Fn(&Array) -> Active<f64>| {
        tape.reset();
        let v = tape.input(x.to_vec());
        let y = tape.record(|| f(&v));
        (y.value(), tape.gradient(&y).unwrap().wrt(&v).unwrap())
    };
    let x = [f64::NAN, 1.0, 3.0, 3.0, -2.0, -2.0];
    let max = gradient(&x, &|v| v.reduce_max().eval());
    assert_eq!(max, (3.0, vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0]));
    let min = gradient(&x, &|v| v.reduce_min().eval());
    assert_eq!(min, (-2.0, vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    assert_eq!(
        gradient(&[0.0; 3], &|v| v.norm().eval()),
        (0.0, vec![0.0; 3])
    );
    let large = gradient(&[3e300, 4e300], &|v| v.norm().eval());
    close(
        "norm",
        &[large.0 / 1e300, large.1[0], large.1[1]],
        &[5.0, 0.6, 0.8],
    );
    let small = gradient(&[3e-300, 4e-300], &|v| v.norm().eval());
    close(
        "norm",
        &[small.0 * 1e300, small.1[0], small.1[1]],
        &[5.0, 0.6, 0.8],
    );
    let smallest = [3, 4].map(f64::from_bits);
    let with_slope = (f64::from_bits(5), vec![0.6, 0.8]);
    assert_eq!(gradient(&smallest, &|v| v.norm().eval()), with_slope);
    assert_eq!(
        gradient(&smallest, &|v| (v + 0.0).norm().eval()),
        with_slope
    );
}

#[test]
fn single_precision_arrays_have_gradients() {
    let mut tape = Tape::new();
    let v: Array32 = tape.input(vec![0.5_f32, -1.5, 2.0, 0.25, 1.0]);
    let s = tape.input_as::<f32>(2.0);
    let y = tape.record(|| {
        let mut u = (&v * s).eval();
        u[1].assign(s * s);
        u.slice_mut(2..4).mul_assign(v.slice(3..));
        (u.sum() + v.norm_squared()).eval()
    });
    assert_eq!(y.value(), 1.0 + 4.0 + 1.0 + 0.5 + 2.0 + 7.5625_f32);
    let gradient = tape.gradient(&y).unwrap();
    let v_b = gradient.wrt(&v).unwrap();
    assert_eq!(
        v_b,
        [
            3.0,
            -3.0,
            4.0 + 2.0 * 0.25,
            0.5 + 2.0 + 4.0,
            2.0 + 2.0 + 0.5
        ]
    );
    assert_eq!(gradient.wrt(&s).unwrap(), 0.5 + 4.0 + 0.5 + 0.25 + 1.0);
}

#[test]
fn the_size_of_a_statement_does_not_depend_on_the_length() {
    let bytes = |length: usize| {
        let mut tape = Tape::new();
        let (v, w) = (tape.input(data(length, 0.1)), tape.input(data(length, 0.2)));
        let before = tape.statistics();
        let kept = tape.record(|| ((&v + &w) * (&v).sin() + v.shift(1)).eval());
        let after = tape.statistics();
        assert_eq!(after.statements - before.statements, 1);
        assert_eq!(kept.get().len(), length);
        (after.block_bytes - before.block_bytes, after.size_bytes)
    };
    assert_eq!(bytes(10), bytes(10_000));
}

#[test]
fn elements_that_no_statement_reads_have_zero_adjoints() {
    for n in [8, 40, 400] {
        let mut tape = Tape::new();
        for _ in 0..3 {
            tape.reset();
            let v = tape.input(data(n, 0.3));
            let y = tape.record(|| {
                let (last, first) = (v.slice(n - 2..), v.slice(1..3));
                let mut w = Array::filled(n, 7.0);
                w.slice_mut(n / 2..n / 2 + 2).assign(last * first);
                // Once more, over the elements written first, and beside them.
                let old = w.slice_at(n / 2..n / 2 + 2);
                w.slice_mut(n / 2 - 1..n / 2 + 1).assign(old * last);
                (w.slice(n / 2 - 1..n / 2).sum() + 2.0 * w.slice(..2).sum()).eval()
            });
            // w[n/2 - 1] = v[n - 2] v[1] v[n - 2]
            let x = data(n, 0.3);
            let (a, b) = (x[n - 2], x[1]);
            let mut want = vec![0.0; n];
            (want[n - 2], want[1]) = (2.0 * a * b, a * a);
            close("value", &[y.value()], &[a * a * b + 28.0]);
            close(
                "gradient",
                &tape.gradient(&y).unwrap().wrt(&v).unwrap(),
                &want,
            );
            release_memory();
        }
    }
}
#[test]
fn recordings_do_not_see_numbers_of_earlier_ones() {
    let mut tape = Tape::new();
    for round in 1..4 {
        tape.reset();
        let x = f64::from(round);
        let v = tape.input(vec![x; 200]);
        let y = tape.record(|| {
            let mut w = Array::filled_by(200, |w| w.fill(1.0));
            for _ in 0..3 {
                w.update(|w| w * &v);
            }
            let doubled = w_of(&v);
            w.slice_mut(..100).assign(&doubled);
            w.sum().eval()
        });
        close("sum", &[y.value()], &[100.0 * (x.powi(3) + 2.0 * x)]);
        let want: Vec<_> = (0..200)
            .map(|i| if i < 100 { 2.0 } else { 3.0 * x * x })
            .collect();
        let got = tape.gradient(&y).unwrap().wrt(&v).unwrap();
        close("gradient", &got, &want);
    }
    fn w_of(v: &Array) -> Array {
        (2.0 * v.slice(..100)).eval()
    }
}

//! Methods named as in `wide`, compared with its own.
use entape_check::assert_expression;
use entape_core::{
    expr::{Expr, constant, lit},
    mode::Plain,
    tape::Tape,
};
use entape_simd::{
    Array, Compare, GatherAt, Lanes, LanesOps, SimdVector, TransposeOps, WideOps,
    arrays::Indexed,
    wide::{
        f32x4, f32x8, f32x16, f64x2, f64x4, f64x8, i32x4, i32x8, i32x16, i64x2, i64x4, i64x8,
        u32x4, u32x8, u32x16, u64x2, u64x4, u64x8,
    },
};

type Active<V> = entape_core::expr::Active<Lanes<V>, Plain>;
type Recorded<V> = entape_core::expr::Active<Lanes<V>>;

macro_rules! vectors { ($($V:ident $U:ident $I:ident $T:ident $N:literal)*) => { $(
    #[test]
    fn $V() {
        let number = |i: usize| (0.37 * (i as $T)).sin() * 0.9;
        let plain = <$V as SimdVector>::from_fn(number);
        let other = <$V as SimdVector>::from_fn(|i| number(i + 3) + 0.1);
        let third = <$V as SimdVector>::from_fn(|i| number(i + 7) - 0.2);
        let [x, a, b] = [plain, other, third].map(Active::<$V>::passive);
        let positive = Active::<$V>::passive(plain * plain + 0.25);
        // Fused multiplication may round once.
        let close = |x: $V, y: $V| {
            let error = (x - y).abs().as_array().iter().fold(0.0, |m: $T, e| m.max(*e));
            assert!(error <= 4.0 * $T::EPSILON, "{x} {y}");
        };
        close(*x.mul_sub(a, b).eval().get(), plain.mul_sub(other, third));
        close(*x.mul_neg_add(a, b).eval().get(), plain.mul_neg_add(other, third));
        close(*x.mul_neg_sub(a, b).eval().get(), plain.mul_neg_sub(other, third));
        close(*positive.recip_sqrt().eval().get(), $V::ONE / (plain * plain + 0.25).sqrt());
        assert_eq!(x.flip_signs(a).eval(), plain.flip_signs(other));
        approx::assert_abs_diff_eq!(x, plain);
        approx::assert_abs_diff_ne!(x, plain + $V::splat(0.01));
        assert_eq!(x.fast_max(a).eval(), plain.fast_max(other));
        assert_eq!(x.fast_min(0.25).eval(), plain.fast_min($V::splat(0.25)));
        assert_eq!(
            x.fast_clamp(-0.5, 0.5).eval(),
            plain.fast_clamp($V::splat(-0.5), $V::splat(0.5))
        );
        let (asin, acos) = x.asin_acos().split();
        assert_eq!((*asin.get(), *acos.get()), (plain.asin(), plain.acos()));

        let at = |shift: usize| $U::new(std::array::from_fn(|i| ((i * 3 + shift) % (2 * $N)) as _));
        let within = $U::new(std::array::from_fn(|i| ($N - 1 - i) as _));
        assert_eq!(x.shuffle(within).eval(), plain.shuffle(within));
        assert_eq!(x.shuffle_wrapping(at(1)).eval(), plain.shuffle_wrapping(at(1)));
        assert_eq!(x.shuffle_zeroing(at(1)).eval(), plain.shuffle_zeroing(at(1)));
        let rows: [$V; $N] = std::array::from_fn(|i| plain + i as $T);
        let columns = rows.map(Active::<$V>::passive).transpose::<$V>().split();
        let values: Vec<$V> = columns.iter().map(|x| *x.get()).collect();
        assert_eq!(values, $V::transpose(rows));

        let special = [0.0, -0.0, $T::INFINITY, $T::NAN, $T::NEG_INFINITY, 2.5, -1.5, 1e30];
        for shift in 0..4 {
            let plain = <$V as SimdVector>::from_fn(|i| special[(i + 2 * shift) % 8]);
            let v = Active::<$V>::passive(plain);
            assert_eq!(v.is_inf().to_bitmask(), plain.is_inf().to_bitmask());
            assert_eq!(v.is_sign_negative().to_bitmask(), plain.is_sign_negative().to_bitmask());
            assert_eq!(v.is_sign_positive().to_bitmask(), plain.is_sign_positive().to_bitmask());
            assert_eq!(v.round_int(), plain.round_int());
            assert_eq!(v.trunc_int(), plain.trunc_int());
        }
        assert_eq!((x.fast_round_int(), x.fast_trunc_int()), (plain.fast_round_int(), plain.fast_trunc_int()));
        // Plain lanes on either side.
        assert_eq!(x.simd_lt(other).to_bitmask(), plain.simd_lt(other).to_bitmask());
        let left: Expr<Lanes<$V>, Plain, _> = lit(plain);
        assert_eq!(left.simd_lt(a).to_bitmask(), plain.simd_lt(other).to_bitmask());
        assert!(x == plain);

        // With derivatives. The rules of shuffles are tested in `rules.rs`.
        let smooth = |(x, a, b): (Recorded<$V>, Recorded<$V>, Recorded<$V>)| {
            let fused = x.mul_sub(a, 0.5) + x.mul_neg_add(2.0, b) + x.mul_neg_sub(a, b);
            (fused + (a * a + 1.0).recip_sqrt()).reduce_add().eval()
        };
        assert_expression(smooth, (plain, other, third));
        let signs = other;
        let others = |(x, a, b): (Recorded<$V>, Recorded<$V>, Recorded<$V>)| {
            let limits = (x.fast_max(a) + x.fast_min(b) * a + x.fast_clamp(-0.5, 0.5)).eval();
            let (asin, acos) = x.asin_acos().split();
            let moved = x.shuffle_wrapping(at(1)) * a + x.shuffle_zeroing(at(2)) * b;
            let more = (asin * a + acos + moved + x.flip_signs(signs) * b).eval();
            (limits * more).reduce_add().eval()
        };
        // Near kinks, differences in single precision have no digits.
        if $T::EPSILON < 1e-10 {
            assert_expression(others, (plain, other, third));
        }

        let mut tape = Tape::new();
        let table: Vec<_> = (0..5).map(|i| tape.input_as::<$T>(number(i) as $T)).collect();
        let indices = $U::new(std::array::from_fn(|i| (i * 2 % 5) as _));
        let y = tape.record(|| {
            let v = table.gather_at::<$V>(indices).eval();
            (v * v).reduce_add().eval()
        });
        let gradient = tape.gradient(&y).unwrap();
        for (i, x) in table.iter().enumerate() {
            let count = (0..$N).filter(|k| k * 2 % 5 == i).count();
            let expected = 2.0 * count as $T * x.value();
            assert!((gradient.wrt(x).unwrap() - expected).abs() <= 8.0 * $T::EPSILON);
        }

        // From arrays, by signed integers, too. Repeated indices add.
        let signed = $I::new(std::array::from_fn(|i| (i * 2 % 5) as _));
        let numbers: Vec<$T> = table.iter().map(|x| x.value()).collect();
        let mut tape = Tape::new();
        let (array, x) = (tape.input(numbers.clone()), tape.input(plain));
        let before = tape.statistics().statements;
        let z = tape.record(|| {
            let v = (array.gather_at::<$V>(indices) * array.gather_at::<$V>(signed) * x).eval();
            v.reduce_add().eval()
        });
        assert_eq!(tape.statistics().statements - before, 2);
        let gradient = tape.gradient(&z).unwrap();
        for (i, (got, number)) in gradient.wrt(&array).unwrap().iter().zip(&numbers).enumerate() {
            let lanes = (0..$N).filter(|k| k * 2 % 5 == i);
            let expected: $T = lanes.map(|k| 2.0 * number * plain.as_array()[k]).sum();
            assert!((got - expected).abs() <= 16.0 * $T::EPSILON);
        }
        let squares = gradient.wrt(&x).unwrap();
        for (k, got) in squares.as_array().iter().enumerate() {
            assert_eq!(*got, numbers[k * 2 % 5] * numbers[k * 2 % 5]);
        }
        let data = constant(&numbers).gather_at::<$V>(signed);
        let data: Active<$V> = data.eval();
        assert_eq!(data, $V::new(std::array::from_fn(|i| numbers[i * 2 % 5])));
    }
)* } }
vectors! {
    f64x2 u64x2 i64x2 f64 2 f64x4 u64x4 i32x4 f64 4 f64x8 u64x8 i64x8 f64 8
    f32x4 u32x4 i64x4 f32 4 f32x8 u32x8 i32x8 f32 8 f32x16 u32x16 i32x16 f32 16
}

#[test]
#[should_panic(expected = "the lane 4 is out of range for F64x4 with 4 lanes")]
fn a_shuffle_refuses_other_lanes() {
    let _ = Active::<f64x4>::passive(f64x4::ONE).shuffle(u64x4::new([0, 1, 2, 4]));
}

fn table() -> Array<Plain> {
    Array::passive(vec![1.0, 2.0])
}
#[test]
#[should_panic(expected = "the index 2 of lane 1 is out of range for 2 elements")]
fn a_gather_from_an_array_refuses_an_index_behind_it() {
    let _ = table().gather_at::<f64x2>(i64x2::new([0, 2])).eval();
}
#[test]
#[should_panic(expected = "the index -1 of lane 0 is out of range for an array")]
fn a_gather_from_an_array_refuses_a_negative_index() {
    let _ = table().gather_at::<f64x2>(i64x2::new([-1, 0]));
}

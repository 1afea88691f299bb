//! Constants of expressions.
use crate::support::{Array, ArrayOps, CHUNKS, check, program, tape};
use entape_core::{
    expr::{Active, constant},
    mode::{Recording, Reuse, Taped},
    real::Elementary,
    tape::Tape,
};

const X: [f64; 3] = [1.5, -0.75, 0.5];
const V: [&[f64]; 2] = [&[1.0, -2.0, 0.5], &[0.25, 3.0, -1.5]];

program!(
    Many | x,
    v | {
        let mut sum = (&x[0] * 0.0).eval();
        for round in 0..2 {
            for i in 0..200 {
                let c = f64::from(i) * 0.01 - 1.0;
                sum += c * &x[1] + (&x[2] * c) * &x[0];
                sum.update(|s| s * 0.5 + &x[round]);
            }
        }
        for i in 0..100 {
            let c = f64::from(i) * 0.02;
            v[0].update(|v| v * 0.5 + constant(vec![c, 1.0, -c]) * c);
            v[1][0] += c * &x[0];
        }
        (sum + v[0].dot(&v[1])).eval()
    }
);
#[test]
fn more_constants_than_the_table_shares_are_stored_in_blocks() {
    check::<Many>(&X, &V);
}

program!(
    Data | x,
    v | {
        let mut y = (&x[0] * &x[1]).eval();
        for i in 0..80 {
            let c = (f64::from(i) * 0.7).sin();
            let p = Active::<f64, M>::passive(c + 2.0);
            y.update(|y| (y * c + &p * &x[2]) * (1.0 / (c + 3.0)) + &p);
            let e = v[0].at(1) * c + &p;
            v[0][i as usize % 3].assign(e);
        }
        (y * v[0].dot(&v[1])).eval()
    }
);
#[test]
fn constants_may_depend_on_data() {
    check::<Data>(&X, &V);
}

program!(
    Exponents | x,
    v | {
        let mut y = v[0].total().eval();
        for n in -3..90 {
            y.update(|y| y * 0.5 + (&x[0] * 0.7).powi(n) + (&x[2] + 1.0).powf(f64::from(n) * 0.01));
        }
        let c = v[1].head(2).eval();
        (y * c.total() + v[1].head(1).total()).eval()
    }
);
#[test]
fn exponents_are_parameters() {
    check::<Exponents>(&X, &V);
}

program!(
    Polynomial | x,
    v | {
        let mut y = v[0].total().eval();
        for i in 0..160 {
            let c = f64::from(if i < 80 { i % 3 } else { i });
            let z = &x[i as usize % 3];
            y.update(|y| {
                let low = ((z * 0.5 + 0.25) * z - 0.75) * z + 1.5;
                let high = ((z * 0.125 - 0.375) * z + 0.625) * z - 0.875;
                y * 0.5 + low * 0.25 + high * 0.0625 + &x[1] * (0.01 * c)
            });
        }
        (y * v[1].dot(&v[0])).eval()
    }
);
#[test]
fn constants_may_exceed_a_line_of_the_cache() {
    check::<Polynomial>(&X, &V);
}

fn of_several_kinds<M: Recording>(chunk: usize) {
    use entape_core::real::Cast;
    let mut tape = tape::<M>(chunk);
    let (a, s) = (tape.input(2.0), tape.input_as::<f32>(3.0));
    let v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let mut want = [0.0; 2];
    let y = tape.record(|| {
        let mut y = (&a * 0.0).eval();
        for i in 0..150 {
            let (c, d) = (i as f32, f64::from(i));
            y += (((&s * c) * 2.0_f32 + c).to_f64() * d + &a * d) + (&v * d).total();
            want = [want[0] + d, want[1] + 2.0 * d * d];
        }
        y
    });
    let g = tape.gradient(&y).unwrap();
    assert_eq!((g.wrt(&a), g.wrt(&s)), (Ok(want[0]), Ok(want[1] as f32)));
    assert_eq!(g.wrt(&v), Ok(vec![want[0]; 2]));
}
#[test]
fn one_expression_may_have_constants_of_several_kinds() {
    for chunk in CHUNKS {
        of_several_kinds::<Taped>(chunk);
        of_several_kinds::<Reuse>(chunk);
    }
}

#[test]
fn signed_zeros_and_nans_are_told_apart() {
    let mut tape = tape::<Taped>(1 << 20);
    let x = tape.input(2.0);
    let of = |c: f64| move || (x / c).eval();
    let ys = [0.0, -0.0, 1.0, f64::NAN, 0.0, -0.0].map(|c| tape.record(of(c)));
    let got = ys.map(|y| tape.gradient(&y).unwrap().wrt(&x).unwrap());
    assert!(got[3].is_nan());
    let inf = f64::INFINITY;
    assert_eq!(
        [got[0], got[1], got[2], got[4], got[5]],
        [inf, -inf, 1.0, inf, -inf]
    );
}

fn adjoints<const N: usize>(tape: &mut Tape, y: Active<f64>, wrt: [&Active<f64>; N]) -> [f64; N] {
    let g = tape.gradient(&y).unwrap();
    wrt.map(|x| g.wrt(x).unwrap())
}
#[test]
fn some_arguments_of_numbers_are_constants() {
    let mut tape = tape::<Taped>(1 << 20);
    let [x, y, z] = X.map(|x| tape.input(x));
    let [c, d, e] = X;
    let all = tape.record(|| [(x / y).eval(), x.hypot(y).eval(), x.mul_add(y, z).eval()]);
    let first = tape.record(|| [(x / d).eval(), x.hypot(d).eval(), x.mul_add(d, e).eval()]);
    let second = tape.record(|| {
        [
            (c / y).eval(),
            constant(c).hypot(y).eval(),
            constant(c).mul_add(y, e).eval(),
        ]
    });
    for i in 0..3 {
        let [x_b, y_b, _] = adjoints(&mut tape, all[i], [&x, &y, &z]);
        assert_eq!(adjoints(&mut tape, first[i], [&x, &y, &z]), [x_b, 0.0, 0.0]);
        assert_eq!(
            adjoints(&mut tape, second[i], [&x, &y, &z]),
            [0.0, y_b, 0.0]
        );
    }
    let fused = tape.record(|| {
        [
            constant(c).mul_add(d, z).eval(),
            constant(c).mul_add(y, z).eval(),
            x.mul_add(d, z).eval(),
            x.mul_add(y, e).eval(),
        ]
    });
    let want = [[0.0, 0.0, 1.0], [0.0, c, 1.0], [d, 0.0, 1.0], [d, c, 0.0]];
    for (fused, want) in fused.into_iter().zip(want) {
        assert_eq!(adjoints(&mut tape, fused, [&x, &y, &z]), want);
    }
}
#[test]
fn some_arguments_of_storage_are_constants() {
    let mut tape = tape::<Taped>(1 << 20);
    let [u, v] = V.map(|v| tape.input_as::<Array>(v.to_vec()));
    let [c, d] = V.map(<[f64]>::to_vec);
    let s = tape.input(2.0);
    let products: [Active<Array>; 3] = tape.record(|| {
        [
            (&u * &v).eval(),
            (&u * constant(d.clone())).eval(),
            (constant(c.clone()) * &v).eval(),
        ]
    });
    let zero = vec![0.0; 3];
    let want = [(&d, &c), (&d, &zero), (&zero, &c)];
    for (y, (u_b, v_b)) in products.iter().zip(want) {
        tape.seed(y, vec![1.0; 3]).unwrap();
        let g = tape.sweep().unwrap();
        assert_eq!((g.wrt(&u), g.wrt(&v)), (Ok(u_b.clone()), Ok(v_b.clone())));
    }
    let scaled: [Active<Array>; 2] =
        tape.record(|| [(&u * 2.0).eval(), (constant(c.clone()) * s).eval()]);
    let want = [(vec![2.0; 3], 0.0), (zero, c.iter().sum())];
    for (y, (u_b, s_b)) in scaled.iter().zip(want) {
        tape.seed(y, vec![1.0; 3]).unwrap();
        let g = tape.sweep().unwrap();
        assert_eq!((g.wrt(&u), g.wrt(&s)), (Ok(u_b), Ok(s_b)));
    }
}

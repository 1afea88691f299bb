use super::*;

/// Compares functions by hand and by attribute.
#[track_caller]
pub(crate) fn same<const N: usize>(
    by_hand: impl Fn(&[Real]) -> Real + Copy,
    written: impl Fn(&[Real]) -> Real + Copy,
    x: [f64; N],
) -> usize {
    let want = value_and_gradient(|x: &[Real]| by_hand(x), &x).unwrap();
    let got = value_and_gradient(|x: &[Real]| written(x), &x).unwrap();
    assert_eq!(got, want);
    let count = statements(by_hand, x);
    assert_eq!(statements(written, x), count, "number of statements");
    count
}

#[function]
fn rosenbrock(x: &[Real]) -> Real {
    (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2)
}
#[test]
fn a_tail_is_a_statement() -> Result<(), Error> {
    assert_eq!(statements(rosenbrock, [1.0, 2.0]), 1);
    let (y, g) = value_and_gradient(rosenbrock, &[1.0, 2.0])?;
    assert_eq!((y, g), (100.0, [-400.0, 200.0]));
    let h = hessian(rosenbrock, &[1.0, 2.0])?;
    assert_eq!(h.as_slice(), [402.0, -400.0, -400.0, 200.0]);
    let (_, slope) = jvp(rosenbrock, &[1.0, 2.0], [1.0, 0.5])?;
    assert_eq!(slope, -300.0);
    let f = Objective::new(rosenbrock {});
    assert_eq!(f.value(&[1.0, 2.0]), 100.0);
    assert_eq!(f.gradient(&[1.0, 2.0])?, [-400.0, 200.0]);
    verify(rosenbrock {}, &[0.3, -0.2]);
    Ok(())
}

fn flight_by_hand<M: Mode>(p: &[Real<M>]) -> Real<M> {
    let (speed, angle, drag) = (p[0], p[1], p[2]);
    let dx = 0.1;
    let mut y = Real::passive(0.0);
    let mut u = (speed * angle.cos()).eval();
    let mut v = (speed * angle.sin()).eval();
    for _ in 0..40 {
        let dt = (dx / u).eval();
        let friction = (drag * u.hypot(v) * dt).eval();
        y += v * dt;
        u -= friction * u;
        v -= friction * v + 9.81 * dt;
    }
    y
}
#[function]
fn flight(p: &[Real]) -> Real {
    let (speed, angle, drag) = (p[0], p[1], p[2]);
    let dx = 0.1;
    let mut y = Real::passive(0.0);
    let mut u = speed * angle.cos();
    let mut v = speed * angle.sin();
    for _ in 0..40 {
        let dt = dx / u;
        let friction = drag * u.hypot(v) * dt;
        y += v * dt;
        u -= friction * u;
        v -= friction * v + 9.81 * dt;
    }
    y
}
#[test]
fn lets_are_statements_and_variables_are_not_recorded_again() {
    assert_eq!(same(flight_by_hand, flight, [30.0, 0.7, 0.01]), 2 + 5 * 40);
    verify(flight {}, &[30.0, 0.7, 0.01]);
}

fn branches_by_hand<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let a = if x[0] > 1.0 {
        (x[0] * x[1]).eval()
    } else if x[1] > 0.0 {
        x[1]
    } else {
        let t = (x[0] - x[1]).eval();
        (t * t).eval()
    };
    let b = match (x[0].value() * 3.0) as usize % 3 {
        0 => a,
        1 => (a * 2.0).eval(),
        n => {
            let n = n as f64;
            (a / n).eval()
        }
    };
    let c = {
        let s = (a + b).eval();
        (s * s).eval()
    };
    if c < 1.0 {
        return (c.exp() * a).eval();
    }
    let mut i = 0;
    let d = loop {
        i += 1;
        if i > 3 {
            break (c.sqrt() * i as f64).eval();
        }
    };
    let e = 'found: {
        if d > 100.0 {
            break 'found d;
        }
        (d * b).eval()
    };
    (x[0] * {
        let u = (e + d).eval();
        (u * u).eval()
    } + if b > a { (b - a).eval() } else { a })
    .eval()
}
#[function]
fn branches(x: &[Real]) -> Real {
    let a = if x[0] > 1.0 {
        x[0] * x[1]
    } else if x[1] > 0.0 {
        x[1]
    } else {
        let t = x[0] - x[1];
        t * t
    };
    let b = match (x[0].value() * 3.0) as usize % 3 {
        0 => a,
        1 => a * 2.0,
        n => {
            let n = n as f64;
            a / n
        }
    };
    let c = {
        let s = a + b;
        s * s
    };
    if c < 1.0 {
        return c.exp() * a;
    }
    let mut i = 0;
    let d = loop {
        i += 1;
        if i > 3 {
            break c.sqrt() * i as f64;
        }
    };
    let e = 'found: {
        if d > 100.0 {
            break 'found d;
        }
        d * b
    };
    x[0] * {
        let u = e + d;
        u * u
    } + if b > a { b - a } else { a }
}
#[test]
fn branches_blocks_and_loops_record_statements() {
    for x in [
        [0.4, -0.7],
        [1.2, 0.3],
        [1.5, 2.0],
        [0.1, 0.2],
        [2.3, 40.0],
        [0.9, -2.0],
    ] {
        same(branches_by_hand, branches, x);
        verify(branches {}, &x);
    }
}

fn lists_by_hand<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let mut v = vec![(x[0] * 2.0).eval(), x[1], (x[0] - x[1]).eval()];
    let w = vec![(x[0] / x[1]).eval(); 2];
    v.push((x[0] * x[1]).eval());
    let [p, q] = [(v[0] * w[1]).eval(), v[3]];
    let scaled: Vec<Real<M>> = v.iter().map(|v| (0.5 * v).eval()).collect();
    let pairs = scaled.iter();
    let squares: Real<M> = pairs.map(|s| s * s + p).sum();
    let product: Real<M> = scaled
        .iter()
        .map(|s| {
            let t = (s + 1.0).eval();
            t * q
        })
        .product();
    let total = scaled.sum().eval();
    let last = scaled.iter().fold(p, |sum, s| (sum * 0.5 + s).eval());
    let rows: [[Real<M>; 2]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|j| (x[i] * v[j]).eval()));
    let both = (total, (last * rows[1][0]).eval());
    let some = Some((both.0 * both.1).eval());
    let r = match some {
        Some(s) if s > 0.0 => (s.ln() + squares).eval(),
        Some(s) => s,
        None => product,
    };
    let data = [1.0, 2.0];
    let weight: f64 = data.iter().sum();
    let mean = data.iter().map(|d| d * d).sum::<f64>() / data.len() as f64;
    (r * weight + mean * list(&[(x[0] * x[0]).eval(), x[1]]).norm() + product + rows[0][1]).eval()
}
#[function]
fn lists(x: &[Real]) -> Real {
    let mut v = vec![x[0] * 2.0, x[1], x[0] - x[1]];
    let w = vec![x[0] / x[1]; 2];
    v.push(x[0] * x[1]);
    let [p, q] = [v[0] * w[1], v[3]];
    let scaled: Vec<Real> = v.iter().map(|v| 0.5 * v).collect();
    let pairs = scaled.iter();
    let squares: Real = pairs.map(|s| s * s + p).sum();
    let product: Real = scaled
        .iter()
        .map(|s| {
            let t = s + 1.0;
            t * q
        })
        .product();
    let total = scaled.sum();
    let last = scaled.iter().fold(p, |sum, s| sum * 0.5 + s);
    let rows: [[Real; 2]; 2] = std::array::from_fn(|i| std::array::from_fn(|j| x[i] * v[j]));
    let both = (total, last * rows[1][0]);
    let some = Some(both.0 * both.1);
    let r = match some {
        Some(s) if s > 0.0 => s.ln() + squares,
        Some(s) => s,
        None => product,
    };
    let data = [1.0, 2.0];
    let weight: f64 = data.iter().sum();
    let mean = data.iter().map(|d| d * d).sum::<f64>() / data.len() as f64;
    r * weight + mean * list(&[x[0] * x[0], x[1]]).norm() + product + rows[0][1]
}
#[test]
fn lists_tuples_and_closures_record_statements() {
    for x in [[0.4, 0.7], [0.6, -0.3]] {
        same(lists_by_hand, lists, x);
        verify(lists {}, &x);
    }
}

#[function]
fn unchanged(x: &[Real]) -> Real {
    let y = x[0];
    let r = &y;
    let all = x;
    let (a, b) = (y, all[1]);
    let mut v = vec![a, b];
    v[0] = a;
    let n = 2 + v.len() * 3;
    let f = 0.5 * n as f64 - -1.0;
    let z = { v[1] };
    let w = if f > 100.0 { z } else { *r };
    let name = String::from("w");
    let k = -2;
    assert!(!name.is_empty() && k < 0, "{name}");
    let t = (f > 0.0).then_some(w);
    return t.unwrap_or(z);
}
#[test]
fn variables_and_plain_values_are_no_statements() -> Result<(), Error> {
    assert_eq!(statements(unchanged, [2.0, 3.0]), 0);
    assert_eq!(gradient(unchanged, &[2.0, 3.0])?, [1.0, 0.0]);
    Ok(())
}

fn assigned_by_hand<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let mut v = x.to_vec();
    let mut total = Real::passive(0.0);
    for i in 1..v.len() {
        v[i] = (v[i] * v[i - 1]).eval();
        let r = 0.5 * v[i - 1];
        v[i] -= r;
        total += v[i] * v[i];
        total.update(|t| t / 2.0 + x[0]);
        total = select(total > 0.0, total, -total).eval();
    }
    let v = v[v.len() - 1];
    let v = (v * total).eval();
    (v + v).eval()
}
#[function]
fn assigned(x: &[Real]) -> Real {
    let mut v = x.to_vec();
    let mut total = Real::passive(0.0);
    for i in 1..v.len() {
        v[i] = v[i] * v[i - 1];
        v[i] -= 0.5 * v[i - 1];
        total += v[i] * v[i];
        total.update(|t| t / 2.0 + x[0]);
        total = select(total > 0.0, total, -total);
    }
    let v = v[v.len() - 1];
    let v = v * total;
    v + v
}
#[test]
fn assignments_end_expressions() {
    assert_eq!(
        same(assigned_by_hand, assigned, [1.2, 0.4, -0.6]),
        2 * 5 + 2
    );
    verify(assigned {}, &[1.2, 0.4, -0.6]);
}

#[function]
fn doubled(x: &[Real]) -> Real {
    let mut y = x[0];
    for _ in 0..50 {
        let (a, b) = (y * 0.5, y / 3.0);
        let c = |u: Real| u + a * b;
        y = c(a) + c(b) - a;
    }
    y
}
#[test]
fn no_formula_is_copied() {
    assert_eq!(statements(doubled, [0.7]), 50 * 5);
}

#[derive(Debug, PartialEq)]
struct Negative(f64);
#[function]
fn root(x: Real) -> Result<Real, Negative> {
    if x < 0.0 {
        return Err(Negative(x.value()));
    }
    Ok(x.sqrt() * 2.0)
}
#[function]
fn maybe(x: Real) -> Option<Real> {
    let y = root(x).ok()?;
    let half = Some(y / 2.0)?;
    (half > 1.0).then_some(half)
}
type Failure = Box<dyn std::error::Error>;
#[function]
fn fallible(x: &[Real]) -> Result<(Real, Vec<Real>), Failure> {
    let n: f64 = "2.5".parse()?;
    let s: Result<Vec<Real>, Negative> = x.iter().map(|&x| root(x)).collect();
    let s = s.map_err(|Negative(x)| format!("{x}"))?;
    let Some(last) = s.last() else {
        return Err("empty".into());
    };
    let first = s.first().map(|s| s * n).ok_or("empty")?;
    Ok((first * *last, vec![last * 3.0]))
}
#[test]
fn results_and_options_are_passed_on() {
    let mut tape = Tape::new();
    let [x, y] = tape.inputs([4.0, -1.0])[..] else {
        unreachable!()
    };
    let before = tape.statistics().statements;
    assert_eq!(tape.record(|| root(y)), Err(Negative(-1.0)));
    assert_eq!(tape.statistics().statements, before);
    let z = tape.record(|| root(x)).unwrap();
    assert_eq!(tape.statistics().statements, before + 1);
    assert_eq!(tape.gradient(&z).unwrap().wrt(&x).unwrap(), 0.5);
    assert_eq!(tape.record(|| maybe(x)).unwrap(), 2.0);
    assert_eq!(tape.statistics().statements, before + 3);
    let (first, rest) = tape.record(|| fallible(&[x, x])).unwrap();
    assert_eq!((first.value(), rest[0].value()), (40.0, 12.0));
    assert!(tape.record(|| fallible(&[x, y])).is_err());
    assert!(tape.record(|| fallible(&[x][..0])).is_err());
}

#[test]
fn panics_name_the_line_of_the_statement() {
    #[function]
    fn over(x: &[Real], stale: Real<M>) -> Real {
        let y = x[0] * 2.0;
        y + stale
    }
    let line = line!() - 2;
    let mut tape = Tape::new();
    let stale = tape.input(1.0);
    tape.reset();
    let x = tape.inputs([2.0]);
    let at = std::sync::Arc::new(std::sync::Mutex::new(0));
    let (hook, seen) = (std::panic::take_hook(), at.clone());
    std::panic::set_hook(Box::new(move |info| {
        *seen.lock().unwrap() = info.location().map_or(0, |l| l.line());
    }));
    let run = std::panic::AssertUnwindSafe(|| tape.record(|| over(&x, stale)));
    let result = std::panic::catch_unwind(run);
    std::panic::set_hook(hook);
    assert!(result.is_err());
    assert_eq!(*at.lock().unwrap(), line);
}

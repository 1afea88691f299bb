//! Random programs of arrays with places, against programs of reals.
use crate::support::{Array, ArrayOps, CHUNKS, slice, tape};
use approx::abs_diff_eq;
use entape_core::{
    expr::Active,
    mode::{AnyMode, Plain, Recording, Reuse, Taped},
    real::Elementary,
};

/// SplitMix64.
#[derive(Clone)]
struct Random(u64);
impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn number(&mut self) -> f64 {
        self.below(2001) as f64 / 1000.0 - 1.0
    }
}

const LEN: usize = 3;

/// `u, v, w` are arrays, `s, t` reals, `i, j` indices, `c` is a constant.
#[derive(Clone, Debug)]
struct Step {
    code: usize,
    u: usize,
    v: usize,
    w: usize,
    s: usize,
    t: usize,
    i: usize,
    j: usize,
    c: f64,
}
const CODES: usize = 24;
fn steps(random: &mut Random, n: usize, arrays: usize, reals: usize) -> Vec<Step> {
    (0..n)
        .map(|_| Step {
            code: random.below(CODES),
            u: random.below(arrays),
            v: random.below(arrays),
            w: random.below(arrays),
            s: random.below(reals),
            t: random.below(reals),
            i: random.below(LEN),
            j: random.below(LEN),
            c: if random.below(3) == 0 {
                random.number()
            } else {
                0.5
            },
        })
        .collect()
}

trait State<M: AnyMode> {
    fn step(&mut self, step: &Step);
    fn sum(&self) -> Active<f64, M>;
}

struct Whole<M: AnyMode> {
    x: Vec<Active<f64, M>>,
    v: Vec<Active<Array, M>>,
}
impl<M: AnyMode> State<M> for Whole<M> {
    fn step(&mut self, step: &Step) {
        let &Step {
            code,
            u,
            v,
            w,
            s,
            t,
            i,
            j,
            c,
        } = step;
        let (x, a) = (&mut self.x, &mut self.v);
        match code {
            0 => a[u] = (&a[v] * &a[w]).eval(),
            1 => {
                let new = (&a[v] * &a[w] * c + &a[u]).eval();
                a[u] = new;
            }
            2 => a[u].update(|u| u.clone() * u * c),
            3 => {
                let other = a[v].clone();
                a[u].update(|u| u * c + &other * &x[s]);
            }
            4 => {
                let other = a[v].clone();
                a[u] *= &other;
            }
            5 => a[u] *= &x[s],
            6 => {
                let e = (&a[v][j] * &x[s] * c).eval();
                a[u][i].assign(&e);
            }
            7 => {
                let u = &mut a[u];
                let e = u.at(j) * u.at(i) * c;
                u[i].assign(e);
            }
            8 => a[u][i] *= &x[s],
            9 => a[u][i] += c * &x[s] * &x[t],
            10 => {
                let u = &mut a[u];
                let e = u.at(j) * c + &x[s];
                u[i] *= e;
            }
            11 => a.swap(u, v),
            12 => x[s] = (a[u].dot(&a[v]) * c).eval(),
            13 => x[s].update(|s| s * c + &a[u][i] * &a[v][j]),
            14 => {
                let old = x[t].clone();
                x[s] *= &old;
            }
            15 => x[s].update(|s| (s * c).sin() + a[u].total() * 0.25),
            16 => x.swap(s, t),
            17 => a[u] = Active::passive(vec![c; LEN]),
            18 => x[s].assign(c),
            19 => {
                let other = a[v].clone();
                let (to, from) = (slice(&a[u], 0..2), slice(&other, 1..3));
                a[u].part_mut(to).mul_assign(other.part(from) * &x[s]);
            }
            20 => {
                let shifted = a[u].part(slice(&a[u], 0..2)) * c;
                let to = slice(&a[u], 1..3);
                a[u].part_mut(to).assign(shifted);
            }
            21 => a[u].update(|u| (u * c).exps() * 0.5),
            22 => a[u][i].assign(c),
            _ => {
                let p = Active::<f64, M>::passive(c);
                a[u][i].assign(&p);
            }
        }
    }
    fn sum(&self) -> Active<f64, M> {
        let mut y = Active::passive(0.0);
        self.x.iter().for_each(|x| y += x);
        self.v.iter().for_each(|v| y += v.total());
        y
    }
}

struct Elements<M: AnyMode> {
    x: Vec<Active<f64, M>>,
    v: Vec<Vec<Active<f64, M>>>,
}
impl<M: AnyMode> State<M> for Elements<M> {
    fn step(&mut self, step: &Step) {
        let &Step {
            code,
            u,
            v,
            w,
            s,
            t,
            i,
            j,
            c,
        } = step;
        let (x, a) = (&mut self.x, &mut self.v);
        let all = |f: &dyn Fn(usize) -> Active<f64, M>| (0..LEN).map(f).collect::<Vec<_>>();
        match code {
            0 => a[u] = all(&|k| (&a[v][k] * &a[w][k]).eval()),
            1 => a[u] = all(&|k| (&a[v][k] * &a[w][k] * c + &a[u][k]).eval()),
            2 => a[u] = all(&|k| (&a[u][k] * &a[u][k] * c).eval()),
            3 => a[u] = all(&|k| (&a[u][k] * c + &a[v][k] * &x[s]).eval()),
            4 => a[u] = all(&|k| (&a[u][k] * &a[v][k]).eval()),
            5 => a[u] = all(&|k| (&a[u][k] * &x[s]).eval()),
            6 => a[u][i] = (&a[v][j] * &x[s] * c).eval(),
            7 => a[u][i] = (&a[u][j] * &a[u][i] * c).eval(),
            8 => a[u][i] *= &x[s],
            9 => a[u][i] += c * &x[s] * &x[t],
            10 => a[u][i] = (&a[u][i] * (&a[u][j] * c + &x[s])).eval(),
            11 => a.swap(u, v),
            12 => {
                let mut y = (&a[u][0] * &a[v][0]).eval();
                (1..LEN).for_each(|k| y += &a[u][k] * &a[v][k]);
                x[s] = (&y * c).eval();
            }
            13 => x[s].update(|s| s * c + &a[u][i] * &a[v][j]),
            14 => x[s] = (&x[s] * &x[t]).eval(),
            15 => {
                let sum = (&a[u][0] + &a[u][1] + &a[u][2]).eval();
                x[s].update(|s| (s * c).sin() + &sum * 0.25);
            }
            16 => x.swap(s, t),
            17 => a[u] = all(&|_| Active::passive(c)),
            18 => x[s] = Active::passive(c),
            19 => {
                let new = |k: usize| (&a[u][k] * (&a[v][k + 1] * &x[s])).eval();
                let (p, q) = (new(0), new(1));
                (a[u][0], a[u][1]) = (p, q);
            }
            20 => {
                let (p, q) = ((&a[u][0] * c).eval(), (&a[u][1] * c).eval());
                (a[u][1], a[u][2]) = (p, q);
            }
            21 => a[u] = all(&|k| ((&a[u][k] * c).exp() * 0.5).eval()),
            _ => a[u][i] = Active::passive(c),
        }
    }
    fn sum(&self) -> Active<f64, M> {
        let mut y = Active::passive(0.0);
        self.x.iter().for_each(|x| y += x);
        for v in &self.v {
            y += &v[0] + &v[1] + &v[2];
        }
        y
    }
}

type Gradient = (f64, Vec<f64>, Vec<f64>);

fn finish<M: Recording>(
    tape: &mut entape_core::tape::Tape<M>,
    state: &mut impl State<M>,
    steps: &[Step],
    mut wrt: impl FnMut(&entape_core::tape::Gradient<'_, M>) -> Vec<f64>,
) -> Gradient {
    let (first, second) = steps.split_at(steps.len() / 2);
    tape.record(|| first.iter().for_each(|s| state.step(s)));
    let half = tape.record(|| state.sum());
    let sweep = |tape: &mut entape_core::tape::Tape<M>, y: &Active<f64, M>| {
        if y.is_active() {
            return wrt(&tape.gradient(y).expect("a sweep"));
        }
        let other = tape.input(1.0);
        wrt(&tape.gradient(&other).expect("a sweep"))
    };
    let mut sweep = sweep;
    let before = sweep(tape, &half);
    tape.record(|| second.iter().for_each(|s| state.step(s)));
    let y = tape.record(|| state.sum());
    let g = sweep(tape, &y);
    assert_eq!(bits(&sweep(tape, &half)), bits(&before), "the half, later");
    assert_eq!(bits(&sweep(tape, &y)), bits(&g), "again");
    (*y.get(), before, g)
}
fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

fn whole<M: Recording>(
    chunk: usize,
    trace: bool,
    x: &[f64],
    v: &[Vec<f64>],
    steps: &[Step],
) -> Gradient {
    let builder = entape_core::tape::Tape::<M>::builder()
        .chunk_bytes(chunk)
        .trace(trace);
    let mut tape = builder.build().unwrap();
    let x: Vec<Active<f64, M>> = tape.inputs(x.iter().copied());
    let v: Vec<Active<Array, M>> = v.iter().map(|v| tape.input_as(v.clone())).collect();
    let mut state = tape.record(|| Whole {
        x: x.to_vec(),
        v: v.to_vec(),
    });
    finish(&mut tape, &mut state, steps, |g| {
        let mut all = g.wrt_all(&x).unwrap();
        all.extend(g.wrt_all(&v).unwrap().concat());
        all
    })
}
fn elements<M: Recording>(x: &[f64], v: &[Vec<f64>], steps: &[Step]) -> Gradient {
    let mut tape = tape::<M>(1 << 20);
    let x: Vec<Active<f64, M>> = tape.inputs(x.iter().copied());
    let v: Vec<Active<f64, M>> = tape.inputs(v.concat());
    let mut state = tape.record(|| Elements {
        x: x.to_vec(),
        v: v.chunks(LEN).map(|v| v.to_vec()).collect(),
    });
    finish(&mut tape, &mut state, steps, |g| {
        let mut all = g.wrt_all(&x).unwrap();
        all.extend(g.wrt_all(&v).unwrap());
        all
    })
}

#[test]
fn random_programs_of_arrays_agree_with_programs_of_reals() {
    let (mut finite, runs) = (0, 400);
    for seed in 0..runs {
        let mut random = Random(seed);
        let (arrays, reals) = (1 + random.below(4), 1 + random.below(4));
        let x: Vec<f64> = (0..reals).map(|_| random.number()).collect();
        let v: Vec<Vec<f64>> = (0..arrays)
            .map(|_| (0..LEN).map(|_| random.number()).collect())
            .collect();
        let n = 2 + random.below(60);
        let steps = steps(&mut random, n, arrays, reals);
        let want = elements::<Taped>(&x, &v, &steps);
        let plain = {
            let mut state = Whole::<Plain> {
                x: x.iter().map(|&x| Active::passive(x)).collect(),
                v: v.iter().map(|v| Active::passive(v.clone())).collect(),
            };
            steps.iter().for_each(|s| state.step(s));
            state.sum().value()
        };
        let first = whole::<Taped>(1 << 20, false, &x, &v, &steps);
        assert_eq!(first.0.to_bits(), plain.to_bits(), "seed {seed}");
        let size = want
            .2
            .iter()
            .chain(&want.1)
            .fold(1.0, |a: f64, b| a.max(b.abs()));
        if !size.is_finite() || size > 1e12 {
            continue;
        }
        finite += 1;
        let all = |g: &Gradient| [&g.1[..], &g.2].concat();
        for (got, want) in all(&first).iter().zip(all(&want)) {
            assert!(
                abs_diff_eq!(*got, want, epsilon = 1e-11 * size),
                "seed {seed}: {got} instead of {want}, of {size}\n{first:?}\n{want:?}\n{steps:#?}"
            );
        }
        let same = |other: &Gradient, what: &str| {
            assert_eq!(bits(&all(other)), bits(&all(&first)), "seed {seed}: {what}");
        };
        for chunk in CHUNKS {
            for trace in [false, true] {
                same(&whole::<Taped>(chunk, trace, &x, &v, &steps), "Taped");
                same(&whole::<Reuse>(chunk, trace, &x, &v, &steps), "Reuse");
            }
        }
        let reuse = elements::<Reuse>(&x, &v, &steps);
        assert_eq!(
            bits(&all(&reuse)),
            bits(&all(&want)),
            "seed {seed}: elements"
        );
    }
    assert!(
        finite > runs * 3 / 4,
        "only {finite} programs have finite gradients"
    );
}

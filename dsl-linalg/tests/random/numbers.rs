use crate::{
    State,
    program::{N, Program, Step},
};
use entape_core::{
    expr::Active,
    mode::{AnyMode, Recording},
    real::Elementary,
    tape::{Error, Gradient, Tape},
};

type Number<M> = Active<f64, M>;
type Grid<M> = Vec<Vec<Number<M>>>;

fn grid<M: AnyMode>(rows: usize, cols: usize, f: impl Fn(usize, usize) -> Number<M>) -> Grid<M> {
    (0..cols)
        .map(|j| (0..rows).map(|i| f(i, j)).collect())
        .collect()
}
fn each<M: AnyMode>(a: &Grid<M>, f: impl Fn(&Number<M>) -> Number<M>) -> Grid<M> {
    a.iter().map(|a| a.iter().map(&f).collect()).collect()
}
fn both<M: AnyMode>(
    a: &Grid<M>,
    b: &Grid<M>,
    f: impl Fn(&Number<M>, &Number<M>) -> Number<M>,
) -> Grid<M> {
    grid(a[0].len(), a.len(), |i, j| f(&a[j][i], &b[j][i]))
}
fn times<M: AnyMode>(a: &Grid<M>, s: &Number<M>) -> Grid<M> {
    each(a, |a| (a * s).eval())
}
fn by<M: AnyMode>(a: &Grid<M>, c: f64) -> Grid<M> {
    each(a, |a| (a * c).eval())
}
fn plus<M: AnyMode>(a: &Grid<M>, b: &Grid<M>) -> Grid<M> {
    both(a, b, |a, b| (a + b).eval())
}
fn minus<M: AnyMode>(a: &Grid<M>, b: &Grid<M>) -> Grid<M> {
    both(a, b, |a, b| (a - b).eval())
}
fn transposed<M: AnyMode>(a: &Grid<M>) -> Grid<M> {
    grid(a.len(), a[0].len(), |i, j| a[i][j].clone())
}
fn product<M: AnyMode>(a: &Grid<M>, b: &Grid<M>) -> Grid<M> {
    grid(a[0].len(), b.len(), |i, j| {
        let mut sum = Number::passive(0.0);
        (0..a.len()).for_each(|k| sum += &a[k][i] * &b[j][k]);
        sum
    })
}
fn block<M: AnyMode>(a: &Grid<M>, (i, j): (usize, usize), (rows, cols): (usize, usize)) -> Grid<M> {
    grid(rows, cols, |k, l| a[j + l][i + k].clone())
}
fn put<M: AnyMode>(a: &mut Grid<M>, (i, j): (usize, usize), block: &Grid<M>) {
    for (l, column) in block.iter().enumerate() {
        for (k, e) in column.iter().enumerate() {
            a[j + l][i + k] = e.clone();
        }
    }
}

/// A vector is a grid with one column.
pub(crate) struct Numbers<M: AnyMode> {
    a: Vec<Grid<M>>,
    b: Vec<Grid<M>>,
    x: Vec<Number<M>>,
}
impl<M: Recording> Numbers<M> {
    pub(crate) fn inputs(tape: &mut Tape<M>, program: &Program) -> Result<Self, Error> {
        let mut grid = |a: &[f64]| {
            a.chunks(N)
                .map(|a| tape.inputs(a.iter().copied()))
                .collect()
        };
        Ok(Numbers {
            a: program.matrices.iter().map(|a| grid(a)).collect(),
            b: program.vectors.iter().map(|b| grid(b)).collect(),
            x: tape.inputs(program.numbers.iter().copied()),
        })
    }
    pub(crate) fn read(&self, gradient: &Gradient<'_, M>) -> Vec<f64> {
        let grids = self.a.iter().chain(&self.b).flatten().flatten();
        gradient.wrt_all(grids.chain(&self.x)).unwrap()
    }
}
impl<M: AnyMode> State<M> for Numbers<M> {
    fn step(&mut self, step: &Step) {
        let &Step {
            code,
            u,
            v,
            w,
            p,
            q,
            s,
            t,
            i,
            j,
            c,
        } = step;
        let (a, b, x) = (&mut self.a, &mut self.b, &mut self.x);
        let passive = || Number::<M>::passive(c);
        match code {
            0 => a[u] = by(&product(&a[v], &a[w]), 0.5),
            1 => a[u] = plus(&by(&product(&a[v], &a[w]), c), &a[u]),
            2 => a[u] = by(&product(&transposed(&a[v]), &a[w]), 0.5),
            3 => a[u] = minus(&by(&product(&a[v], &transposed(&a[w])), c), &a[u]),
            4 => a[u] = times(&transposed(&a[v]), &x[s]),
            5 => b[p] = product(&a[u], &b[q]),
            6 => b[p] = minus(&by(&product(&transposed(&a[u]), &b[q]), c), &b[p]),
            7 => a[u] = both(&a[v], &a[w], |v, w| (v * w).eval()),
            8 => {
                a[u] = by(
                    &product(&block(&a[v], (0, 0), (N, 2)), &block(&a[w], (1, 0), (2, N))),
                    c,
                )
            }
            9 => a[u] = product(&grid(N, N, |_, _| passive()), &a[v]),
            10 => a[u] = grid(N, N, |_, _| passive()),
            11 => b[p] = grid(N, 1, |k, _| a[u][k][k].clone()),
            12 => {
                a[u] = grid(N, N, |k, l| {
                    if k == l {
                        b[p][0][k].clone()
                    } else {
                        Number::passive(0.0)
                    }
                })
            }
            13 => a[u] = grid(N, N, |k, l| (&x[s] * (c + (k + l * N) as f64)).eval()),
            14 => a[u] = by(&product(&a[u], &a[u]), c),
            15 => a[u] = plus(&by(&a[u], c), &times(&a[v], &x[s])),
            16 => a[u] = transposed(&a[u]),
            17 => a[u] = each(&a[u], |u| u.tanh().eval()),
            18 => b[p] = plus(&by(&product(&a[u], &b[p]), c), &b[p]),
            19 => b[p] = minus(&times(&b[p], &x[s]), &by(&b[q], c)),
            20 => a[u] = by(&a[v], c),
            21 => a[u] = product(&a[u], &a[v]),
            22 => a[u] = plus(&a[u], &a[v]),
            23 => a[u] = minus(&a[u], &by(&transposed(&a[v]), c)),
            24 => a[u] = times(&a[u], &x[s]),
            25 => a[u] = plus(&a[u], &by(&product(&b[p], &transposed(&b[q])), c)),
            26 => b[p] = plus(&b[p], &product(&a[u], &b[q])),
            27 => b[p] = by(&b[p], c),
            28 => a[u][j][i] = (&a[v][i][j] * &x[s] * c).eval(),
            29 => a[u][j][i] = (&a[u][i][j] * &a[u][0][i] * c).eval(),
            30 => a[u][j][i] += c * &x[s] * &x[t],
            31 => b[p][0][i] *= &x[s],
            32 => b[p][0][i] = (&b[p][0][i] * (&b[p][0][j] * c + &x[s])).eval(),
            33 => a[u][j][i] = passive(),
            34 => x[s] = (&x[s] * c + &a[u][j][i] * &b[p][0][j]).eval(),
            35 => b[p][0][i] -= &a[u][0][j],
            36 => {
                let row = by(&block(&a[v], (j, 0), (1, N)), c);
                put(&mut a[u], (i, 0), &row);
            }
            37 => {
                let row = plus(
                    &block(&a[u], (i, 0), (1, N)),
                    &by(&block(&a[u], (j, 0), (1, N)), c),
                );
                put(&mut a[u], (i, 0), &row);
            }
            38 => {
                let column = product(&a[v], &b[p]);
                put(&mut a[u], (0, j), &column);
            }
            39 => {
                let column = minus(&block(&a[u], (0, j), (N, 1)), &block(&a[u], (0, i), (N, 1)));
                put(&mut a[u], (0, j), &column);
            }
            40 => {
                let new = by(&block(&a[u], (1, 0), (2, 2)), c);
                put(&mut a[u], (0, 1), &new);
            }
            41 => {
                let new = times(&block(&a[u], (0, 0), (2, 2)), &x[s]);
                put(&mut a[u], (0, 0), &new);
            }
            42 => {
                let new = minus(&block(&a[u], (1, 0), (2, N)), &block(&a[v], (0, 0), (2, N)));
                put(&mut a[u], (1, 0), &new);
            }
            43 => {
                let new = times(&block(&a[v], (0, 1), (N, 2)), &x[s]);
                put(&mut a[u], (0, 0), &new);
            }
            44 => b[p] = times(&block(&a[u], (0, j), (N, 1)), &x[s]),
            45 => a.swap(u, v),
            46 => b.swap(p, q),
            47 => {
                a[u] = a[v].clone();
                a[v][j][i] += &x[s];
            }
            48 => {
                b[p] = b[q].clone();
                b[p][0][i] = x[s].clone();
            }
            49 => x[s] = (&product(&transposed(&b[p]), &b[q])[0][0] * c).eval(),
            50 => {
                let form = product(&transposed(&b[p]), &product(&a[u], &b[p]));
                let trace = (&a[u][0][0] + &a[u][1][1] + &a[u][2][2]).eval();
                x[s] = ((&x[s] * c).sin() + &trace * 0.5 + &form[0][0] * 0.1).eval();
            }
            51 => x[s] = a[u][0][i].clone(),
            52 => a[u] = minus(&a[v], &times(&product(&a[w], &a[u]), &x[s])),
            53 => b[p] = minus(&b[q], &by(&minus(&b[p], &product(&a[u], &b[q])), c)),
            54 => {
                let sum = times(&plus(&product(&a[v], &a[w]), &a[u]), &x[s]);
                a[u] = minus(&by(&sum, -0.5), &product(&a[u], &transposed(&a[v])))
            }
            55 => b[p] = plus(&times(&b[p], &x[s]), &times(&b[q], &x[t])),
            56 => {
                b[p] = minus(
                    &product(&transposed(&a[u]), &b[q]),
                    &product(&transposed(&a[v]), &b[p]),
                )
            }
            57 => a[u] = minus(&by(&a[u], c), &times(&a[v], &x[s])),
            58 => {
                let outer = product(&b[p], &transposed(&b[q]));
                let all = minus(&times(&a[v], &x[s]), &outer);
                a[u] = minus(&a[u], &by(&all, 0.5))
            }
            _ => unreachable!("a statement for each code"),
        }
    }
    fn copy(&self) -> Self {
        Numbers {
            a: self.a.clone(),
            b: self.b.clone(),
            x: self.x.clone(),
        }
    }
    fn sum(&self) -> Number<M> {
        let mut y = Number::passive(0.0);
        let grids = self.a.iter().chain(&self.b).flatten().flatten();
        self.x.iter().chain(grids).for_each(|x| y += x);
        y
    }
}

//! Products and solves of complex matrices: with nalgebra alone; with the kernels of the DSL; recorded and swept.
use crate::measure::{median, timed};
use entape::{
    linalg::{
        View, ViewMut,
        kernels::{self, Triangle},
    },
    prelude::*,
};
use nalgebra::{Complex as Plain, DMatrix};
use std::{hint::black_box, time::Duration};

type Values = DMatrix<Plain<f64>>;

fn values(rows: usize, cols: usize, k: usize) -> Values {
    DMatrix::from_fn(rows, cols, |i, j| {
        let angle = 1.0 + 0.7 * i as f64 + 1.3 * j as f64 + 0.05 * (i * j + k) as f64;
        Plain::new(angle.sin(), (1.7 * angle).cos())
    })
}

pub struct Program {
    pub name: &'static str,
    /// The limit of recording and sweep over the plain program, at n = 200.
    pub asked: f64,
    cols: fn(usize) -> usize,
    plain: fn(&Values, &Values, &mut Memory) -> f64,
    nalgebra: fn(&Values, &Values) -> f64,
    recorded: fn(&ComplexMatrix, &ComplexMatrix) -> Real,
}
fn product(a: &ComplexMatrix, b: &ComplexMatrix) -> Real {
    let c = (a * b).eval();
    c.norm_squared().eval()
}
fn lu(a: &ComplexMatrix, b: &ComplexMatrix) -> Real {
    let x = a.lu().solve(b).expect("a regular matrix").eval();
    x.norm_squared().eval()
}
fn qr(a: &ComplexMatrix, b: &ComplexMatrix) -> Real {
    let x = a.qr().solve(b).expect("a regular matrix").eval();
    x.norm_squared().eval()
}

struct Memory {
    factor: Values,
    aside: Values,
    rows: Vec<usize>,
    out: Values,
}
fn read(m: &Values) -> View<'_, Plain<f64>> {
    View::new(m.as_slice(), m.nrows(), m.ncols())
}
fn write(m: &mut Values) -> ViewMut<'_, Plain<f64>> {
    let (rows, cols) = m.shape();
    ViewMut::new(m.as_mut_slice(), rows, cols)
}
fn squares(m: &Values) -> f64 {
    kernels::squares(m.as_slice())
}
fn plain_product(a: &Values, b: &Values, memory: &mut Memory) -> f64 {
    let (zero, one) = (Plain::new(0.0, 0.0), Plain::new(1.0, 0.0));
    kernels::gemm(one, read(a), read(b), zero, write(&mut memory.out));
    squares(&memory.out)
}
fn plain_lu(a: &Values, b: &Values, memory: &mut Memory) -> f64 {
    let Memory {
        factor, rows, out, ..
    } = memory;
    factor.copy_from(a);
    kernels::lu(write(factor), rows);
    for (mut out, b) in out.column_iter_mut().zip(b.column_iter()) {
        rows.iter()
            .enumerate()
            .for_each(|(i, row)| out[i] = b[*row]);
    }
    kernels::solve_triangular(Triangle::UnitLower, read(factor), write(out));
    kernels::solve_triangular(Triangle::Upper, read(factor), write(out));
    squares(out)
}
fn plain_qr(a: &Values, b: &Values, memory: &mut Memory) -> f64 {
    let Memory {
        factor, aside, out, ..
    } = memory;
    factor.copy_from(a);
    out.copy_from(b);
    kernels::householder::qr(write(factor), write(aside));
    kernels::householder::apply_q(read(factor), read(aside), write(out), true);
    kernels::solve_triangular(Triangle::Upper, read(factor), write(out));
    squares(out)
}

pub const PROGRAMS: [Program; 4] = [
    Program {
        name: "product",
        asked: 3.0,
        cols: |n| n,
        plain: plain_product,
        nalgebra: |a, b| (a * b).norm_squared(),
        recorded: product,
    },
    Program {
        name: "LU, one right side",
        asked: 1.2,
        cols: |_| 1,
        plain: plain_lu,
        nalgebra: |a, b| by_lu(a, b).norm_squared(),
        recorded: lu,
    },
    Program {
        name: "LU, 10 right sides",
        asked: 1.2,
        cols: |_| 10,
        plain: plain_lu,
        nalgebra: |a, b| by_lu(a, b).norm_squared(),
        recorded: lu,
    },
    Program {
        name: "QR, one right side",
        asked: 1.2,
        cols: |_| 1,
        plain: plain_qr,
        nalgebra: |a, b| {
            a.clone()
                .qr()
                .solve(b)
                .map_or(f64::NAN, |x| x.norm_squared())
        },
        recorded: qr,
    },
];
fn by_lu(a: &Values, b: &Values) -> Values {
    a.clone().lu().solve(b).expect("a regular matrix")
}

#[derive(Clone, Copy, Debug)]
pub struct Costs {
    pub nalgebra: Duration,
    pub plain: Duration,
    pub record: Duration,
    pub reverse: Duration,
}
impl Costs {
    pub fn both(&self) -> Duration {
        self.record + self.reverse
    }
    pub fn over_plain(&self) -> f64 {
        self.both().as_secs_f64() / self.plain.as_secs_f64()
    }
}
pub struct Setting<'p> {
    program: &'p Program,
    a: Values,
    b: Values,
    memory: Memory,
    tape: Tape,
}
impl<'p> Setting<'p> {
    pub fn new(program: &'p Program, n: usize) -> Self {
        let a = values(n, n, 0) + DMatrix::identity(n, n) * Plain::new(n as f64, 1.0);
        let b = values(n, (program.cols)(n), 1);
        let memory = Memory {
            factor: a.clone(),
            aside: DMatrix::zeros(kernels::householder::qr_rows::<Plain<f64>>(n, n), n),
            rows: vec![0; n],
            out: b.clone(),
        };
        let mut setting = Setting {
            program,
            a,
            b,
            memory,
            tape: Tape::new(),
        };
        let (got, want) = (setting.plain(), setting.nalgebra());
        assert!(
            (got - want).abs() <= 1e-9 * want.abs(),
            "{got} is not {want}"
        );
        setting
    }
    pub fn nalgebra(&self) -> f64 {
        (self.program.nalgebra)(black_box(&self.a), black_box(&self.b))
    }
    pub fn plain(&mut self) -> f64 {
        (self.program.plain)(black_box(&self.a), black_box(&self.b), &mut self.memory)
    }
    pub fn recorded(&mut self) -> Result<[Duration; 3], Error> {
        let tape = &mut self.tape;
        tape.reset();
        let (x, y) = (tape.input(self.a.clone()), tape.input(self.b.clone()));
        let (record, r) = timed(|| tape.record(|| (self.program.recorded)(&x, &y)));
        let (reverse, gradient) = timed(|| tape.gradient(&r));
        let gradient = gradient?;
        let (read, both) = timed(|| gradient.wrt_all([&x, &y]));
        black_box(both?);
        Ok([record, reverse, read])
    }
}
/// Measures a program of matrices with `n` rows, as [`measure`](super::measure) does.
///
/// # Errors
/// If a tape returns an error.
///
/// # Panics
/// If the values of the plain forms differ.
pub fn measure(program: &Program, n: usize, rounds: usize) -> Result<Costs, Error> {
    let mut setting = Setting::new(program, n);
    let runs = (1_000_000 / (n * n * n)).clamp(1, 1000);
    let mut times = [(); 4].map(|()| Vec::new());
    for _ in 0..=rounds {
        let (nalgebra, _) = timed(|| (0..runs).map(|_| setting.nalgebra()).sum::<f64>());
        let (plain, _) = timed(|| (0..runs).map(|_| setting.plain()).sum::<f64>());
        let mut now = [nalgebra, plain, Duration::ZERO, Duration::ZERO];
        for _ in 0..runs {
            let parts = now[2..].iter_mut().zip(setting.recorded()?);
            parts.for_each(|(sum, time)| *sum += time);
        }
        let all = times.iter_mut().zip(now);
        all.for_each(|(all, now)| all.push(now / runs as u32));
    }
    let times = times.map(|all| median(all.into_iter().skip(1)));
    let [nalgebra, plain, record, reverse] = times;
    Ok(Costs {
        nalgebra,
        plain,
        record,
        reverse,
    })
}

use crate::{
    State,
    program::{N, Program, Step},
};
use entape_core::{
    expr::{Active, constant, list},
    mode::{AnyMode, Recording},
    op,
    real::Elementary,
    tape::{Error, Tape},
};
use entape_linalg::prelude::*;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};

/// The operations of fixed and dynamic sizes have different bounds.
macro_rules! entities { ($($name:ident: $Matrix:ty, $Vector:ty, $matrix:expr, $vector:expr;)*) => { $(
    pub(crate) struct $name<M: AnyMode> {
        a: Vec<$Matrix>,
        b: Vec<$Vector>,
        x: Vec<Active<f64, M>>,
    }
    impl<M: Recording> $name<M> {
        pub(crate) fn inputs(tape: &mut Tape<M>, program: &Program) -> Result<Self, Error> {
            Ok($name {
                a: program.matrices.iter().map(|a| tape.try_input($matrix(a))).collect::<Result<_, _>>()?,
                b: program.vectors.iter().map(|b| tape.try_input($vector(b))).collect::<Result<_, _>>()?,
                x: program.numbers.iter().map(|x| tape.try_input(*x)).collect::<Result<_, _>>()?,
            })
        }
        pub(crate) fn read(&self, gradient: &entape_core::tape::Gradient<'_, M>) -> Vec<f64> {
            let a = gradient.wrt_all(&self.a).unwrap();
            let b = gradient.wrt_all(&self.b).unwrap();
            let x = gradient.wrt_all(&self.x).unwrap();
            let (a, b) = (a.iter().flat_map(|a| a.iter()), b.iter().flat_map(|b| b.iter()));
            a.chain(b).chain(&x).copied().collect()
        }
    }
    impl<M: AnyMode> $name<M> {
        pub(crate) fn passive(program: &Program) -> Self {
            $name {
                a: program.matrices.iter().map(|a| Active::passive($matrix(a))).collect(),
                b: program.vectors.iter().map(|b| Active::passive($vector(b))).collect(),
                x: program.numbers.iter().map(|x| Active::passive(*x)).collect(),
            }
        }
    }
    impl<M: AnyMode> State<M> for $name<M> {
        fn step(&mut self, step: &Step) {
            let &Step { code, u, v, w, p, q, s, t, i, j, c } = step;
            let (a, b, x) = (&mut self.a, &mut self.b, &mut self.x);
            match code {
                0 => a[u] = (&a[v] * &a[w] * 0.5).eval(),
                1 => a[u] = (&a[v] * &a[w] * c + &a[u]).eval(),
                2 => a[u] = ((&a[v]).tr_mul(&a[w]) * 0.5).eval(),
                3 => a[u] = ((&a[v]).mul_tr(&a[w]) * c - &a[u]).eval(),
                4 => a[u] = ((&a[v]).transpose() * &x[s]).eval(),
                5 => b[p] = (&a[u] * &b[q]).eval(),
                6 => b[p] = ((&a[u]).tr_mul(&b[q]) * c - &b[p]).eval(),
                7 => a[u] = (&a[v]).component_mul(&a[w]).eval(),
                8 => a[u] = ((&a[v]).columns(0, 2) * (&a[w]).rows(1, 2) * c).eval(),
                9 => a[u] = (constant($matrix(&[c; N * N])) * &a[v]).eval(),
                10 => a[u] = Active::passive($matrix(&[c; N * N])),
                11 => b[p] = (&a[u]).diagonal().eval(),
                12 => a[u] = from_diagonal(&b[p]).eval(),
                13 => a[u] = gather(list(&(0..N * N).map(|k| (&x[s] * (c + k as f64)).eval()).collect::<Vec<_>>()), N, N).eval(),
                14 => a[u].update(|u| u.clone() * u * c),
                15 => { let other = a[v].clone(); a[u].update(|u| u * c + &other * &x[s]); }
                16 => a[u].update(|u| u.transpose()),
                17 => a[u].update(|u| u.map(op::Tanh)),
                18 => b[p].update(|p| &a[u] * p.clone() * c + p),
                19 => { let other = b[q].clone(); b[p].update(|p| p * &x[s] - &other * c); }
                20 => { let other = a[v].clone(); a[u].assign(&other * c); }
                21 => { let other = a[v].clone(); a[u] *= &other; }
                22 => { let other = a[v].clone(); a[u] += &other; }
                23 => { let other = a[v].clone(); a[u] -= other.transpose() * c; }
                24 => a[u] *= &x[s],
                25 => a[u] += (&b[p]).outer(&b[q]) * c,
                26 => { let other = b[q].clone(); b[p] += &a[u] * &other; }
                27 => b[p] *= c,
                28 => { let e = (&a[v][(j, i)] * &x[s] * c).eval(); a[u][(i, j)].assign(&e); }
                29 => { let u = &mut a[u]; { let e = u.at((j, i)) * u.at(i) * c; u[(i, j)].assign(e); } }
                30 => a[u][(i, j)] += c * &x[s] * &x[t],
                31 => b[p][i] *= &x[s],
                32 => { let p = &mut b[p]; { let e = p.at(j) * c + &x[s]; p[i] *= e; } }
                33 => a[u][(i, j)].assign(c),
                34 => x[s].update(|s| s * c + &a[u][(i, j)] * &b[p][j]),
                35 => b[p][i] -= &a[u][j],
                36 => { let other = a[v].clone(); a[u].row_mut(i).assign(other.row(j) * c); }
                37 => { let row = a[u].row_at(j) * c; a[u].row_mut(i).add_assign(row); }
                38 => { let other = a[v].clone(); a[u].column_mut(j).assign(&other * &b[p]); }
                39 => { let column = a[u].column_at(i); a[u].column_mut(j).sub_assign(column); }
                40 => { let block = a[u].view_at((1, 0), (2, 2)) * c; a[u].view_mut((0, 1), (2, 2)).assign(block); }
                41 => a[u].view_mut((0, 0), (2, 2)).mul_assign(&x[s]),
                42 => { let other = a[v].clone(); a[u].rows_mut(1, 2).sub_assign(other.rows(0, 2)); }
                43 => { let other = a[v].clone(); a[u].columns_mut(0, 2).assign(other.columns(1, 2) * &x[s]); }
                44 => b[p] = ((&a[u]).column(j) * &x[s]).eval(),
                45 => a.swap(u, v),
                46 => b.swap(p, q),
                47 => { a[u] = a[v].clone(); a[v][(i, j)] += &x[s]; }
                48 => { b[p] = b[q].clone(); b[p][i].assign(&x[s]); }
                49 => x[s] = ((&b[p]).dot(&b[q]) * c).eval(),
                50 => x[s].update(|s| (s * c).sin() + (&a[u]).trace() * 0.5 + (&b[p]).quadratic_form(&a[u]) * 0.1),
                51 => x[s] = (&a[u]).elements().split().swap_remove(i),
                52 => a[u] = (&a[v] - (&a[w] * &a[u]) * &x[s]).eval(),
                53 => b[p] = (&b[q] - (&b[p] - &a[u] * &b[q]) * c).eval(),
                54 => a[u] = (-(&x[s] * (&a[v] * &a[w] + &a[u])) / 2.0 - (&a[u]).mul_tr(&a[v])).eval(),
                55 => b[p] = (&x[s] * &b[p] + &x[t] * &b[q]).eval(),
                56 => b[p] = ((&a[u]).tr_mul(&b[q]) - (&a[v]).tr_mul(&b[p])).eval(),
                57 => { let other = a[v].clone(); a[u].update(|u| c * u - &x[s] * &other); }
                58 => { let other = a[v].clone(); a[u] -= (&other * &x[s] - (&b[p]).outer(&b[q])) * 0.5; }
                _ => unreachable!("a statement for each code"),
            }
        }
        fn copy(&self) -> Self {
            $name { a: self.a.clone(), b: self.b.clone(), x: self.x.clone() }
        }
        fn sum(&self) -> Active<f64, M> {
            let mut y = Active::passive(0.0);
            self.x.iter().for_each(|x| y += x);
            self.a.iter().for_each(|a| y += a.sum());
            self.b.iter().for_each(|b| y += b.sum());
            y
        }
    }
)* } }
entities! {
    Dynamic: Matrix<M>, Vector<M>,
        |a: &[f64; N * N]| DMatrix::from_column_slice(N, N, a), |b: &[f64; N]| DVector::from_column_slice(b);
    Fixed: FixedMatrix<N, N, M>, FixedVector<N, M>,
        |a: &[f64; N * N]| SMatrix::<f64, N, N>::from_column_slice(a), |b: &[f64; N]| SVector::<f64, N>::from_column_slice(b);
}

//! Matrices of real or complex numbers, with the algorithms of the textbook.
use super::{Cx, Num, passive, require};
use nalgebra::Complex;
use std::ops;

pub(crate) trait Field:
    Copy
    + ops::Add<Output = Self>
    + ops::Sub<Output = Self>
    + ops::Mul<Output = Self>
    + ops::Mul<f64, Output = Self>
    + ops::Div<Output = Self>
    + ops::Neg<Output = Self>
    + From<Num>
{
    fn conj(self) -> Self;
    fn norm_sqr(self) -> Num;
    fn re(self) -> Num;
    fn value(self) -> Complex<f64>;
    fn constant(value: Complex<f64>) -> Self;
}
impl Field for Num {
    fn conj(self) -> Num {
        self
    }
    fn norm_sqr(self) -> Num {
        self * self
    }
    fn re(self) -> Num {
        self
    }
    fn value(self) -> Complex<f64> {
        self.value.into()
    }
    fn constant(value: Complex<f64>) -> Num {
        passive(value.re)
    }
}
impl Field for Cx {
    fn conj(self) -> Cx {
        Cx::conj(self)
    }
    fn norm_sqr(self) -> Num {
        Cx::norm_sqr(self)
    }
    fn re(self) -> Num {
        self.re
    }
    fn value(self) -> Complex<f64> {
        Complex::new(self.re.value, self.im.value)
    }
    fn constant(value: Complex<f64>) -> Cx {
        Cx::constant(value.re, value.im)
    }
}

/// A matrix, column by column.
#[derive(Clone, Debug)]
pub(crate) struct Grid<T> {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) elements: Vec<T>,
}
impl<T> ops::Index<(usize, usize)> for Grid<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.elements[i + j * self.rows]
    }
}
impl<T> ops::IndexMut<(usize, usize)> for Grid<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.elements[i + j * self.rows]
    }
}
impl<T: Field> Grid<T> {
    pub(crate) fn new((rows, cols): (usize, usize), mut of: impl FnMut(usize, usize) -> T) -> Self {
        let all = (0..rows * cols).map(|at| of(at % rows, at / rows));
        Grid {
            rows,
            cols,
            elements: all.collect(),
        }
    }
    pub(crate) fn filled(shape: (usize, usize), x: f64) -> Self {
        Grid::new(shape, |_, _| passive(x).into())
    }
    pub(crate) fn identity(n: usize) -> Self {
        Grid::new((n, n), |i, j| {
            passive(if i == j { 1.0 } else { 0.0 }).into()
        })
    }
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }
    pub(crate) fn map<U: Field>(&self, mut f: impl FnMut(T) -> U) -> Grid<U> {
        Grid::new(self.shape(), |i, j| f(self[(i, j)]))
    }
    pub(crate) fn zip(&self, b: &Self, f: impl Fn(T, T) -> T) -> Self {
        Grid::new(self.shape(), |i, j| f(self[(i, j)], b[(i, j)]))
    }
    pub(crate) fn by(&self, x: impl Into<T>) -> Self {
        let x = x.into();
        self.map(|e| e * x)
    }
    pub(crate) fn scaled(&self, x: f64) -> Self {
        self.map(|e| e * x)
    }
    pub(crate) fn transposed(&self) -> Self {
        Grid::new((self.cols, self.rows), |i, j| self[(j, i)])
    }
    pub(crate) fn adjoint(&self) -> Self {
        self.transposed().map(Field::conj)
    }
    pub(crate) fn block(&self, (i, j): (usize, usize), shape: (usize, usize)) -> Self {
        Grid::new(shape, |k, l| self[(i + k, j + l)])
    }
    pub(crate) fn column(&self, j: usize) -> Self {
        self.block((0, j), (self.rows, 1))
    }
    pub(crate) fn row(&self, i: usize) -> Self {
        self.block((i, 0), (1, self.cols))
    }
    pub(crate) fn put(&mut self, (i, j): (usize, usize), block: &Self) {
        for l in 0..block.cols {
            (0..block.rows).for_each(|k| self[(i + k, j + l)] = block[(k, l)]);
        }
    }
    pub(crate) fn sum(&self) -> T {
        self.elements.iter().fold(zero(), |sum: T, &x| sum + x)
    }
    /// Does not conjugate.
    pub(crate) fn dot(&self, b: &Self) -> T {
        self.zip(b, |a, b| a * b).sum()
    }
    pub(crate) fn norm_squared(&self) -> Num {
        super::sum(self.elements.iter().map(|x| x.norm_sqr()))
    }
    /// Elimination with pivots: the solution, and the determinant.
    pub(crate) fn solve(&self, b: &Self) -> (Self, T) {
        let (mut a, mut x, n) = (self.clone(), b.clone(), self.rows);
        let mut determinant = T::from(passive(1.0));
        let size = |x: T| x.norm_sqr().value;
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| size(a[(i, k)]).total_cmp(&size(a[(j, k)])));
            let pivot = pivot.expect("a row");
            require(size(a[(pivot, k)]) > 0.1);
            if pivot != k {
                (0..n).for_each(|j| a.elements.swap(k + j * n, pivot + j * n));
                (0..x.cols).for_each(|j| x.elements.swap(k + j * n, pivot + j * n));
                determinant = -determinant;
            }
            determinant = determinant * a[(k, k)];
            for i in k + 1..n {
                let factor = a[(i, k)] / a[(k, k)];
                (k..n).for_each(|j| a[(i, j)] = a[(i, j)] - factor * a[(k, j)]);
                (0..x.cols).for_each(|j| x[(i, j)] = x[(i, j)] - factor * x[(k, j)]);
            }
        }
        (a.solve_upper(&x), determinant)
    }
    pub(crate) fn solve_upper(&self, b: &Self) -> Self {
        let mut x = b.clone();
        for (i, j) in (0..self.rows)
            .rev()
            .flat_map(|i| (0..b.cols).map(move |j| (i, j)))
        {
            let rest = (i + 1..self.rows).fold(x[(i, j)], |r, k| r - self[(i, k)] * x[(k, j)]);
            x[(i, j)] = rest / self[(i, i)];
        }
        x
    }
    pub(crate) fn solve_lower(&self, b: &Self) -> Self {
        let mut x = b.clone();
        for (i, j) in (0..self.rows).flat_map(|i| (0..b.cols).map(move |j| (i, j))) {
            let rest = (0..i).fold(x[(i, j)], |r, k| r - self[(i, k)] * x[(k, j)]);
            x[(i, j)] = rest / self[(i, i)];
        }
        x
    }
    /// Reads the lower triangle and the real parts of the diagonal.
    pub(crate) fn hermitian(&self) -> Self {
        Grid::new(self.shape(), |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => self[(j, i)].conj(),
            std::cmp::Ordering::Equal => self[(i, i)].re().into(),
            std::cmp::Ordering::Greater => self[(i, j)],
        })
    }
    /// Reads the lower triangle.
    pub(crate) fn cholesky(&self) -> Self {
        let (a, mut l) = (self.hermitian(), Self::filled(self.shape(), 0.0));
        for j in 0..self.rows {
            let square = (0..j).fold(a[(j, j)], |r, k| r - l[(j, k)] * l[(j, k)].conj());
            require(square.re().value > 0.3);
            l[(j, j)] = square.re().sqrt().into();
            for i in j + 1..self.rows {
                let rest = (0..j).fold(a[(i, j)], |r, k| r - l[(i, k)] * l[(j, k)].conj());
                l[(i, j)] = rest / l[(j, j)];
            }
        }
        l
    }
    pub(crate) fn qr(&self) -> (Self, Self) {
        let (mut q, mut r) = (self.clone(), Self::filled((self.cols, self.cols), 0.0));
        for j in 0..self.cols {
            for k in 0..j {
                let (before, column) = (q.column(k), q.column(j));
                r[(k, j)] = before.map(Field::conj).dot(&column);
                q.put((0, j), &(&column - &before.by(r[(k, j)])));
            }
            let square = q.column(j).norm_squared();
            require(square.value > 0.1);
            let norm = square.sqrt();
            r[(j, j)] = norm.into();
            let column = q.column(j).map(|x| x / T::from(norm));
            q.put((0, j), &column);
        }
        (q, r)
    }
}
fn zero<T: Field>() -> T {
    passive(0.0).into()
}
impl<T: Field> ops::Add for &Grid<T> {
    type Output = Grid<T>;
    fn add(self, b: Self) -> Grid<T> {
        self.zip(b, |a, b| a + b)
    }
}
impl<T: Field> ops::Sub for &Grid<T> {
    type Output = Grid<T>;
    fn sub(self, b: Self) -> Grid<T> {
        self.zip(b, |a, b| a - b)
    }
}
impl<T: Field> ops::Mul for &Grid<T> {
    type Output = Grid<T>;
    fn mul(self, b: Self) -> Grid<T> {
        Grid::new((self.rows, b.cols), |i, j| {
            (0..self.cols).fold(zero(), |sum: T, k| sum + self[(i, k)] * b[(k, j)])
        })
    }
}

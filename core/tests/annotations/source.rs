//! Blocks that remain as they are.
use entape_check::{assert_gradient, assert_rule};
use entape_core::{
    expr::{Active, constant},
    function, kind,
    mode::Mode,
    op, operations,
    store::PlaceIndex,
    tape::Tape,
};
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, MulAssign, Neg};

#[kind(numbers, index = Owned, sample(value = Poly(vec![1.0, -2.0, 0.5])))]
#[derive(Clone, Debug, PartialEq)]
pub struct Poly(Vec<f64>);

/// Sums of products of coefficients at a distance.
fn correlated(r: &[f64], q: &[f64]) -> Poly {
    let terms = |i: usize| q.iter().zip(&r[i..]).map(|(q, r)| q * r).sum();
    Poly((0..=r.len() - q.len()).map(terms).collect())
}

#[operations(in_place)]
impl<'p> Mul<&'p Poly> for &'p Poly {
    type Output = Poly;
    #[op(bilinear, sample(self = Poly(vec![1.0, -2.0]), q = Poly(vec![0.5, 3.0, 2.0])))]
    fn mul(
        #[ad_in(correlated(&r_b.0, &q.0))] self,
        #[ad_in(correlated(&r_b.0, &self.0))] q: &'p Poly,
    ) -> Self::Output {
        let mut r = vec![0.0; self.0.len() + q.0.len() - 1];
        for (i, p) in self.0.iter().enumerate() {
            q.0.iter().enumerate().for_each(|(j, q)| r[i + j] += p * q);
        }
        Poly(r)
    }
}
#[operations(in_place)]
impl Neg for &Poly {
    type Output = Poly;
    #[op(self_adjoint, sample(self = Poly(vec![1.0, -2.0])))]
    fn neg(self) -> Poly {
        Poly(self.0.iter().map(|x| -x).collect())
    }
}
#[operations(in_place)]
impl Add for &Poly {
    type Output = Poly;
    #[op(sample(self = Poly(vec![1.0, -2.0]), q = Poly(vec![0.5, 3.0])))]
    fn add(#[ad_in(r_b)] self, #[ad_in(r_b)] q: Self) -> Poly {
        assert_eq!(self.0.len(), q.0.len());
        Poly(self.0.iter().zip(&q.0).map(|(p, q)| p + q).collect())
    }
}
#[operations(in_place)]
impl MulAssign<f64> for Poly {
    #[op(sample(self = Poly(vec![1.0, -2.0]), s = 1.0..2.0))]
    fn mul_assign(
        #[ad_inout(Poly(self_b.0.iter().map(|x| s * x).collect()))] &mut self,
        #[ad_in(self.0.iter().zip(&self_b.0).map(|(x, r_b)| x * r_b).sum::<f64>())] s: f64,
    ) {
        self.0.iter_mut().for_each(|x| *x *= s);
    }
}

pub trait Curve {
    fn at(&self, x: f64) -> f64;
    fn degree(&self) -> usize;
}
#[operations(ext = CurveOps, in_place)]
impl Curve for Poly {
    #[op(sample(self = Poly(vec![1.0, -2.0, 0.5]), x = -1.0..1.0))]
    fn at(
        #[ad_in(Poly((0..self.0.len()).map(|i| r_b * x.powi(i as i32)).collect()))] &self,
        #[ad_in(r_b * slope(self, x))] x: f64,
    ) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * x + c)
    }
    #[op(passive)]
    fn degree(#[ad_inp] &self) -> usize {
        self.0.len() - 1
    }
}
fn slope(p: &Poly, x: f64) -> f64 {
    let terms = p.0.iter().enumerate().skip(1);
    terms
        .map(|(i, c)| i as f64 * c * x.powi(i as i32 - 1))
        .sum()
}

#[operations(ext = PolyOps, in_place)]
impl Poly {
    pub const LINE: [f64; 2] = [0.0, 1.0];
    #[op(sample(self = Poly(vec![1.0, -2.0]), by = 1.0..2.0))]
    pub fn shift(#[ad_inout(Poly(self_b.0.clone()))] &mut self, #[ad_in(self_b.0[0])] by: f64) {
        self.0[0] += by;
    }
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[function]
fn program<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let p = (constant(Poly(vec![1.0, 2.0])) * x[0]).eval();
    let q = (constant(Poly(vec![-0.5, 1.0])) * x[1] + &p).eval();
    let mut r = (&p * &q).eval();
    r *= x[1];
    r.shift(x[0]);
    r = (&r + -(&p * &p)).eval();
    let degree = r.degree() as f64;
    (degree * r.at(x[1])).eval()
}

#[test]
fn gradients_of_the_source_agree_with_differences() {
    assert_gradient(program {}, &[0.75, -1.25]);
}

#[test]
fn the_source_is_unchanged() {
    let (mut p, q) = (Poly(vec![1.0, 2.0]), Poly(Poly::LINE.to_vec()));
    p *= 2.0;
    p.shift(1.0);
    assert_eq!((p.len(), p.degree(), p.at(2.0)), (2, 1, 11.0));
    assert_eq!(
        &(&p * &q) + &-&Poly(vec![0.0; 3]),
        Poly(vec![0.0, 3.0, 4.0])
    );
}

#[kind(numbers(x, y), parts(x: f64), sample(value = Point { x: 1.0, y: 2.0, tag: 1 }))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    x: f64,
    y: f64,
    tag: u8,
}
#[operations(in_place)]
impl Mul<Point> for f64 {
    type Output = Point;
    #[op(sample(self = 1.0..2.0, p = Point { x: 1.0, y: 2.0, tag: 1 }))]
    fn mul(#[ad_in(r_b.x * p.x + r_b.y * p.y)] self, #[ad_in(self * r_b)] p: Point) -> Point {
        Point {
            x: self * p.x,
            y: self * p.y,
            ..p
        }
    }
}
#[operations(in_place)]
impl AddAssign for Point {
    #[op(sample(self = Point { x: 1.0, y: 2.0, tag: 1 }, other = Point { x: 3.0, y: 2.0, tag: 1 }))]
    fn add_assign(#[ad_inout(self_b)] &mut self, #[ad_in(self_b)] other: Self) {
        *self = Point {
            x: self.x + other.x,
            y: self.y + other.y,
            ..*self
        };
    }
}
impl Index<usize> for Point {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        [&self.x, &self.y][i]
    }
}
#[operations(in_place)]
impl IndexMut<usize> for Point {
    #[op(sample(for i in 0..2, self = Point { x: 1.0, y: 2.0, tag: 1 }))]
    fn index_mut(&mut self, i: usize) -> &mut Self::Output {
        match i {
            0 => &mut self.x,
            1 => &mut self.y,
            _ => panic!("coordinate {i} of a point"),
        }
    }
}

#[function]
fn points<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let p = Point {
        x: 1.0,
        y: 3.0,
        tag: 0,
    };
    let mut p = (x[0] * constant(p)).eval();
    p += x[1] * p;
    p[0] *= p.at(1) * x[1];
    p[1].assign(p.at(0) + x[0]);
    (&p[0] * &p[1] * x[0]).eval()
}
#[test]
fn elements_of_value_kinds_agree_with_differences() {
    assert_gradient(points {}, &[0.75, -1.25]);
    entape_check::hessian(points {}, &[0.75, -1.25]).expect_err("`Mul` has no second derivatives");
}

#[kind(numbers(cells), index = Owned)]
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    columns: usize,
    cells: Vec<f64>,
}
#[operations(in_place)]
impl Grid {
    fn example() -> Self {
        Grid {
            columns: 3,
            cells: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        }
    }
    #[track_caller]
    fn position(&self, r: usize, c: usize) -> usize {
        assert!(
            c < self.columns && r * self.columns + c < self.cells.len(),
            "no cell ({r}, {c})"
        );
        r * self.columns + c
    }
    #[track_caller]
    pub fn get(&self, r: usize, c: usize) -> f64 {
        self.cells[self.position(r, c)]
    }
    #[op(index = get, sample(self = Grid::example(), r = 1, for c in 0..3))]
    pub fn set(&mut self, r: usize, c: usize, value: f64) {
        let at = self.position(r, c);
        self.cells[at] = value;
    }
    pub fn cell(&self, at: Cell) -> &f64 {
        &self.cells[at.0]
    }
    #[op(index = cell, sample(self = Grid::example(), at = Cell(4)))]
    pub fn cell_mut(&mut self, at: Cell) -> &mut f64 {
        &mut self.cells[at.0]
    }
    pub fn corner(&self, [r, c]: [usize; 2]) -> f64 {
        self.get(r, c)
    }
    #[op(index = corner, sample(self = Grid::example(), at = [1, 2]))]
    pub fn set_corner(&mut self, at: [usize; 2], value: f64) {
        self.set(at[0], at[1], value);
    }
}
#[derive(Clone, Copy, Debug)]
pub struct Cell(usize);
impl From<usize> for Cell {
    fn from(i: usize) -> Self {
        Cell(i)
    }
}
impl From<Cell> for usize {
    fn from(cell: Cell) -> usize {
        cell.0
    }
}

#[test]
fn indices_of_several_numbers_are_places() {
    let mut tape = Tape::new();
    let (x, mut g) = (tape.input(3.0), tape.input(Grid::example()));
    let y = tape.record(|| {
        g[(1, 2)] *= x;
        let e = (g.at((1, 2)) * x).eval();
        g[Cell(0)] += e;
        g[[0, 1]] -= x;
        (&g[(0, 0)] * g.at(Cell(1))).eval()
    });
    // (1 + 6 x^2) (2 - x)
    assert_eq!(y, -55.0);
    let gradient = tape.gradient(&y).expect("a recorded result");
    assert_eq!(gradient.wrt(&x).expect("an input"), -36.0 - 55.0);
}
#[test]
fn a_write_to_an_element_saves_the_element() {
    let mut tape = Tape::new();
    let (x, mut g) = (tape.input(3.0), tape.input(Grid::example()));
    let before = tape.statistics().bytes();
    tape.record(|| g[(1, 2)].assign(x));
    // The handle, two identifiers, the index and the element.
    assert_eq!(tape.statistics().bytes() - before, 4 + 2 * 4 + 8 + 8);
}
#[test]
#[should_panic(expected = "no cell (0, 3)")]
fn an_index_out_of_range_is_reported_by_the_source() {
    let mut g = Active::<Grid>::passive(Grid::example());
    g[(0, 3)].assign(1.0);
}
#[test]
#[should_panic(expected = "index 4294967296 is not below 2^31")]
#[cfg(target_pointer_width = "64")]
fn an_index_of_two_numbers_has_a_limit() {
    <Grid as PlaceIndex<(usize, usize)>>::encode(&Grid::example(), (1 << 32, 0));
}
#[test]
fn rules_of_operators_have_the_kinds_of_their_impls() {
    let p = || Poly(vec![1.0, 2.0]);
    assert_rule(&op::Mul, (p(), p()));
    assert_rule(&op::Mul, (p(), 2.0));
    let point = Point {
        x: 1.0,
        y: 2.0,
        tag: 0,
    };
    assert_rule(&op::Add, (point, point));
}

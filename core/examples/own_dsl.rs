//! A DSL of one's own: points in the plane, which carry one identifier as a whole. A kind and annotated
//! operations is all it takes; points and reals then mix in expressions and on one tape.
use entape_core::{expr::Active, kind, op, operations, tape::Tape};

/// A point of the plain program. It is its own kind: a variable is `Active<Point>`.
#[kind(add = |into, from| { into.x += from.x; into.y += from.y })]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
}
impl Point {
    fn dot(self, b: Self) -> f64 {
        self.x * b.x + self.y * b.y
    }
    fn times(self, s: f64) -> Self {
        let Point { x, y } = self;
        Point { x: s * x, y: s * y }
    }
}

/// The point at these coordinates.
#[op]
fn at(#[ad_in(r_b.x)] x: f64, #[ad_in(r_b.y)] y: f64) -> Point {
    Point { x, y }
}

#[operations(ext = PointOps)]
impl Point {
    /// `p * s`
    #[op(Mul)]
    fn mul(#[ad_in(r_b.times(s))] p: Self, #[ad_in(r_b.dot(p))] s: f64) -> Self {
        p.times(s)
    }
    /// The distance from the origin.
    #[op]
    fn radius(#[ad_in(p.times(r_b / r))] p: Self) -> f64 {
        p.x.hypot(p.y)
    }
    /// Writes one coordinate of a variable: the rest of it stays.
    #[op]
    fn set_x(#[ad_inout(Point { x: 0.0, ..p_b })] p: &mut Self, #[ad_in(p_b.x)] x: f64) {
        p.x = x;
    }
    /// The angle, for an output argument.
    #[op]
    fn angle(
        #[ad_in(Point { x: -p.y, y: p.x }.times(angle_b / p.dot(p)))] p: Self,
        #[ad_out] angle: &mut f64,
    ) {
        *angle = p.y.atan2(p.x);
    }
    /// A plain `bool`: comparisons have no derivatives.
    #[op(passive)]
    fn is_left_of(#[ad_inp] p: Self, #[ad_inp] q: Self) -> bool {
        p.x < q.x
    }
}

/// Some program of points and reals; `x` and `y` are `Active<f64>`.
pub fn program(x: Active<f64>, y: Active<f64>) -> Active<f64> {
    let mut p = (at(x, y) * (x + 2.0)).eval();
    if !p.is_left_of(at(x, y)) {
        p.set_x(x * y);
    }
    let mut angle = x;
    p.angle(&mut angle);
    (p.radius() * angle + (p * 0.5).radius()).eval()
}

fn main() {
    let mut tape = Tape::new();
    let (x, y) = (tape.input(0.5), tape.input(1.5));
    let f = tape.record(|| program(x, y));
    let gradient = tape.gradient(&f).expect("a recorded output");
    println!(
        "f = {f}, gradient = ({}, {})",
        gradient.wrt(&x).unwrap(),
        gradient.wrt(&y).unwrap()
    );
}

//! A custom DSL: points in the plane, with one identifier for the whole point. It consists of a kind and annotated
//! operations.
use entape::{
    check::Check, core::function, expr::Active, kind, mode::Mode, op, operations, tape::Tape,
};

/// A point in a plain program. It is its own kind: a variable is `Active<Point>`.
#[kind(parts(x: f64, y: f64))]
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
    /// Radius and angle: two results from one statement.
    #[op]
    fn polar(
        #[ad_in({
            p_b.add(p.times(r_b.0 / r.0));
            p_b.add(Point { x: -p.y, y: p.x }.times(r_b.1 / (r.0 * r.0)));
        })]
        p: Self,
    ) -> (f64, f64) {
        (p.x.hypot(p.y), p.y.atan2(p.x))
    }
    /// A plain `bool`: comparisons lack derivatives.
    #[op(passive)]
    fn is_left_of(#[ad_inp] p: Self, #[ad_inp] q: Self) -> bool {
        p.x < q.x
    }
}

/// A program of points and reals.
#[function]
pub fn program<M: Mode>(x: &[Active<f64, M>]) -> Active<f64, M> {
    let mut p = (at(x[0], x[1]) * (x[0] + 2.0)).eval();
    if !p.is_left_of(at(x[0], x[1])) {
        p[Point::X].assign(x[0] * x[1]); // a place: only this part of the variable is new
    }
    p[Point::Y] += 0.5 * x[0];
    let (radius, angle) = p.polar();
    (radius * angle + &p[Point::X]).eval()
}

fn main() {
    let mut tape = Tape::new();
    let x = [0.5, 1.5].map(|x| tape.input(x));
    let f = tape.record(|| program(&x));
    let gradient = tape.gradient(&f).and_then(|g| g.wrt_all(&x));
    println!("f = {f}, gradient = {:?}", gradient.expect("inputs"));
    let check = Check::default().gradient(program {}, &[0.5, 1.5]);
    check.expect("differences agree");
}

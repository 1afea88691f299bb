//! The reference: a tape of single numbers, with the slopes of the textbook and the chain rule, to first and second
//! order. It shares no code with the library.
//!
//! A number also carries a bound of its rounding error, so that comparisons have a known tolerance. Operations detect
//! points near which their function has no derivative; the statement is then removed from the program.
mod complex;
mod grid;
mod spectral;

pub(crate) use complex::Cx;
pub(crate) use grid::{Field, Grid};

use std::{
    cell::{Cell, RefCell},
    ops,
};

const LINEAR: [f64; 3] = [0.0; 3];
/// A constant, or a number computed from constants.
const NONE: u32 = u32::MAX;

struct Node {
    arguments: [(u32, f64); 2],
    /// The second derivatives of the first argument, of both, of the second.
    second: [f64; 3],
    single: bool,
}
thread_local! {
    static TAPE: RefCell<Vec<Node>> = const { RefCell::new(Vec::new()) };
    static SMOOTH: Cell<bool> = const { Cell::new(true) };
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Num {
    pub(crate) value: f64,
    /// A bound for the rounding error, in units of the precision.
    pub(crate) error: f64,
    pub(crate) single: bool,
    node: u32,
}
impl Num {
    /// Whether the node is not older than `length`.
    pub(crate) fn is_since(self, length: usize) -> bool {
        self.is_active() && self.node as usize >= length
    }
    pub(crate) fn is_active(self) -> bool {
        self.node != NONE
    }
}

pub(crate) fn input(value: f64) -> Num {
    push(value, 1.0, false, [(NONE, 0.0); 2], LINEAR)
}
pub(crate) fn passive(value: f64) -> Num {
    Num {
        value,
        error: 1.0,
        single: false,
        node: NONE,
    }
}
pub(crate) fn copy(x: Num) -> Num {
    push(
        x.value,
        x.error,
        x.single,
        [(x.node, 1.0), (NONE, 0.0)],
        LINEAR,
    )
}
pub(crate) fn single(x: Num) -> Num {
    let Num { error, node, .. } = x;
    let value = f64::from(x.value as f32);
    match x.is_active() {
        true => push(value, error, true, [(node, 1.0), (NONE, 0.0)], LINEAR),
        false => Num {
            value,
            single: true,
            ..x
        },
    }
}
fn push(value: f64, error: f64, single: bool, arguments: [(u32, f64); 2], second: [f64; 3]) -> Num {
    TAPE.with_borrow_mut(|tape| {
        tape.push(Node {
            arguments,
            second,
            single,
        });
        Num {
            value,
            error,
            single,
            node: (tape.len() - 1) as u32,
        }
    })
}
pub(crate) fn length() -> usize {
    TAPE.with_borrow(Vec::len)
}
pub(crate) fn truncate(length: usize) {
    TAPE.with_borrow_mut(|tape| tape.truncate(length));
}
/// Marks the statement as unsuitable unless this holds.
pub(crate) fn require(holds: bool) {
    SMOOTH.set(SMOOTH.get() && holds);
}
pub(crate) fn was_smooth() -> bool {
    SMOOTH.replace(true)
}
/// Requires that rounding does not decide.
pub(crate) fn less(a: Num, b: Num) -> bool {
    require((a.value - b.value).abs() > 1e-3);
    a.value < b.value
}

/// The adjoint of a node, or its tangent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Adjoint {
    pub(crate) value: f64,
    /// The sum of the absolute values of the summands.
    pub(crate) size: f64,
    pub(crate) single: bool,
}
/// The adjoints of all nodes; nodes from `down_to` on were propagated to their arguments.
pub(crate) struct Adjoints(Vec<Adjoint>);
impl Adjoints {
    pub(crate) fn of(&self, x: Num) -> Adjoint {
        match x.is_active() {
            true => self.0[x.node as usize],
            false => Adjoint::default(),
        }
    }
}
pub(crate) fn sweep(seeds: &[(Num, f64)], down_to: usize) -> Adjoints {
    TAPE.with_borrow(|tape| {
        let mut all = vec![Adjoint::default(); tape.len()];
        for (x, seed) in seeds.iter().filter(|(x, _)| x.is_active()) {
            let to = &mut all[x.node as usize];
            to.value += seed;
            to.size += seed.abs();
        }
        for at in (down_to..tape.len()).rev() {
            all[at].single |= tape[at].single;
            let of = all[at];
            for &(to, slope) in tape[at].arguments.iter().filter(|(to, _)| *to != NONE) {
                let to = &mut all[to as usize];
                to.value += slope * of.value;
                to.size += slope.abs() * of.size;
                to.single |= of.single;
            }
        }
        Adjoints(all)
    })
}

pub(crate) fn tangents(directions: &[(Num, f64)]) -> Adjoints {
    TAPE.with_borrow(|tape| {
        let mut all = vec![Adjoint::default(); tape.len()];
        for (x, tangent) in directions.iter().filter(|(x, _)| x.is_active()) {
            let to = &mut all[x.node as usize];
            (to.value, to.size) = (*tangent, tangent.abs());
        }
        for at in 0..tape.len() {
            let mut to = all[at];
            to.single |= tape[at].single;
            for &(from, slope) in tape[at].arguments.iter().filter(|(x, _)| *x != NONE) {
                let from = all[from as usize];
                to.value += slope * from.value;
                to.size += slope.abs() * from.size;
                to.single |= from.single;
            }
            all[at] = to;
        }
        Adjoints(all)
    })
}
pub(crate) fn second(seeds: &[(Num, f64)], tangents: &Adjoints) -> Adjoints {
    let adjoints = sweep(seeds, 0).0;
    TAPE.with_borrow(|tape| {
        let mut all = vec![Adjoint::default(); tape.len()];
        for at in (0..tape.len()).rev() {
            let Node {
                arguments, second, ..
            } = &tape[at];
            all[at].single |= tape[at].single | adjoints[at].single;
            let (of, adjoint) = (all[at], adjoints[at]);
            let tangent = |(x, _): (u32, f64)| match x {
                NONE => Adjoint::default(),
                x => tangents.0[x as usize],
            };
            let [a, b] = arguments.map(tangent);
            for (i, &(to, slope)) in arguments.iter().enumerate().filter(|(_, x)| x.0 != NONE) {
                let (with_a, with_b) = (second[i], second[i + 1]);
                let to = &mut all[to as usize];
                to.value +=
                    slope * of.value + (with_a * a.value + with_b * b.value) * adjoint.value;
                to.size += slope.abs() * of.size
                    + (with_a.abs() * a.size + with_b.abs() * b.size) * adjoint.size;
                to.single |= of.single | a.single | b.single;
            }
        }
        Adjoints(all)
    })
}

impl Num {
    fn one(self, value: f64, slope: f64, second: f64) -> Num {
        self.two(passive(0.0), value, [slope, 0.0], [second, 0.0, 0.0])
    }
    fn two(self, other: Num, value: f64, slopes: [f64; 2], second: [f64; 3]) -> Num {
        let error = value.abs() + slopes[0].abs() * self.error + slopes[1].abs() * other.error;
        let single = self.single || other.single;
        match self.is_active() || other.is_active() {
            true => {
                let arguments = [(self.node, slopes[0]), (other.node, slopes[1])];
                push(value, error, single, arguments, second)
            }
            false => Num {
                value,
                error,
                single,
                node: NONE,
            },
        }
    }
    /// Requires a distance from points without a derivative.
    fn away(self, from: f64, far: f64) {
        require((self.value - from).abs() > far);
    }
    pub(crate) fn exp(self) -> Num {
        self.one(self.value.exp(), self.value.exp(), self.value.exp())
    }
    pub(crate) fn ln(self) -> Num {
        require(self.value > 0.05);
        self.one(
            self.value.ln(),
            1.0 / self.value,
            -1.0 / (self.value * self.value),
        )
    }
    pub(crate) fn sqrt(self) -> Num {
        require(self.value > 0.05);
        let root = self.value.sqrt();
        self.one(root, 0.5 / root, -0.25 / (root * self.value))
    }
    pub(crate) fn sin(self) -> Num {
        self.one(self.value.sin(), self.value.cos(), -self.value.sin())
    }
    pub(crate) fn cos(self) -> Num {
        self.one(self.value.cos(), -self.value.sin(), -self.value.cos())
    }
    pub(crate) fn tanh(self) -> Num {
        let (tanh, cosh) = (self.value.tanh(), self.value.cosh());
        let slope = 1.0 / (cosh * cosh);
        self.one(tanh, slope, -2.0 * tanh * slope)
    }
    pub(crate) fn sinh(self) -> Num {
        self.one(self.value.sinh(), self.value.cosh(), self.value.sinh())
    }
    pub(crate) fn cosh(self) -> Num {
        self.one(self.value.cosh(), self.value.sinh(), self.value.cosh())
    }
    pub(crate) fn atan(self) -> Num {
        let slope = 1.0 / (1.0 + self.value * self.value);
        self.one(self.value.atan(), slope, -2.0 * self.value * slope * slope)
    }
    pub(crate) fn abs(self) -> Num {
        self.away(0.0, 1e-3);
        self.one(self.value.abs(), self.value.signum(), 0.0)
    }
    pub(crate) fn atan2(self, x: Num) -> Num {
        let (a, b) = (self.value, x.value);
        let square = a * a + b * b;
        // Not near the jump between -π and π.
        require(square > 0.05 && (b > 0.0 || a.abs() > 1e-3));
        let (of_both, of_one) = (
            (a * a - b * b) / (square * square),
            2.0 * a * b / (square * square),
        );
        self.two(
            x,
            a.atan2(b),
            [b / square, -a / square],
            [-of_one, of_both, of_one],
        )
    }
    pub(crate) fn max(self, other: Num) -> Num {
        if less(self, other) { other } else { self }
    }
    pub(crate) fn min(self, other: Num) -> Num {
        if less(self, other) { self } else { other }
    }
    pub(crate) fn square(self) -> Num {
        self * self
    }
}
pub(crate) fn sum(all: impl IntoIterator<Item = Num>) -> Num {
    all.into_iter().fold(passive(0.0), |sum, x| sum + x)
}

impl ops::Add for Num {
    type Output = Num;
    fn add(self, b: Num) -> Num {
        self.two(b, self.value + b.value, [1.0, 1.0], LINEAR)
    }
}
impl ops::Sub for Num {
    type Output = Num;
    fn sub(self, b: Num) -> Num {
        self.two(b, self.value - b.value, [1.0, -1.0], LINEAR)
    }
}
impl ops::Mul for Num {
    type Output = Num;
    fn mul(self, b: Num) -> Num {
        self.two(
            b,
            self.value * b.value,
            [b.value, self.value],
            [0.0, 1.0, 0.0],
        )
    }
}
impl ops::Div for Num {
    type Output = Num;
    fn div(self, b: Num) -> Num {
        b.away(0.0, 0.2);
        let r = self.value / b.value;
        let square = b.value * b.value;
        self.two(
            b,
            r,
            [1.0 / b.value, -r / b.value],
            [0.0, -1.0 / square, 2.0 * r / square],
        )
    }
}
impl ops::Neg for Num {
    type Output = Num;
    fn neg(self) -> Num {
        self.one(-self.value, -1.0, 0.0)
    }
}
macro_rules! with_constants { ($($Trait:ident $method:ident)*) => { $(
    impl ops::$Trait<f64> for Num {
        type Output = Num;
        fn $method(self, b: f64) -> Num { ops::$Trait::$method(self, passive(b)) }
    }
    impl ops::$Trait<Num> for f64 {
        type Output = Num;
        fn $method(self, b: Num) -> Num { ops::$Trait::$method(passive(self), b) }
    }
)* } }
with_constants! { Add add Sub sub Mul mul Div div }

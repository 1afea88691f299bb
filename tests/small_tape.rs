//! A reverse-mode tape of a hundred lines, which the first chapter of `ARCHITECTURE.md` explains.
use std::{marker::PhantomData, ops};

/// A node of an expression, recorded or rebuilt from the tape by a sweep.
trait Node: Sized {
    /// How many words the node takes in a statement.
    const SIZE: usize;
    /// The node's primal value.
    fn value(&self) -> f64;
    fn write(&self, block: &mut Vec<u64>);
    /// Rebuilds the node from its words and the primal values of its variables.
    fn load(block: &[u64], primals: &[f64]) -> Self;
    /// Propagates the adjoint `r_b` of the node to the adjoints of its variables.
    fn pull(&self, r_b: f64, adjoints: &mut [f64]);
}

/// A variable: its identifier and its value.
#[derive(Clone, Copy)]
struct Variable(u64, f64);
#[rustfmt::skip] // a line for each function
impl Node for Variable {
    const SIZE: usize = 1;
    fn value(&self) -> f64 { self.1 }
    fn write(&self, block: &mut Vec<u64>) { block.push(self.0) }
    fn load(block: &[u64], primals: &[f64]) -> Self { Variable(block[0], primals[block[0] as usize]) }
    fn pull(&self, r_b: f64, adjoints: &mut [f64]) { adjoints[self.0 as usize] += r_b }
}

/// A plain number. It has no adjoint.
struct Constant(f64);
#[rustfmt::skip] // a line for each function
impl Node for Constant {
    const SIZE: usize = 1;
    fn value(&self) -> f64 { self.0 }
    fn write(&self, block: &mut Vec<u64>) { block.push(self.0.to_bits()) }
    fn load(block: &[u64], _: &[f64]) -> Self { Constant(f64::from_bits(block[0])) }
    fn pull(&self, _: f64, _: &mut [f64]) {}
}

/// An operation: its primal, and what the adjoint `r_b` of its result contributes to its arguments.
trait Rule: Sized {
    fn primal(a: f64, b: f64) -> f64;
    fn adjoint(a: f64, b: f64, r_b: f64) -> [f64; 2];
    fn apply<A: Node, B: Node>(a: A, b: B) -> Apply<Self, A, B> {
        Apply(Self::primal(a.value(), b.value()), a, b, PhantomData)
    }
}

/// An operation applied to two nodes.
struct Apply<O, A, B>(f64, A, B, PhantomData<O>);
#[rustfmt::skip] // a line for each short function
impl<O: Rule, A: Node, B: Node> Node for Apply<O, A, B> {
    const SIZE: usize = A::SIZE + B::SIZE;
    fn value(&self) -> f64 { self.0 }
    fn write(&self, block: &mut Vec<u64>) {
        self.1.write(block);
        self.2.write(block);
    }
    fn load(block: &[u64], primals: &[f64]) -> Self {
        let (a, b) = block.split_at(A::SIZE);
        O::apply(A::load(a, primals), B::load(b, primals))
    }
    fn pull(&self, r_b: f64, adjoints: &mut [f64]) {
        let [a_b, b_b] = O::adjoint(self.1.value(), self.2.value(), r_b);
        self.1.pull(a_b, adjoints);
        self.2.pull(b_b, adjoints);
    }
}

#[derive(Clone, Copy)]
struct Expr<N>(N);

/// Declares an operation by its formulas.
#[rustfmt::skip]
macro_rules! operation { ($Op:ident::$op:ident($a:ident, $b:ident) = $r:expr; $r_b:ident => $adjoint:expr) => {
    struct $Op;
    impl Rule for $Op {
        fn primal($a: f64, $b: f64) -> f64 { $r }
        #[allow(unused_variables)] fn adjoint($a: f64, $b: f64, $r_b: f64) -> [f64; 2] { $adjoint }
    }
    impl<A: Node, B: Node> ops::$Op<Expr<B>> for Expr<A> {
        type Output = Expr<Apply<$Op, A, B>>;
        fn $op(self, b: Expr<B>) -> Self::Output { Expr($Op::apply(self.0, b.0)) }
    }
} }
operation! { Add::add(a, b) = a + b; r_b => [r_b, r_b] }
operation! { Mul::mul(a, b) = a * b; r_b => [r_b * b, r_b * a] }

/// Sweeps the last statement, and returns the earlier ones.
type Reverse = for<'b> fn(&'b [u64], f64, &[f64], &mut [f64]) -> &'b [u64];

#[derive(Default)]
struct Tape {
    primals: Vec<f64>,
    blocks: Vec<u64>,
    statements: Vec<Reverse>,
}
impl Tape {
    fn input(&mut self, value: f64) -> Expr<Variable> {
        self.eval(Expr(Constant(value)))
    }
    /// Records an expression as one statement, and returns its variable.
    fn eval<N: Node>(&mut self, Expr(node): Expr<N>) -> Expr<Variable> {
        node.write(&mut self.blocks);
        self.statements.push(|blocks, r_b, primals, adjoints| {
            let (rest, block) = blocks.split_at(blocks.len() - N::SIZE);
            N::load(block, primals).pull(r_b, adjoints);
            rest
        });
        self.primals.push(node.value());
        Expr(Variable(self.primals.len() as u64 - 1, node.value()))
    }
    /// The derivatives of `y` with respect to all variables, by identifier.
    fn gradient(&self, Expr(y): Expr<Variable>) -> Vec<f64> {
        let mut adjoints = vec![0.0; self.primals.len()];
        adjoints[y.0 as usize] = 1.0;
        let mut blocks = &self.blocks[..];
        for (id, reverse) in self.statements.iter().enumerate().rev() {
            blocks = reverse(blocks, adjoints[id], &self.primals, &mut adjoints);
        }
        adjoints
    }
}

// The tape ends here.
use approx::assert_abs_diff_eq;

impl Expr<Variable> {
    fn of(&self, gradient: &[f64]) -> f64 {
        gradient[self.0.0 as usize]
    }
}

#[test]
fn gradients_agree_with_formulas() {
    let mut tape = Tape::default();
    let (a, b) = (tape.input(3.0), tape.input(5.0));
    let w = tape.eval(a * a * b + a);
    let w = tape.eval(w * w * Expr(Constant(0.5)) + b);
    let unused = tape.eval(a * b);
    let value = 3.0 * 3.0 * 5.0 + 3.0;
    assert_eq!(w.0.value(), value * value / 2.0 + 5.0);
    let gradient = tape.gradient(w);
    assert_eq!(a.of(&gradient), value * (2.0 * 3.0 * 5.0 + 1.0));
    assert_eq!(b.of(&gradient), value * 3.0 * 3.0 + 1.0);
    assert_eq!(unused.of(&gradient), 0.0);
    let gradient = tape.gradient(unused);
    assert_eq!([a.of(&gradient), b.of(&gradient)], [5.0, 3.0]);
}

#[test]
fn a_chain_of_statements_has_the_gradient_of_its_sum() {
    let (mut tape, n) = (Tape::default(), 50);
    let x = tape.input(0.25);
    let mut y = x;
    for _ in 0..n {
        y = tape.eval(y * x + x);
    }
    // y = x + x² + .. + xⁿ⁺¹, of which the last terms are below the last digit.
    let exact = 1.0 / (0.75 * 0.75);
    assert_abs_diff_eq!(x.of(&tape.gradient(y)), exact, epsilon = 1e-14);
}

#[test]
fn an_expression_is_one_statement_of_the_size_of_its_type() {
    let mut tape = Tape::default();
    let x = tape.input(2.0);
    let before = (tape.statements.len(), tape.blocks.len());
    tape.eval(x * Expr(Constant(2.0)) + x * x);
    assert_eq!(tape.statements.len(), before.0 + 1);
    assert_eq!(tape.blocks.len(), before.1 + 4);
    type Statement = Apply<
        Add,
        Apply<Mul, Variable, Constant>, //
        Apply<Mul, Variable, Variable>,
    >;
    assert_eq!(<Statement as Node>::SIZE, 4);
}

/// The tape has a hundred lines at most.
#[test]
fn the_chapter_shows_lines_of_this_tape() {
    let lines = |text: &'static str| text.lines().map(str::trim);
    let (tape, _) = include_str!("small_tape.rs")
        .split_once("// The tape ends here.")
        .expect("a mark at its end");
    let code = lines(tape).filter(|line| !line.is_empty() && !line.starts_with("//"));
    assert!(code.count() <= 100);

    let (chapter, _) = include_str!("../ARCHITECTURE.md")
        .split_once("## Folders")
        .expect("a chapter before it");
    let excerpts: Vec<_> = chapter.split("```").skip(1).step_by(2).collect();
    assert!(!excerpts.is_empty());
    let tape: Vec<_> = lines(tape).collect();
    for excerpt in excerpts {
        let wanted = lines(excerpt).skip(1).filter(|line| !line.is_empty());
        for line in wanted {
            assert!(tape.contains(&line), "not a line of the tape: {line}");
        }
    }
}

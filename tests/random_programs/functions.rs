//! Programs in forward mode, and on reused recordings that are evaluated at other points.
#![allow(clippy::op_ref, clippy::clone_on_copy)] // references are what variables of all modes need
use crate::{
    exact::{self, Num, sum},
    program::{Instruction, Program, Statement},
    run::{Count, Done, Stop, agree, fail},
    state::{Entities, MatrixKind, Numbers, SLOTS, VectorKind},
    statements::{self, Common},
};
use entape::{
    driver::{Function, ListShape, Objective, SingleRefShape},
    expr::{Active, list},
    mode::{Mode, Plain},
    prelude::*,
    simd::arrays::ArrayKind,
};
use nalgebra::{DMatrix, DVector};

pub(crate) fn numbers_of_statements() -> Vec<usize> {
    let all = statements::entities::<Plain, Common>();
    (0..statements::COUNT)
        .filter(|&at| all[at].is_some())
        .collect()
}

struct Whole<'p> {
    program: &'p Program,
    statements: Vec<Statement>,
}
impl Whole<'_> {
    fn run<M: Mode>(
        &self,
        x: &[Real<M>],
        v: &Active<ArrayKind<f64>, M>,
        m: &Active<MatrixKind, M>,
        u: &Active<VectorKind, M>,
    ) -> Real<M> {
        let n = self.program.n;
        let (mut all, _) = Entities::<M>::passive(n, self.program.values(0));
        all.x.iter_mut().zip(x).for_each(|(to, x)| *to = x.clone());
        (all.v[0], all.m[0], all.u[0]) = (v.clone(), m.clone(), u.clone());
        let table = statements::entities::<M, Common>();
        for statement in &self.statements {
            table[statement.number].expect("a statement of all modes")(&mut all, statement.at(n));
        }
        let Entities {
            x,
            z,
            l,
            v,
            m,
            u,
            t,
            d,
            ..
        } = &all;
        let mut y = (&x[0] * 0.5 + &x[1] * &x[2] * 0.25).eval();
        for i in 0..SLOTS {
            let numbers = ((&z[i]).norm_sqr() * 0.125 + (&l[i]).reduce_add() * 0.125).eval();
            let arrays = (v[i].sum() * 0.25 + (&t[i] * &t[i]).sum() * 0.125).eval();
            let matrices =
                (m[i].sum() * 0.125 + d[i].norm_squared() * 0.0625 + u[i].sum() * 0.25).eval();
            y += &numbers + &arrays + &matrices;
        }
        y
    }
    /// Removes statements unsuitable for comparison, unless they are `chosen` already; then the whole program is
    /// unsuitable.
    fn exact(&mut self, at: &[f64], chosen: bool, count: &mut Count) -> Option<(Vec<Num>, Num)> {
        exact::truncate(0);
        let n = self.program.n;
        let (_, mut numbers) = Entities::<Plain>::passive(n, self.program.values(0));
        let inputs: Vec<Num> = at.iter().map(|x| exact::input(*x)).collect();
        let (x, rest) = inputs.split_at(SLOTS);
        let (v, rest) = rest.split_at(n);
        let (m, u) = rest.split_at(n * n);
        numbers.x.copy_from_slice(x);
        numbers.v[0] = v.to_vec();
        numbers.m[0].elements = m.to_vec();
        numbers.u[0].elements = u.to_vec();
        exact::was_smooth();
        let table = statements::numbers();
        let mut done = Vec::new();
        for statement in std::mem::take(&mut self.statements) {
            let (before, length) = (numbers.clone(), exact::length());
            table[statement.number](&mut numbers, statement.at(n));
            let small = |x: &Num| x.value.abs() <= 8.0 && x.error <= 1e3;
            if exact::was_smooth() && numbers.variables().iter().flatten().all(small) {
                done.push(statement);
            } else if chosen {
                return None;
            } else {
                (numbers, count.skipped) = (before, count.skipped + 1);
                exact::truncate(length);
            }
        }
        count.statements += done.len();
        self.statements = done;
        let Numbers {
            x,
            z,
            l,
            v,
            m,
            u,
            t,
            d,
            ..
        } = numbers;
        let mut y = x[0] * 0.5 + x[1] * x[2] * 0.25;
        for i in 0..SLOTS {
            let numbers = z[i].norm_sqr() * 0.125 + sum(l[i]) * 0.125;
            let arrays = sum(v[i].clone()) * 0.25 + sum(t[i].iter().map(|t| t.square())) * 0.125;
            y = y
                + numbers
                + arrays
                + m[i].sum() * 0.125
                + d[i].norm_squared() * 0.0625
                + u[i].sum() * 0.25;
        }
        Some((inputs, y))
    }
}
impl Function for Whole<'_> {
    type Inputs = (
        ListShape<f64>,
        SingleRefShape<ArrayKind<f64>>,
        SingleRefShape<MatrixKind>,
        SingleRefShape<VectorKind>,
    );
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    #[allow(clippy::type_complexity)]
    fn call<M: Mode>(
        &self,
        (x, v, m, u): (
            &[Real<M>],
            &Active<ArrayKind<f64>, M>,
            &Active<MatrixKind, M>,
            &Active<VectorKind, M>,
        ),
    ) -> Real<M> {
        self.run(x, v, m, u)
    }
}
struct OfReals<'w, 'p>(&'w Whole<'p>);
impl Function for OfReals<'_, '_> {
    type Inputs = ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
        let n = self.0.program.n;
        let (x, rest) = x.split_at(SLOTS);
        let (v, rest) = rest.split_at(n);
        let (m, u) = rest.split_at(n * n);
        let (m, u) = (gather(list(m), n, n).eval(), gather(list(u), n, 1).eval());
        self.0.run(x, &v.gather_array().eval(), &m, &u)
    }
}

/// Checks two points; returns the counts, or the reason of a failure.
pub(crate) fn check(program: &Program) -> Result<Count, String> {
    let mut count = Count::default();
    let statements = statements_of(program);
    let mut whole = Whole {
        program,
        statements,
    };
    let points = [1, 2].map(|round| {
        let n = program.n;
        let mut next = program.values(round);
        (0..SLOTS + n + n * n + n)
            .map(|_| next())
            .collect::<Vec<f64>>()
    });
    let _ = whole.exact(&points[0], false, &mut count);
    // The second point has the statements of the first one.
    let chosen = whole.statements.clone();
    let judged = whole
        .exact(&points[1], true, &mut Count::default())
        .is_some();
    let shown = |why: String, whole: &Whole<'_>| {
        let lines: Vec<_> = whole
            .statements
            .iter()
            .map(|s| format!("    {}", s.source(program.n)))
            .collect();
        format!(
            "{why}\n    // n = {}, values {:?}\n{}",
            program.n,
            points,
            lines.join("\n")
        )
    };
    let kept = Whole {
        program,
        statements: chosen.clone(),
    };
    let objective = Objective::new(OfReals(&kept));
    for at in [0, 1, 0].into_iter().filter(|&at| at == 0 || judged) {
        whole.statements = chosen.clone();
        let Some((inputs, y)) = whole.exact(&points[at], true, &mut Count::default()) else {
            return Err(shown(
                "the numbers are others the second time".into(),
                &whole,
            ));
        };
        let outcome = compare(&kept, &objective, &points[at], (&inputs, y), &mut count);
        if let Err(Stop::Failure(why)) = outcome {
            return Err(shown(format!("at point {at}: {why}"), &whole));
        }
    }
    Ok(count)
}
fn statements_of(program: &Program) -> Vec<Statement> {
    let statements = program.instructions.iter().filter_map(|i| match i {
        Instruction::Statement(statement) if program.has(statement.number) => Some(*statement),
        _ => None,
    });
    statements.collect()
}
fn compare(
    whole: &Whole<'_>,
    objective: &Objective<OfReals<'_, '_>>,
    at: &[f64],
    (inputs, y): (&[Num], Num),
    count: &mut Count,
) -> Done {
    let n = whole.program.n;
    let direction: Vec<f64> = (0..at.len())
        .map(|e| ((5 * e + 3) % 11) as f64 / 8.0 - 0.5)
        .collect();
    let set: Vec<_> = inputs
        .iter()
        .copied()
        .zip(direction.iter().copied())
        .collect();
    let gradient = exact::sweep(&[(y, 1.0)], 0);
    let tangents = exact::tangents(&set);
    let second = exact::second(&[(y, 1.0)], &tangents);

    let value = objective.value(at);
    if (value - y.value).abs() > 1e-5 * y.error.max(1.0) {
        return fail(format!("the value is {value:e} instead of {:e}", y.value));
    }
    let parts = (
        at[..SLOTS].to_vec(),
        at[SLOTS..][..n].to_vec(),
        DMatrix::from_column_slice(n, n, &at[SLOTS + n..][..n * n]),
        DVector::from_column_slice(&at[SLOTS + n + n * n..]),
    );
    let structured = Objective::shaped(whole, parts);
    let mut pulled = vec![0.0; at.len()];
    structured.vjp_into(at, &[1.0], &mut pulled)?;
    let product = structured.hessian_vector(at, &direction)?;
    let mut along = [0.0];
    structured.jvp_into(at, &direction, &mut along)?;
    let gradients = [
        ("of the objective", objective.gradient(at)?),
        ("of the structured objective", structured.gradient(at)?),
        ("by a seed", pulled),
        (
            "by columns",
            structured.jacobian_columns(at, 0..at.len())?.into_vec(),
        ),
    ];
    for (what, got) in &gradients {
        count.entries += agree(
            &format!("the gradient {what}"),
            got,
            inputs,
            &gradient,
            1e-10,
        )?;
    }
    count.directions += agree("the tangent", &along, &[y], &tangents, 1e-10)?;
    let products = [
        (
            "of the objective",
            objective.hessian_vector(at, &direction)?,
        ),
        ("of the curvature", product),
    ];
    for (what, got) in &products {
        let what = format!("the Hessian times a direction {what}");
        count.directions += agree(&what, got, inputs, &second, 1e-9)?;
    }
    count.sweeps += 1;
    Ok(())
}

//! Inspection of a tape: values that are not finite, a graph, statistics.
use crate::support::{Array, ArrayOps, CHUNKS, polar, slice};
use entape_core::{
    expr::Active,
    mode::{Recording, Reuse, Taped},
    real::Elementary,
    tape::{SourceLine, Tape},
};

fn tape<M: Recording>(chunk: usize, trace: bool) -> Tape<M> {
    Tape::builder()
        .chunk_bytes(chunk)
        .trace(trace)
        .build()
        .unwrap()
}

fn non_finite<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk, true);
    let x = tape.input(0.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    assert_eq!(tape.find_non_finite(), None);
    let mut s = tape.record(|| {
        // Two statements of one type on different lines; values that no adjoint reads.
        let mut s = (&x + 1.0).eval();
        s += &x;
        s += &x;
        v *= &s;
        s
    });
    assert_eq!(tape.find_non_finite(), None);
    let before = tape.statistics().statements;
    let line = line!() + 2;
    let y: Active<f64, M> = tape.record(|| {
        s += 1.0 / &x;
        s += &x;
        s.assign(&x + 2.0);
        v *= &s;
        v[1] *= f64::NAN;
        (v.total() * &s).eval()
    });
    for _ in 0..2 {
        let found = tape.find_non_finite().expect("an infinite value");
        assert_eq!(
            (found.location.file(), found.location.line()),
            (file!(), line)
        );
        assert!(found.expression.contains("Div"), "{}", found.expression);
        assert_eq!(found.index, before);
        assert!(y.get().is_nan());
        assert!(tape.gradient(&y).unwrap().wrt(&x).unwrap().is_nan());
    }
}
#[test]
fn the_first_value_that_is_not_finite_is_found() {
    for chunk in CHUNKS {
        non_finite::<Taped>(chunk);
        non_finite::<Reuse>(chunk);
    }
}
#[test]
fn without_a_trace_the_expression_is_named() {
    let mut tape = tape::<Taped>(1 << 20, false);
    let x = tape.input(0.0);
    tape.record(|| {
        let y = (x + 1.0).eval();
        (y / x).eval()
    });
    let found = tape.find_non_finite().unwrap();
    assert!(found.expression.contains("Div"));
    assert_eq!((found.location.file(), found.index), (file!(), 2));
}

fn graph<M: Recording>(chunk: usize) {
    let mut tape = tape::<M>(chunk, false);
    let empty = tape.to_dot();
    assert!(empty.starts_with("digraph") && empty.ends_with("}\n"));
    let x = tape.input(0.5);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let y = tape.record(|| {
        let mut y = (&x * 2.0 + &x).eval();
        y.update(|y| y * y);
        let p = Active::<f64, M>::passive(2.0);
        // Of another length than its argument.
        v.update(|v| (v.clone() * v).twice());
        v.update(|v| (v.clone() * v).head(2).exps());
        v[0] *= &y * &p;
        let part = slice(&v, 0..1);
        v.part_mut(part).mul_assign(2.0);
        let (mut a, mut b) = (Active::passive(0.0), Active::passive(0.0));
        polar(&y, &x, &mut a, &mut b);
        let w = v.clone();
        (w.dot(&v) * a + (&b * 3.0).sin()).eval()
    });
    let g = tape.gradient(&y).unwrap();
    let want = (g.wrt(&x).unwrap(), g.wrt(&v).unwrap());
    let dot = tape.to_dot();
    assert_eq!(dot, tape.to_dot());
    let statements = tape.statistics().statements;
    let (mut boxes, mut arrows) = (0, 0);
    let lines: Vec<_> = dot.lines().collect();
    assert_eq!((lines[0], lines[lines.len() - 1]), ("digraph tape {", "}"));
    for line in &lines[1..lines.len() - 1] {
        assert!(
            line.ends_with(';') && line.matches('"').count() % 2 == 0,
            "{line}"
        );
        if let Some((from, to)) = line.split_once(" -> ") {
            arrows += 1;
            let number = |s: &str| s.trim_matches([' ', 's', ';']).parse::<usize>();
            let to = number(to).expect("a statement");
            assert!(to < statements, "{line}");
            if !from.contains('"') {
                assert!(number(from).expect("a statement") < to, "{line}");
            }
        } else if line.contains("label") {
            boxes += 1;
        }
    }
    assert_eq!(boxes, statements);
    assert!(arrows >= statements - 1, "{dot}");
    for _ in 0..2 {
        let g = tape.gradient(&y).unwrap();
        assert_eq!((g.wrt(&x).unwrap(), g.wrt(&v).unwrap()), want);
        let _ = tape.to_dot();
        let _ = tape.find_non_finite();
    }
}
#[test]
fn the_graph_shows_statements_and_their_uses() {
    for chunk in CHUNKS {
        graph::<Taped>(chunk);
        graph::<Reuse>(chunk);
    }
}

#[test]
fn statistics_can_be_read() {
    let mut tape = tape::<Taped>(64, false);
    let x = tape.input(0.5);
    let v: Active<Array> = tape.input_as(vec![1.0; 3]);
    tape.record(|| {
        let u = (&v * x * 2.0).eval();
        for _ in 0..50 {
            let _ = (u.dot(&v) * x).eval();
        }
    });
    let s = tape.statistics();
    assert_eq!((s.statements, s.handle_bytes), (52, 4 * 52));
    assert!(s.to_string().contains(" 208 B\n"), "{s}");
    assert_eq!(
        s.kinds
            .iter()
            .map(|k| (k.kind, k.identifiers))
            .collect::<Vec<_>>(),
        [("f64", 51), ("Array", 2)]
    );
    assert!(s.bytes() > 0 && s.peak_bytes >= s.bytes().min(s.allocated_bytes));
    let text = s.to_string();
    assert!(
        text.contains("statements") && text.contains("Array") && !text.contains("0.00"),
        "{text}"
    );
    tape.reset();
    let s = tape.statistics();
    assert_eq!((s.statements, s.block_bytes, s.kept_values), (0, 0, 0));
}

/// A slot holds arrays of different lengths; without a trace, arrays that no adjoint reads are not saved.
fn lengths<M: Recording>(chunk: usize, trace: bool) {
    let mut tape = tape::<M>(chunk, trace);
    let x = tape.input(3.0);
    let (y, z) = tape.record(|| {
        let mut long = Active::<Array, M>::passive(vec![1.0, 2.0]);
        long[1].assign(&x * &x);
        drop(long);
        let mut short = Active::<Array, M>::passive(vec![1.0]);
        short[0].assign(&x * 2.0);
        let mut read = Active::<Array, M>::passive(vec![1.0]);
        read[0].assign(&x * 1.0);
        let z = (&read[0] * &read[0]).eval();
        read[0].assign(&x * 5.0);
        ((&short[0] * &short[0] * &x).eval(), z)
    });
    for _ in 0..2 {
        assert_eq!(tape.find_non_finite(), None);
        assert!(tape.to_dot().contains("-> s"));
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(12.0 * 9.0));
        assert_eq!(tape.gradient(&z).unwrap().wrt(&x), Ok(6.0));
    }
}
#[test]
fn inspection_restores_arrays_of_several_lengths_in_a_slot() {
    for chunk in CHUNKS {
        for trace in [false, true] {
            lengths::<Taped>(chunk, trace);
            lengths::<Reuse>(chunk, trace);
        }
    }
}

#[test]
fn a_summary_names_lines_operations_and_bytes() {
    let run = |trace: bool| {
        let mut tape: Tape = Tape::builder().trace(trace).build().expect("a tape");
        let inputs = line!() + 1;
        let x = tape.input(0.5);
        let v = tape.input_as::<Array>(vec![1.0; 100]);
        let first = line!() + 2;
        tape.record(|| {
            (0..30).for_each(|_| _ = (&v * x).eval());
            (0..7).for_each(|_| _ = (x * 2.0).eval());
            (0..5).for_each(|_| _ = (x * 2.0).eval());
        });
        let statistics = tape.statistics();
        let summary = tape.summary();
        let after = tape.statistics();
        assert_eq!(
            (after.statements, after.bytes()),
            (statistics.statements, statistics.bytes())
        );
        let all = |of: fn(&SourceLine) -> usize| summary.sources.iter().map(of).sum::<usize>();
        assert_eq!(all(|s| s.statements), statistics.statements);
        let bytes = statistics.handle_bytes + statistics.size_bytes + statistics.block_bytes;
        assert_eq!(all(|s| s.statement_bytes), bytes);
        let arrays = &summary.sources[0];
        assert_eq!((arrays.statements, arrays.location.line()), (30, first));
        assert!(arrays.expression.contains("Mul("), "{}", arrays.expression);
        assert!(
            (24_000..27_000).contains(&arrays.value_bytes),
            "{}",
            arrays.value_bytes
        );
        let at = |line| {
            summary
                .sources
                .iter()
                .filter(move |s| s.location.line() == line)
        };
        let counts = |line| {
            at(line)
                .map(|s| (s.statements, s.value_bytes))
                .collect::<Vec<_>>()
        };
        assert_eq!(counts(inputs), [(1, 8)]);
        match trace {
            true => assert_eq!(
                (counts(first + 1), counts(first + 2)),
                (vec![(7, 56)], vec![(5, 40)])
            ),
            false => assert_eq!(
                (counts(first + 1), counts(first + 2)),
                (vec![(12, 96)], vec![])
            ),
        }
        let text = summary.to_string();
        assert_eq!(text.contains("`trace(true)`"), !trace);
        assert!(text.contains(&format!("inspection.rs:{first}:")), "{text}");
        let sorted = summary
            .sources
            .windows(2)
            .all(|s| s[0].bytes() >= s[1].bytes());
        assert!(sorted);
    };
    run(true);
    run(false);
}

//! The tape as a graph.
use super::modes::Records;
use super::{
    statement::{StatementVisitor, ValueCheck},
    user::Tape,
};
use crate::{
    formula::Formula,
    node::{Dependence, ExpressionVisitor, NamedId},
};
use std::{any::TypeId, collections::HashMap, fmt::Write, mem::take};

#[derive(Default)]
struct Graph {
    dot: String,
    giver: HashMap<(TypeId, u32), usize>,
    index: usize,
    targets: Vec<NamedId>,
    arguments: Vec<NamedId>,
    result: Option<String>,
}
fn form(kind: &str) -> &'static str {
    match kind {
        "f64" | "f32" => "ellipse",
        "C64" | "C32" => "diamond",
        "matrix" => "box",
        "array" | "complex array" => "box3d",
        _ => "hexagon",
    }
}
impl ExpressionVisitor for Graph {
    fn variable(&mut self, variable: NamedId) {
        self.arguments.push(variable);
    }
    fn passive(&mut self) {}
    fn list(&mut self, _: usize) {}
    fn choice(&mut self, _: bool) {}
    fn operation(&mut self, _: &Dependence) {}
}
impl StatementVisitor for Graph {
    fn target(&mut self, target: NamedId, _: bool) {
        self.targets.push(target);
    }
    fn measures(&self) -> bool {
        true
    }
    fn result(&mut self, shape: String, _: usize) {
        self.result = Some(shape).filter(|shape| shape != "()");
    }
    fn input(&mut self, input: NamedId) {
        self.targets.push(input);
    }
    fn end(&mut self, formula: &'static Formula) {
        let (targets, mut arguments) = (take(&mut self.targets), take(&mut self.arguments));
        let result = self.result.take();
        let (dot, index) = (&mut self.dot, self.index);
        let shown = targets.iter().take(3);
        let shown: Vec<_> = shown.map(|t| format!("{} {}", t.name, t.id)).collect();
        let _ = writeln!(
            dot,
            "  s{index} [shape={} label=\"{}{} = {formula}\"];",
            targets
                .first()
                .map_or("plaintext", |target| form(target.name)),
            shown.join(", "),
            result.map_or_else(String::new, |shape| format!(" {shape}"))
        );
        arguments.sort_unstable_by_key(|a| (a.name, a.id));
        arguments.dedup();
        for NamedId { kind, name, id } in arguments {
            match self.giver.get(&(kind, id)) {
                Some(from) => _ = writeln!(dot, "  s{from} -> s{index};"),
                None => _ = writeln!(dot, "  \"{name} {id}\" -> s{index};"),
            }
        }
        for target in targets {
            self.giver.insert((target.kind, target.id), index);
        }
        self.index += 1;
    }
}

impl<M: Records> Tape<M> {
    /// Returns a graph in the DOT language, with a box for each statement and arrows to the statements that use its
    /// results.
    ///
    /// ```
    /// # use entape_core::tape::Tape;
    /// let mut tape = Tape::new();
    /// let a = tape.input(4.0);
    /// tape.record(|| (a * a).eval());
    /// assert!(tape.to_dot().contains("s0 -> s1"));
    /// ```
    ///
    /// # Panics
    ///
    /// If the tape is [broken](super::Error::Broken).
    #[track_caller]
    pub fn to_dot(&mut self) -> String {
        let mut graph = Graph::default();
        self.visit_statements(&mut graph);
        let mut dot = String::from("digraph tape {\n  node [fontname=monospace];\n");
        dot.push_str(&graph.dot);
        dot.push_str("}\n");
        dot
    }
    #[doc(hidden)]
    #[track_caller]
    pub fn visit_statements(&mut self, visitor: &mut dyn StatementVisitor) {
        let (recording, sweep) = self.parts();
        sweep.replay(recording, |entry, context, block| {
            let statement = entry.statement;
            let identifiers = &block[block.len() - statement.fixed..];
            if statement.identifiers && visitor.identifiers(statement.formula, identifiers) {
                (statement.redo)(context, block, statement, ValueCheck::None);
            } else {
                (statement.show)(context, block, entry, visitor);
                visitor.end(statement.formula);
            }
        });
    }
}

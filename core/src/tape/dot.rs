//! The tape as a graph.
use super::modes::Records;
use super::{statement::IdentifierRole, user::Tape};
use std::{collections::HashMap, fmt::Write};

impl<M: Records> Tape<M> {
    /// The statements as a graph in the DOT language: a box for each statement with its expression, an
    /// arrow from each statement (or input) to those that use its result.
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
    /// If the tape is broken, see [`Error::Broken`](super::Error::Broken).
    #[track_caller]
    pub fn to_dot(&mut self) -> String {
        let mut dot = String::from("digraph tape {\n  node [shape=box fontname=monospace];\n");
        // The statement that wrote each identifier last.
        let mut giver: HashMap<(&'static str, u32), usize> = HashMap::new();
        let mut index = 0;
        let (recording, sweep) = self.parts();
        sweep.replay(recording, |entry, passage, block| {
            let (mut targets, mut arguments) = (Vec::new(), Vec::new());
            (entry.statement.show)(passage, block, entry, &mut |place, kind, id| match place {
                IdentifierRole::Target => targets.push((kind, id)),
                IdentifierRole::Argument => arguments.push((kind, id)),
            });
            let label: Vec<_> = targets
                .iter()
                .take(3)
                .map(|(kind, id)| format!("{kind} {id}"))
                .collect();
            let name = entry.statement.formula.to_string();
            // Writing to a `String` can't fail.
            let _ = writeln!(dot, "  s{index} [label=\"{} = {name}\"];", label.join(", "));
            arguments.sort_unstable();
            arguments.dedup();
            for argument in arguments {
                match giver.get(&argument) {
                    Some(from) => _ = writeln!(dot, "  s{from} -> s{index};"),
                    None => _ = writeln!(dot, "  \"{} {}\" -> s{index};", argument.0, argument.1),
                }
            }
            targets.into_iter().for_each(|t| _ = giver.insert(t, index));
            index += 1;
        });
        dot.push_str("}\n");
        dot
    }
}

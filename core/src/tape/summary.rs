use super::{
    modes::Records,
    statement::StatementVisitor,
    statistics::{Statistics, amount},
    user::Tape,
};
use crate::{
    formula::Formula,
    node::{Dependence, ExpressionVisitor, NamedId},
};
use std::{collections::HashMap, fmt, mem::take, panic::Location};

/// The statements of one source line with one expression.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SourceLine {
    /// Where the statements were recorded; without [tracing](super::Builder::trace), where the first statement with this expression
    /// was. For inputs, where the first of a kind was created.
    pub location: &'static Location<'static>,
    /// The expression, as a type.
    pub expression: String,
    /// The number of statements.
    pub statements: usize,
    /// The bytes of the statements: handles, identifiers, and constants that vary.
    pub statement_bytes: usize,
    /// The bytes of the values that the statements compute, or of the parts that they write. The sum may exceed the
    /// tape's memory, because unread values are dropped.
    pub value_bytes: usize,
}
impl SourceLine {
    /// Returns the bytes of the statements and of their values.
    pub fn bytes(&self) -> usize {
        self.statement_bytes + self.value_bytes
    }
}
/// Where the statements and bytes of a tape come from, see [`Tape::summary`]. `Display` prints a table of the twenty largest
/// sources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The sources, those with the most bytes first.
    pub sources: Vec<SourceLine>,
    /// The contents of the tape as a whole.
    pub statistics: Statistics,
    /// Whether locations are exact, because the tape [traces](super::Builder::trace) them.
    pub traced: bool,
}

#[derive(Default)]
struct Measured {
    targets: usize,
    bytes: Option<usize>,
}
impl Measured {
    /// Numbers are not reported and have 8 bytes each.
    fn finish(&mut self) -> usize {
        let targets = take(&mut self.targets);
        self.bytes.take().unwrap_or(size_of::<f64>() * targets)
    }
}
impl ExpressionVisitor for Measured {
    fn variable(&mut self, _: NamedId) {}
    fn passive(&mut self) {}
    fn list(&mut self, _: usize) {}
    fn choice(&mut self, _: bool) {}
    fn operation(&mut self, _: &Dependence) {}
}
impl StatementVisitor for Measured {
    fn target(&mut self, _: NamedId, _: bool) {
        self.targets += 1;
    }
    fn measures(&self) -> bool {
        true
    }
    fn result(&mut self, _: String, bytes: usize) {
        self.bytes = Some(bytes);
    }
    fn input(&mut self, _: NamedId) {
        self.targets += 1;
    }
    fn end(&mut self, _: &'static Formula) {}
}

impl<M: Records> Tape<M> {
    /// Returns where the statements and bytes of the tape come from, by source line and expression, largest first.
    ///
    /// Without [tracing](super::Builder::trace), statements with equal expressions count for the line of the first one.
    ///
    /// ```
    /// use entape_core::{real::Elementary, tape::Tape};
    ///
    /// let mut tape: Tape = Tape::builder().trace(true).build()?;
    /// let x = tape.input(2.0);
    /// tape.record(|| {
    ///     let mut y = x;
    ///     for _ in 0..100 {
    ///         y = (y * y * 0.25).eval();
    ///     }
    ///     y.sin().eval()
    /// });
    /// let summary = tape.summary();
    /// assert_eq!(summary.sources[0].statements, 100); // the loop
    /// assert!(summary.sources[0].expression.contains("Mul("));
    /// println!("{summary}");
    /// # Ok::<(), entape_core::tape::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the tape is broken, see [`Error::Broken`](super::Error::Broken).
    #[track_caller]
    pub fn summary(&mut self) -> Summary {
        let (recording, sweep) = self.parts();
        let traced = recording.trace;
        let mut sources: HashMap<(&Location<'_>, *const Formula), SourceLine> = HashMap::new();
        let mut measured = Measured::default();
        sweep.replay(recording, |entry, context, block| {
            let statement = entry.statement;
            let bytes = block.len() + entry.words();
            (statement.show)(context, block, entry, &mut measured);
            let source = sources
                .entry((entry.location(), statement.formula))
                .or_insert_with(|| SourceLine {
                    location: entry.location(),
                    expression: statement.formula.to_string(),
                    statements: 0,
                    statement_bytes: 0,
                    value_bytes: 0,
                });
            source.statements += 1;
            source.statement_bytes += bytes;
            source.value_bytes += measured.finish();
        });
        let mut sources: Vec<_> = sources.into_values().collect();
        let place = |s: &SourceLine| (s.location.file(), s.location.line(), s.location.column());
        sources.sort_by(|a, b| (b.bytes().cmp(&a.bytes())).then(place(a).cmp(&place(b))));
        Summary {
            sources,
            statistics: self.statistics(),
            traced,
        }
    }
}
const SHOWN: usize = 20;
const LONGEST: usize = 80;
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "statements      their bytes     of values  where, and what"
        )?;
        for source in self.sources.iter().take(SHOWN) {
            let expression = &source.expression;
            let short: String = expression.chars().take(LONGEST).collect();
            let dots = if short.len() < expression.len() {
                ".."
            } else {
                ""
            };
            writeln!(
                f,
                "{:>10} {:>16} {:>13}  {} {short}{dots}",
                source.statements,
                amount(source.statement_bytes),
                amount(source.value_bytes),
                source.location,
            )?;
        }
        if let Some(more) = self.sources.len().checked_sub(SHOWN + 1) {
            let rest = &self.sources[SHOWN..];
            let bytes = rest.iter().map(SourceLine::bytes).sum();
            writeln!(f, "and {} more with {}", more + 1, amount(bytes))?;
        }
        if !self.traced {
            writeln!(
                f,
                "lines are those of the first statement with an expression; `trace(true)` shows each"
            )?;
        }
        write!(f, "{}", self.statistics)
    }
}

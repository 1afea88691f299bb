use entape_core::node::{Dependence, ExpressionVisitor, NamedId};
use entape_drivers::state::{Formula, StatementVisitor};

/// A hash that differs if statements have different operations or variables.
///
/// Formulas determine kinds, operations and constants, but not lists, choices and passive variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Fingerprint(u64);
impl Fingerprint {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        // The golden ratio; high bits depend on all others.
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
    }
    pub(super) fn result(&mut self, result: Option<NamedId>) {
        match result {
            Some(result) => self.variable(result),
            None => self.passive(),
        }
    }
}
impl ExpressionVisitor for Fingerprint {
    fn variable(&mut self, variable: NamedId) {
        self.add(u64::from(variable.id));
    }
    fn passive(&mut self) {
        self.add(1 << 32);
    }
    fn list(&mut self, count: usize) {
        self.add(2 << 32 ^ (count as u64) << 34);
    }
    fn choice(&mut self, first: bool) {
        self.add(3 << 32 | u64::from(first));
    }
    fn operation(&mut self, _: &Dependence) {}
}
impl StatementVisitor for Fingerprint {
    fn target(&mut self, target: NamedId, _: bool) {
        self.variable(target);
    }
    fn input(&mut self, input: NamedId) {
        self.variable(input);
    }
    fn identifiers(&mut self, formula: &'static Formula, identifiers: &[u8]) -> bool {
        let mut words = identifiers.chunks_exact(8);
        for word in &mut words {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            self.add(u64::from_ne_bytes(bytes));
        }
        let mut bytes = [0; 8];
        let rest = words.remainder();
        bytes[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_ne_bytes(bytes) ^ (formula as *const Formula as u64).rotate_left(32));
        true
    }
    fn end(&mut self, formula: &'static Formula) {
        self.add((formula as *const Formula as u64).rotate_left(32));
    }
}

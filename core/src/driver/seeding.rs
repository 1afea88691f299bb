//! How drivers give seeds to outputs and read gradients of inputs.
use super::{ChangeVariable, Gradient, ReadVariable, Tape, VisitVariable, constant::is_undefined};
use crate::{
    coordinates::Coordinates,
    error::Error,
    expr::Active,
    kind::{Kind, Val},
    mode::Mode,
    tape::Records,
};

/// The gradient with respect to a variable.
pub(super) struct GradientOf<'g, 't, M>(pub(super) &'g Gradient<'t, M>);
impl<M: Mode + Records> ReadVariable<M> for GradientOf<'_, '_, M> {
    fn read<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<Val<K>, Error> {
        self.0.wrt(variable)
    }
}
/// Gives outputs their seeds. Those that depend on no input are skipped.
pub(super) struct Seeding<'t, M: Records> {
    pub(super) tape: &'t mut Tape<M>,
    /// Whether there was another one.
    pub(super) any: bool,
    /// Whether there was one that has [no derivative](super::constant).
    pub(super) undefined: bool,
}
impl<'t, M: Mode + Records> Seeding<'t, M> {
    pub(super) fn new(tape: &'t mut Tape<M>) -> Self {
        Seeding {
            tape,
            any: false,
            undefined: false,
        }
    }
    #[track_caller]
    fn seed<K: Kind>(&mut self, variable: &Active<K, M>, seed: Val<K>) -> Result<(), Error> {
        self.undefined |= is_undefined(variable);
        if variable.is_active() {
            self.tape.seed(variable, seed)?;
            self.any = true;
        }
        Ok(())
    }
}
impl<M: Mode + Records> VisitVariable<M> for Seeding<'_, M> {
    #[track_caller]
    fn visit<K: Kind>(&mut self, variable: &Active<K, M>, seed: &Val<K>) -> Result<(), Error> {
        self.seed(variable, seed.clone())
    }
}
/// Seeds one coordinate of the outputs, so that nothing flows from the others.
pub(super) struct SeedingOne<'t, M: Records> {
    pub(super) seeding: Seeding<'t, M>,
    /// How many coordinates come before it, from the next output on.
    pub(super) before: Option<usize>,
    pub(super) result: Result<(), Error>,
}
impl<M: Mode + Records> ChangeVariable<M> for SeedingOne<'_, M> {
    fn change<K: Coordinates>(&mut self, variable: &mut Active<K, M>) {
        let Some(before) = self.before else {
            return;
        };
        let mut unit = Vec::new();
        K::coordinates(variable.get(), &mut unit);
        self.before = before.checked_sub(unit.len());
        if self.before.is_none() {
            unit.fill(0.0);
            unit[before] = 1.0;
            let seed = K::from_coordinates(variable.get(), &mut &unit[..]);
            self.result = self.seeding.seed(variable, seed);
        }
    }
}

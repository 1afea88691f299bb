//! The right-hand side in the block of a statement.
use crate::{
    formula::Formula,
    store::{Reader, Stacks},
};

#[derive(Clone, Copy)]
pub(super) struct RightHandSide<'b> {
    pub(super) variable_length: &'b [u8],
    pub(super) constants: &'b [u8],
    pub(super) fixed: &'b [u8],
}
impl<'b> RightHandSide<'b> {
    #[inline(always)]
    pub(super) fn reader(
        self,
        statement: &'static Formula,
        mixed: bool,
        stacks: &'b mut Stacks,
    ) -> Reader<'b> {
        let RightHandSide {
            variable_length,
            constants,
            fixed,
        } = self;
        Reader {
            statement,
            fixed,
            constants,
            variable_length,
            mixed,
            stacks,
        }
    }
}

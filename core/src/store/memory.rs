use super::{by_kind::AllValues, stacks::Stacks};

/// The values of a recording, by identifier and on stacks.
#[derive(Default)]
pub struct RecordedValues {
    pub(crate) values: AllValues,
    pub(crate) stacks: Stacks,
}
debug_by_name! { [] RecordedValues }

use entape_core::{
    expr::Elements,
    kind::{Carrier, TapeCell, Identifier, List, VariableId, Ownership, Policy, Slot, Version},
    mode::{OutputKind, OwnedId},
    node::Node,
    rule::{Evaluation, Saved},
};
struct Mine;
impl Policy for Mine {}
impl TapeCell<f64> for Mine {}
impl Evaluation<entape_core::op::Add, f64, f64, ()> for Mine {}
impl Saved<f64> for Mine {}
impl OutputKind for Mine {}
impl Elements for Mine {}
impl Node for Mine {}
impl Carrier for Mine {}
impl Identifier for Mine {}
impl Ownership for Mine {}
impl Version for Mine {}
fn main() {
    let _: OwnedId = Identifier::new(VariableId::PASSIVE, Slot::default());
    let _: Option<List<f64>> = None;
}

use entape_core::{
    expr::Elements,
    kind::{Carrier, Identifier, List, VariableId, Policy, Slot},
    mode::{OutputKind, OwnedId},
    node::Node,
    rule::{Evaluation, Saved},
};
struct Mine;
impl Policy<f64> for Mine {}
impl Evaluation<entape_core::op::Add, f64, f64, ()> for Mine {}
impl Saved<f64> for Mine {}
impl OutputKind for Mine {}
impl Elements for Mine {}
impl Node for Mine {}
impl Carrier for Mine {}
impl Identifier for Mine {}
fn main() {
    let _ = <OwnedId as Identifier>::new(VariableId::PASSIVE, Slot::default());
    let _: Option<List<f64>> = None;
}

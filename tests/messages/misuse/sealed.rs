use entape_core::{expr::Elements, kind::{ByValue, Form, Hold, List, Policy}, mode::{Outputs, AnyMode, Identifier, Meta, Owned, Slot, Version}, node::Node};
struct Mine;
impl Policy for Mine {}
impl Hold<f64> for Mine {}
impl Form<f64> for Mine {}
impl Outputs for Mine {}
impl Elements for Mine {}
impl Node for Mine {}
impl AnyMode for Mine {}
impl Identifier for Mine {}
impl Version for Mine {}
fn main() {
    let _: Owned = Identifier::new(Meta::PASSIVE, Slot::default());
    let _: Option<(List<f64>, ByValue)> = None;
}

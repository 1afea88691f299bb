//! Types that a statement cannot store are rejected at their position.
use entape_core::store::Stash;

#[derive(Stash)]
struct Borrowed<'a> {
    text: &'a str,
}

#[derive(Stash)]
struct Owning {
    number: f64,
    text: String,
}

#[derive(Stash)]
enum Empty {}

#[derive(Stash)]
union Bits {
    number: f32,
    bits: u32,
}

#[derive(Stash)]
#[stash(by = u8)]
struct Unknown(u8);

#[derive(Stash)]
#[stash(through = u8)]
struct OneWay(u8);
impl From<OneWay> for u8 {
    fn from(value: OneWay) -> u8 {
        value.0
    }
}

#[derive(Stash)]
enum Choice {
    Number(f64),
    Numbers(Vec<f64>),
}

fn main() {}

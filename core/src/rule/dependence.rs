use super::{A, B, C, R, Rule, Saved};
use crate::{kind::Kind, node::Dependence};

pub(super) const fn interactions<O: Rule<X, Y, Z>, X: Kind, Y: Kind, Z: Kind>() -> [u8; 3] {
    let (mut interacts, mut i) = (O::READS, 0);
    while i < 3 {
        if interacts[i] & R != 0 || <O::Saved as Saved<O::Out>>::BYTES[0] > 0 {
            interacts[i] = A | B | C;
        }
        i += 1;
    }
    interacts
}
pub(crate) const fn dependence<O: Rule<X, Y, Z>, X: Kind, Y: Kind, Z: Kind>() -> Dependence {
    let mut pairs = [0; 3];
    let (mut i, bits) = (0, [A, B, C]);
    while i < 3 {
        let mut j = 0;
        while j < 3 {
            if O::INTERACTS[i] & bits[j] != 0 {
                pairs[i] |= bits[j];
                pairs[j] |= bits[i];
            }
            j += 1;
        }
        i += 1;
    }
    Dependence {
        flows: O::FLOWS,
        pairs,
    }
}

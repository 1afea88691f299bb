//! The statements of programs. Each one is written twice: as by a user, and on numbers, by the formulas of the
//! textbook.
//!
//! Variables of all kinds are `x` (reals), `s` (of single precision), `z` (complex), `l` (lanes), `v` (arrays), `m` and
//! `u` (matrices and vectors), `f` (matrices of a fixed size), `a` and `b` (complex matrices and vectors), `h`, `w` and
//! `g` (lanes, arrays and matrices of single precision), `t` and `d` (arrays and matrices of any size), three of each.
//! `i, j, k` name variables, `p, q` elements (below `n`), and `c` is a constant.
mod arrays;
mod clones;
mod complex;
mod complex_matrices;
mod lanes;
mod matrices;
mod mixed;
mod own;
mod reals;
mod shapes;
mod single;
mod singles;
mod spectra;

use crate::state::{Entities, Numbers};
use entape::mode::{AnyMode, Plain, Reuse, Taped};

#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) i: usize,
    pub(crate) j: usize,
    pub(crate) k: usize,
    pub(crate) p: usize,
    pub(crate) q: usize,
    pub(crate) c: f64,
    pub(crate) n: usize,
}
pub(crate) type OfEntities<M> = fn(&mut Entities<M>, At);
pub(crate) type OfNumbers = fn(&mut Numbers, At);

pub(crate) trait Run<M: AnyMode> {
    fn run(state: &mut Entities<M>, at: At);
}
pub(crate) trait Chosen<M: AnyMode> {
    fn unmarked<R: Run<M>>() -> Option<OfEntities<M>> {
        Some(R::run)
    }
    fn taped<R: Run<M>>() -> Option<OfEntities<M>> {
        Some(R::run)
    }
}
impl Chosen<Plain> for Plain {}
impl Chosen<Taped> for Taped {}
impl Chosen<Reuse> for Reuse {
    fn taped<R: Run<Reuse>>() -> Option<OfEntities<Reuse>> {
        None
    }
}
pub(crate) struct Common;
impl<M: AnyMode> Chosen<M> for Common {
    fn unmarked<R: Run<M>>() -> Option<OfEntities<M>> {
        None
    }
    fn taped<R: Run<M>>() -> Option<OfEntities<M>> {
        None
    }
}

/// Declares the statements of an area. The names are declared once, because code from elsewhere does not see the names
/// of a macro. To save compile time, the mode of second derivatives only has statements marked `second`, and the reuse
/// mode lacks statements marked `taped`.
macro_rules! statements {
    (names $pools:tt $at:tt; $($($mark:ident)? { $($code:tt)* } => { $($exact:tt)* })*) => {
        pub(super) const SOURCES: &[&str] = &[$( stringify!($($code)*) ),*];
        // Types are inferred within a function.
        pub(super) fn entities<M: entape::mode::AnyMode, C: $crate::statements::Chosen<M>>()
        -> Vec<Option<$crate::statements::OfEntities<M>>> {
            vec![$( {
                struct Here;
                impl<M: entape::mode::AnyMode> $crate::statements::Run<M> for Here {
                    #[allow(unused_variables)]
                    fn run(state: &mut $crate::state::Entities<M>, at: $crate::statements::At) {
                        let $crate::state::Entities $pools = state;
                        let $crate::statements::At $at = at;
                        $($code)*
                    }
                }
                $crate::statements::choose!($($mark)?; M, C, Here)
            } ),*]
        }
        pub(super) const NUMBERS: &[$crate::statements::OfNumbers] = &[$( {
            #[allow(unused_variables)]
            fn statement(state: &mut $crate::state::Numbers, at: $crate::statements::At) {
                let $crate::state::Numbers $pools = state;
                let $crate::statements::At $at = at;
                $($exact)*
            }
            statement
        } ),*];
    };
}
use statements;
macro_rules! choose {
    (; $M:ident, $C:ident, $Here:ident) => {
        $C::unmarked::<$Here>()
    };
    (taped; $M:ident, $C:ident, $Here:ident) => {
        $C::taped::<$Here>()
    };
    (second; $M:ident, $C:ident, $Here:ident) => {
        Some(<$Here as $crate::statements::Run<$M>>::run as _)
    };
}
use choose;

macro_rules! areas { ($($area:ident)*) => {
    pub(crate) const AREAS: &[usize] = &[$( $area::SOURCES.len() ),*];
    pub(crate) fn entities<M: AnyMode, C: Chosen<M>>() -> Vec<Option<OfEntities<M>>> {
        let mut all = Vec::new();
        $( all.extend($area::entities::<M, C>()); )*
        all
    }
    pub(crate) fn numbers() -> Vec<OfNumbers> {
        [$( $area::NUMBERS ),*].concat()
    }
    pub(crate) fn sources() -> Vec<&'static str> {
        [$( $area::SOURCES ),*].concat()
    }
} }
areas! { reals clones own single complex lanes arrays matrices complex_matrices mixed spectra singles shapes }

pub(crate) const COUNT: usize = {
    let (mut count, mut area) = (0, 0);
    while area < AREAS.len() {
        count += AREAS[area];
        area += 1;
    }
    count
};
pub(crate) fn area(mut statement: usize) -> usize {
    let within = |&count: &usize| {
        let within = statement < count;
        statement = statement.wrapping_sub(count);
        within
    };
    AREAS.iter().position(within).expect("a statement")
}

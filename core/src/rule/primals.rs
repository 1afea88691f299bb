use super::definition::{A, B, C, R};
use crate::{
    kind::{Arg, Kind, Need},
    names::short,
};

/// The primal values that adjoint formulas read.
pub struct Primals<'p, A: Kind, B: Kind, C: Kind, O: Kind> {
    pub(crate) a: Option<Arg<'p, A>>,
    pub(crate) b: Option<Arg<'p, B>>,
    pub(crate) c: Option<Arg<'p, C>>,
    pub(crate) r: Option<Arg<'p, O>>,
    pub(crate) rule: &'static str,
}
debug_by_name! { ['p, A: Kind, B: Kind, C: Kind, O: Kind] Primals<'p, A, B, C, O> }
/// Arguments and result; `None` where not loaded.
pub type Known<'p, A, B, C, O> = (
    Option<Arg<'p, A>>,
    Option<Arg<'p, B>>,
    Option<Arg<'p, C>>,
    Option<Arg<'p, O>>,
);
impl<A: Kind, B: Kind, C: Kind, O: Kind> Clone for Primals<'_, A, B, C, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: Kind, B: Kind, C: Kind, O: Kind> Copy for Primals<'_, A, B, C, O> {}
impl<'p, A: Kind, B: Kind, C: Kind, O: Kind> Primals<'p, A, B, C, O> {
    #[cold]
    fn undeclared(&self, what: &str) -> ! {
        panic!(
            "the adjoint of {} reads {what}, which its `Rule::READS` does not declare: add the argument to `READS`",
            short(self.rule)
        )
    }
    /// Returns the first argument.
    ///
    /// # Panics
    /// If [`Rule::READS`](super::Rule::READS) does not declare it.
    #[inline(always)]
    pub fn a(&self) -> Arg<'p, A> {
        self.a
            .unwrap_or_else(|| self.undeclared("its first argument"))
    }
    /// Returns the second argument; panics like [`a`](Self::a).
    #[inline(always)]
    pub fn b(&self) -> Arg<'p, B> {
        self.b
            .unwrap_or_else(|| self.undeclared("its second argument"))
    }
    /// Returns the third argument; panics like [`a`](Self::a).
    #[inline(always)]
    pub fn c(&self) -> Arg<'p, C> {
        self.c
            .unwrap_or_else(|| self.undeclared("its third argument"))
    }
    /// Returns arguments and result; `None` where not loaded.
    #[inline(always)]
    pub fn known(&self) -> Known<'p, A, B, C, O> {
        (self.a, self.b, self.c, self.r)
    }
    /// Removes undeclared operands; panics name `rule`.
    #[doc(hidden)]
    pub fn only(self, reads: u8, rule: &'static str) -> Self {
        Primals {
            a: self.a.filter(|_| reads & A != 0),
            b: self.b.filter(|_| reads & B != 0),
            c: self.c.filter(|_| reads & C != 0),
            r: self.r.filter(|_| reads & R != 0),
            rule,
        }
    }
    /// Returns the result; panics like [`a`](Self::a).
    #[inline(always)]
    pub fn r(&self) -> Arg<'p, O> {
        self.r.unwrap_or_else(|| self.undeclared("its result"))
    }
}

pub(crate) const fn needs(
    need: Need,
    active: [bool; 3],
    reads: [u8; 3],
    saves_result: bool,
) -> [Need; 4] {
    let mut read = 0;
    let mut i = 0;
    while i < 3 {
        if active[i] {
            read |= reads[i];
        }
        i += 1;
    }
    let result = need.value() || read & R != 0;
    let again = result && !saves_result && !matches!(need, Need::InSlot);
    [
        value_if(again || read & A != 0),
        value_if(again || read & B != 0),
        value_if(again || read & C != 0),
        value_if(result),
    ]
}
const fn value_if(read: bool) -> Need {
    if read { Need::Recompute } else { Need::Unused }
}

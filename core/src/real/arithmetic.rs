//! Arithmetic, for every kind made of numbers.
use crate::{
    kind::Stash,
    rule::{A, B, Elementwise, Lane, R},
    tape::{Reader, Writer},
};

macro_rules! arithmetic { ($($Op:ident<$N:literal> $reads:expr, |$x:pat_param| $primal:expr, |$r:ident, $r_b:ident| [$($adjoint:expr),*];)*) => { $(
    #[doc = concat!("The operation `", stringify!($Op), "`.")]
    #[derive(Clone, Copy, Debug)]
    pub struct $Op;
    impl Stash for $Op {
        const BYTES: usize = 0;
        #[inline(always)]
        fn stash(self, _: &mut Writer<'_>) {}
        #[inline(always)]
        fn fetch(_: &mut Reader<'_>) -> Self { $Op }
    }
    impl Elementwise<$N> for $Op {
        const READS: [u8; 3] = $reads;
        #[inline(always)]
        fn primal<L: Lane>(&self, $x: [L; $N]) -> L { $primal }
        #[inline(always)]
        #[allow(unused_variables)]
        fn adjoint<L: Lane>(&self, i: usize, $x: [L; $N], $r: L, $r_b: L) -> L {
            let mut k = 0;
            $( if i == k { return $adjoint } k += 1; )*
            let _ = k;
            unreachable!()
        }
    }
)* } }
arithmetic! {
    Add<2> [0, 0, 0], |[a, b]| a + b, |r, r_b| [r_b, r_b];
    Sub<2> [0, 0, 0], |[a, b]| a - b, |r, r_b| [r_b, -r_b];
    Mul<2> [B, A, 0], |[a, b]| a * b, |r, r_b| [r_b * b, r_b * a];
    Div<2> [B, B | R, 0], |[a, b]| a / b, |r, r_b| [r_b / b, -r_b * r / b];
    Neg<1> [0, 0, 0], |[a]| -a, |r, r_b| [-r_b];
}
/// Remainder.
pub struct Rem;
impl Stash for Rem {
    const BYTES: usize = 0;
    fn stash(self, _: &mut Writer<'_>) {}
    fn fetch(_: &mut Reader<'_>) -> Self {
        Rem
    }
}

//! The instruction sets that loops are compiled for, and which of them runs.
//!
//! Without flags, a compiler makes code for the oldest processor of a target. So the loops in which programs spend
//! their time are compiled for newer instruction sets as well, and the widest set that the processor has is chosen at
//! run time. These are several versions of the code, so tests run at [each level](levels).
use entape_core::kind::PieceLoop;
use pulp::NullaryFnOnce;
use std::cell::Cell;

/// An instruction set, from the narrowest to the widest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// That of the target for which the crate was compiled.
    Target,
    /// AVX2 with fused multiplication.
    Avx2,
    /// AVX-512.
    Avx512,
}

thread_local! {
    /// The widest level that this thread may use.
    static WIDEST: Cell<Level> = const { Cell::new(Level::Avx512) };
}

/// The levels that the processor has.
pub fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Target, Level::Avx2, Level::Avx512];
    all.into_iter().filter(|&level| kernel::has(level))
}
/// Runs `f` while no loop of this thread uses a wider level.
pub fn limited_to<R>(level: Level, f: impl FnOnce() -> R) -> R {
    struct Restore(Level);
    impl Drop for Restore {
        fn drop(&mut self) {
            WIDEST.set(self.0);
        }
    }
    let _restore = Restore(WIDEST.replace(level));
    f()
}

/// Runs `f` in code for the widest level above that of the target, or returns it as an error if there is none.
#[inline(always)]
pub(crate) fn vectorize<F: NullaryFnOnce>(f: F) -> Result<F::Output, F> {
    kernel::vectorize(f)
}
/// Runs a loop that the compiler vectorises, in code for the widest level.
///
/// Without optimisation it vectorises nothing, so that builds with `debug_assertions` have one version of the loop in the
/// place of three, and take as much less time to compile.
#[inline(always)]
pub(crate) fn run_loop(run: impl PieceLoop) {
    if cfg!(debug_assertions) {
        run.run();
    } else {
        vectorize(Loop(run)).unwrap_or_else(NullaryFnOnce::call);
    }
}
/// Runs a loop that the compiler vectorises, in code for the widest level above that of the target, and tells whether there
/// is one. Builds with `debug_assertions` are as those of [`run_loop`].
#[inline(always)]
pub(crate) fn run_wider_loop(run: impl PieceLoop) -> bool {
    if cfg!(debug_assertions) {
        run.run();
        return true;
    }
    vectorize(Loop(run)).is_ok()
}
/// A loop for [`vectorize`].
struct Loop<R>(R);
impl<R: PieceLoop> NullaryFnOnce for Loop<R> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        self.0.run();
    }
}

#[cfg(target_arch = "x86_64")]
mod kernel {
    use super::{Level, WIDEST};
    use pulp::{
        NullaryFnOnce,
        x86::{V3, V4},
    };

    #[inline(always)]
    fn may_take(level: Level) -> bool {
        WIDEST.get() >= level
    }
    pub(super) fn has(level: Level) -> bool {
        match level {
            Level::Target => true,
            Level::Avx2 => V3::try_new().is_some(),
            Level::Avx512 => V4::try_new().is_some(),
        }
    }
    #[inline(always)]
    pub(super) fn vectorize<F: NullaryFnOnce>(f: F) -> Result<F::Output, F> {
        if may_take(Level::Avx512)
            && let Some(machine) = V4::try_new()
        {
            Ok(machine.vectorize(f))
        } else if may_take(Level::Avx2)
            && let Some(machine) = V3::try_new()
        {
            Ok(machine.vectorize(f))
        } else {
            Err(f)
        }
    }
}
#[cfg(not(target_arch = "x86_64"))]
mod kernel {
    use super::Level;

    pub(super) fn has(level: Level) -> bool {
        level == Level::Target
    }
    /// The target for which this crate is compiled has these vectors in any case.
    #[inline(always)]
    pub(super) fn vectorize<F: pulp::NullaryFnOnce>(f: F) -> Result<F::Output, F> {
        Err(f)
    }
}

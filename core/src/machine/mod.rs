//! Instruction sets: loops in code for the widest set of the processor, and the register state that kernels in assembly
//! language leave.
//!
//! Without flags, a compiler generates code for the oldest processor of a target. So the loops in which programs spend
//! their time are compiled for newer instruction sets, too, and the widest set of the processor is chosen at run time.
//! These are several versions of the code, so tests run at [each level](levels).
#![allow(unsafe_code)] // code for instruction sets whose availability is known only at run time
#[cfg_attr(not(target_arch = "x86_64"), path = "target.rs")]
mod wider;

use std::{cell::Cell, sync::LazyLock};

/// A loop over pieces: a closure whose body is certain to be inlined.
pub trait PieceLoop {
    /// Runs the loop.
    fn run(self);
}

/// An instruction set, from the narrowest to the widest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The instruction set of the compilation target.
    Target,
    /// AVX2 with fused multiplication.
    Avx2,
    /// AVX-512.
    Avx512,
}

/// The widest level of the processor.
static MACHINE: LazyLock<Level> = LazyLock::new(wider::widest);
thread_local! {
    /// The widest level that this thread may use.
    static LIMIT: Cell<Level> = const { Cell::new(Level::Avx512) };
}

/// Returns the levels of the processor.
pub fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Target, Level::Avx2, Level::Avx512];
    all.into_iter().filter(|&level| level <= *MACHINE)
}
/// Runs `f` while this thread does not use a wider level.
pub fn limited_to<R>(level: Level, f: impl FnOnce() -> R) -> R {
    struct Restore(Level);
    impl Drop for Restore {
        fn drop(&mut self) {
            LIMIT.set(self.0);
        }
    }
    let _restore = Restore(LIMIT.replace(level));
    f()
}

/// Runs a loop that the compiler vectorises in code for the widest level.
///
/// Without optimisation nothing is vectorised, so builds with `debug_assertions` have one version of the loop instead of
/// three, and compile accordingly faster.
#[inline(always)]
pub fn run_loop(run: impl PieceLoop) {
    if cfg!(debug_assertions) {
        run.run();
    } else if let Err(run) = run_wider(run) {
        run.run();
    }
}
/// Runs a loop that the compiler vectorises in code for the widest level above [`Level::Target`]. Returns false if the
/// processor has no such level. Builds with `debug_assertions` have one version of the loop, as with [`run_loop`].
#[inline(always)]
pub fn run_wider_loop(run: impl PieceLoop) -> bool {
    if cfg!(debug_assertions) {
        run.run();
        return true;
    }
    run_wider(run).is_ok()
}
/// Runs a loop in code for the widest level above [`Level::Target`].
///
/// # Errors
/// Returns the loop if the processor has no such level.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run_wider<L: PieceLoop>(run: L) -> Result<(), L> {
    wider::run(LIMIT.get().min(*MACHINE), run)
}

/// Clears the upper halves of the vector registers. Call it after code in assembly language that used them and does not
/// clear them itself, such as kernels for AVX-512. The compiler clears them for its own code.
///
/// Until then, each instruction on short vectors preserves the upper half, and so depends on the previous instruction.
/// Compilers generate such instructions for loops unless wider ones are enabled, and these loops take up to four times
/// as long. On other processors this function does nothing.
#[inline]
pub fn clear_upper_halves() {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx"), not(miri)))]
    {
        #[target_feature(enable = "avx")]
        fn clear() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        if std::arch::is_x86_feature_detected!("avx") {
            // SAFETY: the processor has the instruction.
            unsafe { clear() };
        }
    }
}

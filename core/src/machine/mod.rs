//! Instruction sets: loops in code for the widest set of the processor, and the state that kernels in assembly language leave behind.
//!
//! Without flags, a compiler makes code for the oldest processor of a target. So the loops in which programs spend
//! their time are compiled for newer instruction sets as well, and the widest set that the processor has is chosen at
//! run time. These are several versions of the code, so tests run at [each level](levels).
#![allow(unsafe_code)] // code for instruction sets of which only the running program knows whether the processor has them
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
    /// That of the target for which the crate was compiled.
    Target,
    /// AVX2 with fused multiplication.
    Avx2,
    /// AVX-512.
    Avx512,
}

/// The widest level that the processor has.
static MACHINE: LazyLock<Level> = LazyLock::new(wider::widest);
thread_local! {
    /// The widest level that this thread may use.
    static LIMIT: Cell<Level> = const { Cell::new(Level::Avx512) };
}

/// Returns the levels that the processor has.
pub fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Target, Level::Avx2, Level::Avx512];
    all.into_iter().filter(|&level| level <= *MACHINE)
}
/// Runs `f` while no loop of this thread uses a wider level.
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
/// Without optimisation it vectorises nothing, so that builds with `debug_assertions` have one version of the loop in the
/// place of three, and take as much less time to compile.
#[inline(always)]
pub fn run_loop(run: impl PieceLoop) {
    if cfg!(debug_assertions) {
        run.run();
    } else if let Err(run) = run_wider(run) {
        run.run();
    }
}
/// Runs a loop that the compiler vectorises in code for the widest level above [`Level::Target`]. Returns false if the processor has none.
/// Builds with `debug_assertions` have one version of the loop, as with [`run_loop`].
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

/// Clears the upper halves of the vector registers. It is to be called after code in assembly language that used them
/// and does not clear them itself, as kernels for AVX-512 do. The compiler clears them for its own code.
///
/// Until then, each instruction on short vectors keeps what stands in the upper half, and so waits for the one before.
/// Compilers make such instructions of loops unless they are told of wider ones, and these loops take up to four times
/// as long. On other processors this does nothing.
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

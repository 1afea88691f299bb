//! Loops for the widest instruction set, and registers after assembly code.
//!
//! Without flags, code is for the oldest processor of a target. Hot loops are also compiled for newer sets, chosen at
//! run time. Tests run them at [each level](levels).
#![allow(unsafe_code)] // code for instruction sets whose availability is known only at run time
#[cfg_attr(not(target_arch = "x86_64"), path = "target.rs")]
mod wider;

use std::{cell::Cell, sync::LazyLock};

/// A loop as a closure whose body is certain to be inlined.
pub trait PieceLoop {
    /// Runs the loop.
    fn run(self);
}

/// An instruction set, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The instruction set of the compilation target.
    Target,
    /// AVX2 with fused multiplication.
    Avx2,
    /// AVX-512.
    Avx512,
}

static MACHINE: LazyLock<Level> = LazyLock::new(wider::widest);
thread_local! {
    static LIMIT: Cell<Level> = const { Cell::new(Level::Avx512) };
}

/// Returns the levels of the processor.
pub fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Target, Level::Avx2, Level::Avx512];
    all.into_iter().filter(|&level| level <= *MACHINE)
}
/// Runs `f` with this thread limited to a level.
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

/// Runs a loop that the compiler vectorises, at the widest level. Builds with `debug_assertions` compile only one version.
#[inline(always)]
pub fn run_loop(run: impl PieceLoop) {
    if cfg!(debug_assertions) {
        run.run();
    } else if let Err(run) = run_wider(run) {
        run.run();
    }
}
/// Runs a loop as [`run_loop`] does, or returns false if [`Level::Target`] is the widest level.
#[inline(always)]
pub fn run_wider_loop(run: impl PieceLoop) -> bool {
    if cfg!(debug_assertions) {
        run.run();
        return true;
    }
    run_wider(run).is_ok()
}
/// Runs a loop at the widest level.
///
/// # Errors
/// Returns the loop if [`Level::Target`] is the widest level.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run_wider<L: PieceLoop>(run: L) -> Result<(), L> {
    wider::run(LIMIT.get().min(*MACHINE), run)
}

/// Clears the upper halves of the vector registers after assembly code, such as kernels for AVX-512.
///
/// Otherwise instructions on short vectors depend on the upper halves, and loops take up to four times as long.
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

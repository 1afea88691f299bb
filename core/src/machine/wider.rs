//! Code for wider instruction sets of x86.
#![allow(unsafe_code)] // the availability on the processor is known only at run time
use super::{Level, PieceLoop};
use std::arch::is_x86_feature_detected as has;

pub(super) fn widest() -> Level {
    let avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2");
    if !(avx2 && has!("lzcnt") && has!("popcnt")) {
        return Level::Target;
    }
    let avx512 = has!("avx512f") && has!("avx512bw") && has!("avx512cd");
    match avx512 && has!("avx512dq") && has!("avx512vl") {
        true => Level::Avx512,
        false => Level::Avx2,
    }
}
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn run<L: PieceLoop>(level: Level, run: L) -> Result<(), L> {
    match level {
        Level::Target => return Err(run),
        // SAFETY: `widest` found all features of this level on the processor.
        Level::Avx2 => unsafe { avx2(run) },
        // SAFETY: `widest` found all features of this level on the processor.
        Level::Avx512 => unsafe { avx512(run) },
    }
    Ok(())
}
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2(run: impl PieceLoop) {
    run.run();
}
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn avx512(run: impl PieceLoop) {
    run.run();
}

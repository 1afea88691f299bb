//! What a processor wants to be told between code for its widest vectors and other code.
#![allow(unsafe_code)] // an instruction that std has no function for

/// Tells the processor that nobody needs the upper halves of its vector registers any more: to be called after code in assembly
/// language that used them and does not say so itself, as kernels for AVX-512 do. The compiler does it for its own.
///
/// Until then, each instruction on short vectors, which is what a compiler makes of loops where no other instructions are asked for,
/// keeps what stands in the upper half, and so waits for the one before: such loops take up to four times as long. Does nothing on other processors.
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

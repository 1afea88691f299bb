//! CPU state that has to be restored after kernels in assembly language, for DSLs that call such kernels.
#![allow(unsafe_code)] // an instruction that std has no function for

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

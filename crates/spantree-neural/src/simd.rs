//! Vector instructions chosen at run time.
//!
//! A [`Kernel`] is a loop written in plain Rust. [`run`] compiles it once for each of the [`Instructions`], where the compiler
//! makes vectors of it. Fused sums round once, so plain results differ from the others in the last bits; those of AVX2 and
//! AVX-512 are the same, bit for bit, because no order of sums depends on the length of vectors. [`limited_to`] lets tests
//! compare them.

use std::cell::Cell;

/// What a processor can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// What every processor of this architecture has.
    Plain,
    /// Vectors of eight `f32` with fused multiply-add.
    Avx2,
    /// Vectors of sixteen, and twice as many registers.
    Avx512,
}

impl Instructions {
    /// All of them, from the slowest to the fastest.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Avx2, Self::Avx512];

    /// The best that this processor has.
    #[must_use]
    #[inline]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            return if wide { Self::Avx512 } else { Self::Avx2 };
        }
        Self::Plain
    }
}

thread_local! {
    /// The best instructions that this thread may use.
    static LIMIT: Cell<Instructions> = const { Cell::new(Instructions::Avx512) };
}

/// Does some work on this thread with no better instructions than these.
pub fn limited_to<R>(limit: Instructions, work: impl FnOnce() -> R) -> R {
    let before = LIMIT.replace(limit);
    let result = work();
    LIMIT.set(before);
    result
}

/// A loop worth its own machine code.
pub trait Kernel {
    /// The loop, for a processor with fused operations or not, with registers for sixteen `f32` or fewer. Implementations are
    /// `#[inline(always)]`, as is all that they call: only then the instructions are used.
    fn run<const FUSED: bool, const WIDE: bool>(self);
}

/// Runs a kernel with the best instructions that the processor has.
#[inline]
pub fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "functions for some processors only")]
    match Instructions::best().min(LIMIT.get()) {
        Instructions::Plain => kernel.run::<false, false>(),
        // SAFETY: the processor has the features; nothing else about the calls is unsafe.
        Instructions::Avx2 => unsafe { avx2(kernel) },
        Instructions::Avx512 => unsafe { avx512(kernel) },
    }
    // Fused operations belong to the base of some architectures.
    #[cfg(not(target_arch = "x86_64"))]
    if cfg!(target_arch = "aarch64") {
        kernel.run::<true, false>();
    } else {
        kernel.run::<false, false>();
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(kernel: impl Kernel) {
    kernel.run::<true, false>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512(kernel: impl Kernel) {
    kernel.run::<true, true>();
}

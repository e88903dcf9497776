//! Vector instructions chosen at run time.
//!
//! A [`Kernel`] is a loop written in plain Rust. [`run`] compiles it twice: for any processor, and for AVX2 with fused
//! multiply-add, where the compiler makes vectors of eight. Fused sums round once, so the two differ in the last bits;
//! [`plainly`] shows by how much.

use std::cell::Cell;

thread_local! {
    /// Whether this thread uses the instructions that every processor has.
    static PLAIN: Cell<bool> = const { Cell::new(false) };
}

/// Does some work on this thread with the instructions that every processor of this architecture has.
pub fn plainly<R>(work: impl FnOnce() -> R) -> R {
    let before = PLAIN.replace(true);
    let result = work();
    PLAIN.set(before);
    result
}

/// A loop worth its own machine code.
pub trait Kernel {
    /// The loop. Implementations are `#[inline(always)]`, as is all that they call: only then the instructions are used.
    fn run<const FUSED: bool>(self);
}

/// Runs a kernel with the best instructions that the processor has.
#[inline]
pub fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && !PLAIN.get() {
        // SAFETY: the processor has both features; nothing else about the call is unsafe.
        #[expect(unsafe_code, reason = "a function for some processors only")]
        unsafe {
            avx2(kernel);
        }
        return;
    }
    run_plain(kernel);
}

/// Runs a kernel with the instructions that every processor of this architecture has.
pub fn run_plain(kernel: impl Kernel) {
    // Fused operations belong to the base of this architecture.
    if cfg!(target_arch = "aarch64") { kernel.run::<true>() } else { kernel.run::<false>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(kernel: impl Kernel) {
    kernel.run::<true>();
}

//! One binary for every processor: a kernel is compiled for several instruction sets, and the best
//! one is chosen at run time.

/// The widest vector instructions that a kernel may use here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What every processor of this architecture has (SSE2 on x86-64, NEON on aarch64).
    Base,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The level of this processor. The standard library caches the detection.
#[inline]
pub fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            return Level::Avx512;
        }
        if is_x86_feature_detected!("avx2") {
            return Level::Avx2;
        }
    }
    Level::Base
}

/// All levels of this processor, to compare kernels with each other.
pub fn levels() -> Vec<Level> {
    let all = [
        Level::Base,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512,
    ];
    let last = all.iter().position(|&each| each == level()).unwrap_or(0);
    all[..=last].to_vec()
}

/// Prefetches the cache line of one item into L1.
#[inline(always)]
pub fn prefetch<T>(items: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing but the cache, and the address is that of an item.
        #[allow(unsafe_code, reason = "the instruction has no safe name")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at);
}

/// Prefetches a row into L2, which allows more outstanding misses than L1. Their number limits
/// passes over rows that are scattered in memory.
#[inline(always)]
pub fn prefetch_row<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in items.chunks(64 / size_of::<T>().clamp(1, 64)) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: as in `prefetch`.
        #[allow(unsafe_code, reason = "the instruction has no safe name")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

/// `at_level!(level, kernel::<T>(arguments))` calls an `#[inline(always)]` function compiled for
/// that level.
///
/// No fused multiply-add is enabled, so that every level rounds alike and gives the same bits.
#[macro_export]
macro_rules! at_level {
    ($level:expr, $kernel:ident::<$type:ident>($($name:ident: $arg:ty),* $(,)?)) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn avx2<$type: $crate::Real>($($name: $arg),*) {
            $kernel::<$type>($($name),*)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn avx512<$type: $crate::Real>($($name: $arg),*) {
            $kernel::<$type>($($name),*)
        }
        match $level {
            $crate::kernel::simd::Level::Base => $kernel::<$type>($($name),*),
            // SAFETY: the level says that this processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::simd::Level::Avx2 => unsafe { avx2::<$type>($($name),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::simd::Level::Avx512 => unsafe { avx512::<$type>($($name),*) },
        }
    }};
}
pub use at_level;

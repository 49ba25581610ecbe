//! The two number types tall data may be stored in.

use serde::{Deserialize, Serialize};

/// Which number type holds tall data (one row per node). Small algebra is `f64` either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 4 bytes a number: half the memory and memory traffic, about 7 digits.
    #[default]
    F32,
    /// 8 bytes a number, about 16 digits.
    F64,
}

impl Precision {
    /// Bytes one number takes.
    pub fn bytes(self) -> usize {
        match self {
            Precision::F32 => 4,
            Precision::F64 => 8,
        }
    }
}

/// A number type for tall data: `f32` or `f64`.
pub trait Real:
    bytemuck::Pod
    + faer::traits::ComplexField<Real = Self>
    + Send
    + Sync
    + PartialOrd
    + std::ops::AddAssign
    + std::ops::SubAssign
    + std::ops::Mul<Output = Self>
    + std::ops::Add<Output = Self>
    + std::fmt::Debug
    + 'static
{
    /// The value zero.
    const ZERO: Self;
    /// The value one.
    const ONE: Self;
    /// Distance from 1 to the next larger number, as `f64`.
    const EPSILON: f64;
    /// The run-time name of this type.
    const PRECISION: Precision;

    /// Rounds from `f64`.
    fn from_f64(value: f64) -> Self;
    /// Widens to `f64`.
    fn to_f64(self) -> f64;
}

macro_rules! real {
    ($type:ty, $precision:expr) => {
        impl Real for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = <$type>::EPSILON as f64;
            const PRECISION: Precision = $precision;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    };
}

real!(f32, Precision::F32);
real!(f64, Precision::F64);

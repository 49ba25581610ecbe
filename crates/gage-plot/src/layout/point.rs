//! Points of a map.

/// A point of the map.
pub type Point = [f32; 2];

//! The cost of a stage. Every stage states it in its own file.

/// Memory, passes and work of a stage, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    /// Bytes of tall blocks at the fullest moment.
    pub(crate) bytes: usize,
    /// Passes over each view.
    pub(crate) passes: usize,
    /// Columns that all these passes together multiply each view by.
    pub(crate) pass_columns: usize,
    /// Multiply-adds of Gram matrices of tall blocks, in double precision.
    pub(crate) gram_flops: f64,
    /// Multiply-adds of tall times small, in double precision.
    pub(crate) update_flops: f64,
    /// As `gram_flops`, in working precision.
    pub(crate) working_gram_flops: f64,
    /// As `update_flops`, in working precision.
    pub(crate) working_update_flops: f64,
}

impl Cost {
    /// This stage and then another one, which takes over its memory.
    pub(crate) fn then(self, next: Cost) -> Cost {
        Cost {
            bytes: self.bytes.max(next.bytes),
            passes: self.passes + next.passes,
            pass_columns: self.pass_columns + next.pass_columns,
            gram_flops: self.gram_flops + next.gram_flops,
            update_flops: self.update_flops + next.update_flops,
            working_gram_flops: self.working_gram_flops + next.working_gram_flops,
            working_update_flops: self.working_update_flops + next.working_update_flops,
        }
    }

    /// Multiply-adds of all tall dense algebra.
    pub(crate) fn dense_flops(&self) -> f64 {
        self.gram_flops + self.update_flops + self.working_gram_flops + self.working_update_flops
    }
}

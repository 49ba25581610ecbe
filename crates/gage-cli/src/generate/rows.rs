//! Offsets of the rows of a matrix that is written while it is made.

use std::io;

use gage_embed::io::IndexSink;

/// Passes the offset of every row on, and the number of entries at the end.
pub(super) fn write_indptr(lengths: &[u32], sink: IndexSink<'_, u64>) -> io::Result<()> {
    let mut sum = 0;
    sink(&[0])?;
    for chunk in lengths.chunks(1 << 14) {
        let ends: Vec<u64> = chunk
            .iter()
            .map(|&length| {
                sum += u64::from(length);
                sum
            })
            .collect();
        sink(&ends)?;
    }
    Ok(())
}

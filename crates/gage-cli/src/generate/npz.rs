//! Writing NumPy arrays and archives of them.

use std::io::Write;

use anyhow::Result;

/// The header of a `.npy` file: type as NumPy writes it (`<i8`), shape as Python writes it (`(3,)`).
pub(super) fn header(kind: &str, shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and length take 10 bytes; the whole is a multiple of 64 and ends in a line feed.
    let padded = (10 + text.len() + 1).div_ceil(64) * 64;
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&((padded - 10) as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.resize(padded - 1, b' ');
    out.push(b'\n');
    out
}

/// Receives the content of an array piece by piece.
pub(super) type Sink<'a> = dyn FnMut(&[u8]) -> Result<()> + 'a;

/// Receives columns of a matrix piece by piece.
pub(super) type ColumnSink<'a> = dyn FnMut(&[u32]) -> Result<()> + 'a;

/// An archive of stored (not compressed) arrays, with 64-bit sizes throughout: they may pass 4 GB.
pub(super) struct Archive<'a> {
    out: &'a mut dyn Write,
    written: u64,
    directory: Vec<u8>,
    members: u64,
}

const VERSION: u16 = 45;
/// The earliest date an archive can hold: the same input then gives the same bytes.
const DATE: [u8; 4] = [0, 0, 0x21, 0];

impl<'a> Archive<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Archive<'a> {
        Archive { out, written: 0, directory: Vec::new(), members: 0 }
    }

    /// Adds an array. `content` is asked twice, first for the checksum, then for the bytes, so that neither the whole
    /// array nor a way back in the file is needed.
    pub(super) fn add(
        &mut self,
        name: &str,
        kind: &str,
        shape: &str,
        mut content: impl FnMut(&mut Sink<'_>) -> Result<()>,
    ) -> Result<()> {
        let header = header(kind, shape);
        let mut crc = flate2::Crc::new();
        crc.update(&header);
        let mut size = header.len() as u64;
        content(&mut |bytes| {
            crc.update(bytes);
            size += bytes.len() as u64;
            Ok(())
        })?;
        let name = format!("{name}.npy");
        let offset = self.written;
        let mut local = b"PK\x03\x04".to_vec();
        local.extend_from_slice(&VERSION.to_le_bytes());
        common(&mut local, &name, crc.sum(), 20);
        local.extend_from_slice(name.as_bytes());
        local.extend_from_slice(&[1, 0, 16, 0]);
        local.extend_from_slice(&size.to_le_bytes());
        local.extend_from_slice(&size.to_le_bytes());
        self.out.write_all(&local)?;
        self.out.write_all(&header)?;
        let out = &mut *self.out;
        content(&mut |bytes| Ok(out.write_all(bytes)?))?;
        self.written += local.len() as u64 + size;
        self.members += 1;

        let entry = &mut self.directory;
        entry.extend_from_slice(b"PK\x01\x02");
        entry.extend_from_slice(&VERSION.to_le_bytes());
        entry.extend_from_slice(&VERSION.to_le_bytes());
        common(entry, &name, crc.sum(), 28);
        // No comment, first disk, no attributes; the offset stands in the 64-bit field.
        entry.extend_from_slice(&[0; 10]);
        entry.extend_from_slice(&u32::MAX.to_le_bytes());
        entry.extend_from_slice(name.as_bytes());
        entry.extend_from_slice(&[1, 0, 24, 0]);
        for number in [size, size, offset] {
            entry.extend_from_slice(&number.to_le_bytes());
        }
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(self) -> Result<()> {
        let (start, length) = (self.written, self.directory.len() as u64);
        let mut end = b"PK\x06\x06".to_vec();
        end.extend_from_slice(&44u64.to_le_bytes());
        end.extend_from_slice(&VERSION.to_le_bytes());
        end.extend_from_slice(&VERSION.to_le_bytes());
        end.extend_from_slice(&[0; 8]);
        for number in [self.members, self.members, length, start] {
            end.extend_from_slice(&number.to_le_bytes());
        }
        end.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        end.extend_from_slice(&(start + length).to_le_bytes());
        end.extend_from_slice(&1u32.to_le_bytes());
        // The old record, pointing to the new one by its largest values.
        end.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        end.extend_from_slice(&[0xff; 12]);
        end.extend_from_slice(&[0, 0]);
        self.out.write_all(&self.directory)?;
        self.out.write_all(&end)?;
        Ok(())
    }
}

/// The fields that stand in both the local header and the directory: flags, method, date, checksum, sizes (in the
/// 64-bit field), lengths of name and extra field.
fn common(out: &mut Vec<u8>, name: &str, crc: u32, extra: u16) {
    out.extend_from_slice(&[0, 0, 0, 0]);
    out.extend_from_slice(&DATE);
    out.extend_from_slice(&crc.to_le_bytes());
    out.extend_from_slice(&[0xff; 8]);
    out.extend_from_slice(&(name.len() as u16).to_le_bytes());
    out.extend_from_slice(&extra.to_le_bytes());
}

/// Compressed rows to be written: lengths of the rows, and their columns and values in order.
pub(super) struct Rows<'a> {
    pub(super) lengths: &'a [u32],
    pub(super) cols: usize,
    /// Passes the columns of consecutive rows on, in order.
    pub(super) columns: &'a dyn Fn(&mut ColumnSink<'_>) -> Result<()>,
    /// Passes the values on, in order.
    pub(super) values: &'a dyn Fn(&mut Sink<'_>) -> Result<()>,
}

/// Writes rows as `scipy.sparse.save_npz` would a CSR matrix with values of one byte.
pub(super) fn write_csr(rows: &Rows<'_>, out: &mut dyn Write) -> Result<()> {
    let entries: u64 = rows.lengths.iter().map(|&length| u64::from(length)).sum();
    // SciPy wants one type for both index arrays, the narrow one where it does.
    let wide = entries > i32::MAX as u64 || rows.cols > i32::MAX as usize;
    let kind = if wide { "<i8" } else { "<i4" };
    let number = |buffer: &mut Vec<u8>, value: u64| {
        if wide {
            buffer.extend_from_slice(&value.to_le_bytes());
        } else {
            buffer.extend_from_slice(&(value as u32).to_le_bytes());
        }
    };
    let mut archive = Archive::new(out);
    let vector = |length: u64| format!("({length},)");
    archive.add("indices", kind, &vector(entries), |sink| {
        let mut buffer = Vec::new();
        (rows.columns)(&mut |columns| {
            buffer.clear();
            columns.iter().for_each(|&column| number(&mut buffer, u64::from(column)));
            sink(&buffer)
        })
    })?;
    archive.add("indptr", kind, &vector(rows.lengths.len() as u64 + 1), |sink| {
        let (mut sum, mut buffer) = (0u64, Vec::new());
        number(&mut buffer, 0);
        for chunk in rows.lengths.chunks(1 << 14) {
            for &length in chunk {
                sum += u64::from(length);
                number(&mut buffer, sum);
            }
            sink(&buffer)?;
            buffer.clear();
        }
        sink(&buffer)
    })?;
    archive.add("format", "|S3", "()", |sink| sink(b"csr"))?;
    archive.add("shape", "<i8", "(2,)", |sink| {
        sink(&(rows.lengths.len() as u64).to_le_bytes())?;
        sink(&(rows.cols as u64).to_le_bytes())
    })?;
    archive.add("data", "|u1", &vector(entries), |sink| (rows.values)(sink))?;
    archive.finish()
}

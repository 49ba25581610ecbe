//! The checksum of a model file, inside its own metadata.
//!
//! It is the first half of the SHA-256 of all bytes of the file, computed with zeros where the
//! checksum stands. A CRC of 32 bits would find one flipped bit as well, but files are kept for
//! years and copied often.

use safetensors::tensor::SafeTensors;
use sha2::{Digest, Sha256};

/// Metadata entry that holds it.
pub(super) const CHECKSUM: &str = "checksum";

/// What stands in its place while it is computed.
pub(super) const UNSET: &str = "00000000000000000000000000000000";

/// Puts the checksum of a header and the data after it into the header.
pub(super) fn set_checksum<'a>(header: &mut [u8], data: impl Iterator<Item = &'a [u8]>) {
    let Some(at) = find(header, UNSET) else { return };
    let mut hash = Sha256::new();
    hash.update(&*header);
    data.for_each(|part| hash.update(part));
    header[at..at + UNSET.len()].copy_from_slice(digits(hash).as_bytes());
}

/// Compares a file with its checksum; false if it has none.
pub(super) fn verify_checksum(bytes: &[u8]) -> Result<bool, String> {
    let (length, metadata) =
        SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let entries = metadata.metadata().as_ref();
    let Some(found) = entries.and_then(|entries| entries.get(CHECKSUM)) else { return Ok(false) };
    let header = bytes.get(..8 + length).unwrap_or(bytes);
    let at = find(header, found).filter(|_| found.len() == UNSET.len());
    let at = at.ok_or("its checksum is not readable")?;
    let mut hash = Sha256::new();
    let parts = [&bytes[..at], UNSET.as_bytes(), &bytes[at + UNSET.len()..]];
    parts.iter().for_each(|part| hash.update(part));
    if digits(hash) != *found {
        return Err("its checksum is wrong: it is damaged or was changed".to_owned());
    }
    Ok(true)
}

fn find(header: &[u8], text: &str) -> Option<usize> {
    let length = text.len().max(1);
    header.windows(length).position(|window| window == text.as_bytes())
}

/// As many hexadecimal digits as there are in [`UNSET`].
fn digits(hash: Sha256) -> String {
    hash.finalize().iter().take(UNSET.len() / 2).map(|byte| format!("{byte:02x}")).collect()
}

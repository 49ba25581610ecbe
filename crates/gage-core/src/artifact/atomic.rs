//! Atomic writing of files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a new file and waits until it is on the disk.
pub fn write_synced<E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    fill(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(file.sync_all()?)
}

/// Writes a temporary file in the same folder, synchronises it to disk and renames it. Readers
/// never see a partial file, whenever the process or the machine stops. The permissions are those
/// of any new file.
///
/// ```
/// use gage_embed::io::write_atomically;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("numbers.txt");
/// write_atomically(&path, |out| writeln!(out, "1 2 3"))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "1 2 3\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_atomically<E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let outcome =
        write_synced(&temporary, fill).and_then(|()| fs::rename(&temporary, path).map_err(E::from));
    if outcome.is_err() {
        // Nothing was promised yet; what is left of the attempt is only in the way.
        let _ = fs::remove_file(&temporary);
        return outcome;
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    // The name itself, too, should survive a power cut; not every system can promise that.
    let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
    outcome
}

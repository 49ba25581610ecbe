//! Memory of tall matrices: aligned, on large pages where the system has them, and used again.
//!
//! A fit asks for blocks of hundreds of megabytes again and again. Having the system hand out zeroed pages took as long
//! as some of the products computed in them (17% of a fit with 125,000 nodes), so large blocks that are given back wait
//! for the next one of up to their size. They hardly add to the peak: blocks in use and blocks that wait together never
//! exceed the most that was in use at one time by more than an eighth (or 16 MiB), and none waits when no fit is under way.
//! (Without the eighth, a small block would chase away a large one that is wanted again at once, and the other way round.)
//!
//! Under a limit ([`limit_memory`]) blocks beyond it are kept in files without a name, mapped like everything else: the
//! system writes their pages out when memory is short. Nothing else changes, so the results are the same bits.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use memmap2::MmapMut;

/// One cache line; gives the storage its alignment.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Line([u8; 64]);

/// Blocks from this size on are asked of the system directly, and wait for another use.
const LARGE: usize = 128 << 10;

/// Blocks from this size on may live in files: those of nodes, not the scratch of a product.
const FILED: usize = 8 << 20;

/// Bytes that may wait whatever the peak is: scratch of a few products, without which small fits would map and unmap it at
/// every one of them.
const KEPT: usize = 16 << 20;

/// Large blocks of this process.
static BLOCKS: Mutex<Blocks> =
    Mutex::new(Blocks { waiting: Vec::new(), used: 0, most: 0, fits: 0, limit: None });

struct Blocks {
    /// Those that wait for another use, the oldest first.
    waiting: Vec<MmapMut>,
    /// Bytes in use.
    used: usize,
    /// The most bytes in use at one time while fits were under way.
    most: usize,
    /// Fits under way.
    fits: usize,
    limit: Option<Limit>,
}

/// How much memory blocks may take, and where the others go.
struct Limit {
    bytes: usize,
    folder: PathBuf,
    /// Why a block that should have gone into a file did not.
    failure: Option<io::Error>,
}

fn blocks() -> MutexGuard<'static, Blocks> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes aligned to cache lines.
pub struct Storage {
    memory: ManuallyDrop<Memory>,
    bytes: usize,
}

enum Memory {
    Small(Vec<Line>),
    Large(MmapMut),
    /// In a file that has no name any more.
    Filed(MmapMut),
}

impl Storage {
    /// `bytes` of any value: whoever asks overwrites all of them.
    pub fn uninit(bytes: usize) -> Storage {
        let large = (bytes >= LARGE).then(|| large(bytes)).flatten();
        let small = || Memory::Small(bytemuck::allocation::zeroed_vec(bytes.div_ceil(64)));
        Storage { memory: ManuallyDrop::new(large.unwrap_or_else(small)), bytes }
    }
}

impl Blocks {
    fn waiting_bytes(&self) -> usize {
        self.waiting.iter().map(|map| map.len()).sum()
    }

    fn use_bytes(&mut self, bytes: usize) {
        self.used += bytes;
        self.most = self.most.max(self.used);
    }
}

/// A block that waits, or a new one.
fn large(bytes: usize) -> Option<Memory> {
    let mut blocks = blocks();
    let fits = |map: &MmapMut| (bytes..=2 * bytes).contains(&map.len());
    let waiting = blocks.waiting.iter().enumerate().filter(|(_, map)| fits(map));
    if let Some((at, _)) = waiting.min_by_key(|(_, map)| map.len()) {
        let map = blocks.waiting.remove(at);
        blocks.use_bytes(map.len());
        return Some(Memory::Large(map));
    }
    let size = bytes.next_multiple_of(64);
    let used = blocks.used;
    let beyond = |limit: &&mut Limit| size >= FILED && used + size > limit.bytes;
    if let Some(limit) = blocks.limit.as_mut().filter(beyond) {
        match filed(size, &limit.folder) {
            Ok(map) => return Some(Memory::Filed(map)),
            Err(error) => limit.failure = Some(error),
        }
    }
    blocks.use_bytes(size);
    while blocks.used + blocks.waiting_bytes() > blocks.most + (blocks.most / 8).max(KEPT)
        && !blocks.waiting.is_empty()
    {
        blocks.waiting.remove(0);
    }
    let Ok(map) = MmapMut::map_anon(size) else {
        blocks.used -= size;
        return None;
    };
    // Only a wish: without large pages everything works as well, slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Some(Memory::Large(map))
}

/// A zeroed block in a file of its own, which is gone when the block is.
#[allow(unsafe_code, reason = "a block in a file is a mapped file")]
fn filed(bytes: usize, folder: &Path) -> io::Result<MmapMut> {
    let mut file = nameless_file(folder)?;
    // Written, not only sized: a page that finds no room on the disk later would end the process.
    let zeros = vec![0u8; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let part = left.min(zeros.len());
        file.write_all(&zeros[..part])?;
        left -= part;
    }
    // SAFETY: the file has no name and was just made here, so nobody else can change or shorten it.
    unsafe { MmapMut::map_mut(&file) }
}

fn nameless_file(folder: &Path) -> io::Result<File> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".gage-block-{}-{count}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// From now on, tall matrices take about this many bytes of memory; what is beyond lives in files in `folder`, on which
/// there must be room for the rest. `None` takes the limit away. Holds for the whole process. The sparse data themselves
/// are not counted: `read_csr` of the readers maps them.
pub fn limit_memory(limit: Option<(usize, &Path)>) {
    blocks().limit =
        limit.map(|(bytes, folder)| Limit { bytes, folder: folder.to_owned(), failure: None });
}

/// Why the limit could not be kept, if it could not.
pub fn take_limit_failure() -> Option<io::Error> {
    blocks().limit.as_mut()?.failure.take()
}

/// While one of these lives, large blocks wait for another use when they are given back.
pub struct PoolGuard(());

impl PoolGuard {
    /// Keeps freed blocks for reuse until the guard is dropped.
    pub fn begin() -> PoolGuard {
        blocks().fits += 1;
        PoolGuard(())
    }
}

impl Drop for PoolGuard {
    fn drop(&mut self) {
        let mut blocks = blocks();
        blocks.fits -= 1;
        if blocks.fits == 0 {
            blocks.waiting.clear();
            blocks.most = 0;
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // SAFETY: `memory` is taken here once and never touched again.
        let memory = unsafe { ManuallyDrop::take(&mut self.memory) };
        if let Memory::Large(map) = memory {
            let mut blocks = blocks();
            blocks.used -= map.len();
            if blocks.fits > 0 {
                blocks.waiting.push(map);
            }
        }
    }
}

impl Deref for Storage {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        let all: &[u8] = match &*self.memory {
            Memory::Small(lines) => bytemuck::cast_slice(lines),
            Memory::Large(map) | Memory::Filed(map) => map,
        };
        &all[..self.bytes]
    }
}

impl DerefMut for Storage {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        let all: &mut [u8] = match &mut *self.memory {
            Memory::Small(lines) => bytemuck::cast_slice_mut(lines),
            Memory::Large(map) | Memory::Filed(map) => map,
        };
        &mut all[..self.bytes]
    }
}

impl Clone for Storage {
    fn clone(&self) -> Storage {
        let mut copy = Storage::uninit(self.len());
        copy.copy_from_slice(self);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tall::Tall;

    #[test]
    fn every_size_is_aligned_and_copied() {
        for bytes in [0, 1, 63, 64, 4096, LARGE - 1, LARGE, LARGE + 1] {
            let mut storage = Storage::uninit(bytes);
            assert_eq!(storage.len(), bytes);
            assert_eq!(storage.as_ptr() as usize % 64, 0);
            storage.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at % 251) as u8);
            let copy = storage.clone();
            assert!(copy[..] == storage[..] && (bytes == 0 || copy.as_ptr() != storage.as_ptr()));
        }
    }

    #[test]
    fn zeros_are_zeros_in_memory_that_was_used_before() {
        let _reuse = PoolGuard::begin();
        for _ in 0..3 {
            Storage::uninit(LARGE).fill(7);
            assert!(Tall::<f32>::zeros(3, LARGE / 12 - 5).data().iter().all(|&x| x == 0.0));
            assert!(Tall::<f64>::zeros(LARGE / 8, 1).data().iter().all(|&x| x == 0.0));
        }
    }
}

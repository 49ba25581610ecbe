//! A pool of large memory blocks, with a limit beyond which blocks are spilled to files.
//!
//! A fit allocates blocks of hundreds of megabytes again and again. Zeroed pages from the system
//! took as long as some of the products computed in them (17% of a fit with 125,000 nodes), so
//! freed blocks are pooled for the next request of up to their size. The pool hardly adds to the
//! peak: blocks in use and pooled blocks together exceed the most that was in use at one time by
//! an eighth (or 16 MiB) at most. Without the eighth, a small block would evict a large one that
//! is needed again at once, and the other way round.
//!
//! A spilled block is a mapped file without a name: the system writes its pages out when memory is
//! short. Nothing else changes, so the results are the same bits.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memmap2::MmapMut;

/// Blocks from this size on may be spilled: those of nodes, not the scratch of a product.
const SPILL_MIN_BYTES: usize = 8 << 20;

/// Bytes that may be pooled whatever the peak is: scratch of a few products, which small fits would
/// otherwise map and unmap at every one of them.
const POOL_MIN_BYTES: usize = 16 << 20;

/// A mapped block of memory.
pub enum Block {
    /// Anonymous memory, pooled when it is freed.
    Anonymous(MmapMut),
    /// A file without a name.
    Spilled(MmapMut),
}

/// How much memory blocks may take, and where the others go.
#[derive(Debug)]
pub struct Limit {
    bytes: usize,
    scratch: PathBuf,
    /// Why a block that should have been spilled was not.
    failure: Option<io::Error>,
}

impl Limit {
    /// At most about `bytes` of memory; what is beyond goes to files in the folder `scratch`.
    pub fn new(bytes: usize, scratch: PathBuf) -> Limit {
        Limit { bytes, scratch, failure: None }
    }
}

/// The blocks of one workspace.
#[derive(Debug, Default)]
pub struct BufferPool {
    /// Freed blocks, the oldest first.
    pooled: Vec<MmapMut>,
    /// Bytes in use.
    used: usize,
    /// The most bytes in use at one time since the first guard.
    peak: usize,
    /// Guards alive: freed blocks are pooled only while there are some.
    guards: usize,
    /// Blocks spilled so far.
    spilled: usize,
    limit: Option<Limit>,
}

impl BufferPool {
    pub fn with_limit(limit: Limit) -> BufferPool {
        BufferPool { limit: Some(limit), ..BufferPool::default() }
    }

    pub fn set_limit(&mut self, limit: Limit) {
        self.limit = Some(limit);
    }

    /// A block of at least `bytes`: a pooled one, or a new one. Its contents are arbitrary.
    pub fn allocate(&mut self, bytes: usize) -> io::Result<Block> {
        let fits = |map: &MmapMut| (bytes..=2 * bytes).contains(&map.len());
        let pooled = self.pooled.iter().enumerate().filter(|(_, map)| fits(map));
        if let Some((at, _)) = pooled.min_by_key(|(_, map)| map.len()) {
            let map = self.pooled.remove(at);
            self.add_used(map.len());
            return Ok(Block::Anonymous(map));
        }
        let size = bytes.checked_next_multiple_of(64).ok_or(io::ErrorKind::OutOfMemory)?;
        if let Some(map) = self.spill(size) {
            return Ok(Block::Spilled(map));
        }
        self.add_used(size);
        self.shrink();
        let map = self.map(size).inspect_err(|_| self.used -= size)?;
        // Without large pages everything works as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Block::Anonymous(map))
    }

    /// A new mapping; pooled blocks are given up for it where memory is short.
    fn map(&mut self, size: usize) -> io::Result<MmapMut> {
        MmapMut::map_anon(size).or_else(|error| {
            if self.pooled.is_empty() {
                return Err(error);
            }
            self.pooled.clear();
            MmapMut::map_anon(size)
        })
    }

    /// A block in a file, if memory would exceed the limit. A failure is kept for
    /// [`take_failure`](Self::take_failure), and the block is allocated in memory.
    fn spill(&mut self, size: usize) -> Option<MmapMut> {
        let limit = self.limit.as_mut()?;
        if size < SPILL_MIN_BYTES || self.used + size <= limit.bytes {
            return None;
        }
        match spill_file(size, &limit.scratch) {
            Ok(map) => {
                self.spilled += 1;
                Some(map)
            }
            Err(error) => {
                limit.failure = Some(error);
                None
            }
        }
    }

    /// Takes a block back.
    pub fn free(&mut self, block: Block) {
        if let Block::Anonymous(map) = block {
            self.used -= map.len();
            if self.guards > 0 {
                self.pooled.push(map);
            }
        }
    }

    fn add_used(&mut self, bytes: usize) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }

    /// Returns the oldest pooled blocks to the system until the rest adds little to the peak.
    fn shrink(&mut self) {
        let most = self.peak + (self.peak / 8).max(POOL_MIN_BYTES);
        let bytes = |pooled: &[MmapMut]| pooled.iter().map(|map| map.len()).sum::<usize>();
        while !self.pooled.is_empty() && self.used + bytes(&self.pooled) > most {
            self.pooled.remove(0);
        }
    }

    pub fn enter(&mut self) {
        self.guards += 1;
    }

    /// Returns all pooled blocks to the system when the last guard is dropped.
    pub fn leave(&mut self) {
        self.guards -= 1;
        if self.guards == 0 {
            self.pooled.clear();
            self.peak = 0;
        }
    }

    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.limit.as_mut()?.failure.take()
    }

    pub fn spilled(&self) -> usize {
        self.spilled
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.pooled.is_empty()
    }
}

/// A zeroed block in a file of its own, which is gone when the block is.
#[allow(unsafe_code, reason = "a spilled block is a mapped file")]
fn spill_file(bytes: usize, scratch: &Path) -> io::Result<MmapMut> {
    let mut file = tempfile::tempfile_in(scratch)?;
    // Written, not only sized: a page that finds no room on the disk later would end the process.
    let zeros = vec![0u8; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let part = left.min(zeros.len());
        file.write_all(&zeros[..part])?;
        left -= part;
    }
    // SAFETY: the file has no name and was made here, so nobody else can change or shorten it.
    unsafe { MmapMut::map_mut(&file) }
}

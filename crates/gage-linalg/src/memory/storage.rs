//! Storage of tall matrices: aligned to cache lines, large blocks from the pool of a workspace.

use std::ops::{Deref, DerefMut};

use super::exhausted::unwind;
use super::pool::Block;
use super::workspace::Workspace;

/// One cache line; gives the storage its alignment.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Line([u8; 64]);

/// Blocks from this size on are mapped and pooled.
const LARGE: usize = 128 << 10;

/// Bytes aligned to cache lines.
pub struct Storage {
    memory: Memory,
    bytes: usize,
    workspace: Workspace,
}

enum Memory {
    Small(Vec<Line>),
    /// Empty only while it is dropped.
    Large(Option<Block>),
}

impl Storage {
    /// `bytes` of arbitrary contents: the caller overwrites all of them. Without memory for them
    /// the thread unwinds to the next [`catch`](super::catch).
    pub fn uninit(workspace: &Workspace, bytes: usize) -> Storage {
        let memory = if bytes >= LARGE {
            Memory::Large(Some(workspace.allocate(bytes).unwrap_or_else(|_| unwind(bytes))))
        } else {
            let lines = bytemuck::allocation::try_zeroed_vec(bytes.div_ceil(64));
            Memory::Small(lines.unwrap_or_else(|()| unwind(bytes)))
        };
        Storage { memory, bytes, workspace: workspace.clone() }
    }

    /// Where it was allocated.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let Memory::Large(block) = &mut self.memory
            && let Some(block) = block.take()
        {
            self.workspace.free(block);
        }
    }
}

impl Deref for Storage {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        let all: &[u8] = match &self.memory {
            Memory::Small(lines) => bytemuck::cast_slice(lines),
            Memory::Large(Some(Block::Anonymous(map) | Block::Spilled(map))) => map,
            Memory::Large(None) => &[],
        };
        &all[..self.bytes]
    }
}

impl DerefMut for Storage {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        let all: &mut [u8] = match &mut self.memory {
            Memory::Small(lines) => bytemuck::cast_slice_mut(lines),
            Memory::Large(Some(Block::Anonymous(map) | Block::Spilled(map))) => map,
            Memory::Large(None) => &mut [],
        };
        &mut all[..self.bytes]
    }
}

impl Clone for Storage {
    fn clone(&self) -> Storage {
        let mut copy = Storage::uninit(&self.workspace, self.len());
        copy.copy_from_slice(self);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tall;

    #[test]
    fn every_size_is_aligned_and_copied() {
        for bytes in [0, 1, 63, 64, 4096, LARGE - 1, LARGE, LARGE + 1] {
            let mut storage = Storage::uninit(&Workspace::default(), bytes);
            assert_eq!(storage.len(), bytes);
            assert_eq!(storage.as_ptr() as usize % 64, 0);
            storage.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at % 251) as u8);
            let copy = storage.clone();
            assert!(copy[..] == storage[..] && (bytes == 0 || copy.as_ptr() != storage.as_ptr()));
        }
    }

    #[test]
    fn zeros_are_zeros_in_memory_that_was_used_before() {
        let workspace = Workspace::default();
        let _guard = workspace.pool_guard();
        for _ in 0..3 {
            Storage::uninit(&workspace, LARGE).fill(7);
            let single = Tall::<f32>::zeros_in(&workspace, 3, LARGE / 12 - 5);
            let double = Tall::<f64>::zeros_in(&workspace, LARGE / 8, 1);
            assert!(single.data().iter().all(|&x| x == 0.0));
            assert!(double.data().iter().all(|&x| x == 0.0));
        }
    }
}

//! Concurrent interning of ids: several threads number them, the order does not depend on timing.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::RandomState;

use gage_core::graph::{NamesBuilder, Nodes};

use super::shard::{IdError, LOCAL_BITS, SHARD_BITS, Shard, Short};

const SHARDS: usize = 1 << SHARD_BITS;

/// Collects ids. An id gets a provisional number at once; the final order, that of first appearance
/// in the file, is known at the end from the least offset at which each id was seen.
///
/// Ids come in batches and are inserted shard by shard: the hash table of one shard fits the cache,
/// all of them do not. The ids of a shard are scattered over the text, so they are copied first and
/// looked up then; copies do not depend on each other, so their cache misses overlap.
pub(crate) struct Interner {
    // Keyed anew in every run, so that no file can be made to collide; the order does not depend on
    // the keys.
    hasher: RandomState,
    shards: Vec<Mutex<Shard>>,
}

/// Ids of a chunk of text, in order.
#[derive(Default)]
pub(crate) struct Batch {
    spans: Vec<Span>,
    /// ids that do not stand in the text as they are, by position
    rewritten: HashMap<u32, Vec<u8>>,
}

struct Span {
    hash: u64,
    start: u32,
    length: u32,
}

impl Batch {
    /// Where the id at `position` begins in the text.
    pub(crate) fn start(&self, position: usize) -> usize {
        self.spans[position].start as usize
    }

    fn id<'a>(&'a self, text: &'a [u8], position: u32) -> &'a [u8] {
        let span = &self.spans[position as usize];
        match self.rewritten.get(&position) {
            Some(id) if !self.rewritten.is_empty() => id,
            _ => &text[span.start as usize..(span.start + span.length) as usize],
        }
    }
}

impl Interner {
    pub(crate) fn new() -> Interner {
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::default())).collect();
        Interner { hasher: RandomState::default(), shards }
    }

    /// Adds the id that stands at `start` of the text; `rewritten` if it does not stand there
    /// literally.
    pub(crate) fn add(&self, batch: &mut Batch, id: &[u8], start: usize, rewritten: bool) {
        if rewritten {
            batch.rewritten.insert(batch.spans.len() as u32, id.to_vec());
        }
        let (start, length) = (start as u32, id.len() as u32);
        batch.spans.push(Span { hash: self.hasher.hash_one(id), start, length });
    }

    /// Provisional numbers of the ids of a batch from a text that begins at `base` of the file. An
    /// error comes with the position of the first id that has one.
    pub(crate) fn numbers(
        &self,
        batch: &Batch,
        text: &[u8],
        base: u64,
    ) -> Result<Vec<u32>, (usize, IdError)> {
        let shard_of = |span: &Span| (span.hash >> (64 - SHARD_BITS)) as usize;
        let mut starts = [0usize; SHARDS + 1];
        for span in &batch.spans {
            starts[shard_of(span) + 1] += 1;
        }
        for shard in 0..SHARDS {
            starts[shard + 1] += starts[shard];
        }
        let mut next = starts;
        let mut by_shard = vec![0u32; batch.spans.len()];
        for (span, position) in batch.spans.iter().zip(0u32..) {
            let slot = &mut next[shard_of(span)];
            by_shard[*slot] = position;
            *slot += 1;
        }
        let mut numbers = vec![0u32; batch.spans.len()];
        let mut error: Option<(usize, IdError)> = None;
        let mut fetched: Vec<(u32, u32, Short)> = Vec::new();
        for (at, shard) in self.shards.iter().enumerate() {
            fetched.clear();
            fetched.extend(by_shard[starts[at]..starts[at + 1]].iter().map(|&position| {
                let span = &batch.spans[position as usize];
                (position, span.hash as u32, Short::of(batch.id(text, position)))
            }));
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            for &(position, hash, short) in &fetched {
                let offset = base + u64::from(batch.spans[position as usize].start);
                match shard.number(short, || batch.id(text, position), hash, offset) {
                    Ok(local) => numbers[position as usize] = (at as u32) << LOCAL_BITS | local,
                    Err(found) => {
                        let found = (position as usize, found);
                        if error.is_none_or(|error| found.0 < error.0) {
                            error = Some(found);
                        }
                    }
                }
            }
        }
        error.map_or(Ok(numbers), Err)
    }

    /// Ids in order of first appearance, and the final number of each provisional one.
    pub(crate) fn finish(self) -> (Ids, Renumbering) {
        let mut shards: Vec<Shard> = self
            .shards
            .into_iter()
            .map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        shards.iter_mut().for_each(|shard| shard.slots = Vec::new());
        let mut order: Vec<(u64, u32)> = Vec::new();
        for (at, shard) in shards.iter().enumerate() {
            let prefix = (at as u32) << LOCAL_BITS;
            let records = shard.records.iter().zip(0u32..);
            order.extend(records.map(|(record, local)| (record.first, prefix | local)));
        }
        order.sort_unstable();
        let mut numbers: Vec<Vec<u32>> = shards.iter().map(|s| vec![0; s.records.len()]).collect();
        for (&(_, provisional), position) in order.iter().zip(0u32..) {
            let (shard, local) = split(provisional);
            numbers[shard][local] = position;
        }
        let order = order.into_iter().map(|(_, provisional)| provisional).collect();
        (Ids { shards, order }, Renumbering { numbers })
    }
}

fn split(provisional: u32) -> (usize, usize) {
    ((provisional >> LOCAL_BITS) as usize, (provisional & ((1 << LOCAL_BITS) - 1)) as usize)
}

/// The ids, in their final order.
pub(crate) struct Ids {
    shards: Vec<Shard>,
    order: Vec<u32>,
}

impl Ids {
    /// The nodes of these names, which are unique.
    pub(crate) fn nodes(&self) -> Nodes {
        let mut names = NamesBuilder::default();
        for &provisional in &self.order {
            let (shard, local) = split(provisional);
            // Checked when the id was added.
            self.shards[shard].with_id(local, |id| {
                names.push(std::str::from_utf8(id).unwrap_or_default());
            });
        }
        names.unique()
    }
}

/// From provisional to final numbers.
pub(crate) struct Renumbering {
    numbers: Vec<Vec<u32>>,
}

impl Renumbering {
    pub(crate) fn apply(&self, provisional: u32) -> u32 {
        let (shard, local) = split(provisional);
        self.numbers[shard][local]
    }
}

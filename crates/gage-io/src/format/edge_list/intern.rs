//! Ids to numbers, from several threads, in an order that does not depend on them.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::RandomState;

use gage_core::graph::{NamesBuilder, Nodes};

/// Bits of a provisional number that say in which shard the id is.
const SHARD_BITS: u32 = 8;
const SHARDS: usize = 1 << SHARD_BITS;
const LOCAL_BITS: u32 = 32 - SHARD_BITS;
const EMPTY: u64 = u64::MAX;
/// Length of ids that are kept and compared as two numbers.
const INLINE: usize = 12;

/// Collects ids. An id gets a provisional number at once; the final order, that of first appearance
/// in the file, is known at the end from the least offset at which each id was seen.
///
/// Ids come in batches and are taken in shard by shard: a shard's table fits the cache, while going
/// through all of them id by id would miss it every time. The ids of a shard stand all over the
/// text, so they are fetched first, all at once, and looked up then: fetches that do not wait for
/// each other overlap.
pub(crate) struct Interner {
    // Keyed anew in every run, so that no file can be made to collide; the order does not depend on
    // the keys.
    hasher: RandomState,
    shards: Vec<Mutex<Shard>>,
}

/// Why an id was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdError {
    NotUtf8,
    TooMany,
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

    /// Provisional numbers of the ids of a batch from a text that begins at `base` of the file. A
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

#[derive(Default)]
struct Shard {
    /// open addressing: hash and local number, or `EMPTY`
    slots: Vec<u64>,
    records: Vec<Record>,
    long: Vec<u8>,
}

struct Record {
    first: u64,
    /// the id itself if it is short, otherwise where it stands in `long`
    short: Short,
}

/// An id of at most `INLINE` bytes, padded with zeros; of a longer one only the length.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Short {
    length: u32,
    high: u32,
    low: [u32; 2],
}

impl Short {
    fn of(id: &[u8]) -> Short {
        let mut bytes = [0u8; INLINE];
        if id.len() <= INLINE {
            bytes[..id.len()].copy_from_slice(id);
        }
        let part = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Short { length: id.len() as u32, high: part(8), low: [part(0), part(4)] }
    }

    /// The padded bytes.
    fn bytes(&self) -> [u8; INLINE] {
        let mut bytes = [0u8; INLINE];
        for (out, part) in bytes.chunks_exact_mut(4).zip([self.low[0], self.low[1], self.high]) {
            out.copy_from_slice(&part.to_le_bytes());
        }
        bytes
    }

    fn is_whole(&self) -> bool {
        self.length as usize <= INLINE
    }
}

impl Shard {
    fn number<'a>(
        &mut self,
        short: Short,
        id: impl Fn() -> &'a [u8],
        hash: u32,
        offset: u64,
    ) -> Result<u32, IdError> {
        if (self.records.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != EMPTY {
            let (found, local) = ((self.slots[slot] >> 32) as u32, self.slots[slot] as u32);
            if found == hash && self.is(local as usize, &short, &id) {
                let record = &mut self.records[local as usize];
                record.first = offset.min(record.first);
                return Ok(local);
            }
            slot = (slot + 1) & mask;
        }
        let id = id();
        if std::str::from_utf8(id).is_err() {
            return Err(IdError::NotUtf8);
        }
        let local = self.records.len() as u32;
        if local >= 1 << LOCAL_BITS {
            return Err(IdError::TooMany);
        }
        self.slots[slot] = u64::from(hash) << 32 | u64::from(local);
        let mut kept = short;
        if !short.is_whole() {
            let start = self.long.len() as u64;
            kept.low = [start as u32, (start >> 32) as u32];
            self.long.extend_from_slice(id);
        }
        self.records.push(Record { first: offset, short: kept });
        Ok(local)
    }

    fn is<'a>(&self, local: usize, short: &Short, id: impl Fn() -> &'a [u8]) -> bool {
        let kept = &self.records[local].short;
        match short.is_whole() {
            true => kept == short,
            false => kept.length == short.length && self.long_id(kept) == id(),
        }
    }

    fn long_id(&self, kept: &Short) -> &[u8] {
        let start = u64::from(kept.low[1]) << 32 | u64::from(kept.low[0]);
        &self.long[start as usize..start as usize + kept.length as usize]
    }

    /// Calls `each` with an id.
    fn with_id<R>(&self, local: usize, each: impl FnOnce(&[u8]) -> R) -> R {
        let kept = &self.records[local].short;
        match kept.is_whole() {
            true => each(&kept.bytes()[..kept.length as usize]),
            false => each(self.long_id(kept)),
        }
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(64);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        for entry in old.into_iter().filter(|&entry| entry != EMPTY) {
            let mut slot = (entry >> 32) as usize & (size - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = entry;
        }
    }
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
            // Checked when the id was taken in.
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

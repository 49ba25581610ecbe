//! One shard of the ids: an open-addressing hash table with the ids beside it.

/// Bits of a provisional number that say in which shard the id is.
pub(super) const SHARD_BITS: u32 = 8;
pub(super) const LOCAL_BITS: u32 = 32 - SHARD_BITS;
const EMPTY: u64 = u64::MAX;
/// Length of ids that are kept and compared as two numbers.
const INLINE: usize = 12;

/// Why an id was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdError {
    NotUtf8,
    TooMany,
}

/// A hash table of ids.
#[derive(Default)]
pub(super) struct Shard {
    /// open addressing: hash and local number, or `EMPTY`
    pub(super) slots: Vec<u64>,
    pub(super) records: Vec<Record>,
    long: Vec<u8>,
}

pub(super) struct Record {
    pub(super) first: u64,
    /// the id itself if it is short, otherwise where it stands in `long`
    pub(super) short: Short,
}

/// An id of at most `INLINE` bytes, padded with zeros; of a longer one only the length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Short {
    length: u32,
    high: u32,
    low: [u32; 2],
}

impl Short {
    pub(super) fn of(id: &[u8]) -> Short {
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
    pub(super) fn number<'a>(
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
    pub(super) fn with_id<R>(&self, local: usize, each: impl FnOnce(&[u8]) -> R) -> R {
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

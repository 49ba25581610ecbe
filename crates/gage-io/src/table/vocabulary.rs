//! Free text as weighted words.

use std::collections::HashMap;

/// Words counted before those seen once are forgotten.
const MAX_COUNTED: usize = 1 << 22;
/// Words kept of one column, the most frequent ones.
const MAX_KEPT: usize = 20_000;

/// The words of a text: runs of letters and digits, two at least, in lower case.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().nth(1).is_some())
        .map(str::to_lowercase)
}

/// In how many texts each word occurs.
#[derive(Default)]
pub(crate) struct WordCounts {
    counts: HashMap<String, Count>,
    texts: usize,
    words: usize,
}

struct Count {
    texts: u32,
    last: usize,
}

impl WordCounts {
    pub(crate) fn add(&mut self, text: &str) {
        self.texts += 1;
        for word in words(text) {
            self.words += 1;
            let count = self.counts.entry(word).or_insert(Count { texts: 0, last: 0 });
            if count.last != self.texts {
                *count = Count { texts: count.texts + 1, last: self.texts };
            }
        }
        if self.counts.len() > MAX_COUNTED {
            self.counts.retain(|_, count| count.texts > 1);
        }
    }

    /// Words of all texts.
    pub(crate) fn total(&self) -> usize {
        self.words
    }

    /// The number of texts, and the words that can tell them apart with the number of texts each is
    /// in: those in two texts at least, but not in all. Sorted.
    pub(crate) fn vocabulary(self) -> (u64, Vec<(String, u32)>) {
        let texts = self.texts;
        let useful = |count: &Count| count.texts >= 2 && (count.texts as usize) < texts;
        let mut list: Vec<(String, u32)> = self
            .counts
            .into_iter()
            .filter(|(_, count)| useful(count))
            .map(|(word, count)| (word, count.texts))
            .collect();
        list.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list.truncate(MAX_KEPT);
        list.sort_unstable();
        (texts as u64, list)
    }
}

/// Words of a column, with the weight ln(texts / texts with the word) of each.
pub(crate) struct Vocabulary<'a> {
    index: HashMap<&'a str, (u32, f64)>,
}

impl<'a> Vocabulary<'a> {
    pub(crate) fn new(texts: u64, words: &'a [(String, u32)]) -> Vocabulary<'a> {
        let weight = |seen: u32| (texts as f64 / f64::from(seen)).ln();
        let entry =
            |((word, seen), at): (&'a (String, u32), u32)| (word.as_str(), (at, weight(*seen)));
        Vocabulary { index: words.iter().zip(0u32..).map(entry).collect() }
    }

    /// Adds the words of a text in columns from `start` on, weighted by how often they stand in it
    /// and how rare they are, scaled to length 1. Returns how many words are not known.
    pub(crate) fn encode(&self, text: &str, start: u32, out: &mut Vec<(u32, f64)>) -> usize {
        let mut unknown = 0;
        let mut found: Vec<(u32, f64)> = Vec::new();
        for word in words(text) {
            match self.index.get(word.as_str()) {
                Some(&entry) => found.push(entry),
                None => unknown += 1,
            }
        }
        found.sort_unstable_by_key(|entry| entry.0);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let length = found.iter().map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
        out.extend(found.into_iter().map(|(at, weight)| (start + at, weight / length)));
        unknown
    }
}

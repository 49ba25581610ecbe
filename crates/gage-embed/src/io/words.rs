//! Free text as weighted words.

use std::collections::HashMap;

/// Words counted before those seen once are forgotten.
const MOST_COUNTED: usize = 1 << 22;
/// Words kept of one column, the most frequent ones.
const MOST_KEPT: usize = 20_000;

/// The words of a text: runs of letters and digits, two at least, in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().nth(1).is_some())
        .map(str::to_lowercase)
}

/// In how many texts each word occurs.
#[derive(Default)]
pub(super) struct WordCounts {
    counts: HashMap<String, Count>,
    texts: usize,
    words: usize,
}

struct Count {
    texts: u32,
    last: usize,
}

impl WordCounts {
    pub(super) fn add(&mut self, text: &str) {
        self.texts += 1;
        for word in words(text) {
            self.words += 1;
            let count = self.counts.entry(word).or_insert(Count { texts: 0, last: 0 });
            if count.last != self.texts {
                *count = Count { texts: count.texts + 1, last: self.texts };
            }
        }
        if self.counts.len() > MOST_COUNTED {
            self.counts.retain(|_, count| count.texts > 1);
        }
    }

    /// Words a text has on average.
    pub(super) fn mean(&self) -> f64 {
        self.words as f64 / self.texts.max(1) as f64
    }

    /// The words that can tell texts apart: those in two texts at least, but not in all. Sorted.
    pub(super) fn vocabulary(self) -> Vocabulary {
        let texts = self.texts;
        let useful = |count: &Count| count.texts >= 2 && (count.texts as usize) < texts;
        let mut list: Vec<(String, u32)> = self
            .counts
            .into_iter()
            .filter(|(_, count)| useful(count))
            .map(|(word, count)| (word, count.texts))
            .collect();
        list.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list.truncate(MOST_KEPT);
        list.sort_unstable();
        let weight = |seen: u32| (texts as f64 / f64::from(seen)).ln();
        let index = list
            .iter()
            .zip(0u32..)
            .map(|((w, seen), at)| (w.clone(), (at, weight(*seen))))
            .collect();
        Vocabulary { words: list.into_iter().map(|(word, _)| word).collect(), index }
    }
}

/// Words of a column, with the weight ln(texts / texts with the word) of each.
pub(super) struct Vocabulary {
    pub(super) words: Vec<String>,
    index: HashMap<String, (u32, f64)>,
}

impl Vocabulary {
    /// The words of a text, weighted by how often they stand in it and how rare they are, scaled to length 1.
    pub(super) fn encode(&self, text: &str) -> Vec<(u32, f64)> {
        let mut found: Vec<(u32, f64)> =
            words(text).filter_map(|word| self.index.get(&word).copied()).collect();
        found.sort_unstable_by_key(|entry| entry.0);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let length = found.iter().map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
        found.iter_mut().for_each(|entry| entry.1 /= length);
        found
    }
}

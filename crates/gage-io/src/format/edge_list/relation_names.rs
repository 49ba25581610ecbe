//! The relation of each link, kept as a number.

use std::collections::HashMap;

/// The relation of each link, by number.
#[derive(Default)]
pub(crate) struct Relations {
    pub(crate) names: Vec<String>,
    numbers: HashMap<Vec<u8>, u32>,
    pub(crate) of: Vec<u32>,
}

impl Relations {
    /// The relation of the next link.
    pub(crate) fn push(&mut self, name: &[u8]) {
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None => self.add(name.to_vec()),
        };
        self.of.push(number);
    }

    fn add(&mut self, name: Vec<u8>) -> u32 {
        let number = self.names.len() as u32;
        self.names.push(String::from_utf8_lossy(&name).into_owned());
        self.numbers.insert(name, number);
        number
    }

    /// Adds those of later links.
    pub(crate) fn append(&mut self, later: Relations) {
        let mut numbers = vec![0; later.names.len()];
        for (name, number) in later.numbers {
            let known = self.numbers.get(&name).copied();
            numbers[number as usize] = known.unwrap_or_else(|| self.add(name));
        }
        self.of.extend(later.of.into_iter().map(|number| numbers[number as usize]));
    }
}

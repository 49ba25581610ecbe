//! Classes of nodes, used for evaluation only: no embedding ever sees them.

use std::collections::BTreeMap;

/// Class membership of nodes: none, one or several classes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    names: Vec<String>,
    starts: Vec<u64>,
    members: Vec<u32>,
}

impl Labels {
    /// One class per node; a negative number means no label. Classes are named by their number.
    pub fn from_numbers(numbers: &[i64]) -> Labels {
        let classes = numbers.iter().copied().max().map_or(0, |top| top.max(-1) + 1);
        let names = (0..classes).map(|class| class.to_string()).collect();
        let lists = numbers.iter().map(|&class| u32::try_from(class).ok());
        Labels::from_lists(names, lists.map(|class| class.into_iter().collect::<Vec<_>>()))
    }

    /// One class name per node; `None` means no label. Classes are sorted by name.
    pub fn from_names<S: AsRef<str>>(labels: &[Option<S>]) -> Labels {
        let present: BTreeMap<&str, u32> =
            labels.iter().flatten().map(|name| (name.as_ref(), 0)).collect();
        let order: BTreeMap<&str, u32> =
            present.into_keys().enumerate().map(|(class, name)| (name, class as u32)).collect();
        let lists = labels.iter().map(|name| {
            name.as_ref().and_then(|name| order.get(name.as_ref()).copied()).into_iter().collect()
        });
        Labels::from_lists(order.keys().map(|&name| name.to_owned()).collect(), lists)
    }

    /// Any number of classes per node, as numbers into `names`; numbers without a name are dropped.
    pub fn from_lists(names: Vec<String>, lists: impl Iterator<Item = Vec<u32>>) -> Labels {
        let mut labels = Labels { names, starts: vec![0], members: Vec::new() };
        for mut list in lists {
            list.retain(|&class| (class as usize) < labels.names.len());
            list.sort_unstable();
            list.dedup();
            labels.members.extend(list);
            labels.starts.push(labels.members.len() as u64);
        }
        labels
    }

    /// Replaces the class names; extra names are ignored, missing ones keep their number.
    pub fn rename(mut self, names: &[String]) -> Labels {
        for (old, new) in self.names.iter_mut().zip(names) {
            old.clone_from(new);
        }
        self
    }

    /// The labels of some nodes, with all classes.
    pub(super) fn select(&self, nodes: &[u32]) -> Labels {
        let lists = nodes.iter().map(|&node| self.of(node as usize).to_vec());
        Labels::from_lists(self.class_names().to_vec(), lists)
    }

    /// Number of nodes, labelled or not.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Class names; a class may have no member.
    pub fn class_names(&self) -> &[String] {
        &self.names
    }

    /// Classes of one node, in rising order.
    pub fn of(&self, node: usize) -> &[u32] {
        &self.members[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Whether some node has more than one class.
    pub fn is_multi_label(&self) -> bool {
        self.starts.windows(2).any(|w| w[1] - w[0] > 1)
    }

    /// Number of members of each class.
    pub fn class_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.names.len()];
        for &class in &self.members {
            sizes[class as usize] += 1;
        }
        sizes
    }
}

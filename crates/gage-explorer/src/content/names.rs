//! Finding nodes by what they are called.

use gage_embed::Nodes;
use serde::Serialize;

/// Ids of the nodes in lower case, to be searched.
#[derive(Debug)]
pub(crate) struct Names {
    lower: Vec<String>,
}

/// A node and its id.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Named {
    pub(crate) node: u32,
    pub(crate) id: String,
}

impl Names {
    pub(crate) fn of(nodes: &Nodes) -> Names {
        Names { lower: nodes.borrowed_ids().map(|id| id.to_lowercase()).collect() }
    }

    /// Nodes whose ids contain the words: the one of that very id first, then those that begin with
    /// them, shorter ones before longer ones.
    pub(crate) fn find(&self, nodes: &Nodes, words: &str, most: usize) -> Vec<Named> {
        let lower = words.trim().to_lowercase();
        if lower.is_empty() {
            return Vec::new();
        }
        let rank = |(node, name): (usize, &String)| {
            let at = name.find(&lower)?;
            let exact = nodes.name(node) == Some(words.trim());
            Some((!exact, *name != lower, at > 0, name.len(), node))
        };
        let mut found: Vec<_> = self.lower.iter().enumerate().filter_map(rank).collect();
        if found.len() > most && most > 0 {
            found.select_nth_unstable(most - 1);
            found.truncate(most);
        }
        found.sort_unstable();
        let named = |node: usize| Named { node: node as u32, id: nodes.id(node) };
        found.into_iter().take(most).map(|entry| named(entry.4)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_ids_come_first_then_beginnings() {
        let nodes = Nodes::named(["libgimp", "gimp-data", "GIMP", "gimp", "vim"]).unwrap();
        let names = Names::of(&nodes);
        let ids = |words, most| {
            names.find(&nodes, words, most).into_iter().map(|n| n.id).collect::<Vec<_>>()
        };
        assert_eq!(ids("gimp", 9), ["gimp", "GIMP", "gimp-data", "libgimp"]);
        assert_eq!(ids(" GIMP ", 2), ["GIMP", "gimp"]);
        assert!(ids("", 5).is_empty() && ids("emacs", 5).is_empty() && ids("vim", 0).is_empty());
        let numbered = Nodes::numbered(12);
        assert_eq!(Names::of(&numbered).find(&numbered, "1", 1)[0].id, "1");
    }
}

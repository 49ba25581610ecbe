//! Nodes by the ids that somebody typed; errors suggest similar ones.

use gage_embed::Nodes;
use gage_embed::io::{IdSpelling, find_node};

use crate::errors::{Exit, Failure};

/// The node of an id, by the rule for the ids of files.
pub(super) fn find(nodes: &Nodes, id: &str, spelling: IdSpelling) -> Result<usize, Failure> {
    let found = find_node(nodes, id, spelling)
        .map_err(|error| Failure::of(Exit::Misfit, &error, Some(error.hint())))?;
    found.ok_or_else(|| unknown(nodes, id))
}

fn unknown(nodes: &Nodes, id: &str) -> Failure {
    let message = format!("node `{id}` is not among the {} nodes", nodes.len());
    if !nodes.is_named() {
        let last = nodes.len().saturating_sub(1);
        return Failure::misfit(message).help(format!("nodes are numbered from 0 to {last}"));
    }
    let close = close_ids(nodes.ids(), id);
    let help = match &close[..] {
        [] => format!("ids look like `{}`; they must match exactly", nodes.id(0)),
        _ => format!("did you mean {}?", close.join(", ")),
    };
    Failure::misfit(message).help(help)
}

/// Up to three ids that differ little: by case, by a few letters, or by what follows.
fn close_ids(ids: impl Iterator<Item = String>, wanted: &str) -> Vec<String> {
    let lower = wanted.trim().to_lowercase();
    let allowed = (wanted.trim().chars().count() / 3).clamp(1, 3);
    let mut close: Vec<(usize, String)> = ids
        .filter_map(|id| {
            let other = id.to_lowercase();
            let distance = edits(&lower, &other, allowed);
            let contains = lower.len() >= 3 && other.contains(&lower);
            let rank = distance.or(contains.then_some(allowed + 1))?;
            Some((rank, id))
        })
        .collect();
    close.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.len().cmp(&b.1.len())).then(a.1.cmp(&b.1)));
    close.into_iter().take(3).map(|(_, id)| format!("`{id}`")).collect()
}

/// Letters to insert, delete or replace to turn one text into the other, if at most `most`.
fn edits(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Some(row[b.len()]).filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("gimp", "gimp", 2), Some(0));
        assert_eq!(edits("gimp", "gmp", 2), Some(1));
        assert_eq!(edits("kitten", "sitting", 3), Some(3));
        assert_eq!(edits("kitten", "sitting", 2), None);
    }

    #[test]
    fn close_ids_come_nearest_first() {
        let ids = ["gimp", "gimp-data", "GIMP2", "emacs"].map(str::to_owned);
        assert_eq!(close_ids(ids.clone().into_iter(), "gimpp"), ["`gimp`", "`GIMP2`"]);
        assert_eq!(close_ids(ids.into_iter(), "data"), ["`gimp-data`"]);
    }
}

//! Links by the relation they belong to, and links that weigh less the older they are.

use gage_core::Hint;
use gage_linalg::SparseMatrix;

use crate::error::{Origin, Place, ReadError};
use crate::format::edge_list::parse::Chunk;
use crate::format::edge_list::relation_names::Relations;
use crate::sparse_builder::{from_entries, from_keys, sparse_error};

/// Relations one list may have: each becomes a view.
const MOST: usize = 64;

/// The links of each relation, in the order of their names; nothing if there is only one.
pub(crate) fn split(
    origin: &Origin,
    count: usize,
    links: &Chunk,
) -> Result<Vec<(String, SparseMatrix)>, ReadError> {
    let Relations { names, of, .. } = &links.relations;
    if names.len() < 2 {
        return Ok(Vec::new());
    }
    if names.len() > MOST {
        let found = format!("{} relations such as `{}`", names.len(), names[0]);
        let expected = format!("at most {MOST}, as each becomes a view");
        let hint = Hint::LeaveRelationsOut;
        return Err(ReadError::too_large(origin, Place::File, found, expected, hint));
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| names[a].cmp(&names[b]));
    let wrong = |error| sparse_error(origin, Place::File, error);
    let mut all = Vec::with_capacity(names.len());
    for at in order {
        let own = |position: usize| of[position] as usize == at;
        let built = if links.entries.is_empty() {
            let keys = links.keys.iter().enumerate().filter(|&(link, _)| own(link));
            from_keys(count, count, keys.map(|(_, &key)| key).collect())
        } else {
            let entries = links.entries.iter().enumerate().filter(|&(link, _)| own(link));
            from_entries(count, count, entries.map(|(_, &entry)| entry).collect())
        };
        let name = if names[at].is_empty() { "(empty)".to_owned() } else { names[at].clone() };
        all.push((name, built.map_err(wrong)?.0));
    }
    Ok(all)
}

/// Halves the weight of a link for every half-life that lies between it and the latest link.
pub(crate) fn decay(links: &mut Chunk, half_life: f64) {
    let latest = links.times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (entry, time) in links.entries.iter_mut().zip(&links.times) {
        entry.1 *= (-(latest - time) / half_life).exp2();
    }
}

//! The nodes of a data set and their order.

use gage_core::Hint;
use gage_core::graph::{NamesBuilder, Nodes};

use crate::dataset::join_rule::Align;
use crate::dataset::parts::Parts;
use crate::dataset::reindex::{number_range, union};
use crate::error::{Origin, Place, ReadError};
use crate::node_ids::duplicate_id;

/// Who the nodes are: see [`load`](super::load).
pub(crate) fn node_order(parts: &mut Parts, align: Align) -> Result<Nodes, ReadError> {
    let sizes: Vec<(&Origin, usize, &str)> = parts
        .nodes
        .iter()
        .map(|part| (&part.origin, part.value.len(), "names"))
        .chain(
            parts
                .links
                .iter()
                .filter(|part| part.value.ids.is_none())
                .map(|part| (&part.origin, part.value.links.rows(), "rows")),
        )
        .chain(
            parts
                .attributes
                .iter()
                .filter(|part| part.value.ids.is_none())
                .map(|part| (&part.origin, part.value.matrix.rows(), "rows")),
        )
        .collect();
    if let Some(&(first, count, what)) = sizes.first()
        && let Some(&(other, found, other_what)) = sizes.iter().find(|size| size.1 != count)
    {
        let found = format!("{count} {what} in the first and {found} {other_what} in the second");
        let remedy = "both must have one row per node, in the same order; check which is complete";
        return Err(ReadError::mismatch(first, other, found, "the same number", remedy));
    }
    let count = sizes.first().map(|size| size.1);
    if let Some(part) = &parts.nodes {
        return Ok(part.value.clone());
    }
    let tables = parts.attributes.iter().filter_map(|p| Some((p, p.value.ids.as_ref()?)));
    let edges = parts.links.iter().filter_map(|p| Some((p, p.value.ids.as_ref()?)));
    let Some(count) = count else {
        let lists: Vec<&Nodes> =
            tables.clone().map(|t| t.1).chain(edges.clone().map(|e| e.1)).collect();
        for (table, ids) in tables {
            for (edge, other) in edges.clone() {
                check_overlap(&table.origin, ids, &edge.origin, other)?;
            }
        }
        if let [only] = lists[..] {
            return Ok(only.clone());
        }
        let all = union(&lists);
        return Nodes::named(&all).map_err(|error| {
            duplicate_id(Origin::Memory("nodes".to_owned()), error, Place::Line, 1)
        });
    };
    // Matrix files have no ids: a table of as many rows lends its own, unless they are row numbers
    // anyway.
    if let Some((table, ids)) = tables.clone().find(|table| table.1.len() == count) {
        if let Some(row) = out_of_order_from_one(ids) {
            if align == Align::Id {
                return Ok(counted_from_one(count));
            }
            return Err(counts_or_names(&table.origin, ids, row, sizes[0].0));
        }
        if align == Align::Id && number_range(ids).is_none_or(|range| range.1 >= count as u64) {
            let found = format!("ids such as `{}`, and rows without ids", ids.id(0));
            let expected = "ids on both sides, to be joined by";
            return Err(ReadError::mismatch(
                &table.origin,
                sizes[0].0,
                found,
                expected,
                Hint::Align,
            ));
        }
        if number_range(ids).is_none_or(|range| range.1 >= count as u64) {
            parts.info.push(format!(
                "{}: its {count} rows, in their order, name the rows of the matrix files",
                table.origin
            ));
            return Ok(ids.clone());
        }
    }
    Ok(Nodes::numbered(count))
}

/// The first row out of order, if ids are the numbers from 1 to that of rows in some other order:
/// they are names of rows or their numbers.
fn out_of_order_from_one(ids: &Nodes) -> Option<usize> {
    if number_range(ids) != Some((1, ids.len() as u64)) {
        return None;
    }
    (0..ids.len()).find(|&row| ids.name(row).is_none_or(|id| id != (row + 1).to_string()))
}

/// The nodes `1`, `2`, ... in this order.
fn counted_from_one(count: usize) -> Nodes {
    let mut names = NamesBuilder::default();
    (1..=count as u32).for_each(|number| names.push_number(number));
    names.unique()
}

fn counts_or_names(first: &Origin, ids: &Nodes, row: usize, second: &Origin) -> ReadError {
    let (id, at) = (ids.id(row), row + 1);
    let found = format!("row {at} with id {id}, and two readings are plausible: it is row {id} of");
    let found = format!("{found} the second, by its id, or row {at}, which `{id}` is the name of");
    let expected = "ids from 1 in order, or other names";
    ReadError::mismatch(first, second, found, expected, Hint::Align)
}

fn check_overlap(first: &Origin, a: &Nodes, second: &Origin, b: &Nodes) -> Result<(), ReadError> {
    let index = a.index();
    let shared = (0..b.len()).any(|node| b.name(node).is_some_and(|id| index.contains_key(id)));
    if shared || a.is_empty() || b.is_empty() {
        return Ok(());
    }
    let found = format!("no id in common, for instance `{}` against `{}`", a.id(0), b.id(0));
    let remedy = "check which column holds the ids, and that they are written alike";
    Err(ReadError::mismatch(first, second, found, "ids of the same nodes", remedy))
}

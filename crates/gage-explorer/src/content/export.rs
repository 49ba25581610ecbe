//! Selected nodes as a table.

use gage_embed::io::parquet_of_ids;
use gage_embed::{Labels, Nodes};

use super::data::Data;

/// The selected nodes as CSV: id, classes joined by `;` where there are labels, and the links of
/// the node where there are data.
pub(crate) fn csv(
    selected: &[u32],
    nodes: &Nodes,
    labels: Option<&Labels>,
    data: Option<&Data>,
) -> String {
    let degrees = data.map(Data::degrees);
    let mut text = "id".to_owned();
    text.push_str(if labels.is_some() { ",class" } else { "" });
    text.push_str(if degrees.is_some() { ",degree\n" } else { "\n" });
    for &node in selected {
        let node = node as usize;
        text.push_str(&quoted(&nodes.id(node)));
        if let Some(labels) = labels {
            let name = |&class: &u32| labels.class_names()[class as usize].as_str();
            let classes: Vec<&str> = labels.of(node).iter().map(name).collect();
            text.push(',');
            text.push_str(&quoted(&classes.join(";")));
        }
        if let Some(degrees) = &degrees {
            text.push_str(&format!(",{}", degrees[node]));
        }
        text.push('\n');
    }
    text
}

/// The ids of the selected nodes as Parquet; nothing in a build without it.
pub(crate) fn parquet(selected: &[u32], nodes: &Nodes) -> Option<Vec<u8>> {
    let ids = selected.iter().map(|&node| nodes.id(node as usize));
    parquet_of_ids(&Nodes::named(ids).ok()?)
}

/// A cell as RFC 4180 has it. A cell that a spreadsheet would compute is quoted like any other:
/// ids must come back as they are.
fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let nodes = Nodes::named(["a", "b,\"c\"", "d"]).unwrap();
        let labels = Labels::from_lists(
            vec!["x".into(), "y".into()],
            [vec![0, 1], vec![], vec![1]].into_iter(),
        );
        let text = csv(&[1, 0], &nodes, Some(&labels), None);
        assert_eq!(text, "id,class\n\"b,\"\"c\"\"\",\na,x;y\n");
        assert_eq!(csv(&[2], &nodes, None, None), "id\nd\n");
    }
}

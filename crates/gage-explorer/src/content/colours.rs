//! What nodes can be coloured by.

use gage_embed::{Labels, Matrix};
use serde::Serialize;

use super::columns::original;
use super::data::Data;

/// Different values up to which a column is shown as classes.
const FEW: usize = 2;

/// A choice of colours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Colouring {
    /// what to send to get it
    pub(crate) by: &'static str,
    pub(crate) title: String,
}

/// Colours of all nodes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Colour {
    /// One of these classes each, or none.
    Classes { names: Vec<String>, of: Vec<Option<u32>> },
    /// A number each; not a number where there is none.
    Numbers(Vec<f32>),
}

/// The choices there are; `scale` is what given numbers mean, and `loss` whether that of each node
/// can be measured.
pub(crate) fn colourings(
    labels: Option<&Labels>,
    scale: Option<&str>,
    data: Option<&Data>,
    loss: bool,
) -> Vec<Colouring> {
    let mut all = Vec::new();
    let mut add = |by, title: &str| all.push(Colouring { by, title: title.to_owned() });
    if let Some(title) = scale {
        add("scale", title);
    }
    if labels.is_some() {
        add("label", "class");
    }
    add("cluster", "cluster");
    if data.is_some_and(|data| data.links().next().is_some()) {
        add("degree", "degree");
    }
    if data.is_some_and(|data| data.attributes().next().is_some()) {
        add("column", "a column ...");
    }
    if loss {
        add("loss", "loss");
    }
    add("moved", "what moved most");
    all
}

impl Colour {
    /// The first class of every node.
    pub(crate) fn of_labels(labels: &Labels) -> Colour {
        let of = (0..labels.len()).map(|node| labels.of(node).first().copied()).collect();
        Colour::Classes { names: labels.class_names().to_vec(), of }
    }

    /// Numbers, shown on a logarithmic scale by the page.
    pub(crate) fn of_degrees(data: &Data) -> Colour {
        Colour::Numbers(data.degrees().into_iter().map(|degree| degree as f32).collect())
    }

    /// One column of a block of attributes: has it or not where all entries are alike, else the
    /// values.
    pub(crate) fn of_column(
        data: &Data,
        block: &str,
        column: usize,
        nodes: usize,
    ) -> Option<Colour> {
        let (block, _) = data.attributes().find(|(own, _)| own.name == block)?;
        if column >= block.matrix.cols() {
            return None;
        }
        let value = |node: usize| -> Option<f64> {
            let row = data.row(node)?;
            Some(match &block.matrix {
                Matrix::Dense(matrix) => matrix.get(row, column),
                Matrix::Sparse(matrix) => {
                    let entry = matrix.row(row).find(|(at, _)| *at as usize == column);
                    entry.map_or(0.0, |(_, value)| value)
                }
            })
        };
        let values: Vec<Option<f64>> = (0..nodes).map(value).collect();
        let mut different: Vec<f64> = Vec::new();
        for value in values.iter().flatten() {
            if different.len() <= FEW && !different.contains(value) {
                different.push(*value);
            }
        }
        if different.len() <= FEW && different.contains(&0.0) {
            let of = values.iter().map(|value| value.map(|value| u32::from(value == 0.0)));
            let names = vec!["has it".to_owned(), "has it not".to_owned()];
            return Some(Colour::Classes { names, of: of.collect() });
        }
        let number =
            |value: Option<f64>| value.map_or(f32::NAN, |x| original(block, column, x) as f32);
        Some(Colour::Numbers(values.into_iter().map(number).collect()))
    }

    /// How the page reads it: the length of a head (u32), the head as JSON, then a class (u16,
    /// 65535 for none) or a number (f32) for every node.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (head, body): (serde_json::Value, Vec<u8>) = match self {
            Colour::Classes { names, of } => {
                let class = |class: Option<u32>| class.and_then(|c| u16::try_from(c).ok());
                let numbers = of.iter().map(|&own| class(own).unwrap_or(u16::MAX));
                let body = numbers.flat_map(u16::to_le_bytes).collect();
                (serde_json::json!({ "kind": "classes", "names": names }), body)
            }
            Colour::Numbers(values) => {
                let body = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                (serde_json::json!({ "kind": "numbers" }), body)
            }
        };
        let mut head = head.to_string();
        // The numbers begin at a multiple of four bytes.
        head.push_str(&" ".repeat((4 - head.len() % 4) % 4));
        [&(head.len() as u32).to_le_bytes()[..], head.as_bytes(), &body].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_encoded_on_a_grid_of_four() {
        let colour = Colour::Classes { names: vec!["a".into()], of: vec![Some(0), None] };
        let bytes = colour.encode();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!(length % 4, 0);
        let head: serde_json::Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        assert_eq!(head["names"][0], "a");
        assert_eq!(bytes[4 + length..], [0, 0, 255, 255]);
    }
}

//! Attributes of new nodes, converted to the columns of the model.

use std::collections::HashMap;

use crate::contents::AttributeTable;
use crate::note::first_few;
use gage_core::graph::{Mask, Matrix, Nodes};
use gage_core::model::{Model, NewBlock};
use gage_core::views::Direction;
use gage_linalg::{DenseMatrix, SparseMatrix};

use super::error::NewDataError;

/// The block of one table: a row per new node, the columns of the fit.
pub(super) fn block(
    model: &Model,
    nodes: &Nodes,
    name: &str,
    table: &AttributeTable,
    columns: usize,
    remarks: &mut Vec<String>,
) -> Result<NewBlock, NewDataError> {
    let columns_at = match_columns(model, name, table, columns, remarks)?;
    let rows_at = match_rows(nodes, name, table)?;
    let mut observed = vec![false; nodes.len()];
    let known = |row: usize| table.observed.as_ref().is_none_or(|observed| observed[row]);
    for (row, at) in rows_at.iter().enumerate() {
        if let Some(at) = at {
            observed[*at] = known(row);
        }
    }
    let matrix = match &table.matrix {
        Matrix::Sparse(sparse) => {
            let mut entries = Vec::new();
            for (row, at) in rows_at.iter().enumerate() {
                let Some(at) = at else { continue };
                entries.extend(sparse.row(row).filter_map(|(col, value)| {
                    Some((*at as u32, columns_at[col as usize]? as u32, value))
                }));
            }
            Matrix::Sparse(SparseMatrix::from_triplets(nodes.len(), columns, &entries)?)
        }
        Matrix::Dense(dense) => {
            // A column the file does not have is missing, which is not zero.
            let mut values = vec![f64::NAN; nodes.len() * columns];
            for (row, at) in rows_at.iter().enumerate() {
                let Some(at) = at else { continue };
                for (col, target) in columns_at.iter().enumerate() {
                    if let Some(target) = target {
                        values[at * columns + target] = dense.get(row, col);
                    }
                }
            }
            let dense = DenseMatrix::from_f64(nodes.len(), columns, values);
            Matrix::Dense(dense.ok_or_else(|| {
                NewDataError::new("a table of impossible size", "fold in fewer nodes at a time")
            })?)
        }
    };
    let observed = Some(Mask::new(observed));
    Ok(NewBlock { name: name.to_owned(), direction: Direction::Out, matrix, observed })
}

/// The column of the model for every column of the file.
fn match_columns(
    model: &Model,
    name: &str,
    table: &AttributeTable,
    columns: usize,
    remarks: &mut Vec<String>,
) -> Result<Vec<Option<usize>>, NewDataError> {
    let found = table.matrix.cols();
    let (Some(own), Some(fitted)) = (&table.columns, model.column_names(name)) else {
        if found == columns {
            return Ok((0..columns).map(Some).collect());
        }
        let message = format!("`{name}` of the new nodes has {found} columns, the model {columns}");
        let help = "without column names on both sides the columns must be the same, in order";
        return Err(NewDataError::new(message, help));
    };
    let index: HashMap<&str, usize> =
        fitted.iter().enumerate().map(|(at, column)| (column.as_str(), at)).collect();
    let matched: Vec<Option<usize>> =
        own.iter().map(|column| index.get(column.as_str()).copied()).collect();
    let unknown: Vec<&str> = own
        .iter()
        .zip(&matched)
        .filter(|(_, at)| at.is_none())
        .map(|(column, _)| column.as_str())
        .collect();
    if unknown.len() == own.len() {
        let message = format!(
            "`{name}`: none of the {} columns of the new nodes is in the model (`{}` against `{}`)",
            own.len(),
            own.first().map_or("", String::as_str),
            fitted.first().map_or("", String::as_str)
        );
        return Err(NewDataError::new(message, "name the columns as in the fitted table"));
    }
    if !unknown.is_empty() {
        let text = first_few(&unknown);
        remarks.push(format!(
            "`{name}`: {} columns are not in the model, left out: {text}",
            unknown.len()
        ));
    }
    let given: std::collections::HashSet<&str> = own.iter().map(String::as_str).collect();
    let absent: Vec<&str> =
        fitted.iter().map(String::as_str).filter(|column| !given.contains(column)).collect();
    if !absent.is_empty() {
        let text = first_few(&absent);
        let what = if matches!(table.matrix, Matrix::Sparse(_)) { "zero" } else { "missing" };
        let absent = absent.len();
        remarks.push(format!(
            "`{name}`: {absent} columns of the model are absent, taken as {what}: {text}"
        ));
    }
    Ok(matched)
}

/// The new node of every row; rows of nodes that are not new have none.
fn match_rows(
    nodes: &Nodes,
    name: &str,
    table: &AttributeTable,
) -> Result<Vec<Option<usize>>, NewDataError> {
    if let Some(ids) = &table.ids {
        let index = nodes.index();
        return Ok(ids.ids().map(|id| index.get(id.as_str()).map(|&at| at as usize)).collect());
    }
    let rows = table.matrix.rows();
    if rows == nodes.len() {
        return Ok((0..rows).map(Some).collect());
    }
    let message = format!("`{name}` has {rows} rows for {} new nodes", nodes.len());
    Err(NewDataError::new(message, "give one row per new node, in the order of their names"))
}

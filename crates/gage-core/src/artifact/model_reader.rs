//! Reads models. Every shape, index and value is checked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use faer::Mat;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::Deserialize;

use crate::graph::{Nodes, TableEncoding};
use crate::model::{FittedView, FoldInTables, Model, PartialRows, ViewTable};
use gage_linalg::{AnyTall, Workspace};

use super::checksum::verify_checksum;
use super::model_file::{CombinationHeader, Header, KEY, ModelFileError, TablesHeader, VERSION};
use super::tensor_file::{decode, read_f64s, read_numbers};

impl Model {
    /// Reads a model and checks everything in it.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, ModelFileError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path)
            .map_err(|source| ModelFileError::Io { path: path.to_owned(), source })?;
        Model::from_bytes(&bytes, path)
    }

    /// As [`load`](Model::load), from the bytes of a file; `path` is for messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model, ModelFileError> {
        let fail = |reason: String| ModelFileError::NotAModel { path: path.to_owned(), reason };
        let (json, tensors) = decode(bytes, KEY).map_err(fail)?;
        #[derive(Deserialize)]
        struct VersionOnly {
            version: u32,
        }
        let version: VersionOnly =
            serde_json::from_str(&json).map_err(|error| fail(error.to_string()))?;
        if version.version > VERSION {
            let (found, known) = (version.version, VERSION);
            return Err(ModelFileError::Version { path: path.to_owned(), found, known });
        }
        let verified = verify_checksum(bytes).map_err(fail)?;
        let header: Header =
            serde_json::from_str(&json).map_err(|error| fail(error.to_string()))?;
        if header.checksum && !verified {
            return Err(fail("its checksum is missing: it is damaged or was changed".to_owned()));
        }
        Incoming { tensors, path }.model(header)
    }
}

/// A file being read.
struct Incoming<'a> {
    tensors: SafeTensors<'a>,
    path: &'a Path,
}

impl Incoming<'_> {
    fn bad(&self, tensor: &str, reason: impl Into<String>) -> ModelFileError {
        ModelFileError::Tensor {
            path: self.path.to_owned(),
            tensor: tensor.to_owned(),
            reason: reason.into(),
        }
    }

    fn find(&self, name: &str) -> Option<TensorView<'_>> {
        self.tensors.tensor(name).ok()
    }

    fn vector(
        &self,
        name: &str,
        length: Option<usize>,
    ) -> Result<Option<Vec<f64>>, ModelFileError> {
        let Some(tensor) = self.find(name) else { return Ok(None) };
        let values = read_f64s(&tensor).map_err(|reason| self.bad(name, reason))?;
        if let Some(length) = length.filter(|&length| length != values.len()) {
            return Err(
                self.bad(name, format!("{} numbers where {length} were expected", values.len()))
            );
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(self.bad(name, format!("entry {at} is {}", values[at])));
        }
        Ok(Some(values))
    }

    fn required(&self, name: &str, length: usize) -> Result<Vec<f64>, ModelFileError> {
        self.vector(name, Some(length))?.ok_or_else(|| self.bad(name, "is missing"))
    }

    fn numbers(
        &self,
        name: &str,
        rows: Option<usize>,
        cols: Option<usize>,
    ) -> Result<Option<AnyTall>, ModelFileError> {
        let Some(tensor) = self.find(name) else { return Ok(None) };
        let numbers = read_numbers(&tensor, &Workspace::default())
            .map_err(|reason| self.bad(name, reason))?;
        let (found_rows, found_cols) = (numbers.rows(), numbers.cols());
        if rows.is_some_and(|rows| rows != found_rows) || cols.is_some_and(|c| c != found_cols) {
            let reason = format!("shape {found_rows} x {found_cols}, expected {rows:?} x {cols:?}");
            return Err(self.bad(name, reason));
        }
        let finite = match &numbers {
            AnyTall::F32(tall) => tall.data().iter().all(|v| v.is_finite()),
            AnyTall::F64(tall) => tall.data().iter().all(|v| v.is_finite()),
        };
        if !finite {
            return Err(self.bad(name, "holds a number that is not finite"));
        }
        Ok(Some(numbers))
    }

    fn nodes(&self, count: usize) -> Result<Nodes, ModelFileError> {
        let (Some(text), Some(ends)) = (self.find("ids.text"), self.find("ids.ends")) else {
            return Ok(Nodes::numbered(count));
        };
        if ends.dtype() != Dtype::U64 || text.dtype() != Dtype::U8 {
            return Err(self.bad("ids.ends", "ids must be bytes with 64-bit ends"));
        }
        let text =
            std::str::from_utf8(text.data()).map_err(|e| self.bad("ids.text", e.to_string()))?;
        let mut start = 0;
        let mut ids = Vec::new();
        for chunk in ends.data().chunks_exact(8) {
            let end = u64::from_le_bytes(chunk.try_into().unwrap_or_default()) as usize;
            let id = (end >= start).then(|| text.get(start..end)).flatten();
            ids.push(
                id.ok_or_else(|| self.bad("ids.ends", format!("end {end} of id {}", ids.len())))?,
            );
            start = end;
        }
        if ids.len() != count {
            return Err(self.bad("ids.ends", format!("{} ids for {count} nodes", ids.len())));
        }
        Nodes::named(ids).map_err(|error| self.bad("ids.text", error.to_string()))
    }

    fn model(&self, header: Header) -> Result<Model, ModelFileError> {
        let factors = self
            .numbers("factors", Some(header.nodes), None)?
            .ok_or_else(|| self.bad("factors", "is missing"))?;
        let columns = factors.cols();
        let Some(fitted) = header.nodes.checked_sub(header.appended) else {
            let reason = format!("{} of {} nodes were appended", header.appended, header.nodes);
            return Err(self.bad("gage", reason));
        };
        let views = self.views(header.views, columns)?;
        self.check_unobserved(&header.info.unobserved_nodes, header.nodes)?;
        let tables = match header.tables {
            Some(tables) if tables.views.len() != views.len() => {
                let reason = format!("{} tables for {} views", tables.views.len(), views.len());
                return Err(self.bad("gage", reason));
            }
            Some(tables) => Some(self.tables(tables, &views, fitted, columns)?),
            None => None,
        };
        if let (Some(encodings), Some(tables)) = (&header.encodings, &tables) {
            self.check_encodings(encodings, tables, &views)?;
        }
        Ok(Model {
            nodes: self.nodes(header.nodes)?,
            factors,
            views,
            params: header.params,
            info: header.info,
            certificate: header.certificate,
            tables,
            columns: header.columns,
            encodings: header.encodings,
            relations: header.relations,
            appended: header.appended,
            annotations: header.annotations,
        })
    }

    /// The views with their coefficients.
    fn views(
        &self,
        mut views: Vec<FittedView>,
        columns: usize,
    ) -> Result<Vec<FittedView>, ModelFileError> {
        if columns > 0 && views.is_empty() {
            return Err(self.bad("factors", format!("{columns} columns, but no views")));
        }
        let coefficients = self.required("coefficients", views.len() * columns)?;
        if let Some(at) = coefficients.iter().position(|&c| c < 0.0) {
            return Err(self.bad("coefficients", format!("entry {at} is negative")));
        }
        if columns > 0 {
            for (view, c) in views.iter_mut().zip(coefficients.chunks_exact(columns)) {
                view.coefficients = c.to_vec();
            }
        }
        Ok(views)
    }

    fn check_unobserved(&self, unobserved: &[usize], nodes: usize) -> Result<(), ModelFileError> {
        if let Some(&node) = unobserved.iter().find(|&&node| node >= nodes) {
            return Err(self.bad("gage", format!("unobserved node {node} of {nodes} nodes")));
        }
        if !unobserved.is_sorted_by(|a, b| a < b) {
            return Err(self.bad("gage", "unobserved nodes repeat or are out of order"));
        }
        Ok(())
    }

    fn check_encodings(
        &self,
        encodings: &BTreeMap<String, TableEncoding>,
        tables: &FoldInTables,
        views: &[FittedView],
    ) -> Result<(), ModelFileError> {
        for (name, encoding) in encodings {
            let bad = |reason: String| self.bad("gage", format!("table `{name}`: {reason}"));
            encoding.check().map_err(bad)?;
            for (table, view) in tables.views.iter().zip(views) {
                let (found, wanted) = (encoding.width(), view.block_columns());
                if table.recipe.block.as_ref() == Some(name) && wanted != found {
                    return Err(bad(format!("{found} columns where the view has {wanted}")));
                }
            }
        }
        Ok(())
    }

    fn tables(
        &self,
        header: TablesHeader,
        fitted: &[FittedView],
        nodes: usize,
        columns: usize,
    ) -> Result<FoldInTables, ModelFileError> {
        let mut views = Vec::with_capacity(header.views.len());
        for (k, (table, view)) in header.views.into_iter().zip(fitted).enumerate() {
            let name = |part: &str| format!("view{k}.{part}");
            let shared =
                |part: &str, length: usize| -> Result<Option<Arc<[f64]>>, ModelFileError> {
                    Ok(self.vector(&name(part), Some(length))?.map(Arc::from))
                };
            let mut recipe = table.recipe;
            let width = view.block_columns();
            recipe.right = shared("right", width)?;
            recipe.shift = shared("shift", width)?;
            if let Some(propagation) = &mut recipe.propagation {
                propagation.node_factors = shared("node_factors", nodes)?;
            }
            let normal = self.required(&name("normal"), columns * columns)?;
            views.push(ViewTable {
                recipe,
                loadings: self.numbers(&name("loadings"), Some(width), Some(columns))?,
                neighbours: self.numbers(&name("neighbours"), Some(nodes), Some(columns))?,
                offset: self.required(&name("offset"), columns)?,
                mean_factor: self.required(&name("mean_factor"), columns)?,
                normal: Mat::from_fn(columns, columns, |i, j| normal[i * columns + j]),
                weighted: self.required(&name("weighted"), columns)?,
                unit: table.unit,
                noise: table.noise,
                residual: table.residual,
            });
        }
        let spread = self.required("spread", columns)?;
        let partial = self.combinations(header.partial, header.combinations, columns)?;
        Ok(FoldInTables { views, spread, ridge: header.ridge, partial })
    }

    /// The tables for nodes that have only some of the blocks; `older` are those of older files.
    fn combinations(
        &self,
        older: Vec<Vec<String>>,
        found: Vec<CombinationHeader>,
        columns: usize,
    ) -> Result<Vec<PartialRows>, ModelFileError> {
        let old = |blocks| CombinationHeader { blocks, neighbours: Vec::new() };
        let (name, all): (_, Vec<CombinationHeader>) = if found.is_empty() {
            ("partial", older.into_iter().map(old).collect())
        } else {
            ("combination", found)
        };
        let read = |(k, header): (usize, CombinationHeader)| {
            let CombinationHeader { blocks, neighbours } = header;
            let name = format!("{name}{k}");
            let rows = if neighbours.is_empty() { columns } else { 2 * columns };
            let weights = format!("{name}.weights");
            let found = self.numbers(&weights, Some(rows), Some(columns))?;
            Ok(PartialRows {
                blocks,
                neighbours,
                weights: found.ok_or_else(|| self.bad(&weights, "is missing"))?,
                intercept: self.required(&format!("{name}.intercept"), columns)?,
            })
        };
        all.into_iter().enumerate().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::{Block, Graph, Nodes};
    use crate::model::Model;
    use crate::views::{Direction, LogAffinity, Propagate, Steps, Transform, ViewSpec};
    use crate::{Dimension, FitParams, fit};
    use gage_linalg::SparseMatrix;

    /// Views with fewer columns than the block that rows of new nodes have.
    #[test]
    fn models_of_views_with_columns_of_their_own_are_read_again() {
        let links: Vec<(u32, u32, f64)> =
            (0..90u32).flat_map(|i| [(i, (i + 3) % 90, 1.0), ((i + 3) % 90, i, 1.0)]).collect();
        let words: Vec<(u32, u32, f64)> = (0..90u32)
            .flat_map(|i| (0..5).map(move |j| (i, (i % 3 * 10 + i * j) % 40, 1.0)))
            .collect();
        let graph = Graph::new(Nodes::numbered(90))
            .with_block(Block::links(
                "links",
                SparseMatrix::from_triplets(90, 90, &links).unwrap(),
                false,
            ))
            .unwrap()
            .with_block(Block::attributes(
                "attributes",
                SparseMatrix::from_triplets(90, 40, &words).unwrap(),
            ))
            .unwrap();
        let propagate = Some(Propagate {
            block: "links".to_owned(),
            transform: Transform::Symmetric { self_loops: 1.0 },
            direction: Direction::Out,
            steps: Steps::Polynomial(vec![0.5, 0.25]),
        });
        let words = ViewSpec { transform: Transform::TfIdf, ..ViewSpec::raw("attributes") };
        let views = vec![
            ViewSpec {
                name: "walks".to_owned(),
                propagate,
                log_affinity: Some(LogAffinity { sampled: 30, kept: 7 }),
                ..words.clone()
            },
            words,
        ];
        let dimension = Dimension::Fixed(4);
        let params = FitParams { views: Some(views), dimension, ..FitParams::default() };
        let model = fit(&graph, params.check().unwrap()).unwrap();
        let columns: Vec<_> = model.views().iter().map(|v| (v.columns, v.source_columns)).collect();
        assert_eq!(columns, [(7, Some(40)), (40, None)]);
        let file = tempfile::tempdir().unwrap();
        let path = file.path().join("model.gage");
        model.save(&path).unwrap();
        let again = Model::load(&path).unwrap();
        assert_eq!(again.views(), model.views());
        let loadings = |model: &Model, k: usize| {
            let tables = model.tables.as_ref().unwrap();
            tables.views[k].loadings.as_ref().unwrap().to_f64().data().to_vec()
        };
        assert!((0..2).all(|k| loadings(&model, k) == loadings(&again, k)));
    }
}

//! A fitted model as one safetensors file.
//!
//! Tensors hold the arrays. One metadata entry (`gage`) holds parameters, views, info and
//! certificate as JSON. Any safetensors reader can open the file; `docs/formats.md` lists the
//! names. Every shape, index and value is checked on reading.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use faer::Mat;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::graph::{Nodes, TableEncoding};
use crate::hint::{Artifact, Hint};
use crate::model::Certificate;
use crate::model::{FitInfo, FittedView, FoldInTables, Model, ViewTable};
use crate::params::FitParams;
use crate::views::Recipe;
use gage_linalg::{AnyTall, Workspace};

use super::atomic::write_atomically;
use super::tensor_file::{Outgoing, decode, encode, f64s, numbers, read_f64s, read_numbers};

/// Version of the layout; raised when older programs can no longer read it.
const VERSION: u32 = 1;

/// Metadata entry that holds everything that is no tensor.
const KEY: &str = "gage";

/// Why a model file could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The file cannot be opened, read or written.
    #[error("{path}: {source}")]
    Io {
        /// the file
        path: PathBuf,
        /// what the system says
        source: std::io::Error,
    },
    /// Not a safetensors file, or a damaged one.
    #[error("{path}: not a readable model file ({reason})")]
    NotAModel {
        /// the file
        path: PathBuf,
        /// what is wrong
        reason: String,
    },
    /// Written by a newer version.
    #[error("{path}: layout version {found} is newer than {known}, the newest this program knows")]
    Version {
        /// the file
        path: PathBuf,
        /// version in the file
        found: u32,
        /// newest version known
        known: u32,
    },
    /// A tensor is missing, or has a shape or number it must not have.
    #[error("{path}: tensor `{tensor}`: {reason}")]
    Tensor {
        /// the file
        path: PathBuf,
        /// name of the tensor
        tensor: String,
        /// what is wrong
        reason: String,
    },
}

impl ModelFileError {
    /// What to do about it.
    pub fn hint(&self) -> Hint {
        match self {
            ModelFileError::Io { .. } => Hint::CheckAccess,
            ModelFileError::NotAModel { .. } => Hint::Expect(Artifact::Model),
            ModelFileError::Version { .. } => Hint::UPDATE,
            ModelFileError::Tensor { .. } => "the file is damaged or was changed by hand".into(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    program: String,
    nodes: usize,
    params: FitParams,
    views: Vec<FittedView>,
    info: FitInfo,
    certificate: Option<Certificate>,
    tables: Option<TablesHeader>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    columns: BTreeMap<String, Vec<String>>,
    // Absent in older files, which do not say how tables became numbers.
    #[serde(default)]
    encodings: Option<BTreeMap<String, TableEncoding>>,
    #[serde(default)]
    relations: Option<BTreeMap<String, bool>>,
}

#[derive(Serialize, Deserialize)]
struct TablesHeader {
    ridge: f64,
    views: Vec<TableHeader>,
}

#[derive(Serialize, Deserialize)]
struct TableHeader {
    recipe: Recipe,
    unit: f64,
    noise: f64,
    // Absent in older files; new rows then come out a little too short.
    #[serde(default)]
    residual: f64,
}

impl Model {
    /// Writes the model; the file appears whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        let path = path.as_ref();
        let json = self.header_json(path)?;
        write_atomically(path, |out| encode(out, (KEY, &json), self.tensors()))
            .map_err(|source| ModelFileError::Io { path: path.to_owned(), source })
    }

    /// The bytes that [`save`](Model::save) writes; [`from_bytes`](Model::from_bytes) reads them.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        let path = Path::new("model");
        let mut bytes = Vec::new();
        encode(&mut bytes, (KEY, &self.header_json(path)?), self.tensors())
            .map_err(|source| ModelFileError::Io { path: path.to_owned(), source })?;
        Ok(bytes)
    }

    /// Everything that is no tensor.
    fn header_json(&self, path: &Path) -> Result<String, ModelFileError> {
        let header = Header {
            version: VERSION,
            program: concat!("gage-embed ", env!("CARGO_PKG_VERSION")).to_owned(),
            nodes: self.nodes.len(),
            params: self.params.clone(),
            views: self.views.clone(),
            info: self.info.clone(),
            certificate: self.certificate.clone(),
            tables: self.tables.as_ref().map(|tables| TablesHeader {
                ridge: tables.ridge,
                views: tables
                    .views
                    .iter()
                    .map(|t| TableHeader {
                        recipe: t.recipe.clone(),
                        unit: t.unit,
                        noise: t.noise,
                        residual: t.residual,
                    })
                    .collect(),
            }),
            columns: self.columns.clone(),
            encodings: self.encodings.clone(),
            relations: self.relations.clone(),
        };
        let fail = |reason: String| ModelFileError::NotAModel { path: path.to_owned(), reason };
        serde_json::to_string(&header).map_err(|error| fail(error.to_string()))
    }

    fn tensors(&self) -> Vec<(String, Outgoing<'_>)> {
        let columns = self.dimension();
        let coefficients: Vec<f64> =
            self.views.iter().flat_map(|view| view.coefficients.iter().copied()).collect();
        let mut out = vec![
            ("factors".to_owned(), numbers(self.factors.as_ref())),
            ("coefficients".to_owned(), f64s(&coefficients, vec![self.views.len(), columns])),
        ];
        if let Some((text, ends)) = self.nodes.as_text() {
            let bytes = text.as_bytes();
            let tensor =
                Outgoing { dtype: Dtype::U8, shape: vec![bytes.len()], bytes: bytes.into() };
            out.push(("ids.text".to_owned(), tensor));
            let bytes: Vec<u8> = ends.iter().flat_map(|e| e.to_le_bytes()).collect();
            let tensor =
                Outgoing { dtype: Dtype::U64, shape: vec![ends.len()], bytes: bytes.into() };
            out.push(("ids.ends".to_owned(), tensor));
        }
        if let Some(tables) = &self.tables {
            out.push(("spread".to_owned(), f64s(&tables.spread, vec![columns])));
            for (k, table) in tables.views.iter().enumerate() {
                let mut vector = |name: &str, values: Option<&[f64]>| {
                    if let Some(values) = values {
                        let tensor = f64s(values, vec![values.len()]);
                        out.push((format!("view{k}.{name}"), tensor));
                    }
                };
                vector("offset", Some(&table.offset));
                vector("mean_factor", Some(&table.mean_factor));
                vector("weighted", Some(&table.weighted));
                vector("right", table.recipe.right.as_deref());
                vector("shift", table.recipe.shift.as_deref());
                let factors =
                    table.recipe.propagation.as_ref().and_then(|p| p.node_factors.as_deref());
                vector("node_factors", factors);
                let normal = &table.normal;
                let flat = (0..columns).flat_map(|i| (0..columns).map(move |j| normal[(i, j)]));
                let flat: Vec<f64> = flat.collect();
                out.push((format!("view{k}.normal"), f64s(&flat, vec![columns, columns])));
                let tall = [("loadings", &table.loadings), ("neighbours", &table.neighbours)];
                for (name, values) in tall {
                    if let Some(values) = values {
                        out.push((format!("view{k}.{name}"), numbers(values.as_ref())));
                    }
                }
            }
        }
        out
    }

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
        let header: Header =
            serde_json::from_str(&json).map_err(|error| fail(error.to_string()))?;
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
        if columns > 0 && header.views.is_empty() {
            return Err(self.bad("factors", format!("{columns} columns, but no views")));
        }
        let coefficients = self.required("coefficients", header.views.len() * columns)?;
        if let Some(at) = coefficients.iter().position(|&c| c < 0.0) {
            return Err(self.bad("coefficients", format!("entry {at} is negative")));
        }
        let mut views = header.views;
        if columns > 0 {
            for (view, c) in views.iter_mut().zip(coefficients.chunks_exact(columns)) {
                view.coefficients = c.to_vec();
            }
        }
        if let Some(&node) = header.info.unobserved_nodes.iter().find(|&&node| node >= header.nodes)
        {
            return Err(
                self.bad("gage", format!("unobserved node {node} of {} nodes", header.nodes))
            );
        }
        if !header.info.unobserved_nodes.is_sorted_by(|a, b| a < b) {
            return Err(self.bad("gage", "unobserved nodes repeat or are out of order"));
        }
        let tables = match header.tables {
            Some(tables) if tables.views.len() != views.len() => {
                let reason = format!("{} tables for {} views", tables.views.len(), views.len());
                return Err(self.bad("gage", reason));
            }
            Some(tables) => Some(self.tables(tables, &views, header.nodes, columns)?),
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
        })
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
                if table.recipe.block.as_ref() == Some(name) && view.columns != encoding.width() {
                    let (found, wanted) = (encoding.width(), view.columns);
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
            recipe.right = shared("right", view.columns)?;
            recipe.shift = shared("shift", view.columns)?;
            if let Some(propagation) = &mut recipe.propagation {
                propagation.node_factors = shared("node_factors", nodes)?;
            }
            let normal = self.required(&name("normal"), columns * columns)?;
            views.push(ViewTable {
                recipe,
                loadings: self.numbers(&name("loadings"), Some(view.columns), Some(columns))?,
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
        Ok(FoldInTables { views, spread, ridge: header.ridge })
    }
}

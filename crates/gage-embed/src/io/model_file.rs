//! A fitted model as one safetensors file.
//!
//! Tensors hold the numbers, one metadata entry (`gage`) holds parameters, views, info and certificate as JSON. Any
//! safetensors reader can open the file; see `docs/formats.md` for the names. Reading trusts nothing: every shape,
//! index and number is checked before a model is built.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use faer::Mat;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::certificate::Certificate;
use crate::embedding::{FitInfo, FittedView, FoldInTables, Model, ViewTable};
use crate::graph::{Nodes, TableEncoding};
use crate::linalg::{Numbers, Real, Tall};
use crate::params::FitParams;
use crate::views::Recipe;

/// Version of the layout; raised when older programs can no longer read it.
const VERSION: u32 = 1;

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
    #[error(
        "{path}: not a readable model file ({reason}); expected a file written by `--model` or `Model::save`"
    )]
    NotAModel {
        /// the file
        path: PathBuf,
        /// what is wrong
        reason: String,
    },
    /// Written by a newer version.
    #[error(
        "{path}: layout version {found} is newer than {known}, the newest this program knows; update the program"
    )]
    Version {
        /// the file
        path: PathBuf,
        /// version in the file
        found: u32,
        /// newest version known
        known: u32,
    },
    /// A tensor is missing, or has a shape or number it must not have.
    #[error("{path}: tensor `{tensor}`: {reason}; the file is damaged or was changed by hand")]
    Tensor {
        /// the file
        path: PathBuf,
        /// name of the tensor
        tensor: String,
        /// what is wrong
        reason: String,
    },
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

/// One tensor on its way to the file.
struct Outgoing<'a> {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

fn f64s(values: Vec<f64>, shape: Vec<usize>) -> Outgoing<'static> {
    let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    Outgoing { dtype: Dtype::F64, shape, bytes: Cow::Owned(bytes) }
}

fn numbers(numbers: &Numbers) -> Outgoing<'_> {
    let shape = vec![numbers.rows(), numbers.cols()];
    match numbers {
        Numbers::F32(tall) => {
            Outgoing { dtype: Dtype::F32, shape, bytes: little_endian(tall.data()) }
        }
        Numbers::F64(tall) => {
            Outgoing { dtype: Dtype::F64, shape, bytes: little_endian(tall.data()) }
        }
    }
}

/// The bytes of a slice in little-endian order (a borrow on little-endian machines).
fn little_endian<T: Real>(values: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(values));
    }
    let mut bytes = bytemuck::cast_slice::<T, u8>(values).to_vec();
    bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
    Cow::Owned(bytes)
}

impl Model {
    /// Writes the model; the file appears whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        let path = path.as_ref();
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
        let json = serde_json::to_string(&header).map_err(|error| fail(error.to_string()))?;
        let metadata = HashMap::from([("gage".to_owned(), json)]);
        write_atomically(path, &metadata, self.tensors())
            .map_err(|source| ModelFileError::Io { path: path.to_owned(), source })
    }

    fn tensors(&self) -> Vec<(String, Outgoing<'_>)> {
        let columns = self.dimension();
        let coefficients: Vec<f64> =
            self.views.iter().flat_map(|view| view.coefficients.iter().copied()).collect();
        let mut out = vec![
            ("factors".to_owned(), numbers(&self.factors)),
            ("coefficients".to_owned(), f64s(coefficients, vec![self.views.len(), columns])),
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
            out.push(("spread".to_owned(), f64s(tables.spread.clone(), vec![columns])));
            for (k, table) in tables.views.iter().enumerate() {
                let mut vector = |name: &str, values: Option<&[f64]>| {
                    if let Some(values) = values {
                        let tensor = f64s(values.to_vec(), vec![values.len()]);
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
                out.push((format!("view{k}.normal"), f64s(flat.collect(), vec![columns, columns])));
                let tall = [("loadings", &table.loadings), ("neighbours", &table.neighbours)];
                for (name, values) in tall {
                    if let Some(values) = values {
                        out.push((format!("view{k}.{name}"), numbers(values)));
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
        let (_, metadata) =
            SafeTensors::read_metadata(bytes).map_err(|error| fail(error.to_string()))?;
        let json =
            metadata.metadata().as_ref().and_then(|entries| entries.get("gage")).ok_or_else(
                || fail("a safetensors file, but without `gage` metadata".to_owned()),
            )?;
        #[derive(Deserialize)]
        struct VersionOnly {
            version: u32,
        }
        let version: VersionOnly =
            serde_json::from_str(json).map_err(|error| fail(error.to_string()))?;
        if version.version > VERSION {
            let (found, known) = (version.version, VERSION);
            return Err(ModelFileError::Version { path: path.to_owned(), found, known });
        }
        let header: Header = serde_json::from_str(json).map_err(|error| fail(error.to_string()))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| fail(error.to_string()))?;
        Incoming { tensors, path }.model(header)
    }
}

/// Writes a safetensors file under another name in the same folder and renames it: no reader ever sees half a model,
/// and the file has the permissions of any other new file.
fn write_atomically(
    path: &Path,
    metadata: &HashMap<String, String>,
    mut tensors: Vec<(String, Outgoing<'_>)>,
) -> std::io::Result<()> {
    // Widest numbers first, so that everything is aligned; then by name, so that equal models are equal bytes.
    tensors.sort_by(|(a, x), (b, y)| y.dtype.cmp(&x.dtype).then(a.cmp(b)));
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".to_owned(), serde_json::to_value(metadata)?);
    let mut offset = 0;
    for (name, tensor) in &tensors {
        let end = offset + tensor.bytes.len();
        let entry = serde_json::json!({
            "dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [offset, end]
        });
        header.insert(name.clone(), entry);
        offset = end;
    }
    let mut text = serde_json::to_string(&header)?.into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
        file.write_all(&(text.len() as u64).to_le_bytes())?;
        file.write_all(&text)?;
        for (_, tensor) in &tensors {
            file.write_all(&tensor.bytes)?;
        }
        file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    let outcome = write();
    if outcome.is_err() {
        // Nothing was promised yet; what is left of the attempt is only in the way.
        let _ = std::fs::remove_file(&temporary);
    }
    outcome
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
        if tensor.dtype() != Dtype::F64 {
            return Err(self.bad(name, format!("{:?} where F64 was expected", tensor.dtype())));
        }
        let values: Vec<f64> = tensor
            .data()
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().unwrap_or_default()))
            .collect();
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
    ) -> Result<Option<Numbers>, ModelFileError> {
        let Some(tensor) = self.find(name) else { return Ok(None) };
        let &[found_rows, found_cols] = tensor.shape() else {
            return Err(self.bad(name, format!("shape {:?} is not a matrix", tensor.shape())));
        };
        if rows.is_some_and(|rows| rows != found_rows) || cols.is_some_and(|c| c != found_cols) {
            let reason = format!("shape {found_rows} x {found_cols}, expected {rows:?} x {cols:?}");
            return Err(self.bad(name, reason));
        }
        // A tensor without numbers may claim any size.
        if [found_rows, found_cols].iter().any(|&size| u32::try_from(size).is_err()) {
            return Err(self.bad(name, format!("shape {found_rows} x {found_cols} is too large")));
        }
        let numbers = match tensor.dtype() {
            Dtype::F32 => Numbers::F32(tall(&tensor, |b| {
                f32::from_le_bytes(b.try_into().unwrap_or_default())
            })),
            Dtype::F64 => Numbers::F64(tall(&tensor, |b| {
                f64::from_le_bytes(b.try_into().unwrap_or_default())
            })),
            other => return Err(self.bad(name, format!("{other:?} where F32 or F64 was expected"))),
        };
        let finite = match &numbers {
            Numbers::F32(tall) => tall.data().iter().all(|v| v.is_finite()),
            Numbers::F64(tall) => tall.data().iter().all(|v| v.is_finite()),
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
        if let Some(&node) = header.info.blind_nodes.iter().find(|&&node| node >= header.nodes) {
            return Err(self.bad("gage", format!("blind node {node} of {} nodes", header.nodes)));
        }
        if !header.info.blind_nodes.is_sorted_by(|a, b| a < b) {
            return Err(self.bad("gage", "blind nodes repeat or are out of order"));
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

/// Copies a tensor row by row; the safetensors reader has checked that the bytes match the shape.
fn tall<T: Real>(tensor: &TensorView<'_>, number: impl Fn(&[u8]) -> T + Sync) -> Tall<T> {
    let (rows, cols) = (tensor.shape()[0], tensor.shape()[1]);
    let bytes = tensor.data();
    let width = cols * size_of::<T>();
    Tall::from_rows(rows, cols, |row, out| {
        let chunk = &bytes[row * width..(row + 1) * width];
        for (out, b) in out.iter_mut().zip(chunk.chunks_exact(size_of::<T>())) {
            *out = number(b);
        }
    })
}

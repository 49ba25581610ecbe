//! Writes models.

use std::path::Path;

use safetensors::tensor::Dtype;

use crate::model::{Model, PartialRows, ViewTable};

use super::atomic::write_atomically;
use super::model_file::{
    CombinationHeader, Header, KEY, ModelFileError, TableHeader, TablesHeader, VERSION,
    WITHOUT_APPENDED,
};
use super::tensor_file::{Outgoing, encode_with_checksum, f64s, numbers};

impl Model {
    /// Writes the model; the file appears whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
        let path = path.as_ref();
        let json = self.header_json(path)?;
        write_atomically(path, |out| encode_with_checksum(out, (KEY, &json), self.tensors()))
            .map_err(|source| ModelFileError::Io { path: path.to_owned(), source })
    }

    /// The bytes that [`save`](Model::save) writes; [`from_bytes`](Model::from_bytes) reads them.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelFileError> {
        let path = Path::new("model");
        let mut bytes = Vec::new();
        encode_with_checksum(&mut bytes, (KEY, &self.header_json(path)?), self.tensors())
            .map_err(|source| ModelFileError::Io { path: path.to_owned(), source })?;
        Ok(bytes)
    }

    /// Everything that is no tensor.
    fn header_json(&self, path: &Path) -> Result<String, ModelFileError> {
        let header = Header {
            version: if self.appended == 0 { WITHOUT_APPENDED } else { VERSION },
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
                partial: Vec::new(),
                combinations: tables.partial.iter().map(combination_header).collect(),
            }),
            columns: self.columns.clone(),
            encodings: self.encodings.clone(),
            relations: self.relations.clone(),
            appended: self.appended,
            annotations: self.annotations.clone(),
            checksum: true,
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
            let text = text.as_bytes();
            let ends: Vec<u8> = ends.iter().flat_map(|end| end.to_le_bytes()).collect();
            let (shape, count) = (vec![text.len()], vec![ends.len() / 8]);
            let text = Outgoing { dtype: Dtype::U8, shape, bytes: text.into() };
            let ends = Outgoing { dtype: Dtype::U64, shape: count, bytes: ends.into() };
            out.push(("ids.text".to_owned(), text));
            out.push(("ids.ends".to_owned(), ends));
        }
        if let Some(tables) = &self.tables {
            out.push(("spread".to_owned(), f64s(&tables.spread, vec![columns])));
            for (k, table) in tables.views.iter().enumerate() {
                let named = |(name, tensor)| (format!("view{k}.{name}"), tensor);
                out.extend(table_tensors(table).into_iter().map(named));
            }
            for (k, partial) in tables.partial.iter().enumerate() {
                let intercept = f64s(&partial.intercept, vec![columns]);
                out.push((format!("combination{k}.weights"), numbers(partial.weights.as_ref())));
                out.push((format!("combination{k}.intercept"), intercept));
            }
        }
        out
    }
}

fn combination_header(partial: &PartialRows) -> CombinationHeader {
    let (blocks, neighbours) = (partial.blocks.clone(), partial.neighbours.clone());
    CombinationHeader { blocks, neighbours }
}

/// The tensors of one fold-in table.
fn table_tensors(table: &ViewTable) -> Vec<(&'static str, Outgoing<'_>)> {
    let propagation = table.recipe.propagation.as_ref();
    let vectors = [
        ("offset", Some(&table.offset[..])),
        ("mean_factor", Some(&table.mean_factor[..])),
        ("weighted", Some(&table.weighted[..])),
        ("right", table.recipe.right.as_deref()),
        ("shift", table.recipe.shift.as_deref()),
        ("node_factors", propagation.and_then(|found| found.node_factors.as_deref())),
    ];
    let vectors = vectors.into_iter().filter_map(|(name, values)| Some((name, values?)));
    let mut out: Vec<_> =
        vectors.map(|(name, values)| (name, f64s(values, vec![values.len()]))).collect();
    let columns = table.normal.ncols();
    let flat = (0..columns).flat_map(|i| (0..columns).map(move |j| table.normal[(i, j)]));
    out.push(("normal", f64s(&flat.collect::<Vec<f64>>(), vec![columns, columns])));
    let tall = [("loadings", &table.loadings), ("neighbours", &table.neighbours)];
    out.extend(
        tall.into_iter().filter_map(|(name, t)| Some((name, numbers(t.as_ref()?.as_ref())))),
    );
    out
}

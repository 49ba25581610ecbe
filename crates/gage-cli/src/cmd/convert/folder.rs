//! A data set as a folder of files any NumPy can read.

use std::fs;
use std::path::Path;

use gage_embed::io::write_csr;
use gage_embed::{Block, DenseValues, Graph, Labels, Matrix, SparseMatrix};

use crate::errors::cannot_write;
use crate::write::{NpyArray, Staging, reals, write_sparse};

/// Writes `adj.npz`, `features.npz` (or `.npy`; `.csr` if `mapped`), `nodes.txt`, `columns.txt`, labels and `views/*`; returns the files and
/// what the reader of them should know.
pub(super) fn write(
    graph: &Graph,
    folder: &Path,
    mapped: bool,
    mut staging: Staging,
) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let further: Vec<&Block> =
        graph.blocks().iter().filter(|b| b.name != "links" && b.name != "attributes").collect();
    let needed = if further.is_empty() { folder.to_owned() } else { folder.join("views") };
    let fresh = !folder.exists();
    fs::create_dir_all(&needed).map_err(|error| cannot_write(folder, &error))?;
    let mut writer =
        Writer { folder, mapped, staging: &mut staging, files: Vec::new(), warnings: Vec::new() };
    let outcome = writer.all(graph, &further);
    let (files, warnings) = (writer.files, writer.warnings);
    if let Err(error) = outcome.and_then(|()| staging.commit()) {
        if fresh {
            // Ours and empty, since nothing was moved into it; if something was, it stays.
            let _ = fs::remove_dir(folder.join("views"));
            let _ = fs::remove_dir(folder);
        }
        return Err(error);
    }
    Ok((files, warnings))
}

struct Writer<'a> {
    folder: &'a Path,
    mapped: bool,
    staging: &'a mut Staging,
    files: Vec<String>,
    warnings: Vec<String>,
}

impl Writer<'_> {
    fn all(&mut self, graph: &Graph, further: &[&Block]) -> anyhow::Result<()> {
        if let Some(links) = graph.block("links") {
            self.block("adj", links)?;
        }
        if let Some(attributes) = graph.block("attributes") {
            self.block("features", attributes)?;
            if let Some(names) = &attributes.columns {
                self.lines("columns.txt", names.iter().cloned())?;
            }
        }
        for block in further {
            self.block(&format!("views/{}", block.name), block)?;
        }
        if graph.nodes().is_named() {
            self.lines("nodes.txt", graph.nodes().ids())?;
        }
        if let Some(labels) = graph.labels() {
            self.labels(labels)?;
        }
        Ok(())
    }

    fn file(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
    ) -> anyhow::Result<()> {
        let path = self.folder.join(name);
        let target = self.staging.claim(&path)?;
        self.staging.write(&target, fill)?;
        self.files.push(path.display().to_string());
        Ok(())
    }

    fn lines(&mut self, name: &str, mut lines: impl Iterator<Item = String>) -> anyhow::Result<()> {
        self.file(name, |out| lines.try_for_each(|line| writeln!(out, "{line}")))
    }

    fn block(&mut self, name: &str, block: &Block) -> anyhow::Result<()> {
        if let Some(mask) = block.observed.as_ref().filter(|mask| mask.count() < mask.len()) {
            self.warnings.push(format!(
                "`{}`: {} rows are missing and were written as zero; read the folder with --zero-rows missing",
                block.name,
                mask.len() - mask.count()
            ));
        }
        match &block.matrix {
            Matrix::Sparse(matrix) if self.mapped => {
                self.file(&format!("{name}.csr"), |out| write_csr(matrix, out))
            }
            Matrix::Sparse(matrix) => {
                self.file(&format!("{name}.npz"), |out| write_sparse(matrix, out))
            }
            Matrix::Dense(dense) => {
                let shape = [dense.rows(), dense.cols()];
                let array = match dense.values() {
                    DenseValues::F32(v) => NpyArray::new("<f4", 4, &shape, |sink| reals(v, sink)),
                    DenseValues::F64(v) => NpyArray::new("<f8", 8, &shape, |sink| reals(v, sink)),
                };
                self.file(&format!("{name}.npy"), |out| array.write(out))
            }
        }
    }

    /// One class per node as integers, several as a 0/1 matrix; names of classes beside them.
    fn labels(&mut self, labels: &Labels) -> anyhow::Result<()> {
        let nodes = labels.len();
        if labels.is_multi_label() {
            let entries: Vec<(u32, u32, f64)> = (0..nodes)
                .flat_map(|node| labels.of(node).iter().map(move |&c| (node as u32, c, 1.0)))
                .collect();
            let matrix = SparseMatrix::from_triplets(nodes, labels.class_names().len(), &entries)?;
            self.file("labels.npz", |out| write_sparse(&matrix, out))?;
        } else {
            let array = NpyArray::new("<i8", 8, &[nodes], |sink| {
                (0..nodes).try_for_each(|node| {
                    let class = labels.of(node).first().map_or(-1, |&class| i64::from(class));
                    sink(&class.to_le_bytes())
                })
            });
            self.file("labels.npy", |out| array.write(out))?;
        }
        let meta = serde_json::json!({ "class_names": labels.class_names() });
        self.file("meta.json", |out| writeln!(out, "{meta}"))
    }
}

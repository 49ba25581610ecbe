//! Writes a data set as a folder of files any NumPy can read.

use std::io::{self, Write};
use std::path::Path;

use gage_core::graph::{ATTRIBUTES, Block, Graph, LINKS, Labels, Matrix};
use gage_linalg::SparseMatrix;

use crate::artifact::error::WriteError;
use crate::artifact::staging::Staging;
use crate::dataset::stems;
use crate::format::csr::write_csr;
use crate::format::npy::write::NpyArray;
use crate::format::npz::write::write_npz_matrix;

/// What became of a data set.
#[derive(Clone, Debug, Default)]
pub struct WrittenFolder {
    /// The files.
    pub files: Vec<String>,
    /// Rows of blocks that are missing, which files cannot say: name of the block and count.
    pub missing: Vec<(String, usize)>,
}

/// Writes `adj.npz`, `features.npz` (or `.npy`; `.csr` if `mapped`), `nodes.txt`, `columns.txt`,
/// labels and `views/*`. The folders must exist; the files appear when the staging is committed.
pub fn write_folder(
    graph: &Graph,
    folder: &Path,
    mapped: bool,
    staging: &mut Staging,
) -> Result<WrittenFolder, WriteError> {
    let written = WrittenFolder::default();
    let mut writer = FolderWriter { folder, mapped, staging, written };
    let further = graph.blocks().iter().filter(|b| b.name != LINKS && b.name != ATTRIBUTES);
    let main = [graph.block(LINKS), graph.block(ATTRIBUTES)];
    for block in main.into_iter().flatten().chain(further) {
        match block.name.as_str() {
            LINKS => writer.block(stems::GRAPH[0], block)?,
            ATTRIBUTES => writer.block(stems::ATTRIBUTES[0], block)?,
            name => writer.block(&format!("{}/{name}", stems::VIEWS), block)?,
        }
    }
    if let Some(names) = graph.block(ATTRIBUTES).and_then(|block| block.columns.as_ref()) {
        writer.lines(stems::COLUMNS, names.iter())?;
    }
    if graph.nodes().is_named() {
        writer.lines(stems::NODES, graph.nodes().borrowed_ids())?;
    }
    if let Some(labels) = graph.labels() {
        writer.labels(labels)?;
    }
    Ok(writer.written)
}

struct FolderWriter<'a> {
    folder: &'a Path,
    mapped: bool,
    staging: &'a mut Staging,
    written: WrittenFolder,
}

impl FolderWriter<'_> {
    fn file(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        let path = self.folder.join(name);
        let target = self.staging.claim(&path)?;
        self.staging.write(&target, fill)?;
        self.written.files.push(path.display().to_string());
        Ok(())
    }

    fn lines(
        &mut self,
        stem: &str,
        mut lines: impl Iterator<Item = impl AsRef<str>>,
    ) -> Result<(), WriteError> {
        self.file(&format!("{stem}.txt"), |out| {
            lines.try_for_each(|line| writeln!(out, "{}", line.as_ref()))
        })
    }

    fn block(&mut self, name: &str, block: &Block) -> Result<(), WriteError> {
        if let Some(mask) = block.observed.as_ref().filter(|mask| mask.count() < mask.len()) {
            self.written.missing.push((block.name.clone(), mask.len() - mask.count()));
        }
        match &block.matrix {
            Matrix::Sparse(matrix) if self.mapped => {
                self.file(&format!("{name}.csr"), |out| write_csr(matrix, out))
            }
            Matrix::Sparse(matrix) => {
                self.file(&format!("{name}.npz"), |out| write_npz_matrix(matrix, out))
            }
            Matrix::Dense(dense) => {
                self.file(&format!("{name}.npy"), |out| NpyArray::dense(dense).write(out))
            }
        }
    }

    /// One class per node as integers, several as a 0/1 matrix; names of classes beside them.
    fn labels(&mut self, labels: &Labels) -> Result<(), WriteError> {
        let nodes = labels.len();
        if labels.is_multi_label() {
            let entries: Vec<(u32, u32, f64)> = (0..nodes)
                .flat_map(|node| labels.of(node).iter().map(move |&c| (node as u32, c, 1.0)))
                .collect();
            self.file(&format!("{}.npz", stems::LABELS), |out| {
                let classes = labels.class_names().len();
                let matrix = SparseMatrix::from_triplets(nodes, classes, &entries);
                write_npz_matrix(&matrix.map_err(io::Error::other)?, out)
            })?;
        } else {
            let array = NpyArray::new("<i8", 8, &[nodes], |sink| {
                (0..nodes).try_for_each(|node| {
                    let class = labels.of(node).first().map_or(-1, |&class| i64::from(class));
                    sink(&class.to_le_bytes())
                })
            });
            self.file(&format!("{}.npy", stems::LABELS), |out| array.write(out))?;
        }
        let meta = serde_json::json!({ "class_names": labels.class_names() });
        self.file(stems::META, |out| writeln!(out, "{meta}"))
    }
}

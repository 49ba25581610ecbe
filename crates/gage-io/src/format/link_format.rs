//! Writes links in the format that the file extension names.

use std::io::{self, Write};
use std::path::Path;

use gage_core::graph::Nodes;
use gage_linalg::SparseMatrix;

use crate::format::csr::write_csr;
use crate::format::edge_list::write::write_edge_list;
use crate::format::mtx::write::write_mtx;
use crate::format::npz::write::write_npz_matrix;

/// Formats links can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFormat {
    /// Arrays that are mapped into memory.
    Csr,
    /// NumPy archive, as SciPy writes it.
    Npz,
    /// Matrix Market.
    Mtx,
    /// Comma-separated edge list.
    Csv,
    /// Tab-separated edge list.
    Tsv,
}

impl LinkFormat {
    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Option<LinkFormat> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        Some(match extension.as_str() {
            "csr" => LinkFormat::Csr,
            "npz" => LinkFormat::Npz,
            "mtx" => LinkFormat::Mtx,
            "csv" => LinkFormat::Csv,
            "tsv" | "tab" | "txt" | "edges" | "edgelist" => LinkFormat::Tsv,
            _ => return None,
        })
    }

    /// Whether the file names the nodes. An edge list does, but only those with a link.
    pub fn has_ids(self) -> bool {
        matches!(self, LinkFormat::Csv | LinkFormat::Tsv)
    }

    /// Writes links; in an edge list undirected links stand once.
    pub fn write(
        self,
        links: &SparseMatrix,
        nodes: &Nodes,
        directed: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            LinkFormat::Csr => write_csr(links, out),
            LinkFormat::Npz => write_npz_matrix(links, out),
            LinkFormat::Mtx => write_mtx(links, out),
            LinkFormat::Csv => write_edge_list(links, nodes, directed, ',', out),
            LinkFormat::Tsv => write_edge_list(links, nodes, directed, '\t', out),
        }
    }
}

//! Every reader on one file, and use of whatever it accepts.

use std::path::Path;

use gage_embed::io::{
    Array, AttributeTable, DatasetSpec, LinkTable, load, read_attributes, read_cites, read_content,
    read_edge_list, read_graph_file, read_labels, read_links, read_mat, read_mtx, read_nodes,
    read_npy, read_npz, read_npz_arrays,
};
use gage_embed::linalg::{DenseValues, Values};
use gage_embed::model::{NewBlock, NewNodes};
use gage_embed::views::Direction;
use gage_embed::{DenseMatrix, Labels, Lambda, Matrix, Model, Nodes, SparseMatrix};

/// What is fuzzed: a folder of the corpus, the name its files get, and the readers that meet such a
/// file.
pub struct Target {
    pub name: &'static str,
    pub file: &'static str,
    /// Panics if something accepted is not usable; returns whether anything was accepted.
    pub run: fn(&Path) -> bool,
}

pub const TARGETS: [Target; 16] = [
    Target { name: "npy", file: "x.npy", run: npy },
    Target { name: "npz", file: "x.npz", run: npz },
    Target { name: "mat", file: "x.mat", run: mat },
    Target { name: "mtx", file: "x.mtx", run: mtx },
    Target { name: "edges", file: "x.csv", run: edges },
    Target { name: "table", file: "x.csv", run: table },
    Target { name: "labels", file: "x.txt", run: labels },
    Target { name: "nodes", file: "x.txt", run: nodes },
    Target { name: "content", file: "x.content", run: content },
    Target { name: "cites", file: "x.cites", run: cites },
    Target { name: "graphml", file: "x.graphml", run: graph_file },
    Target { name: "gexf", file: "x.gexf", run: graph_file },
    Target { name: "gml", file: "x.gml", run: graph_file },
    Target { name: "pajek", file: "x.net", run: graph_file },
    Target { name: "node_link", file: "x.json", run: graph_file },
    Target { name: "model", file: "x.gage", run: model },
];

pub fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.name == name).expect("a target of this name")
}

/// Uses what was accepted; an error must say something about the file.
fn used<T, E: std::fmt::Display>(path: &Path, outcome: Result<T, E>, using: fn(T)) -> bool {
    match outcome {
        Ok(value) => {
            using(value);
            true
        }
        Err(error) => {
            let name = path.file_name().expect("a name").to_string_lossy();
            let message = error.to_string();
            assert!(message.contains(&*name), "`{message}` does not name the file");
            false
        }
    }
}

fn npy(path: &Path) -> bool {
    used(path, read_npy(path), use_array)
        | used(path, read_links(path), use_links)
        | used(path, read_attributes(path), use_table)
        | used(path, read_labels(path), |table| use_labels(&table.labels))
        | used(path, read_nodes(path), use_nodes)
}

fn npz(path: &Path) -> bool {
    let arrays = used(path, read_npz_arrays(path), |arrays| {
        arrays.into_iter().for_each(|(_, array)| use_array(array));
    });
    arrays
        | used(path, read_npz(path), |matrix| use_matrix(&matrix))
        | used(path, read_links(path), use_links)
        | used(path, read_labels(path), |table| use_labels(&table.labels))
}

fn mat(path: &Path) -> bool {
    let names = ["network", "feature", "group"];
    let variables = used(path, read_mat(path, &names), |file| {
        assert!(file.matrices.iter().all(|(name, _)| file.names.contains(name)));
        file.matrices.iter().for_each(|(_, matrix)| use_matrix(matrix));
    });
    variables
        | used(path, load(&DatasetSpec::at(path)), |dataset| {
            let nodes = dataset.graph.nodes().len();
            for block in dataset.graph.blocks() {
                assert_eq!(block.matrix.rows(), nodes);
                use_matrix(&block.matrix);
            }
            if let Some(labels) = dataset.graph.labels() {
                assert_eq!(labels.len(), nodes);
                use_labels(labels);
            }
        })
}

fn mtx(path: &Path) -> bool {
    used(path, read_mtx(path), |matrix| use_matrix(&matrix))
        | used(path, read_links(path), use_links)
}

fn edges(path: &Path) -> bool {
    used(path, read_edge_list(path, true), use_links)
        | used(path, read_edge_list(path, false), |table| {
            assert!(table.links.is_symmetric());
            use_links(table);
        })
}

fn table(path: &Path) -> bool {
    used(path, read_attributes(path), use_table)
}

fn labels(path: &Path) -> bool {
    used(path, read_labels(path), |table| {
        assert!(table.ids.is_none_or(|ids| ids.len() == table.labels.len()));
        use_labels(&table.labels);
    })
}

fn nodes(path: &Path) -> bool {
    used(path, read_nodes(path), use_nodes)
}

fn content(path: &Path) -> bool {
    used(path, read_content(path), use_table)
}

fn cites(path: &Path) -> bool {
    used(path, read_cites(path), use_links)
}

fn graph_file(path: &Path) -> bool {
    used(path, read_graph_file(path), |file| {
        let nodes = file.links.links.rows();
        use_links(file.links);
        if let Some(table) = file.attributes {
            assert_eq!(table.matrix.rows(), nodes);
            use_table(table);
        }
    })
}

fn model(path: &Path) -> bool {
    used(path, Model::load(path), |model| {
        let (nodes, columns) = (model.nodes().len(), model.dimension());
        assert_eq!(model.nodes().ids().count(), nodes);
        for lambda in [Lambda::Preset, Lambda::Links(0.5)] {
            // Shares that cannot be are refused, not used.
            if let Ok(embedding) = model.embedding(&lambda) {
                assert_eq!((embedding.rows(), embedding.cols()), (nodes, columns));
            }
        }
        for view in model.views() {
            assert_eq!(view.coefficients.len(), columns);
        }
        let width = model.views().iter().find(|v| !v.uses_links).map_or(1, |v| v.columns);
        let block = |name: &str, width: usize| {
            let entries: &[(u32, u32, f64)] = if width == 0 { &[] } else { &[(0, 0, 1.0)] };
            let matrix = SparseMatrix::from_triplets(1, width, entries).ok()?;
            let (name, direction) = (name.to_owned(), Direction::Out);
            Some(NewBlock { name, direction, matrix: matrix.into(), observed: None })
        };
        let blocks = [block("links", nodes), block("attributes", width)];
        let new = NewNodes { count: 1, blocks: blocks.into_iter().flatten().collect() };
        if let Ok(folded) = model.fold_in(&new) {
            assert_eq!((folded.factors.rows(), folded.factors.cols()), (1, columns));
        }
    })
}

fn use_array(array: Array) {
    match array {
        Array::Integers { shape, values } => {
            assert_eq!(shape.iter().product::<usize>(), values.len());
        }
        Array::Numbers(dense) => use_dense(&dense),
        Array::Texts(_) => {}
        _ => unreachable!("arrays are integers, numbers or texts"),
    }
}

fn use_dense(dense: &DenseMatrix) {
    let count = match dense.values() {
        DenseValues::F32(values) => values.len(),
        DenseValues::F64(values) => values.len(),
    };
    assert_eq!(Some(count), dense.rows().checked_mul(dense.cols()));
    let mut row = vec![0.0; dense.cols()];
    // Rows without columns may be many, and are all alike.
    (0..dense.rows().min(count)).for_each(|at| dense.read_row(at, &mut row));
}

fn use_sparse(sparse: &SparseMatrix) {
    let (rows, cols) = (sparse.rows(), sparse.cols());
    assert_eq!(sparse.indptr().len(), rows + 1);
    assert_eq!(sparse.indptr()[rows], sparse.nnz() as u64);
    let count = match sparse.values() {
        Values::Ones => sparse.nnz(),
        values => {
            assert!((0..sparse.nnz()).all(|at| values.get(at).is_finite()));
            sparse.nnz()
        }
    };
    let mut seen = 0;
    for row in 0..rows {
        let mut last = None;
        for (col, _) in sparse.row(row) {
            assert!((col as usize) < cols && last.is_none_or(|last| last < col));
            last = Some(col);
            seen += 1;
        }
    }
    assert_eq!((seen, sparse.indices().len()), (count, count));
    if cols < 1 << 20 {
        assert_eq!(sparse.transposed().nnz(), count);
    }
}

fn use_matrix(matrix: &Matrix) {
    match matrix {
        Matrix::Sparse(sparse) => use_sparse(sparse),
        Matrix::Dense(dense) => use_dense(dense),
    }
}

fn use_nodes(nodes: Nodes) {
    assert_eq!(nodes.ids().count(), nodes.len());
    if nodes.is_named() {
        assert_eq!(nodes.index().len(), nodes.len(), "ids are unique");
    }
}

fn use_labels(labels: &Labels) {
    let classes = labels.class_names().len();
    assert_eq!(labels.class_sizes().len(), classes);
    for node in 0..labels.len() {
        assert!(labels.of(node).iter().all(|&class| (class as usize) < classes));
    }
}

fn use_links(table: LinkTable) {
    use_sparse(&table.links);
    if let Some(ids) = table.ids {
        assert_eq!((ids.len(), ids.len()), (table.links.rows(), table.links.cols()));
        use_nodes(ids);
    }
}

fn use_table(table: AttributeTable) {
    let (rows, cols) = (table.matrix.rows(), table.matrix.cols());
    use_matrix(&table.matrix);
    assert!(table.columns.is_none_or(|columns| columns.len() == cols));
    assert!(table.observed.is_none_or(|observed| observed.len() == rows));
    if let Some(labels) = table.labels {
        assert_eq!(labels.len(), rows);
        use_labels(&labels);
    }
    if let Some(ids) = table.ids {
        assert_eq!(ids.len(), rows);
        use_nodes(ids);
    }
}

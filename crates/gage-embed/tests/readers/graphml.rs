//! GraphML: files written by networkx, and broken ones.

use gage_embed::graph::{ATTRIBUTES, BlockKind, LINKS, Matrix};
use gage_embed::io::{DatasetSpec, load, read_graphml};

use crate::support::{file, python};

const MAKE: &str = r#"
import networkx as nx
for name, kind in (('plain', nx.Graph), ('arcs', nx.DiGraph)):
    g = kind()
    for i in range(12):
        g.add_node(f'n<{i}>&', age=20 + i * i % 7, city=['Ulm', 'Bonn'][i % 2], vip=bool(i % 3),
                   about='ä "quoted" text')
    for i in range(12):
        g.add_edge(f'n<{i}>&', f'n<{i * 5 % 12}>&', weight=i / 4 + 0.5, colour='red')
        g.add_edge(f'n<{i}>&', f'n<{(i + 1) % 12}>&', weight=2.0)
    del g.nodes['n<4>&']['age']
    nx.write_graphml(g, name + '.graphml')
    nodes = list(g.nodes)
    with open(name + '.txt', 'w') as out:
        for u, v, w in g.edges(data='weight'):
            pairs = {(u, v)} if g.is_directed() else {(u, v), (v, u)}
            for a, b in pairs:
                print(nodes.index(a), nodes.index(b), w, file=out)
"#;

#[test]
fn networkx_files_give_the_same_graph() {
    let Some(folder) = python("networkx", MAKE) else { return };
    for (name, directed) in [("plain", false), ("arcs", true)] {
        let path = folder.path().join(format!("{name}.graphml"));
        let dataset = load(&DatasetSpec::at(&path)).unwrap_or_else(|error| panic!("{error}"));
        let graph = &dataset.graph;
        assert_eq!(graph.nodes().id(3), "n<3>&");
        let links = graph.block(LINKS).expect("links");
        assert_eq!(links.kind, BlockKind::Links { directed });
        let Matrix::Sparse(matrix) = &links.matrix else { panic!("sparse") };
        let mut found: Vec<(usize, usize, f64)> = (0..matrix.rows())
            .flat_map(|row| matrix.row(row).map(move |(col, w)| (row, col as usize, w)))
            .collect();
        let text = std::fs::read_to_string(path.with_extension("txt")).expect("expected links");
        let mut expected: Vec<(usize, usize, f64)> = text
            .lines()
            .map(|line| {
                let cells: Vec<&str> = line.split(' ').collect();
                let at = |cell: usize| cells[cell].parse().expect("number");
                (at(0), at(1), cells[2].parse().expect("weight"))
            })
            .collect();
        found.sort_by(|a, b| a.partial_cmp(b).expect("ordered"));
        expected.sort_by(|a, b| a.partial_cmp(b).expect("ordered"));
        assert_eq!(found, expected, "{name}");
        let block = graph.block(ATTRIBUTES).expect("attributes");
        let columns = block.columns.as_ref().expect("names");
        let at = |wanted: &str| columns.iter().position(|name| name == wanted).expect("column");
        let Matrix::Dense(cells) = &block.matrix else { panic!("dense") };
        assert_eq!((cells.cols(), cells.get(4, at("city=Ulm"))), (5, 1.0));
        assert_eq!((cells.get(3, at("vip=no")), cells.get(3, at("vip=yes"))), (1.0, 0.0));
        assert!(cells.get(4, at("age")).is_nan() && cells.get(5, at("age")).is_finite());
        assert!(dataset.warnings.iter().any(|w| w.text.contains("data of edges")));
    }
}

#[test]
fn broken_graphml_is_refused_with_its_line() {
    let graph = |inside: &str| {
        format!("<graphml>\n<graph edgedefault=\"directed\">\n{inside}\n</graph>\n</graphml>\n")
    };
    let ok = graph("<node id='a'/><node id='b'/><edge source='a' target='b'/>");
    let (_folder, path) = file("x.graphml", &ok);
    assert_eq!(read_graphml(path).expect("whole").links.links.nnz(), 1);
    for (text, parts) in [
        (graph("<node/>"), &["line 3", "without `id`"][..]),
        (graph("<node id='a'/>\n<node id='a'/>"), &["line 3", "line 4", "`a`"]),
        (graph("<node id='a'/>\n<edge source='a' target='z'/>"), &["line 4", "`z`"]),
        (graph("<node id='a'><graph edgedefault='directed'/></node>"), &["line 3", "inside a"]),
        (graph("<hyperedge/>"), &["line 3", "hyperedge"]),
        (graph("<node id='a'><data key='k'>1</data></node>"), &["line 3", "`k`"]),
        (graph("<node id='a'>&boom;<data key='k'>&boom;</data></node>"), &["line 3"]),
        (ok.replace("</graph>", ""), &["line 5", "`</graph>`"]),
        (ok[..40].to_owned(), &["line"]),
        ("<html></html>".to_owned(), &["no graph"]),
        ("source,target\na,b\n".to_owned(), &["no graph"]),
        (
            "<graphml><key id='w' for='edge' attr.name='weight'/>\
             <graph edgedefault='undirected'>\n<node id='a'/>\
             <edge source='a' target='a'><data key='w'>inf</data></edge></graph></graphml>"
                .to_owned(),
            &["line 2", "weight", "finite"],
        ),
    ] {
        let (_folder, path) = file("x.graphml", &text);
        let error = read_graphml(&path).expect_err(&text).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{parts:?} in {error}");
    }
}

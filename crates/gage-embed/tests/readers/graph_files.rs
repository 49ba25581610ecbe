//! Graph files: GraphML, GEXF, GML, Pajek and node-link JSON, written by networkx, and broken ones.

use std::path::Path;

use gage_embed::graph::{ATTRIBUTES, BlockKind, LINKS, Matrix};
use gage_embed::io::{
    AttributeTable, DatasetSpec, EdgeSemantics, LinkTable, load, read_graph_file, read_graphml,
};

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
fn graphml_of_networkx_gives_the_same_graph() {
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

const MAKE_ALL: &str = r#"
import json, networkx as nx
for name, kind in (('plain', nx.Graph), ('arcs', nx.DiGraph)):
    g = kind()
    for i in range(12):
        g.add_node(f'n {i} ä', age=20 + i * i % 7, city=['Ulm', 'Bad Ems'][i % 2])
    for i in range(12):
        g.add_edge(f'n {i} ä', f'n {i * 5 % 12} ä', weight=i / 4 + 0.5, colour='red')
        g.add_edge(f'n {i} ä', f'n {(i + 1) % 12} ä', weight=2.0, colour='blue')
    del g.nodes['n 4 ä']['age']
    nx.write_graphml(g, name + '.graphml')
    nx.write_gexf(g, name + '.gexf')
    nx.write_gml(g, name + '.gml')
    for key in ('links', 'edges'):
        with open(f'{name}-{key}.json', 'w') as out:
            json.dump(nx.node_link_data(g, edges=key), out)
    with open(name + '-cytoscape.json', 'w') as out:
        json.dump(nx.cytoscape_data(g), out)
    for node in g.nodes.values():
        node.update({key: str(value) for key, value in node.items()})
    nx.write_pajek(g, name + '.net')
"#;

/// Columns of a table by name, and its rows by id.
fn cells(table: &AttributeTable) -> Vec<(String, String, f64)> {
    let ids: Vec<String> = table.ids.as_ref().expect("ids").ids().collect();
    let columns = table.columns.as_ref().expect("names");
    let mut all = Vec::new();
    for (row, id) in ids.iter().enumerate() {
        for (at, column) in columns.iter().enumerate() {
            let value = match &table.matrix {
                Matrix::Dense(dense) => dense.get(row, at),
                Matrix::Sparse(sparse) => sparse
                    .row(row)
                    .find(|(col, _)| *col as usize == at)
                    .map_or(0.0, |(_, value)| value),
            };
            if !value.is_nan() {
                all.push((id.clone(), column.clone(), value));
            }
        }
    }
    all.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    all
}

fn arcs(table: &LinkTable) -> Vec<(String, String, f64)> {
    let ids: Vec<String> = table.ids.as_ref().expect("ids").ids().collect();
    let row = |row: usize| table.links.row(row).map(move |(col, weight)| (row, col, weight));
    let mut all: Vec<_> = (0..ids.len())
        .flat_map(row)
        .map(|(row, col, weight)| (ids[row].clone(), ids[col as usize].clone(), weight))
        .collect();
    all.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    all
}

#[test]
fn networkx_writes_one_graph_in_all_formats() {
    let Some(folder) = python("networkx", MAKE_ALL) else { return };
    for (name, semantics) in [("plain", EdgeSemantics::Matrix), ("arcs", EdgeSemantics::Arcs)] {
        let read = |file: String| {
            let path = folder.path().join(&file);
            let read = read_graph_file(path).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read.links.semantics, semantics, "{file}");
            assert!(read.links.warnings.iter().any(|w| w.text.contains("colour")), "{file}");
            read
        };
        let expected = read(format!("{name}.graphml"));
        for rest in [".gexf", ".gml", "-links.json", "-edges.json", "-cytoscape.json", ".net"] {
            let file = read(format!("{name}{rest}"));
            assert_eq!(arcs(&file.links), arcs(&expected.links), "{name}{rest}");
            let tables = [&file, &expected].map(|file| file.attributes.as_ref().expect("data"));
            let [found, wanted] = tables.map(cells);
            assert_eq!(found, wanted, "{name}{rest}");
        }
    }
}

/// A file, what is said about it, its ids and its links.
type Reading = (&'static str, &'static str, &'static [&'static str], &'static str, &'static str);

const READINGS: &[Reading] = &[
    (
        "ids beside labels that differ",
        "x.gml",
        &["data `value` of edges are taken for their weights"],
        "a b",
        "a>b:3 b>a:3",
    ),
    (
        "labels that repeat",
        "r.gml",
        &["names of nodes are missing or repeat"],
        "1 2",
        "1>2:1 2>1:1",
    ),
    ("names and positions", "p.json", &["links join positions"], "ann bo", "bo>ann:1"),
    ("another name of ends", "v.json", &["id"], "1 2", "1>2:1"),
    ("vertices without a line", "n.net", &[], "1 2 3", "1>2:1 2>1:1 2>3:0.5 3>2:0.5"),
    (
        "missing weights",
        "w.gexf",
        &["1 edges have no `weight` and count 1"],
        "a b c",
        "a>b:2 b>c:1",
    ),
    ("several values", "s.gml", &["lists or objects are left out: graph, tags"], "1 2", "1>2:1"),
];

fn content(file: &str) -> &'static str {
    match file {
        "x.gml" => {
            "graph [ node [ id 7 label \"a\" ] node [ id 9 label \"b\" ] \
             edge [ source 7 target 9 value 3 ] ]"
        }
        "r.gml" => {
            "graph [ node [ id 1 label \"x\" ] node [ id 2 label \"x\" ] \
             edge [ source 1 target 2 ] ]"
        }
        "p.json" => {
            r#"{"directed": true, "nodes": [{"name": "ann"}, {"name": "bo"}],
                "links": [{"source": 1, "target": 0}]}"#
        }
        "v.json" => {
            r#"{"nodes": [{"id": 1, "key": 1}, {"id": 2, "key": 2}],
                        "edges": [{"from": 1, "to": 2}]}"#
        }
        "n.net" => "*Vertices 3\n*Edges\n1 2\n2 3 0.5\n",
        "w.gexf" => {
            "<gexf><graph defaultedgetype='directed'><nodes><node id='a'/><node id='b'/>\
             <node id='c'/></nodes><edges><edge source='a' target='b' weight='2'/>\
             <edge source='b' target='c'/></edges></graph></gexf>"
        }
        _ => {
            "graph [ directed 1 node [ id 1 tags 1 tags 2 graph [ x 1 ] age 1 ] \
             node [ id 2 age 2 ] edge [ source 1 target 2 ] ]"
        }
    }
}

#[test]
fn what_is_read_is_said() {
    for &(what, name, said, ids, links) in READINGS {
        let (_folder, path) = file(name, content(name));
        let read = read_graph_file(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut notes = read.links.warnings.clone();
        notes.extend(read.attributes.iter().flat_map(|table| table.warnings.clone()));
        for part in said {
            assert!(notes.iter().any(|note| note.text.contains(part)), "{what}: {notes:?}");
        }
        let found: Vec<String> = read.links.ids.as_ref().expect("ids").ids().collect();
        assert_eq!(found.join(" "), ids, "{what}");
        let found: Vec<String> =
            arcs(&read.links).into_iter().map(|(a, b, w)| format!("{a}>{b}:{w}")).collect();
        assert_eq!(found.join(" "), links, "{what}");
    }
}

/// A label of its own for every node is a name; one that several nodes share is a class.
#[test]
fn labels_that_tell_nodes_apart_are_no_classes() {
    let json = |labels: [&str; 4]| {
        let node = |(at, label): (usize, &str)| {
            format!(r#"{{"id": "n{at}", "label": "{label}", "age": {at}}}"#)
        };
        let nodes: Vec<String> = labels.into_iter().enumerate().map(node).collect();
        let nodes = nodes.join(",");
        format!(r#"{{"nodes": [{nodes}], "links": [{{"source": "n0", "target": "n1"}}]}}"#)
    };
    for (labels, classes) in [(["a", "b", "c", "d"], None), (["a", "b", "a", "b"], Some(2))] {
        let (_folder, path) = file("x.json", json(labels));
        let table = read_graph_file(&path).expect("a graph").attributes.expect("data");
        assert_eq!(table.labels.map(|labels| labels.class_names().len()), classes);
    }
}

#[test]
fn broken_graph_files_are_refused_with_their_place() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for (file, parts) in [
        ("gexf/nested.gexf", &["line 4", "a node inside a node"][..]),
        ("gexf/undeclared.gexf", &["line 4", "a value of `z`"]),
        ("gexf/type.gexf", &["line 4", "`sideways`"]),
        ("gexf/absent.gexf", &["line 4", "`b`"]),
        ("gexf/twice.gexf", &["line 4", "`a` again"]),
        ("gexf/empty.gexf", &["nothing in it"]),
        ("gml/closed.gml", &["line 1", "found `]`, expected `[` after `graph`"]),
        ("gml/quote.gml", &["line 1", "never closes"]),
        ("gml/value.gml", &["line 1", "several `id`"]),
        ("gml/twice.gml", &["line 1", "several `id`"]),
        ("gml/again.gml", &["line 1", "`1` again"]),
        ("gml/second.gml", &["a second graph"]),
        ("gml/direction.gml", &["directed 2"]),
        ("gml/absent.gml", &["an edge to `2`"]),
        ("gml/weight.gml", &["the weight `x`"]),
        ("gml/none.gml", &["no graph"]),
        ("gml/latin1.gml", &["UTF-8"]),
        ("pajek/claim.net", &["line 1", "99999999999 vertices", "at most 1048576"]),
        ("pajek/claim2.net", &["line 1", "18446744073709551615"]),
        ("pajek/absent.net", &["line 3", "index `3`", "from 1 to 2"]),
        ("pajek/arcs.net", &["line 1", "`*Vertices` before it"]),
        ("pajek/matrix.net", &["line 2", "`*matrix`", "not supported"]),
        ("pajek/relations.net", &["line 4", "several relations"]),
        ("pajek/quote.net", &["line 2", "without quotes"]),
        ("pajek/odd.net", &["line 2", "`x` without a value"]),
        ("pajek/nan.net", &["line 3", "the weight `nan`"]),
        ("node_link/nan.json", &["line 1"]),
        ("node_link/both.json", &["`links` and `edges`"]),
        ("node_link/only.json", &["only `nodes`"]),
        ("node_link/none.json", &["neither nodes nor links"]),
        ("node_link/adjacency.json", &["adjacency", "not supported"]),
        ("node_link/tuple.json", &["nodes[0]", "a list or nothing as `id`"]),
        ("node_link/absent.json", &["links[0]", "`2`"]),
        ("node_link/end.json", &["links[0]", "no `target`"]),
        ("node_link/mixed.json", &["nodes[1]", "1 of 2 nodes without `id`"]),
        ("node_link/names.json", &["the name 1", "one way only"]),
        ("node_link/texts.json", &["links to `a`"]),
        ("node_link/weight.json", &["links[0]", "the weight `heavy`"]),
        ("node_link/twice.json", &["nodes[1]", "`1` again", "nodes[0]"]),
        ("node_link/trail.json", &["line 1", "trailing"]),
        ("node_link/directed.json", &["no boolean"]),
    ] {
        let error = read_graph_file(corpus.join(file)).expect_err(file).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{parts:?} in {error}");
    }
}

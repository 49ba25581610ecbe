//! Parquet: files written by pyarrow, and damaged ones.

use gage_embed::graph::Matrix;
use gage_embed::io::{DatasetSpec, load, read_parquet_edges, read_parquet_table};
use tempfile::TempDir;

use crate::fuzz::{Random, damage};
use crate::support::{python, write};

const MAKE: &str = r#"
import pyarrow as pa, pyarrow.parquet as pq
def edges(path, a, b, w=None, **options):
    columns = dict(source=a, target=b)
    if w is not None: columns['weight'] = w
    pq.write_table(pa.table(columns), path, **options)
names = (['x', 'b', 'b'], ['b', 'a', 'a'])
for codec in ('snappy', 'zstd', 'gzip', 'lz4', 'none'):
    edges(f'names_{codec}.parquet', *names, compression=codec)
edges('groups.parquet', *names, row_group_size=1)
ends = pa.array([7, 2, 2], pa.int64()), pa.array([2, 9, 9], pa.int32())
edges('numbers.parquet', *ends, [0.5, 1.0, 2.0])
edges('null.parquet', ['a', None], ['b', 'c'])
edges('nan.parquet', ['a', 'b'], ['b', 'c'], [1.0, float('nan')])
pq.write_table(pa.table(dict(age=pa.array([1.0, None, 3.0]), id=['a', 'b', 'x'],
    big=pa.array([1, 2, 3], pa.uint16()),
    city=pa.array(['Bonn', 'Bonn', 'Ulm']).dictionary_encode())), 'people.parquet')
pq.write_table(pa.table(dict(id=['a'], list=[[1, 2]])), 'list.parquet')
"#;

#[test]
fn parquet_files_hold_what_pyarrow_put_in() {
    let Some(folder) = python("pyarrow", MAKE) else { return };
    let at = |name: &str| folder.path().join(name);
    for name in ["snappy", "zstd", "gzip", "lz4", "none"]
        .map(|codec| format!("names_{codec}.parquet"))
        .into_iter()
        .chain(["groups.parquet".to_owned()])
    {
        let table = read_parquet_edges(at(&name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(table.ids.expect("ids").ids().collect::<Vec<_>>(), ["x", "b", "a"], "{name}");
        assert_eq!(table.links.row(0).collect::<Vec<_>>(), [(1, 1.0)], "{name}");
        assert_eq!(table.links.row(1).collect::<Vec<_>>(), [(2, 2.0)], "{name}");
    }
    let table = read_parquet_edges(at("numbers.parquet")).expect("numbers");
    assert_eq!(table.ids.expect("ids").ids().collect::<Vec<_>>(), ["7", "2", "9"]);
    assert_eq!(table.links.row(1).collect::<Vec<_>>(), [(2, 3.0)]);
    for (name, says) in
        [("null.parquet", "row 1"), ("nan.parquet", "NaN"), ("people.parquet", "id")]
    {
        let message = match read_parquet_edges(at(name)) {
            Err(error) => error.to_string(),
            Ok(_) => continue,
        };
        assert!(message.contains(name) && message.contains(says), "{message}");
    }
    let people = read_parquet_table(at("people.parquet")).expect("people");
    assert_eq!(people.ids.expect("ids").ids().collect::<Vec<_>>(), ["a", "b", "x"]);
    let columns = people.columns.expect("columns");
    assert_eq!(columns, ["age", "big", "city=Bonn", "city=Ulm"]);
    let Matrix::Dense(dense) = people.matrix else { panic!("dense") };
    assert!(dense.get(1, 0).is_nan() && (dense.get(2, 0) - 1.0).abs() < 1e-6);
    let message = read_parquet_table(at("list.parquet")).expect_err("list").to_string();
    assert!(message.contains("list") && message.contains("not supported"), "{message}");
    let mut spec = DatasetSpec::at(at("names_zstd.parquet"));
    spec.attributes = Some(at("people.parquet"));
    let graph = load(&spec).expect("joined").graph;
    assert_eq!(graph.nodes().ids().collect::<Vec<_>>(), ["a", "b", "x"]);
}

/// A small file made by the library itself.
fn seed() -> Vec<u8> {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    let schema = "message m { required binary source (UTF8); required binary target (UTF8); \
                  required double weight; }";
    let schema = std::sync::Arc::new(parse_message_type(schema).expect("schema"));
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, schema, Default::default()).expect("writer");
    let mut group = writer.next_row_group().expect("group");
    for ids in [["a", "b", "c"], ["b", "c", "a"]] {
        let ids: Vec<ByteArray> = ids.iter().map(|id| ByteArray::from(*id)).collect();
        let mut column = group.next_column().expect("column").expect("column");
        column.typed::<ByteArrayType>().write_batch(&ids, None, None).expect("written");
        column.close().expect("closed");
    }
    let mut column = group.next_column().expect("column").expect("column");
    column.typed::<DoubleType>().write_batch(&[1.0, 2.0, 3.0], None, None).expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    writer.close().expect("closed");
    bytes
}

#[test]
fn damaged_parquet_files_never_panic() {
    let folder = TempDir::new().expect("temporary folder");
    let seed = seed();
    let path = write(folder.path(), "x.parquet", &seed);
    assert_eq!(read_parquet_edges(&path).expect("seed").links.nnz(), 3);
    for cut in 0..seed.len() {
        let path = write(folder.path(), "x.parquet", &seed[..cut]);
        let message = read_parquet_edges(&path).expect_err("cut").to_string();
        assert!(message.contains("x.parquet"), "{message}");
    }
    for case in 0..600 {
        let mut random = Random(case);
        let mut content = seed.clone();
        damage("parquet", &mut content, &seed, &mut random);
        let path = write(folder.path(), "x.parquet", content);
        let _ = read_parquet_edges(&path);
        let _ = read_parquet_table(&path);
    }
}

//! Models survive saving, and reading survives anything.

use std::path::Path;

use crate::common::*;
use gage_embed::io::ModelFileError;
use gage_embed::model::{NewBlock, NewNodes};
use gage_embed::views::Direction;
use gage_embed::*;

fn model() -> Model {
    let mut numbers = Random::new(2);
    let n = 60;
    let mut entries = Vec::new();
    for _ in 0..200 {
        let (i, j) = (numbers.below(n) as u32, numbers.below(n) as u32);
        entries.push((i, j, 1.0));
        entries.push((j, i, 1.0));
    }
    let links = SparseMatrix::from_triplets(n, n, &entries).unwrap();
    let words: Vec<(u32, u32, f64)> =
        (0..300).map(|_| (numbers.below(n) as u32, numbers.below(20) as u32, 1.0)).collect();
    let words = SparseMatrix::from_triplets(n, 20, &words).unwrap();
    let graph = Graph::new(Nodes::named((0..n).map(|i| format!("nöde {i}"))).unwrap())
        .with_block(Block::links("links", links, false))
        .unwrap()
        .with_block(Block::attributes("attributes", words))
        .unwrap();
    let params = FitParams {
        dimension: Dimension::Fixed(5),
        certificate: Some(CertificateParams::default()),
        ..FitParams::default()
    };
    fitted(&graph, params)
}

#[test]
fn a_saved_model_is_the_same_model() {
    let model = model();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gage");
    model.save(&path).unwrap();
    let read = Model::load(&path).unwrap();
    assert_eq!(read.nodes(), model.nodes());
    assert_eq!(read.views(), model.views());
    assert_eq!(read.info(), model.info());
    assert_eq!(read.params(), model.params());
    assert_eq!(read.certificate(), model.certificate());
    assert_eq!(difference(read.factors(), model.factors()), 0.0);
    let words = SparseMatrix::from_triplets(2, 20, &[(0, 3, 1.0), (1, 4, 2.0)]).unwrap();
    let links = SparseMatrix::from_triplets(2, 60, &[(0, 1, 1.0)]).unwrap();
    let block = |name: &str, matrix: SparseMatrix| NewBlock {
        name: name.to_owned(),
        direction: Direction::Out,
        matrix: matrix.into(),
        observed: None,
    };
    let new =
        NewNodes { count: 2, blocks: vec![block("attributes", words), block("links", links)] };
    let (a, b) = (model.fold_in(&new).unwrap(), read.fold_in(&new).unwrap());
    assert_eq!(difference(&a.factors, &b.factors), 0.0);
    // Saving the read model gives the same bytes.
    let again = folder.path().join("again.gage");
    read.save(&again).unwrap();
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
}

/// The file as earlier versions wrote it, in which every damage has to be found by its content.
fn without_checksum(bytes: &[u8]) -> Vec<u8> {
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&bytes[8..8 + header]).unwrap();
    let entry = text.find("\"checksum\":\"").unwrap();
    let mut text = text.to_owned();
    text.replace_range(entry..entry + "\"checksum\":\"\",".len() + 32, "");
    let text = text.replacen(",\\\"checksum\\\":true", "", 1);
    let mut out = (text.len() as u64).to_le_bytes().to_vec();
    out.extend(text.as_bytes());
    out.extend(&bytes[8 + header..]);
    out
}

#[test]
fn a_flipped_bit_is_refused_and_a_file_without_checksum_is_read() {
    let good = model().to_bytes().unwrap();
    let read = |bytes: &[u8]| Model::from_bytes(bytes, Path::new("m.gage"));
    let old = without_checksum(&good);
    assert_eq!(read(&old).unwrap().to_bytes().unwrap(), good);
    let mut numbers = Random::new(3);
    let header = u64::from_le_bytes(good[..8].try_into().unwrap()) as usize + 8;
    let entry = good.windows(10).position(|window| window == b"\"checksum\"").unwrap();
    let anywhere = (0..200).map(|_| numbers.below(8 * good.len()));
    // The length, the entry of the checksum itself, and the blanks at the end of the header.
    let special = (0..64).chain(8 * entry..8 * (entry + 50)).chain(8 * (header - 8)..8 * header);
    for bit in anywhere.chain(special) {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&bytes).is_err(), "bit {bit} of {} was flipped", 8 * good.len());
    }
}

#[test]
fn damaged_and_hostile_files_are_refused_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gage");
    model().save(&path).unwrap();
    let good = without_checksum(&std::fs::read(&path).unwrap());
    let read = |bytes: &[u8]| Model::from_bytes(bytes, Path::new("m.gage"));
    assert!(read(&good).is_ok());
    for cut in (0..good.len()).step_by(good.len() / 400 + 1) {
        assert!(read(&good[..cut]).is_err(), "cut at {cut}");
    }
    let header = u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    let mut numbers = Random::new(1);
    for round in 0..3000 {
        let mut bytes = good.clone();
        // Half of the damage goes to the header, where the structure is.
        let range = if round % 2 == 0 { header + 8 } else { bytes.len() };
        for _ in 0..1 + round % 4 {
            let at = numbers.below(range);
            bytes[at] = numbers.below(256) as u8;
        }
        // Whatever is accepted must be usable.
        if let Ok(model) = read(&bytes) {
            let _ = model.embedding(&Lambda::Preset);
            let _ = model.embedding(&Lambda::Links(0.5));
        }
    }
    let text = String::from_utf8_lossy(&good[8..8 + header]).into_owned();
    let replaced = |from: &str, to: &str| {
        assert!(text.contains(from), "the header does not hold {from}");
        let new = text.replacen(from, to, 1).into_bytes();
        let mut bytes = (new.len() as u64).to_le_bytes().to_vec();
        bytes.extend(&new);
        bytes.extend(&good[8 + header..]);
        read(&bytes).map(|_| ()).unwrap_err()
    };
    let error = replaced("\\\"version\\\":1", "\\\"version\\\":9");
    assert!(error.to_string().contains("version 9"), "{error}");
    let hint = error.hint().to_string();
    assert!(hint.contains("update"), "{hint}");
    let message = replaced("\\\"nodes\\\":60", "\\\"nodes\\\":61").to_string();
    assert!(message.contains("factors"), "{message}");
    let message = replaced("\"gage\"", "\"gaga\"").to_string();
    assert!(message.contains("without `gage` metadata"), "{message}");
    assert!(matches!(Model::load("no/such/file"), Err(ModelFileError::Io { .. })));
    assert!(matches!(Model::load(folder.path()), Err(ModelFileError::Io { .. })));
    assert!(matches!(model().save("no/such/folder/m.gage"), Err(ModelFileError::Io { .. })));
}

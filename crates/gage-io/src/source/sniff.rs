//! What a file without an extension holds, as far as its first bytes tell.

use std::path::Path;

use super::{open, read_up_to};

/// Bytes looked at.
const HEAD: usize = 1 << 16;

/// The extension that files of this content have; nothing for text without marks of its own, such
/// as edge lists and tables, and for what cannot be read.
pub(super) fn sniff(path: &Path) -> &'static str {
    let Ok(source) = open(path, "data") else { return "" };
    let Ok(mut reader) = source.reader() else { return "" };
    let mut head = vec![0; HEAD];
    let got = read_up_to(&mut reader, &mut head).unwrap_or(0);
    kind(&head[..got])
}

fn kind(head: &[u8]) -> &'static str {
    const MAGIC: [(&[u8], &str); 8] = [
        (b"PK\x03\x04", "npz"),
        (b"\x93NUMPY", "npy"),
        (b"GAGECSR1", "csr"),
        (b"MATLAB 5.0 MAT-file", "mat"),
        (b"PAR1", "parquet"),
        (b"ARROW1", "arrow"),
        (b"\x89HDF\r\n", "h5ad"),
        (b"%%MatrixMarket", "mtx"),
    ];
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return kind;
    }
    // A safetensors file begins with the length of its header, which is JSON.
    if head.get(8) == Some(&b'{') && head[4..8] == [0; 4] {
        return "safetensors";
    }
    let text = String::from_utf8_lossy(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
    let text = text.trim_start();
    match text.chars().next() {
        Some('<') if text.contains("<graphml") => "graphml",
        Some('<') if text.contains("<gexf") => "gexf",
        Some('{') => "json",
        Some('*') if is_pajek(text) => "net",
        Some(_) if is_gml(text) => "gml",
        _ => "",
    }
}

fn is_pajek(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default().to_lowercase();
    first.starts_with("*vertices") || first.starts_with("*network")
}

/// Whether a text begins as GML does: with `graph [`, perhaps after comments and a few keys.
fn is_gml(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let words: Vec<&str> = lines.take(20).flat_map(str::split_whitespace).take(200).collect();
    let first = words.first().copied().unwrap_or_default();
    matches!(first, "graph" | "Creator" | "Version" | "graph[")
        && words.windows(2).any(|pair| pair == ["graph", "["] || pair[0] == "graph[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_recognised_by_their_beginnings() {
        for (head, expected) in [
            (&b"PK\x03\x04rest"[..], "npz"),
            (b"<?xml version='1.0'?>\n<!-- <x> -->\n<gexf>", "gexf"),
            (b"\xef\xbb\xbf  {\"nodes\": []}", "json"),
            (b"*Vertices 3\n", "net"),
            (b"* not pajek\n", ""),
            (b"# networkx\ngraph [\n", "gml"),
            (b"Creator \"igraph\"\nVersion 1\ngraph\n[\n", "gml"),
            (b"graph,node\na,b\n", ""),
            (b"a,b\nb,c\n", ""),
            (b"", ""),
        ] {
            assert_eq!(kind(head), expected, "{}", String::from_utf8_lossy(head));
        }
    }
}

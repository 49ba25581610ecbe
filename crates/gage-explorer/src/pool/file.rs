//! A pool and a layout kept beside the model, so that the next start is quick.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gage_core::fingerprint::Hash;
use gage_embed::Model;
use gage_embed::io::write_atomically;
use gage_embed::linalg::AnyTallRef;
use gage_plot::layout::Point;

use super::candidates::Pool;
/// First bytes of the file; the number is the version of its layout.
const MAGIC: &[u8; 8] = b"gageexp2";

/// What is kept.
pub(crate) struct Kept {
    pub(crate) pool: Pool,
    /// The layout at the model's shares, and those at other anchors if the map is mixed.
    pub(crate) layouts: Vec<Vec<Point>>,
}

/// A hash of what the kept things depend on: rows, coefficients, shares and seed.
pub(crate) fn mark(model: &Model, shares: &[f64], seed: u64) -> String {
    let mut hash = Hash::default();
    match model.factors().as_ref() {
        AnyTallRef::F32(rows) => hash.bytes(bytemuck::cast_slice(rows.data())),
        AnyTallRef::F64(rows) => hash.bytes(bytemuck::cast_slice(rows.data())),
    }
    for view in model.views() {
        hash.bytes(bytemuck::cast_slice(&view.coefficients));
    }
    hash.bytes(bytemuck::cast_slice(shares));
    hash.word(seed);
    hash.text_form()
}

/// Writes the file. Every number is little-endian:
///
/// ```text
/// magic | mark (32 letters) | nodes, views, layouts, candidates (u64) | starts (u64) | rows (u32)
///       | products (f32) | own (f32) | points of each layout (2 f32)
///       | hash of everything before (32 letters)
/// ```
pub(crate) fn save(path: &Path, mark: &str, pool: &Pool, layouts: &[Vec<Point>]) -> io::Result<()> {
    let shape = [pool.nodes(), pool.views, layouts.len(), pool.rows.len()];
    let sizes = shape.map(|size| size as u64);
    let head: [&[u8]; 7] = [
        MAGIC,
        mark.as_bytes(),
        bytemuck::cast_slice(&sizes),
        bytemuck::cast_slice(&pool.starts),
        bytemuck::cast_slice(&pool.rows),
        bytemuck::cast_slice(&pool.products),
        bytemuck::cast_slice(&pool.own),
    ];
    let layouts = layouts.iter().map(|points| bytemuck::cast_slice(points));
    let parts: Vec<&[u8]> = head.into_iter().chain(layouts).collect();
    let mut hash = Hash::default();
    parts.iter().for_each(|part| hash.bytes(part));
    write_atomically(path, |out| {
        parts.iter().try_for_each(|part| out.write_all(part))?;
        out.write_all(hash.text_form().as_bytes())
    })
}

/// Reads the file of so many nodes, views and layouts; nothing if there is none, or if it is
/// damaged or belongs to another model. It can always be made again.
pub(crate) fn load(path: &Path, mark: &str, shape: [usize; 3]) -> Option<Kept> {
    let [nodes, views, layouts] = shape;
    let mut file = File::open(path).ok()?;
    let mut head = [0u8; 8 + 32 + 32];
    file.read_exact(&mut head).ok()?;
    let sizes: [u64; 4] = bytemuck::pod_read_unaligned(&head[40..]);
    let belongs = head[..8] == *MAGIC && head[8..40] == *mark.as_bytes();
    if !belongs || sizes[..3] != shape.map(|size| size as u64) {
        return None;
    }
    // Sizes are claims until they agree with the length of the file.
    let candidates = usize::try_from(sizes[3]).ok()?;
    let lengths = [
        nodes.checked_add(1)?.checked_mul(8)?,
        candidates.checked_mul(4)?,
        candidates.checked_mul(views)?.checked_mul(4)?,
        nodes.checked_mul(views)?.checked_mul(4)?,
        nodes.checked_mul(8)?.checked_mul(layouts)?,
    ];
    let body = lengths.iter().try_fold(0usize, |sum, &length| sum.checked_add(length))?;
    if file.metadata().ok()?.len() != (head.len() + body + 32) as u64 {
        return None;
    }
    let mut hash = Hash::default();
    [&head[..8], &head[8..40], &head[40..]].iter().for_each(|part| hash.bytes(part));
    let pool = Pool {
        views,
        starts: read(&mut file, nodes + 1, &mut hash)?,
        rows: read(&mut file, candidates, &mut hash)?,
        products: read(&mut file, candidates * views, &mut hash)?,
        own: read(&mut file, nodes * views, &mut hash)?,
    };
    let layouts = (0..layouts).map(|_| read(&mut file, nodes, &mut hash));
    let layouts = layouts.collect::<Option<Vec<Vec<Point>>>>()?;
    let mut sum = [0u8; 32];
    file.read_exact(&mut sum).ok()?;
    let whole = sum == *hash.text_form().as_bytes();
    let ordered = pool.starts.windows(2).all(|pair| pair[0] <= pair[1])
        && pool.starts.first() == Some(&0)
        && pool.starts.last() == Some(&(candidates as u64))
        && pool.rows.iter().all(|&row| (row as usize) < nodes);
    (whole && ordered).then_some(Kept { pool, layouts })
}

fn read<T: bytemuck::Pod>(file: &mut File, count: usize, hash: &mut Hash) -> Option<Vec<T>> {
    let mut values = vec![T::zeroed(); count];
    file.read_exact(bytemuck::cast_slice_mut(&mut values)).ok()?;
    hash.bytes(bytemuck::cast_slice(&values));
    Some(values)
}

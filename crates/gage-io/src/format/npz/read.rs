//! NumPy archives: sparse matrices as `scipy.sparse.save_npz` writes them, or one dense array.

use std::path::Path;

use gage_core::graph::Matrix;
use gage_linalg::{SparseMatrix, Values};

use crate::error::{Place, ReadError};
use crate::format::dtype::{for_each_f64, for_each_i64};
use crate::format::npy::read::{Array, NpyHeader, read_array, read_header};
use crate::format::npz::zip::{Archive, Member};
use crate::sparse_builder::{
    ValueBuilder, check_shape, from_entries, key, sparse_error, sparse_if_smaller,
};

const REMEDY: &str = "write the matrix again with scipy.sparse.save_npz(path, matrix.tocsr())";

/// Reads an `.npz` archive: a scipy sparse matrix (csr, csc or coo), or a single dense array. Every
/// claimed size is checked against the archive before anything is allocated. Cost: one pass; O(nnz
/// log nnz) for coo.
pub fn read_npz(path: impl AsRef<Path>) -> Result<Matrix, ReadError> {
    let path = path.as_ref();
    let npz = Npz { path, archive: Archive::open(path)? };
    if npz.archive.find("format.npy").is_some() {
        return npz.sparse().map(Matrix::from);
    }
    let arrays: Vec<&Member> =
        npz.archive.members.iter().filter(|member| member.name.ends_with(".npy")).collect();
    let [only] = arrays[..] else {
        let names: Vec<&str> = npz.archive.members.iter().map(|m| m.name.as_str()).collect();
        let found = format!("the members {}", names.join(", "));
        let expected = "a scipy sparse matrix, or one array";
        return Err(ReadError::malformed(path, Place::File, found, expected, REMEDY));
    };
    match npz.array(only)? {
        Array::Numbers(dense) => sparse_if_smaller(path, dense),
        Array::Integers { shape, values } => {
            crate::format::npy::matrix::dense_from_integers(path, &shape, values)
        }
        Array::Texts(_) => {
            let place = Place::entry(only.name.clone());
            Err(ReadError::malformed(path, place, "an array of strings", "numbers", REMEDY))
        }
    }
}

/// Reads every array of an `.npz` archive, with its name. Cost: one pass.
pub fn read_npz_arrays(path: impl AsRef<Path>) -> Result<Vec<(String, Array)>, ReadError> {
    let path = path.as_ref();
    let npz = Npz { path, archive: Archive::open(path)? };
    let named = npz.archive.members.iter().filter_map(|m| Some((m.name.strip_suffix(".npy")?, m)));
    named.map(|(name, member)| Ok((name.to_owned(), npz.array(member)?))).collect()
}

struct Npz<'a> {
    path: &'a Path,
    archive: Archive,
}

impl Npz<'_> {
    fn array(&self, member: &Member) -> Result<Array, ReadError> {
        let mut reader = self.archive.read(member)?;
        read_array(&mut reader, self.path, Place::entry(member.name.clone()), member.size)
    }

    fn member(&self, name: &str) -> Result<&Member, ReadError> {
        self.archive.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.archive.members.iter().map(|m| m.name.as_str()).collect();
            let found = format!("only the members {}", names.join(", "));
            let expected = format!("also {name}");
            ReadError::malformed(self.path, Place::File, found, expected, REMEDY)
        })
    }

    /// The header of a one-dimensional array, checked against the size of its member.
    fn vector(&self, name: &str) -> Result<(NpyHeader, u64), ReadError> {
        let member = self.member(name)?;
        let place = Place::entry(name.to_owned());
        let header = read_header(&mut self.archive.read(member)?, self.path, &place)?;
        let count = header.check_size(self.path, place.clone(), member.size)?;
        if header.shape.len() != 1 {
            let found = format!("shape {:?}", header.shape);
            return Err(ReadError::malformed(self.path, place, found, "one dimension", REMEDY));
        }
        Ok((header, count))
    }

    fn sparse(&self) -> Result<SparseMatrix, ReadError> {
        let (format, shape) = (self.format()?, self.shape()?);
        let (_, entries) = self.vector("data.npy")?;
        let checked = check_shape(self.path, Place::entry("shape.npy"), shape, entries)?;
        let file = |error| sparse_error(self.path, Place::File, error);
        match format.as_str() {
            "csr" => self.compressed(checked.0, checked.1, entries),
            "csc" => Ok(self.compressed(checked.1, checked.0, entries)?.transposed()),
            "coo" => {
                self.same_length("row.npy", entries)?;
                self.same_length("col.npy", entries)?;
                let rows = self.indices("row.npy", checked.0, "rows")?;
                let cols = self.indices("col.npy", checked.1, "columns")?;
                let mut list: Vec<(u64, f64)> =
                    rows.iter().zip(&cols).map(|(&row, &col)| (key(row, col), 0.0)).collect();
                drop((rows, cols));
                let mut next = list.iter_mut();
                self.numbers(|value| {
                    if let Some(entry) = next.next() {
                        entry.1 = value;
                    }
                })?;
                Ok(from_entries(checked.0, checked.1, list).map_err(file)?.0)
            }
            other => {
                let place = Place::entry("format.npy".to_owned());
                let found = format!("sparse format `{other}`");
                Err(ReadError::unsupported(self.path, place, found, "csr, csc or coo", REMEDY))
            }
        }
    }

    fn format(&self) -> Result<String, ReadError> {
        let texts = match self.array(self.member("format.npy")?)? {
            Array::Texts(texts) => texts,
            _ => Vec::new(),
        };
        texts.into_iter().next().ok_or_else(|| {
            let place = Place::entry("format.npy".to_owned());
            ReadError::malformed(self.path, place, "no text", "csr, csc or coo", REMEDY)
        })
    }

    fn shape(&self) -> Result<(u64, u64), ReadError> {
        let sizes = match self.array(self.member("shape.npy")?)? {
            Array::Integers { values, .. } => values,
            _ => Vec::new(),
        };
        let whole: Vec<u64> = sizes.iter().filter_map(|&size| u64::try_from(size).ok()).collect();
        if let ([rows, cols], 2) = (&whole[..], sizes.len()) {
            return Ok((*rows, *cols));
        }
        let place = Place::entry("shape.npy".to_owned());
        let found = format!("shape {sizes:?}");
        Err(ReadError::malformed(self.path, place, found, "two sizes, not negative", REMEDY))
    }

    /// Three arrays of compressed rows (or, for csc, of the transposed matrix).
    fn compressed(
        &self,
        rows: usize,
        cols: usize,
        entries: u64,
    ) -> Result<SparseMatrix, ReadError> {
        self.same_length("indices.npy", entries)?;
        let place = Place::entry("indptr.npy".to_owned());
        let (header, count) = self.vector("indptr.npy")?;
        if count != rows as u64 + 1 {
            let found = format!("{count} pointers");
            let expected = format!("{} (one more than shape.npy says)", rows as u64 + 1);
            return Err(ReadError::malformed(self.path, place, found, expected, REMEDY));
        }
        let below = entries.saturating_add(1);
        let pointers = self.integers("indptr.npy", (&header, count), below, |at, value| {
            let expected = format!("a number from 0 to {entries}");
            let place = Place::entry(format!("indptr.npy, element {at}"));
            ReadError::index(self.path, place, value.to_string(), expected, REMEDY)
        })?;
        // The two large members are unpacked side by side.
        let (indices, values) = rayon::join(
            || self.indices("indices.npy", cols, "columns"),
            || {
                let mut values = ValueBuilder::new();
                self.numbers(|value| values.push(value))?;
                Ok::<Values, ReadError>(values.finish())
            },
        );
        SparseMatrix::new(rows, cols, pointers, indices?, values?)
            .map_err(|error| sparse_error(self.path, Place::File, error))
    }

    fn same_length(&self, name: &str, entries: u64) -> Result<(), ReadError> {
        let (_, count) = self.vector(name)?;
        if count == entries {
            return Ok(());
        }
        let found = format!("{count} elements");
        let expected = format!("{entries}, as in data.npy");
        Err(ReadError::malformed(self.path, Place::entry(name), found, expected, REMEDY))
    }

    fn indices(&self, name: &str, limit: usize, what: &str) -> Result<Vec<u32>, ReadError> {
        let (header, count) = self.vector(name)?;
        let limit = (limit as u64).min(1 << u32::BITS);
        self.integers(name, (&header, count), limit, |at, value| {
            let place = Place::entry(format!("{name}, element {at}"));
            let expected = format!("a number from 0 to below {limit} ({what})");
            let remedy = if u64::try_from(value) == Ok(limit) {
                "this looks like counting from 1: subtract 1 from the indices"
            } else {
                "correct the index or the shape"
            };
            ReadError::index(self.path, place, value.to_string(), expected, remedy)
        })
    }

    /// Whole numbers below a limit; `refuse` says what is wrong with the first that is none, given
    /// its place. That is requested when all were read: a result for each was a seventh of the time
    /// of reading Debian.
    fn integers<T: TryFrom<i64> + Default>(
        &self,
        name: &str,
        (header, count): (&NpyHeader, u64),
        limit: u64,
        refuse: impl FnOnce(usize, i64) -> ReadError,
    ) -> Result<Vec<T>, ReadError> {
        let place = Place::entry(name.to_owned());
        if !header.number.is_integer() {
            let found = format!("numbers of type {:?}", header.number.kind);
            let remedy = "indices are whole numbers: convert them with .astype(int)";
            return Err(ReadError::malformed(self.path, place, found, "whole numbers", remedy));
        }
        let mut reader = self.archive.read(self.member(name)?)?;
        read_header(&mut reader, self.path, &place)?;
        let (mut numbers, mut bad) = (Vec::new(), None);
        for_each_i64(&mut reader, self.path, &place, header.number, count, |value| {
            // A negative number is beyond every limit as an unsigned one.
            if value as u64 >= limit && bad.is_none() {
                bad = Some((numbers.len(), value));
            }
            numbers.push(T::try_from(value).unwrap_or_default());
        })?;
        bad.map_or(Ok(numbers), |(at, value)| Err(refuse(at, value)))
    }

    /// The values of the entries.
    fn numbers(&self, each: impl FnMut(f64)) -> Result<(), ReadError> {
        let (name, member) = ("data.npy", self.member("data.npy")?);
        let place = Place::entry(name.to_owned());
        let mut reader = self.archive.read(member)?;
        let header = read_header(&mut reader, self.path, &place)?;
        let count = header.check_size(self.path, place.clone(), member.size)?;
        if matches!(
            header.number.kind,
            crate::format::dtype::Kind::Ucs4(_) | crate::format::dtype::Kind::Bytes(_)
        ) {
            return Err(ReadError::malformed(self.path, place, "strings", "numbers", REMEDY));
        }
        for_each_f64(&mut reader, self.path, &place, header.number, count, each)
    }
}

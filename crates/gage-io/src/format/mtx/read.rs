//! Matrix Market files: coordinate or array; real, integer or pattern; general, symmetric or
//! skew-symmetric.

use std::path::Path;

use gage_core::graph::Matrix;
use gage_linalg::{DenseMatrix, SparseMatrix};

use crate::error::{Place, ReadError, excerpt};
use crate::sparse_builder::{
    check_shape, from_entries, from_keys, key, sparse_error, sparse_if_smaller,
};
use crate::text::lines::Lines;

const REMEDY: &str = "write the matrix again, for instance with scipy.io.mmwrite";

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

struct Banner {
    coordinate: bool,
    pattern: bool,
    symmetry: Symmetry,
}

/// Reads a Matrix Market file, perhaps compressed. Repeated coordinates are summed. Cost O(nnz log
/// nnz).
pub fn read_mtx(path: impl AsRef<Path>) -> Result<Matrix, ReadError> {
    let path = path.as_ref();
    let mut mtx = Mtx { path, lines: Lines::open(path, "a Matrix Market file")? };
    let banner = mtx.banner()?;
    let sizes = mtx.sizes(if banner.coordinate { 3 } else { 2 })?;
    let (rows, cols) = (sizes[0], sizes[1]);
    if banner.symmetry != Symmetry::General && rows != cols {
        let found = format!("{rows} rows and {cols} columns");
        let place = Place::Line(mtx.lines.line());
        return Err(ReadError::malformed(path, place, found, "a square matrix", REMEDY));
    }
    if banner.coordinate {
        mtx.coordinate(&banner, (rows, cols), sizes[2]).map(Matrix::from)
    } else {
        mtx.array(&banner, (rows, cols))
    }
}

struct Mtx<'a> {
    path: &'a Path,
    lines: Lines,
}

impl Mtx<'_> {
    fn malformed(&self, found: impl Into<String>, expected: impl Into<String>) -> ReadError {
        let place = Place::Line(self.lines.line().max(1));
        ReadError::malformed(self.path, place, found, expected, REMEDY)
    }

    fn banner(&mut self) -> Result<Banner, ReadError> {
        let line = self.lines.next()?.unwrap_or_default().to_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        let [magic, object, schema, field, symmetry] = words[..] else {
            return Err(
                self.malformed(excerpt(line.as_bytes()), "a %%MatrixMarket line of 5 words")
            );
        };
        if magic != "%%matrixmarket" || object != "matrix" {
            return Err(self.malformed(excerpt(line.as_bytes()), "`%%MatrixMarket matrix ...`"));
        }
        let unsupported = |found: &str, expected: &str| {
            let found = format!("`{found}`");
            ReadError::unsupported(self.path, Place::Line(1), found, expected, REMEDY)
        };
        let coordinate = match schema {
            "coordinate" => true,
            "array" => false,
            other => return Err(unsupported(other, "coordinate or array")),
        };
        let pattern = match field {
            "pattern" if coordinate => true,
            "real" | "integer" | "double" => false,
            other => return Err(unsupported(other, "real, integer or pattern")),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            other => return Err(unsupported(other, "general, symmetric or skew-symmetric")),
        };
        Ok(Banner { coordinate, pattern, symmetry })
    }

    /// The next line that is neither empty nor a comment.
    fn content(&mut self) -> Result<Option<&str>, ReadError> {
        loop {
            match self.lines.next()? {
                None => return Ok(None),
                Some(line) if line.trim().is_empty() || line.starts_with('%') => {}
                // The borrow must not outlive the loop, so the line is fetched again by its owner.
                Some(_) => break,
            }
        }
        Ok(Some(self.lines.current()))
    }

    fn sizes(&mut self, count: usize) -> Result<Vec<u64>, ReadError> {
        let line = self.content()?.unwrap_or_default().to_owned();
        let sizes: Option<Vec<u64>> =
            line.split_whitespace().map(|word| word.parse().ok()).collect();
        match sizes {
            Some(sizes) if sizes.len() == count => Ok(sizes),
            _ => {
                let expected = format!("{count} sizes, whole numbers");
                Err(self.malformed(excerpt(line.as_bytes()), expected))
            }
        }
    }

    fn coordinate(
        &mut self,
        banner: &Banner,
        shape: (u64, u64),
        entries: u64,
    ) -> Result<SparseMatrix, ReadError> {
        let place = Place::Line(self.lines.line());
        let (rows, cols) = check_shape(self.path, place, shape, entries)?;
        let (mut keys, mut list): (Vec<u64>, Vec<(u64, f64)>) = (Vec::new(), Vec::new());
        let mut seen = 0u64;
        while let Some(line) = self.content()?.map(str::to_owned) {
            seen += 1;
            if seen > entries {
                let expected = format!("the end, after {entries} entries");
                return Err(self.malformed(excerpt(line.as_bytes()), expected));
            }
            let mut words = line.split_whitespace();
            let row = self.coordinate_index(words.next(), &line, rows, "rows")?;
            let col = self.coordinate_index(words.next(), &line, cols, "columns")?;
            let mirror = banner.symmetry != Symmetry::General && row != col;
            if banner.pattern {
                keys.push(key(row, col));
                if mirror {
                    keys.push(key(col, row));
                }
                continue;
            }
            let value = self.value(words.next(), &line)?;
            list.push((key(row, col), value));
            if mirror {
                let value = if banner.symmetry == Symmetry::Skew { -value } else { value };
                list.push((key(col, row), value));
            }
        }
        if seen < entries {
            let place = Place::Line(self.lines.line());
            let found = format!("the end after {seen} entries");
            return Err(ReadError::damaged(self.path, place, found, format!("{entries} entries")));
        }
        let whole = |error| sparse_error(self.path, Place::File, error);
        let (matrix, _) = if banner.pattern {
            from_keys(rows, cols, keys).map_err(whole)?
        } else {
            from_entries(rows, cols, list).map_err(whole)?
        };
        Ok(matrix)
    }

    fn coordinate_index(
        &self,
        word: Option<&str>,
        line: &str,
        limit: usize,
        what: &str,
    ) -> Result<u32, ReadError> {
        let index = word.and_then(|word| word.parse::<u32>().ok());
        let index = index.filter(|&index| index >= 1 && index as usize <= limit);
        index.map(|index| index - 1).ok_or_else(|| {
            let place = Place::Line(self.lines.line());
            let found = word.map_or_else(|| excerpt(line.as_bytes()), |w| excerpt(w.as_bytes()));
            let expected = format!("a whole number from 1 to {limit} ({what})");
            let remedy = if word == Some("0") {
                "Matrix Market counts from 1: add 1 to every index"
            } else {
                "correct the index or the sizes"
            };
            ReadError::index(self.path, place, found, expected, remedy)
        })
    }

    fn value(&self, word: Option<&str>, line: &str) -> Result<f64, ReadError> {
        let Some(value) = word.and_then(|word| word.parse::<f64>().ok()) else {
            return Err(self.malformed(excerpt(line.as_bytes()), "a number at the end"));
        };
        if value.is_finite() {
            return Ok(value);
        }
        let place = Place::Line(self.lines.line());
        let remedy = "replace it by a number, or leave the entry out";
        Err(ReadError::not_finite(self.path, place, value, remedy))
    }

    /// All numbers, column after column; of a symmetric matrix only those on and below the
    /// diagonal.
    fn array(&mut self, banner: &Banner, shape: (u64, u64)) -> Result<Matrix, ReadError> {
        let (rows, cols) = check_shape(self.path, Place::Line(self.lines.line()), shape, 0)?;
        let first_row = |col: usize| match banner.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => col.min(rows),
            Symmetry::Skew => (col + 1).min(rows),
        };
        let mut columns: Vec<Vec<f64>> = Vec::new();
        while columns.len() < cols {
            let wanted = rows - first_row(columns.len());
            let mut column = Vec::new();
            while column.len() < wanted {
                let Some(line) = self.content()?.map(str::to_owned) else {
                    let found = format!("the end in column {}", columns.len() + 1);
                    let expected = format!("{rows} by {cols} numbers");
                    let place = Place::Line(self.lines.line());
                    return Err(ReadError::damaged(self.path, place, found, expected));
                };
                column.push(self.value(line.split_whitespace().next(), &line)?);
            }
            columns.push(column);
            if wanted == 0 && rows == 0 {
                break;
            }
        }
        let mut values = vec![0f64; columns.iter().map(Vec::len).sum::<usize>().max(rows * cols)];
        for (col, column) in columns.iter().enumerate() {
            for (row, &value) in (first_row(col)..).zip(column) {
                values[row * cols + col] = value;
                match banner.symmetry {
                    Symmetry::General => {}
                    Symmetry::Symmetric => values[col * cols + row] = value,
                    Symmetry::Skew => values[col * cols + row] = -value,
                }
            }
        }
        let dense = DenseMatrix::from_f64(rows, cols, values)
            .ok_or_else(|| self.malformed("another number of values", "rows times columns"))?;
        sparse_if_smaller(self.path, dense)
    }
}

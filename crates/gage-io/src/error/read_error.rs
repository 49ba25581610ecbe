//! Why data could not be read: where they are from, where in them, what was found and expected.

use std::borrow::Cow;
use std::fmt;
use std::io;

use gage_core::Hint;

use super::origin::{Origin, Place};

/// What kind of thing went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// No file of that name.
    Missing,
    /// A folder or a device where a file is needed, or a file where a folder is needed.
    WrongKind,
    /// Data without content.
    Empty,
    /// The operating system refused.
    Io(io::Error),
    /// The file ends too early, or its compressed data are damaged.
    Damaged,
    /// The content is not what the format requires.
    Malformed,
    /// A correct file in a form that is not supported.
    Unsupported,
    /// The file claims to be larger than it can be, or than this library reads.
    TooLarge,
    /// NaN or an infinity where a finite number is needed.
    NotFinite,
    /// An index outside the matrix, or one that is no index.
    Index,
    /// One id for two rows.
    DuplicateId {
        /// the id
        id: Box<str>,
        /// where it stands first
        first: Place,
    },
    /// Two parts that do not fit together.
    Mismatch {
        /// the part that the origin of the error does not fit
        with: Origin,
    },
}

/// Why data could not be read. `Display` says where, what was found and what was expected;
/// [`hint`](ReadError::hint) says what to do.
#[derive(Debug)]
pub struct ReadError(Box<Details>);

#[derive(Debug)]
struct Details {
    kind: ReadErrorKind,
    origin: Origin,
    place: Option<Place>,
    found: Cow<'static, str>,
    expected: String,
    hint: Hint,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { kind, origin, place, found, expected, .. } = &*self.0;
        write!(f, "{origin}")?;
        if let ReadErrorKind::Mismatch { with } = kind {
            write!(f, " and {with}")?;
        }
        match (origin, place) {
            (_, None) | (Origin::Memory(_), Some(Place::File)) => {}
            (_, Some(place)) => write!(f, ": {place}")?,
        }
        write!(f, ": found {found}, expected {expected}")
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ReadErrorKind::Io(source) => Some(source),
            _ => None,
        }
    }
}

/// What callers ask.
impl ReadError {
    /// What kind of thing went wrong.
    pub fn kind(&self) -> &ReadErrorKind {
        &self.0.kind
    }

    /// What the error is about.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// Where in it, if there is such a place.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// What was found.
    pub fn found(&self) -> &str {
        &self.0.found
    }

    /// What was expected.
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// What to do about it.
    pub fn hint(&self) -> &Hint {
        &self.0.hint
    }
}

/// One constructor per kind; those of one shape are written once.
macro_rules! constructors {
    ($($name:ident: $kind:ident, $found:literal;)*) => {$(
        pub(crate) fn $name(
            origin: impl Into<Origin>,
            place: Place,
            found: impl Into<String>,
            expected: impl Into<String>,
            hint: impl Into<Hint>,
        ) -> ReadError {
            let found = format!($found, found.into());
            ReadError::new(ReadErrorKind::$kind, origin, place, found, expected).with(hint)
        }
    )*};
}

impl ReadError {
    constructors! {
        malformed: Malformed, "{}";
        unsupported: Unsupported, "{}, which is not supported";
        too_large: TooLarge, "a claim of {}";
        index: Index, "index {}";
    }

    fn new(
        kind: ReadErrorKind,
        origin: impl Into<Origin>,
        place: impl Into<Option<Place>>,
        found: impl Into<Cow<'static, str>>,
        expected: impl Into<String>,
    ) -> ReadError {
        let hint = match &kind {
            ReadErrorKind::Missing => Hint::CheckPath,
            ReadErrorKind::Empty => "write the file again or leave it out".into(),
            ReadErrorKind::Io(_) => "check permissions and the disk".into(),
            ReadErrorKind::Damaged => {
                "the file is truncated or damaged, copy or download it again".into()
            }
            ReadErrorKind::DuplicateId { .. } => "remove or rename one of the two".into(),
            _ => Hint::CheckData,
        };
        ReadError(Box::new(Details {
            kind,
            origin: origin.into(),
            place: place.into(),
            found: found.into(),
            expected: expected.into(),
            hint,
        }))
    }

    /// The same error with another remedy than that of its kind.
    pub(crate) fn with(mut self, hint: impl Into<Hint>) -> ReadError {
        self.0.hint = hint.into();
        self
    }

    /// The same error at another place.
    pub(crate) fn at(mut self, place: Place) -> ReadError {
        self.0.place = Some(place);
        self
    }

    pub(crate) fn missing(origin: impl Into<Origin>, expected: impl Into<String>) -> ReadError {
        let found = "no such file or folder";
        ReadError::new(ReadErrorKind::Missing, origin, None, found, expected)
    }

    pub(crate) fn wrong_kind(
        origin: impl Into<Origin>,
        found: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<Hint>,
    ) -> ReadError {
        let found = found.into();
        ReadError::new(ReadErrorKind::WrongKind, origin, None, found, expected).with(hint)
    }

    pub(crate) fn empty(origin: impl Into<Origin>, expected: impl Into<String>) -> ReadError {
        let origin = origin.into();
        let in_memory = matches!(origin, Origin::Memory(_));
        let kind = ReadErrorKind::Empty;
        let error = ReadError::new(kind, origin, Place::File, "nothing in it", expected);
        if in_memory { error.with("fill it or leave it out") } else { error }
    }

    pub(crate) fn io(origin: impl Into<Origin>, place: Place, source: io::Error) -> ReadError {
        let found = format!("a read error ({source})");
        ReadError::new(ReadErrorKind::Io(source), origin, place, found, "readable data")
    }

    pub(crate) fn damaged(
        origin: impl Into<Origin>,
        place: Place,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReadError {
        ReadError::new(ReadErrorKind::Damaged, origin, place, found.into(), expected)
    }

    pub(crate) fn not_finite(
        origin: impl Into<Origin>,
        place: Place,
        found: impl ToString,
        hint: impl Into<Hint>,
    ) -> ReadError {
        let (kind, found) = (ReadErrorKind::NotFinite, found.to_string());
        ReadError::new(kind, origin, place, found, "a finite number").with(hint)
    }

    pub(crate) fn duplicate_id(
        origin: impl Into<Origin>,
        id: &str,
        first: Place,
        second: Place,
    ) -> ReadError {
        let found = format!("id `{id}` again, first on {first}");
        let kind = ReadErrorKind::DuplicateId { id: id.into(), first };
        ReadError::new(kind, origin, second, found, "each id once")
    }

    pub(crate) fn mismatch(
        first: impl Into<Origin>,
        second: impl Into<Origin>,
        found: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<Hint>,
    ) -> ReadError {
        let kind = ReadErrorKind::Mismatch { with: second.into() };
        ReadError::new(kind, first, None, found.into(), expected).with(hint)
    }

    /// Sorts an error of a read by its cause: an early end or damaged compression is the fault of
    /// the file, the rest that of the system.
    pub(crate) fn from_io(origin: impl Into<Origin>, place: Place, source: io::Error) -> ReadError {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                ReadError::damaged(origin, place, "the end of the data", "more data")
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
                ReadError::damaged(origin, place, format!("bad data ({source})"), "intact data")
            }
            io::ErrorKind::FileTooLarge => {
                let expected = "a file that expands to at most 1 GiB plus 200 times its size";
                let hint = "this may be a decompression bomb; if it is not, decompress it first";
                ReadError::too_large(origin, place, source.to_string(), expected, hint)
            }
            _ => ReadError::io(origin, place, source),
        }
    }
}

/// A short, printable form of what was found, for messages.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)]);
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST || bytes.len() > 4 * LONGEST {
        short.push('…');
    }
    format!("`{short}`")
}

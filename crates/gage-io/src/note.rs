//! Notes on how data were interpreted.

use std::fmt;

use gage_core::Hint;

/// A note on how data were interpreted, with a hint for other intentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The interpretation.
    pub text: String,
    /// What to do if something else was meant.
    pub hint: Option<Hint>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<String> for Note {
    fn from(text: String) -> Note {
        Note { text, hint: None }
    }
}

/// The first few names of a list.
pub(crate) fn first_few(names: &[&str]) -> String {
    let more = if names.len() > 5 { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(5)].join(", "))
}

//! Recipes of views as text: TOML for people, JSON for programs.

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use gage_core::Hint;
use gage_core::views::ViewRecipe;
use serde_json::Value;

use crate::error::{Origin, Place, ReadError};
use crate::source::{format_extension, open};

/// What to do about a recipe that cannot be understood.
const REMEDY: &str = "docs/views.md lists every key and its values";

/// The order in which the keys of a view are written; those that are not here come first.
const ORDER: [&str; 7] =
    ["name", "source", "transform", "direction", "smoothing", "weight", "share"];

/// Reads a recipe of views: TOML, or JSON if the file is called `.json`. Errors name line and key.
pub fn read_recipe(path: impl AsRef<Path>) -> Result<ViewRecipe, ReadError> {
    let path = path.as_ref();
    let source = open(path, "a recipe of views")?;
    let mut text = String::new();
    let read = source.reader().and_then(|mut reader| reader.read_to_string(&mut text));
    read.map_err(|error| ReadError::from_io(path, Place::File, error))?;
    match format_extension(path).as_str() {
        "json" => recipe_of_json(path, &text),
        _ => recipe_of_toml(path, &text),
    }
}

/// A recipe from TOML.
pub fn recipe_of_toml(origin: impl Into<Origin>, text: &str) -> Result<ViewRecipe, ReadError> {
    let origin = origin.into();
    let document = toml::Deserializer::parse(text)
        .map_err(|error| misfit(&origin, line(text, error.span()), "", error.message()))?;
    serde_path_to_error::deserialize(document).map_err(|error| {
        let (key, error) = (error.path().to_string(), error.into_inner());
        misfit(&origin, line(text, error.span()), &key, error.message())
    })
}

/// A recipe from JSON.
pub fn recipe_of_json(origin: impl Into<Origin>, text: &str) -> Result<ViewRecipe, ReadError> {
    let origin = origin.into();
    let document = &mut serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(document).map_err(|error| {
        let (key, error) = (error.path().to_string(), error.into_inner());
        let message = error.to_string();
        let bare = message.rsplit_once(" at line ").map_or(message.as_str(), |parts| parts.0);
        let place = if error.line() > 0 { Place::Line(error.line() as u64) } else { Place::File };
        misfit(&origin, place, &key, bare)
    })
}

fn line(text: &str, span: Option<std::ops::Range<usize>>) -> Place {
    let before = span.and_then(|span| text.get(..span.start));
    before.map_or(Place::File, |before| Place::Line(1 + before.matches('\n').count() as u64))
}

/// An error of the parser in our words: "unknown variant `a`, expected one of `b`, `c`" says what
/// was found and what is allowed.
fn misfit(origin: &Origin, place: Place, key: &str, message: &str) -> ReadError {
    let at = if key.is_empty() || key == "." { String::new() } else { format!("key `{key}`: ") };
    let (found, expected) = match message.split_once(", expected ") {
        Some((found, expected)) => (found, expected),
        None => (message, "a recipe of views"),
    };
    let found = format!("{at}{}", found.trim_end());
    ReadError::malformed(origin, place, found, expected, Hint::from(REMEDY))
}

/// A recipe as TOML, every view a table of its own. `remarks` become comments at the top.
pub fn recipe_text(recipe: &ViewRecipe, remarks: &[String]) -> String {
    let mut out = String::new();
    for line in remarks.iter().flat_map(|remark| remark.lines()) {
        let _ = writeln!(out, "# {line}");
    }
    // A recipe is plain data and can always be written.
    let value = serde_json::to_value(recipe).unwrap_or_default();
    let Value::Object(fields) = &value else { return out };
    for (key, value) in fields.iter().filter(|(key, _)| *key != "views") {
        let _ = writeln!(out, "{key} = {}", inline(value));
    }
    for view in fields.get("views").and_then(Value::as_array).into_iter().flatten() {
        out.push_str("\n[[views]]\n");
        let mut fields: Vec<_> = view.as_object().into_iter().flatten().collect();
        fields.sort_by_key(|(key, _)| ORDER.iter().position(|known| known == key));
        for (key, value) in fields {
            let _ = writeln!(out, "{key} = {}", inline(value));
        }
    }
    out
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        // A string of JSON is one of TOML, but for this character.
        Value::String(_) => value.to_string().replace('\u{7f}', "\\u007f"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_core::views::{
        Direction, EmbeddingScale, Preset, Propagate, Source, Steps, Transform, ViewSpec,
    };

    /// A recipe with every kind of value.
    fn rich() -> ViewRecipe {
        let smoothing = |steps| Propagate {
            block: "links".to_owned(),
            transform: Transform::Symmetric { self_loops: 0.1 },
            direction: Direction::In,
            steps,
        };
        let view = |steps| ViewSpec {
            name: "a \"quoted\" \\ näme\n\u{7f}".to_owned(),
            source: Source::Identity,
            propagate: Some(smoothing(steps)),
            weight: 1.0 / 3.0,
            share: 1e-7,
            ..ViewSpec::raw("x")
        };
        ViewRecipe {
            balance: false,
            scale: EmbeddingScale::Entries(0.1),
            views: vec![
                view(Steps::Polynomial(vec![0.0, -1.5, 1e300])),
                view(Steps::Mean(8)),
                ViewSpec { transform: Transform::RootIdf, ..ViewSpec::raw("words") },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let scaled = |scale| ViewRecipe { scale, ..rich() };
        let mut recipes =
            vec![rich(), scaled(EmbeddingScale::Unit), scaled(EmbeddingScale::Rows(0.5))];
        // Presets that select their views have none to write.
        for preset in Preset::all().into_iter().filter(|preset| !preset.views.is_empty()) {
            recipes.push(ViewRecipe::new(preset.views));
        }
        for recipe in recipes {
            let text = recipe_text(&recipe, &["of a test".to_owned()]);
            let read = recipe_of_toml(Path::new("r.toml"), &text);
            assert_eq!(read.unwrap_or_else(|error| panic!("{error}\n{text}")), recipe, "{text}");
            let json = serde_json::to_string_pretty(&recipe).unwrap();
            assert_eq!(recipe_of_json(Path::new("r.json"), &json).unwrap(), recipe);
        }
    }

    #[test]
    fn errors_name_line_key_and_what_is_allowed() {
        let good = recipe_text(&rich(), &[]);
        let cases = [
            ("balance = false", "balance = 3", "balance", "boolean"),
            ("raw", "roh", "views[0].transform", "`tf_idf`"),
            ("steps = { mean", "steps = { power_of", "views[1].smoothing", "`mean`"),
            ("weight = 1.0", "wait = 1.0", "views[2]", "`weight`"),
            ("source = \"identity\"", "source = 7", "views[0].source", ""),
            ("share = 1.0", "", "views[2]", ""),
            ("[[views]]", "[[views]", "", ""),
        ];
        for (from, to, key, allowed) in cases {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good, "{from}");
            let line = match text.lines().position(|line| line.contains(to)) {
                Some(at) if !to.is_empty() => &format!("line {}:", at + 1),
                _ => "line",
            };
            let error = recipe_of_toml(Path::new("r.toml"), &text).unwrap_err().to_string();
            for part in ["r.toml", line, key, allowed] {
                assert!(error.contains(part), "{from}: no `{part}` in {error}\n{text}");
            }
        }
        let json = "{\"views\": [\n{\"name\": \"a\", \"source\": {\"bloc\": \"links\"}}]}";
        let error = recipe_of_json(Path::new("r.json"), json).unwrap_err().to_string();
        for part in ["line 2", "views[0].source", "`block`"] {
            assert!(error.contains(part), "{error}");
        }
    }
}

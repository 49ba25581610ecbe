//! Libraries speak no front end's words: a remedy that names a flag is a `Hint`, and each front
//! end puts it into its own words.

use std::path::Path;

use syn::visit::{self, Visit};

use crate::layers::{is_test, rust_files};

const LIBRARIES: &[&str] = &[
    "gage-linalg",
    "gage-core",
    "gage-io",
    "gage-eval",
    "gage-search",
    "gage-plot",
    "gage-baselines",
    "gage-debian",
    "gage-embed",
    "gage-explorer",
];

const COMMANDS: &[&str] = &[
    "certify",
    "convert",
    "demo",
    "embed",
    "evaluate",
    "explore",
    "fold-in",
    "generate",
    "index",
    "info",
    "plot",
    "reproduce",
    "reweight",
    "similar",
];

/// Texts that name a flag or a subcommand of the command.
#[derive(Default)]
struct FrontEndWords(Vec<String>);

impl FrontEndWords {
    fn of(source: &str) -> Vec<String> {
        let mut found = FrontEndWords::default();
        found.visit_file(&syn::parse_file(source).unwrap());
        found.0
    }

    fn look(&mut self, text: &str) {
        let is_flag = |at: usize| {
            let before = text[..at].chars().next_back();
            let after = text[at + 2..].chars().next();
            before.is_none_or(|c| c != '-') && after.is_some_and(|c| c.is_ascii_lowercase())
        };
        let flag = text.match_indices("--").any(|(at, _)| is_flag(at));
        let command = COMMANDS.iter().any(|command| text.contains(&format!("gage {command}")));
        if flag || command {
            self.0.push(text.to_owned());
        }
    }
}

impl<'ast> Visit<'ast> for FrontEndWords {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.look(&list.tokens.to_string());
        }
        // Documentation may name any front end: it is `doc = "..."`, which is not looked at.
    }

    fn visit_macro(&mut self, tokens: &'ast syn::Macro) {
        self.look(&tokens.tokens.to_string());
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.look(&text.value());
    }
}

#[test]
fn libraries_name_no_flags() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for library in LIBRARIES {
        for path in rust_files(&crates.join(library).join("src")) {
            let words = FrontEndWords::of(&std::fs::read_to_string(&path).unwrap());
            found.extend(words.into_iter().map(|text| format!("{}: {text}", path.display())));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn planted_flags_are_found() {
    for source in [
        "const HELP: &str = \"say --directed out\";",
        "fn f() { panic!(\"make it with `gage index`\") }",
        "#[derive(Error)] enum E { #[error(\"try --exact\")] A }",
    ] {
        assert_eq!(FrontEndWords::of(source).len(), 1, "{source}");
    }
    for source in [
        "/// As `gage embed --dim` does.\nfn f() -> &'static str { \"a -- b, ---\" }",
        "#[cfg(test)] mod tests { const A: &str = \"--flag\"; }",
    ] {
        assert_eq!(FrontEndWords::of(source).len(), 0, "{source}");
    }
}

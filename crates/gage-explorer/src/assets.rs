//! The files of the page, inside the program.

use gage_plot::escape;

use crate::http::Response;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// What a page without a server may do: run what stands in it.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    img-src data: blob:; base-uri 'none'; form-action 'none'";

/// Lines of the page that only a server can answer.
const LINK: &str = "<link rel=\"stylesheet\" href=\"/style.css\">\n";
const TITLE: &str = "<title>GAGE explorer</title>";
const LOAD: &str = "<script type=\"module\" src=\"/main.js\"></script>\n";

/// Path, kind and content of every file.
const FILES: [(&str, &str, &str); 12] = [
    ("/", HTML, include_str!("../web/index.html")),
    ("/style.css", STYLE, include_str!("../web/style.css")),
    ("/main.js", SCRIPT, include_str!("../web/main.js")),
    ("/api.js", SCRIPT, include_str!("../web/api.js")),
    ("/colours.js", SCRIPT, include_str!("../web/colours.js")),
    ("/dom.js", SCRIPT, include_str!("../web/dom.js")),
    ("/map.js", SCRIPT, include_str!("../web/map.js")),
    ("/mix.js", SCRIPT, include_str!("../web/mix.js")),
    ("/panel.js", SCRIPT, include_str!("../web/panel.js")),
    ("/points.js", SCRIPT, include_str!("../web/points.js")),
    ("/search.js", SCRIPT, include_str!("../web/search.js")),
    ("/state.js", SCRIPT, include_str!("../web/state.js")),
];

/// Where a page that is one file gets its answers from.
pub(crate) enum Source<'a> {
    /// JSON that may stand inside a script.
    Data(&'a str),
    /// The kernel of a notebook.
    Kernel,
}

/// The modules of a page that is one file, each after those it takes from, and the name under which
/// the others know it. The first but one is the source of its answers.
fn modules(source: &Source<'_>) -> [(&'static str, &'static str); 10] {
    let answers = match source {
        Source::Data(_) => include_str!("../web/frozen.js"),
        Source::Kernel => include_str!("../web/kernel.js"),
    };
    [
        ("./dom.js", include_str!("../web/dom.js")),
        ("./api.js", answers),
        ("./colours.js", include_str!("../web/colours.js")),
        ("./points.js", include_str!("../web/points.js")),
        ("./state.js", include_str!("../web/state.js")),
        ("./search.js", include_str!("../web/search.js")),
        ("./map.js", include_str!("../web/map.js")),
        ("./mix.js", include_str!("../web/mix.js")),
        ("./panel.js", include_str!("../web/panel.js")),
        ("./main.js", include_str!("../web/main.js")),
    ]
}

/// What a notebook runs to show a page whose source is the kernel (anywidget's interface).
pub const WIDGET: &str = include_str!("../web/widget.js");

/// The page as one file, with HTML below the explorer.
pub(crate) fn whole_page(source: &Source<'_>, title: &str, story: &str) -> String {
    let (_, _, html) = FILES[0];
    let (_, _, style) = FILES[1];
    let modules = modules(source).map(|(name, text)| as_function(name, text)).concat();
    let script = format!("\"use strict\";\nconst modules = {{}};\n{modules}");
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">");
    let data = match source {
        Source::Data(json) => {
            format!("<script type=\"application/json\" id=\"frozen\">{json}</script>\n")
        }
        Source::Kernel => String::new(),
    };
    let story = match story {
        "" => String::new(),
        text => format!("<article id=\"story\">\n{text}\n</article>\n"),
    };
    html.replace(TITLE, &format!("<title>{}</title>", escape(title)))
        .replace(LINK, &format!("{policy}\n<style>\n{style}</style>\n"))
        .replace(LOAD, "")
        .replace("</body>", &format!("{story}{data}<script>\n{script}</script>\n</body>"))
}

/// The page for the frame of a notebook, with [`WIDGET`] around it.
pub fn notebook_page() -> String {
    whole_page(&Source::Kernel, "GAGE explorer", "")
}

/// A module as a function that returns what it exports: modules cannot be loaded from a file
/// without a server. Imports stand in one line each, and only declarations are exported.
fn as_function(name: &str, text: &str) -> String {
    let mut exported = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(import) = line.strip_prefix("import ")
            && let Some((names, from)) = import.split_once(" from ")
        {
            lines.push(format!("const {names} = modules[{}];", from.trim_end_matches(';')));
        } else if let Some(declaration) = line.strip_prefix("export ") {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
            let own = declaration.split_once(' ').map_or("", |(_, rest)| rest);
            exported.push(own.split(|letter| !is_part(letter)).next().unwrap_or_default());
            lines.push(declaration.to_owned());
        } else {
            lines.push(line.to_owned());
        }
    }
    let (body, exported) = (lines.join("\n"), exported.join(", "));
    format!("modules[\"{name}\"] = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n")
}

/// The file at a path; paths are compared whole, so that there is nothing to climb out of.
pub(crate) fn file(path: &str) -> Option<Response> {
    let (_, kind, text) = FILES.iter().find(|(own, _, _)| *own == path)?;
    Some(Response::bytes(kind, text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_functions() {
        let text =
            "// x\nimport { a, b } from \"./y.js\";\nexport const $ = a;\nexport class C {}\n";
        let body = "// x\nconst { a, b } = modules[\"./y.js\"];\nconst $ = a;\nclass C {}";
        let expected = format!("modules[\"x\"] = (() => {{\n{body}\nreturn {{ $, C }};\n}})();\n");
        assert_eq!(as_function("x", text), expected);
        for source in [Source::Data("{}"), Source::Kernel] {
            let page = whole_page(&source, "<t>", "<p>after</p>");
            let leftover = |line: &str| line.starts_with("import ") || line.starts_with("export ");
            assert!(!page.lines().any(leftover));
            assert!(page.contains("<title>&lt;t&gt;</title>") && page.contains("<p>after</p>"));
            assert!(!page.contains("src=\"/") && !page.contains("href=\"/"));
            // Whatever is taken from another module is one of those before it.
            let modules = modules(&source);
            for (at, (name, _)) in modules.iter().enumerate() {
                let used = |(_, text): &(&str, &str)| text.contains(&format!("from \"{name}\""));
                assert!(!modules[..=at].iter().any(used), "{name}");
            }
        }
    }
}

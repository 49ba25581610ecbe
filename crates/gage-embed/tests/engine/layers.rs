//! Imports inside the library go one way.

use std::path::Path;

/// Modules in the order of the data flow; a module may use only those before it.
const ORDER: [&str; 9] =
    ["linalg", "graph", "views", "solver", "embedding", "io", "search", "eval", "choose"];

/// What stands beside the flow: shared vocabulary that any stage may name.
const SHARED: [&str; 5] = ["error", "params", "certificate", "fit", "choose"];

#[test]
fn modules_use_only_what_comes_before_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for (level, module) in ORDER.iter().enumerate() {
        let mut folders = vec![source.join(module)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for (number, line) in code.lines().enumerate() {
                    if line.trim_start().starts_with("//") || path.ends_with("tests.rs") {
                        continue;
                    }
                    for used in line.split("crate::").skip(1) {
                        let name: String =
                            used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                        let place = ORDER.iter().position(|m| *m == name);
                        let allowed = SHARED.contains(&name.as_str())
                            || place.is_none_or(|place| place <= level);
                        assert!(
                            allowed,
                            "{}:{}: `{module}` must not use `{name}`",
                            path.display(),
                            number + 1
                        );
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 50, "only {checked} imports found: is the layout still the same?");
}

//! Data flow one way: Cargo forbids cycles between crates, this test finds those between files.
//!
//! Every path of every file is resolved, through re-exports, to the file that defines the item. A
//! `mod` or `pub use` declaration by itself is no dependency. Code under `#[cfg(test)]` is left
//! out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

type ModulePath = Vec<String>;

/// One file: what it defines, what it imports under which name, and all paths it mentions.
#[derive(Default)]
struct File {
    items: BTreeSet<String>,
    imports: HashMap<String, ModulePath>,
    globs: Vec<ModulePath>,
    paths: Vec<ModulePath>,
}

pub(crate) fn is_test(attributes: &[syn::Attribute]) -> bool {
    let is_cfg_test = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    };
    attributes.iter().any(is_cfg_test)
}

impl File {
    fn import(&mut self, tree: &syn::UseTree, mut prefix: ModulePath, reexport: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix, reexport);
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                let last = prefix.last().cloned().unwrap_or_default();
                self.imports.insert(last, prefix);
            }
            syn::UseTree::Name(name) => {
                prefix.push(name.ident.to_string());
                self.imported(name.ident.to_string(), prefix, reexport);
            }
            syn::UseTree::Rename(rename) => {
                prefix.push(rename.ident.to_string());
                self.imported(rename.rename.to_string(), prefix, reexport);
            }
            syn::UseTree::Glob(_) => self.globs.push(prefix),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|each| self.import(each, prefix.clone(), reexport));
            }
        }
    }

    fn imported(&mut self, name: String, path: ModulePath, reexport: bool) {
        if !reexport {
            self.paths.push(path.clone());
        }
        self.imports.insert(name, path);
    }
}

impl<'ast> Visit<'ast> for File {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item::*;
        let (name, attributes) = match item {
            Fn(item) => (Some(&item.sig.ident), &item.attrs),
            Struct(item) => (Some(&item.ident), &item.attrs),
            Enum(item) => (Some(&item.ident), &item.attrs),
            Union(item) => (Some(&item.ident), &item.attrs),
            Trait(item) => (Some(&item.ident), &item.attrs),
            Type(item) => (Some(&item.ident), &item.attrs),
            Const(item) => (Some(&item.ident), &item.attrs),
            Static(item) => (Some(&item.ident), &item.attrs),
            Macro(item) => (item.ident.as_ref(), &item.attrs),
            Mod(item) => (None, &item.attrs),
            Impl(item) => (None, &item.attrs),
            Use(item) => (None, &item.attrs),
            _ => return visit::visit_item(self, item),
        };
        if is_test(attributes) {
            return;
        }
        self.items.extend(name.map(ToString::to_string));
        if let Use(item) = item {
            let reexport = !matches!(item.vis, syn::Visibility::Inherited);
            return self.import(&item.tree, Vec::new(), reexport);
        }
        visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, tokens: &'ast syn::Macro) {
        // The arguments of a macro are tokens: every run of `name::name` is taken for a path.
        let text = tokens.tokens.to_string().replace(" :: ", "::");
        let names = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
        let runs = text.split(names).filter(|run| run.contains("::"));
        self.paths.extend(runs.map(|run| run.split("::").map(str::to_owned).collect()));
        visit::visit_macro(self, tokens);
    }
}

/// All Rust files in a folder and the folders inside it.
pub(crate) fn rust_files(source: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![source.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// The files of one crate by the path of their module.
struct Crate(BTreeMap<ModulePath, File>);

impl Crate {
    fn read(source: &Path) -> Crate {
        let mut files = BTreeMap::new();
        let library = source.join("lib.rs").exists();
        for path in rust_files(source) {
            if library && path == source.join("main.rs") {
                // A program beside a library is a crate of its own.
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let parsed = syn::parse_file(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut file = File::default();
            file.visit_file(&parsed);
            files.insert(module_path(path.strip_prefix(source).unwrap()), file);
        }
        Crate(files)
    }

    /// The file that defines what a path in module `at` names; nothing if it is a module or of
    /// another crate.
    fn resolve(&self, at: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        if depth == 0 {
            return None;
        }
        let (mut module, mut rest) = (at.to_vec(), path);
        let mut anchored = false;
        while let Some((first, more)) = rest.split_first() {
            match first.as_str() {
                "crate" => module.clear(),
                "super" => drop(module.pop()),
                "self" => {}
                _ => break,
            }
            (rest, anchored) = (more, true);
        }
        while let Some((first, more)) = rest.split_first() {
            let child = [&module[..], std::slice::from_ref(first)].concat();
            let file = self.0.get(&module)?;
            if self.0.contains_key(&child) {
                module = child;
            } else if file.items.contains(first) {
                return Some(module);
            } else if let Some(target) = file.imports.get(first).filter(|target| *target != path) {
                let whole = [&target[..], more].concat();
                return self.resolve(&module, &whole, depth - 1);
            } else {
                let single = std::slice::from_ref(first);
                let found = file.globs.iter().find_map(|glob| {
                    self.resolve(&module, &[&glob[..], single].concat(), depth - 1)
                });
                return found.filter(|_| anchored || rest.len() == path.len());
            }
            (rest, anchored) = (more, true);
        }
        None
    }

    /// The imports inside every group of files that import each other in circles.
    fn cycles(&self) -> Vec<BTreeSet<String>> {
        let mut edges: BTreeMap<ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
        for (module, file) in &self.0 {
            let targets = file.paths.iter().filter_map(|path| self.resolve(module, path, 8));
            edges.insert(module.clone(), targets.filter(|target| target != module).collect());
        }
        let reach = |start: &ModulePath| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start.clone()]);
            while let Some(next) = open.pop() {
                let new = edges[&next].iter().filter(|target| seen.insert((*target).clone()));
                open.extend(new.cloned());
            }
            seen
        };
        let reached: BTreeMap<ModulePath, BTreeSet<ModulePath>> =
            edges.keys().map(|module| (module.clone(), reach(module))).collect();
        let group = |(module, to): (&ModulePath, &BTreeSet<ModulePath>)| {
            to.iter().filter(|other| reached[*other].contains(module)).cloned().collect()
        };
        let groups: BTreeSet<BTreeSet<ModulePath>> = reached.iter().map(group).collect();
        let name = |module: &ModulePath| format!("crate::{}", module.join("::"));
        let inside = |group: &BTreeSet<ModulePath>| {
            let from = group.iter().flat_map(|from| edges[from].iter().map(move |to| (from, to)));
            from.filter(|(_, to)| group.contains(*to))
                .map(|(from, to)| format!("{} -> {}", name(from), name(to)))
                .collect()
        };
        groups.iter().filter(|group| group.len() > 1).map(inside).collect()
    }
}

fn module_path(file: &Path) -> ModulePath {
    let mut parts: ModulePath = file
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

#[test]
fn no_file_imports_in_circles() {
    let crates: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut cyclic = BTreeMap::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let cycles = Crate::read(&folder.join("src")).cycles();
        if !cycles.is_empty() {
            cyclic.insert(name, cycles);
        }
    }
    assert!(cyclic.is_empty(), "{cyclic:#?}");
}

#[test]
fn planted_cycles_are_found() {
    let cycles_of = |files: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Crate::read(folder.path()).cycles().len()
    };
    let lib = ("lib.rs", "mod a; mod b; mod c; pub use b::B;");
    let a = ("a.rs", "use crate::b::B; pub struct A(B);");
    let leaf = ("c.rs", "pub struct C;");
    assert_eq!(cycles_of(&[lib, leaf, a, ("b.rs", "pub struct B;")]), 0);
    // By `use`, by a path in a body, in a macro, through a re-export, through a glob.
    for b in [
        "use crate::a::A; pub struct B; fn f(_: A) {}",
        "pub struct B; fn f() -> crate::a::A { todo!() }",
        "pub struct B; fn f() { println!(\"{}\", crate::a::A::x()) }",
        "use super::a; pub struct B; fn f(_: a::A) {}",
        "use crate::a::*; pub struct B; fn f(_: A) {}",
    ] {
        assert_eq!(cycles_of(&[lib, leaf, a, ("b.rs", b)]), 1, "{b}");
    }
    let through = ("a.rs", "use crate::B; pub struct A(B);");
    let back = ("b.rs", "use crate::a::A; pub struct B; fn f(_: A) {}");
    assert_eq!(cycles_of(&[lib, leaf, through, back]), 1);
    let in_tests = ("b.rs", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }");
    assert_eq!(cycles_of(&[lib, leaf, a, in_tests]), 0);
}

//! The folders of core are layers: each uses only earlier ones.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The layers from the bottom to the top; folders in one line are independent.
const LAYERS: &[&[&str]] = &[
    &["names", "repeat", "machine", "differences", "sealed"],
    &["formula", "order"],
    &["error"],
    &["storage"],
    &["kind"],
    &["store"],
    &["sweep"],
    &["node"],
    &["rule"],
    &["eval"],
    &["elementwise"],
    &["expr"],
    &["tape"],
    &["mode"],
    &["real"],
    &["coordinates"],
    &["structure"],
    &["external", "approximate"],
];

/// The first segment of each path after `crate::`, or after as many `super::` as lead to the crate from a module of
/// this depth. Paths after `$crate::` belong to the place where the macro is used.
fn named(source: &str, depth: usize) -> Vec<String> {
    let code = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    let code = code.collect::<Vec<_>>().join("\n");
    let root = "super::".repeat(depth);
    let mut folders = Vec::new();
    for start in ["crate::", &root] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            let whole = before.is_none_or(|c| !c.is_alphanumeric() && !"_$:".contains(c));
            if whole {
                first_names(&code[at + start.len()..], &mut folders);
            }
        }
    }
    folders
}
fn first_names(path: &str, names: &mut Vec<String>) {
    let name = |path: &str| -> String {
        let path = path.trim_start().chars();
        path.take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let Some(tree) = path.strip_prefix('{') else {
        names.push(name(path));
        return;
    };
    let (mut depth, mut start) = (1, 0);
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 1 || depth == 0 {
            names.push(name(&tree[start..]));
            start = at + 1;
        }
        if depth == 0 {
            return;
        }
    }
}

fn core() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src")
}
fn check(path: &Path, layer: usize) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder of core");
        entries.for_each(|entry| check(&entry.expect("an entry").path(), layer));
        return;
    }
    let inside = path.strip_prefix(core()).expect("a file of core");
    let is_folder = inside.file_name().is_some_and(|name| name == "mod.rs");
    let depth = inside.components().count() - usize::from(is_folder);
    for name in named(&fs::read_to_string(path).expect("a file of core"), depth) {
        let Some(other) = LAYERS.iter().position(|names| names.contains(&&*name)) else {
            continue;
        };
        assert!(
            other < layer || path.components().any(|part| part.as_os_str() == &*name),
            "{} names `{name}`, which stands above it: see ARCHITECTURE.md",
            path.display()
        );
    }
}

#[test]
fn folders_name_only_earlier_folders() {
    let core = core();
    for (layer, names) in LAYERS.iter().enumerate() {
        for name in *names {
            let (folder, file) = (core.join(name), core.join(format!("{name}.rs")));
            check(if folder.is_dir() { &folder } else { &file }, layer);
        }
    }
}

#[test]
fn every_folder_is_in_a_layer() {
    let entries = fs::read_dir(core()).expect("the folder of core");
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(
            name == "lib" || LAYERS.iter().any(|names| names.contains(&&*name)),
            "{} stands in no layer",
            path.display()
        );
    }
}

#[test]
fn imports_and_full_paths_are_found() {
    let source = "use crate::{kind::{Kind, Val}, store::Part};\n// use crate::tape;\nuse crate::node::Node;\n\
                  fn f<K: crate::coordinates::Coordinates>(x: super::super::mode::Plain, y: super::X) -> $crate::expr::Y {}\n";
    assert_eq!(
        named(source, 2),
        ["kind", "store", "node", "coordinates", "mode"]
    );
}

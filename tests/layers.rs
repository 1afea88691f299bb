//! The folders of core are layers: each imports only from those before it.
use std::{fs, path::Path};

/// From the bottom to the top; those of one line know nothing of each other.
const LAYERS: &[&[&str]] = &[
    &["names", "machine"],
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
    &["driver", "eager"],
    &["external", "approximate"],
    &["check"],
];

/// The folders that a source file imports from: what stands first behind `crate::` in its `use` lines.
fn imported(source: &str) -> Vec<String> {
    let code = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut folders = Vec::new();
    for tree in code.split("use crate::").skip(1) {
        let tree = tree.split(';').next().unwrap_or("");
        let (mut depth, mut name) = (0, String::new());
        for c in tree.chars().chain([',']) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth <= 1 => folders.push(std::mem::take(&mut name)),
                c if depth == 0 || depth == 1 && !c.is_whitespace() => name.push(c),
                _ => {}
            }
        }
    }
    let first = |path: String| path.split("::").next().unwrap_or("").trim().to_owned();
    folders.into_iter().map(first).collect()
}

fn check(path: &Path, layer: usize) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder of core");
        entries.for_each(|entry| check(&entry.expect("an entry").path(), layer));
        return;
    }
    for name in imported(&fs::read_to_string(path).expect("a file of core")) {
        let Some(other) = LAYERS.iter().position(|names| names.contains(&&*name)) else {
            continue;
        };
        assert!(
            other < layer || path.components().any(|part| part.as_os_str() == &*name),
            "{} imports from `{name}`, which stands above it: see ARCHITECTURE.md",
            path.display()
        );
    }
}

#[test]
fn folders_import_from_those_before_them() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src");
    for (layer, names) in LAYERS.iter().enumerate() {
        for name in *names {
            let (folder, file) = (core.join(name), core.join(format!("{name}.rs")));
            check(if folder.is_dir() { &folder } else { &file }, layer);
        }
    }
}

#[test]
fn imports_are_found() {
    let source = "use crate::{kind::{Kind, Val}, store::Part};\n// use crate::tape;\nuse crate::node::Node;\n";
    assert_eq!(imported(source), ["kind", "store", "node"]);
}

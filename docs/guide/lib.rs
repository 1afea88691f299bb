//! The guide of entape. Each page is the documentation of a module here, so that its listings are compiled and run as
//! tests: `cargo test -p entape-guide`. The book itself is built by `mdbook build docs/guide`.
#![forbid(unsafe_code)]
// The page of checks shows a test of a user's project.
#![allow(clippy::test_attr_in_doctest)]

/// Creates a module for each page, by its path in `src`.
macro_rules! pages { ($($name:ident $path:literal)*) => {
    /// The pages whose listings are tests.
    #[cfg(test)]
    const PAGES: &[&str] = &[$($path),*];
    $( #[doc = include_str!(concat!("src/", $path))] pub mod $name {} )*
} }
pages! {
    introduction "introduction.md"
    first_gradient "first_gradient.md"
    expressions "expressions.md"
    recipes "recipes.md"
    checks "checks.md"
    cost "cost.md"
    messages "messages.md"
    from_jax "from_jax.md"
    from_pytorch "from_pytorch.md"
    from_stan "from_stan.md"
    from_casadi "from_casadi.md"
    from_num_dual "from_num_dual.md"
    from_codipack "from_codipack.md"
    functions "functions.md"
    entities "entities.md"
    matrices "matrices.md"
    arrays "arrays.md"
    complex "complex.md"
    structs "structs.md"
    jacobians "jacobians.md"
    second "second.md"
    sparse "sparse.md"
    sweeps "sweeps.md"
    modes "modes.md"
    implicit "implicit.md"
    checkpoints "checkpoints.md"
    cores "cores.md"
    tape "tape.md"
    applications "applications.md"
    external "external.md"
    eager "eager.md"
    operations "operations.md"
    kinds "kinds.md"
    dsl "dsl.md"
    conventions "conventions.md"
    limitations "limitations.md"
    bibliography "bibliography.md"
}

/// The listings of README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub mod readme {}

#[cfg(test)]
mod tests {
    use super::PAGES;
    use std::{fs, path::Path};

    /// The pages that the table of contents names, in its order.
    fn contents() -> Vec<&'static str> {
        let links = include_str!("src/SUMMARY.md").split("](").skip(1);
        links
            .map(|link| link.split(')').next().expect("a path"))
            .collect()
    }

    #[test]
    fn every_page_is_tested() {
        // Pages of adapters are tested where the adapters are, with the solvers that they need, and the page of MPI in its crate.
        let pages = contents()
            .into_iter()
            .filter(|page| !page.starts_with("adapters/") && *page != "mpi.md");
        assert_eq!(pages.collect::<Vec<_>>(), PAGES);
    }

    #[test]
    fn every_file_is_a_page() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for folder in [source.clone(), source.join("adapters")] {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries {
                let file = entry.expect("a file of the guide").path();
                let path = file.strip_prefix(&source).expect("a file in its folder");
                let page = path.to_str().expect("a name in Unicode");
                if page.ends_with(".md") && page != "SUMMARY.md" {
                    assert!(
                        contents().contains(&page),
                        "{page} is missing in src/SUMMARY.md"
                    );
                }
            }
        }
    }

    /// The files that pages link to exist.
    #[test]
    fn links_between_pages_lead_somewhere() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for page in PAGES {
            let text = fs::read_to_string(source.join(page)).expect("a page");
            for link in text.split("](").skip(1) {
                let link = link.split(')').next().expect("the end of a link");
                let path = link.split('#').next().expect("a path");
                let elsewhere =
                    path.is_empty() || path.contains("://") || path.starts_with("adapters/");
                assert!(
                    elsewhere || source.join(path).exists(),
                    "{page} links to {link}, which does not exist"
                );
            }
        }
    }
}

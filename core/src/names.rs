//! Names of types in a form that people read.

/// The name of a type, without module paths.
pub(crate) fn name_of<T: ?Sized>() -> String {
    short(std::any::type_name::<T>())
}
/// A type name without the module paths in it.
pub(crate) fn short(name: &str) -> String {
    let mut out = String::new();
    for part in name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        out.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_have_no_paths() {
        assert_eq!(short("a::b::C<d::E, [f::G; 2]>"), "C<E, [G; 2]>");
    }
}

//! Names of types for messages.

#[doc(hidden)]
pub const EXTERNAL: &str = "external function";
pub(crate) const LOOP: &str = "loop with checkpoints";
pub(crate) const PREACCUMULATED: &str = "a preaccumulated part";

pub fn name_of<T: ?Sized>() -> String {
    short(std::any::type_name::<T>())
}
pub(crate) fn short(name: &str) -> String {
    let mut out = String::new();
    for part in name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        out.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    out
}

#[doc(hidden)]
#[macro_export]
macro_rules! debug_by_name { ([$($generics:tt)*] $T:ty $(where [$($bounds:tt)*])?) => {
    impl<$($generics)*> ::core::fmt::Debug for $T $(where $($bounds)*)? {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(&$crate::names::name_of::<Self>())
        }
    }
} }

/// Implemented by each operation for its type, to report another type of this name.
#[diagnostic::on_unimplemented(
    message = "the operation of this function has the name of a type in scope, `{T}`",
    label = "the name of the operation is the function's name in camel case",
    note = "give it another name: `#[op(name = ..)]`"
)]
pub trait Named<T> {}
impl<T> Named<T> for T {}
/// `#[op]` writes `named::<Name>(&Name)`.
pub const fn named<T>(_: &impl Named<T>) {}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_have_no_paths() {
        assert_eq!(short("a::b::C<d::E, [f::G; 2]>"), "C<E, [G; 2]>");
    }
}

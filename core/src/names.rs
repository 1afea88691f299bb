//! Names of types in a form that people read.

/// What a statement of a function that is no operation is called.
pub(crate) const EXTERNAL: &str = "external function";
/// What a statement of a whole loop is called.
pub(crate) const LOOP: &str = "loop with checkpoints";
/// The name of parts of programs that were recorded as their Jacobians, likewise.
pub(crate) const PREACCUMULATED: &str = "a preaccumulated part";

/// The name of a type, without module paths.
pub fn name_of<T: ?Sized>() -> String {
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

/// `Debug` of a type that shows its name alone: its fields mean nothing to a reader, or need not be `Debug`.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_by_name { ([$($generics:tt)*] $T:ty $(where [$($bounds:tt)*])?) => {
    impl<$($generics)*> ::core::fmt::Debug for $T $(where $($bounds)*)? {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(&$crate::names::name_of::<Self>())
        }
    }
} }

/// Holds of an operation and its own name. Of a name that a type in scope has already, the compiler says that it is defined
/// twice; this says what to do about it.
#[diagnostic::on_unimplemented(
    message = "the operation of this function is called as a type in scope, `{T}`",
    label = "the operation has the function's name in camel case",
    note = "give it another name: `#[op(name = ..)]`"
)]
pub trait Named<T> {}
impl<T> Named<T> for T {}
/// Asks for it: `#[op]` writes `named::<Name>(&Name)`, in which the first name is a type and the second one a value.
pub const fn named<T>(_: &impl Named<T>) {}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_have_no_paths() {
        assert_eq!(short("a::b::C<d::E, [f::G; 2]>"), "C<E, [G; 2]>");
    }
}

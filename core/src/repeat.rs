/// Calls a macro with the type parameters and indices of tuples of two to eight, the most results of an operation.
macro_rules! for_tuples {
    ($each:ident) => {
        $each! {
            A 0 B 1;
            A 0 B 1 C 2;
            A 0 B 1 C 2 D 3;
            A 0 B 1 C 2 D 3 E 4;
            A 0 B 1 C 2 D 3 E 4 F 5;
            A 0 B 1 C 2 D 3 E 4 F 5 G 6;
            A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
        }
    };
}
/// Repeats items for the real numbers: `for_reals! { $T => impl Trait for $T {} }`.
macro_rules! for_reals {
    ($dollar:tt $T:ident => $($items:tt)*) => {
        macro_rules! each { ($dollar $T:ident) => { $($items)* } }
        each! { f64 }
        each! { f32 }
    };
}

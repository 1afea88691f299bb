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
/// Like [`std::array::from_fn`], which gives the compiler several times as much code. Not for empty arrays.
#[inline(always)]
pub(crate) fn array_of<T: Copy, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
    let mut all = [of(0); N];
    // Without a loop, arguments of operations stay in registers.
    if N > 1 {
        all[1] = of(1);
    }
    if N > 2 {
        all[2] = of(2);
    }
    let mut i = 3;
    while i < N {
        all[i] = of(i);
        i += 1;
    }
    all
}

//! Misuse of eager reals panics at the line of the user, and the message names the operation.
use entape_core::tape::Tape;
use entape_eager::Eager;
use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, set_hook},
    sync::Once,
};

/// `f` panics in this file with a message that contains these words.
fn refuses<T>(words: &[&str], f: impl FnOnce() -> T) {
    thread_local! { static FILE: RefCell<String> = const { RefCell::new(String::new()) }; }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        set_hook(Box::new(|info| {
            let file = info.location().map_or("", |at| at.file()).to_owned();
            FILE.with(|of_thread| *of_thread.borrow_mut() = file);
        }));
    });
    let payload = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    let message = payload.downcast_ref::<String>().expect("a message");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
    FILE.with(|file| assert_eq!(*file.borrow(), file!(), "{message}"));
}

/// Each expression panics in this file with a message that contains the words before it. `x` is a variable of the recording
/// tape, `o` of another.
macro_rules! refused { (|$x:ident, $o:ident| $($word:literal: $e:expr;)*) => {{
    let (mut tape, mut other) = (Tape::new(), Tape::new());
    let ($x, $o) = (tape.input(2.0), other.input(1.0));
    tape.record(|| { $( refuses(&[$word, "another tape"], || { let _ = $e; }); )* });
}} }

#[test]
fn misuse_of_eager_numbers_names_line_and_operation() {
    refused! { |x, o|
        "Mul": Eager::from(o) * Eager::from(x);
        "Add": Eager::from(x) + o;
        "Sub": { let mut e = Eager::from(x); e -= o; };
        "Sqrt": Eager::from(o).sqrt();
        "Sin": Eager::from(o).sin_cos();
    }
}
#[cfg(feature = "num-traits")]
#[test]
fn misuse_by_the_traits_of_num_names_line_and_operation() {
    use num_traits::{Euclid, Float, Inv, MulAdd, MulAddAssign, Pow, Signed};
    refused! { |x, o|
        "Powi": Float::powi(Eager::from(o), 2);
        "Powi": Pow::pow(Eager::from(o), 2);
        "Powf": Pow::pow(Eager::from(o), 2.0);
        "Powf": Pow::pow(Eager::from(x), Eager::from(o));
        "Recip": Inv::inv(Eager::from(o));
        "Abs": Signed::abs(&Eager::from(o));
        "Sub": Signed::abs_sub(&Eager::from(x), &Eager::from(o));
        "RemEuclid": Euclid::rem_euclid(&Eager::from(o), &Eager::from(x));
        "MulAdd": MulAdd::mul_add(Eager::from(o), Eager::from(x), Eager::from(x));
        "MulAdd": MulAddAssign::mul_add_assign(&mut Eager::from(o), Eager::from(x), Eager::from(x));
    }
}
#[cfg(feature = "simba")]
#[test]
fn misuse_by_the_traits_of_simba_names_line_and_operation() {
    use nalgebra::{ComplexField, RealField};
    refused! { |x, o|
        "Abs": ComplexField::modulus(Eager::from(o));
        "Mul": ComplexField::modulus_squared(Eager::from(o));
        "Abs": ComplexField::norm1(Eager::from(o));
        "Mul": ComplexField::scale(Eager::from(o), Eager::from(x));
        "Div": ComplexField::unscale(Eager::from(o), Eager::from(x));
        "MulAdd": ComplexField::mul_add(Eager::from(o), Eager::from(x), Eager::from(x));
        "Sin": ComplexField::sin_cos(Eager::from(o));
        "Powi": ComplexField::powi(Eager::from(o), 2);
        "Powf": ComplexField::powc(Eager::from(o), Eager::from(x));
        "Sqrt": ComplexField::try_sqrt(Eager::from(o));
        "Copysign": RealField::copysign(Eager::from(o), Eager::from(x));
        "Max": RealField::max(Eager::from(o), Eager::from(x));
        "Min": RealField::min(Eager::from(o), Eager::from(x));
        "Atan2": RealField::atan2(Eager::from(o), Eager::from(x));
    }
}

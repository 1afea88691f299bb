//! Tables of elementary functions.
/// Declares elementary functions with their derivatives, for every [`ElementKind`](crate::elementwise::ElementKind).
///
/// ```
/// use entape_core::{elementary, expr::lit, mode::Plain};
///
/// elementary! { pub trait Logistic; |r_b|
///     /// The logistic function.
///     Sigmoid(a) as sigmoid = (-a).exp().plus(1.0).recip() => { a_b[r] += r_b * r * (r.one() - r); }
///     /// A Gaussian of the given width.
///     Bell { width: f64 } (a) as bell = (a * a).times(-0.5 / (width * width)).exp() => {
///         a_b[a, r] += -r_b * r * a.times(1.0 / (width * width));
///     }
/// }
/// assert_eq!(lit::<f64, Plain>(0.0).sigmoid().eval().value(), 0.5);
/// assert_eq!(lit::<f32, Plain>(0.0).bell(2.0).eval().value(), 1.0);
/// ```
///
/// An entry names the operation with its passive parameters; the arguments `a`, `b`, `c`; the member operation; the
/// primal; and the contribution to each argument's adjoint, for the result's adjoint `r_b`. The list before `+=`
/// declares the operands, `a`, `b`, `c` and the result `r`, that the formula reads. An argument without a formula has a
/// zero derivative.
///
/// * `=> smooth { .. }`: derivatives are finite wherever arguments and result are
///   ([`SMOOTH`](crate::elementwise::Elementwise::SMOOTH)).
/// * `=> choice { .. }`: the function returns an argument; formulas are `r_b.chosen(mask)`.
/// * `=> holomorphic { .. }`: formulas in the [`FieldLane`](crate::elementwise::FieldLane) type `L` also hold for complex numbers
///   ([`Holomorphic`](crate::elementwise::Holomorphic)). Otherwise `L` is a [`Lane`](crate::elementwise::Lane).
/// * `=> dear { .. }` or `=> dear holomorphic { .. }`: some kinds [remember](crate::elementwise::Remembered) results.
///
/// The trait has the member operations, and further ones in braces after its name (`M` is the mode). Without member
/// operations, leave it out: `elementary! { |r_b| ...`.
#[macro_export]
macro_rules! elementary {
    ($(#[$about:meta])* $vis:vis trait $Members:ident $({ $($more:tt)* })?; |$r_b:ident| $(
        $(#[$doc:meta])*
        $Op:ident $({ $($p:ident: $T:ty),* })? ($($x:ident),*) $(as $member:ident)? = $primal:expr
            => $($class:ident)* { $($x_b:ident[$($read:ident),*] += $adjoint:expr;)* }
    )*) => {
        $(#[$about])*
        $vis trait $Members<M: $crate::mode::AnyMode>: $crate::expr::HasMethods<M> + Sized {
            $( $crate::elementary! { @member [$($member)?] [$(#[$doc])*] $Op [$($($p: $T),*)?] [$($x)*] } )*
            $($($more)*)?
        }
        impl<M: $crate::mode::AnyMode, X: $crate::expr::HasMethods<M>> $Members<M> for X {}
        $( $crate::elementary! { @operation
            [$($class)*] [$(#[$doc])*] $Op [$($($p: $T),*)?] [$($x)*] [$primal] $r_b [$([$x_b [$($read)*] $adjoint])*]
        } )*
    };
    (|$r_b:ident| $(
        $(#[$doc:meta])*
        $Op:ident $({ $($p:ident: $T:ty),* })? ($($x:ident),*) = $primal:expr
            => $($class:ident)* { $($x_b:ident[$($read:ident),*] += $adjoint:expr;)* }
    )*) => {
        $( $crate::elementary! { @operation
            [$($class)*] [$(#[$doc])*] $Op [$($($p: $T),*)?] [$($x)*] [$primal] $r_b [$([$x_b [$($read)*] $adjoint])*]
        } )*
    };

    (@operation [$($class:ident)*] [$(#[$doc:meta])*] $Op:ident [$($p:ident: $T:ty),*] [$($x:ident)*] [$primal:expr]
        $r_b:ident [$([$x_b:ident [$($read:ident)*] $adjoint:expr])*]
    ) => {
        $crate::elementary! { @declare [$(#[$doc])*] $Op [$($p: $T),*] }
        impl $crate::elementwise::Elementwise<{ 0 $(+ $crate::elementary!(@one $x))* }> for $Op {
            type Cost = $crate::elementary!(@cost $($class)*);
            const SMOOTH: bool = $crate::elementary!(@smooth $($class)*);
            const CHOOSES: bool = $crate::elementary!(@chooses $($class)*);
            $crate::elementary! { @kink [$($class)*] { 0 $(+ $crate::elementary!(@one $x))* } }
            const READS: [u8; 3] = {
                #[allow(unused_mut)]
                let mut reads = [0; 3];
                $( reads[$crate::elementary!(@index $x_b)] = 0 $(| $crate::elementary!(@bit $read))*; )*
                reads
            };
            const FUNCTIONS: ::core::option::Option<&'static $crate::store::Functions> = {
                static OF_NUMBERS: $crate::store::Functions = $crate::elementary!(@functions $Op $($x)*);
                ::core::option::Option::Some(&OF_NUMBERS)
            };
            const FLOWS: [bool; 3] = {
                #[allow(unused_mut)]
                let mut flows = [false; 3];
                $( flows[$crate::elementary!(@index $x_b)] = true; )*
                flows
            };
            $crate::elementary! { @formulas [$($class)*] Lane
                $Op [$($p)*] [$($x)*] [$primal] $r_b [$([$x_b [$($read)*] $adjoint])*]
            }
        }
        $crate::elementary! { @shared [$($class)*]
            $Op [$($p)*] [$($x)*] [$primal] $r_b [$([$x_b [$($read)*] $adjoint])*]
        }
    };

    (@shared [dear $($class:ident)?] $($entry:tt)*) => { $crate::elementary! { @shared [$($class)?] $($entry)* } };
    (@shared [] $($entry:tt)*) => {};
    (@shared [smooth] $($entry:tt)*) => {};
    (@shared [choice] $($entry:tt)*) => {};
    (@shared [kink] $($entry:tt)*) => {};
    (@shared [holomorphic] $Op:ident [$($p:ident)*] [$($x:ident)*] $($formulas:tt)*) => {
        impl $crate::elementwise::Holomorphic<{ 0 $(+ $crate::elementary!(@one $x))* }> for $Op {
            $crate::elementary! { @formulas [] FieldLane $Op [$($p)*] [$($x)*] $($formulas)* }
        }
    };
    (@formulas [dear $($class:ident)?] $($entry:tt)*) => { $crate::elementary! { @formulas [$($class)?] $($entry)* } };
    (@formulas [holomorphic] $Lane:ident $Op:ident [$($p:ident)*] [$($x:ident)*] $($formulas:tt)*) => {
        #[inline(always)]
        fn primal<L: $crate::elementwise::Lane>(&self, x: [L; 0 $(+ $crate::elementary!(@one $x))*]) -> L {
            $crate::elementwise::Holomorphic::primal(self, x)
        }
        #[inline(always)]
        fn adjoint<L: $crate::elementwise::Lane>(
            &self, i: usize, x: [L; 0 $(+ $crate::elementary!(@one $x))*], r: L, r_b: L,
        ) -> L {
            $crate::elementwise::Holomorphic::adjoint(self, i, x, r, r_b)
        }
    };
    (@formulas [smooth] $($entry:tt)*) => { $crate::elementary! { @formulas [] $($entry)* } };
    (@formulas [choice] $($entry:tt)*) => { $crate::elementary! { @formulas [] $($entry)* } };
    (@formulas [kink] $($entry:tt)*) => { $crate::elementary! { @formulas [] $($entry)* } };
    (@formulas [] $Lane:ident $Op:ident [$($p:ident)*] [$($x:ident)*] [$primal:expr] $r_b:ident
        [$([$x_b:ident [$($read:ident)*] $adjoint:expr])*]
    ) => {
        #[inline(always)]
        fn primal<L: $crate::elementwise::$Lane>(&self, [$($x),*]: [L; 0 $(+ $crate::elementary!(@one $x))*]) -> L {
            #[allow(unused_variables)]
            let $Op { $($p),* } = *self;
            $primal
        }
        #[inline(always)]
        #[allow(unused_variables)]
        fn adjoint<L: $crate::elementwise::$Lane>(
            &self, i: usize, x: [L; 0 $(+ $crate::elementary!(@one $x))*], result: L, $r_b: L,
        ) -> L {
            // Items are not hygienic, and bindings shadow them.
            $( $crate::elementary! { @undeclared $x } )*
            $crate::elementary! { @undeclared r }
            let $Op { $($p),* } = *self;
            $( if i == $crate::elementary!(@index $x_b) {
                $( #[warn(unused_variables)] let $read = $crate::elementary!(@value $read x result); )*
                return $adjoint;
            } )*
            result.zero()
        }
    };

    (@functions $Op:ident a) => { $crate::elementary! { @functions $Op 1 f64, (), () } };
    (@functions $Op:ident a b) => { $crate::elementary! { @functions $Op 2 f64, f64, () } };
    (@functions $Op:ident a b c) => { $crate::elementary! { @functions $Op 3 f64, f64, f64 } };
    (@functions $Op:ident $N:literal $A:ty, $B:ty, $C:ty) => { {
        static OF_ELEMENTS: $crate::store::ElementFunctions = $crate::store::ElementFunctions::of::<$Op, $N>();
        $crate::store::Functions::of::<$Op, $A, $B, $C>().and_elements(&OF_ELEMENTS)
    } };

    (@undeclared $name:ident) => {
        #[allow(dead_code)]
        #[deprecated(note = "declare the values that a formula reads before its `+=`, such as `a_b[a, r] += ..`")]
        fn $name() -> $crate::elementwise::NotDeclared { $crate::elementwise::NotDeclared }
    };
    (@declare [$(#[$doc:meta])*] $Op:ident []) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, $crate::store::Stash)]
        #[stash(crate = $crate)]
        pub struct $Op;
    };
    (@declare [$(#[$doc:meta])*] $Op:ident [$($p:ident: $T:ty),+]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, $crate::store::Stash)]
        #[stash(crate = $crate)]
        pub struct $Op {
            $(
                #[doc = concat!("The parameter `", stringify!($p), "`.")]
                pub $p: $T
            ),+
        }
    };

    (@member [] $($rest:tt)*) => {};
    (@member [$member:ident] [$(#[$doc:meta])*] $Op:ident [$($p:ident: $T:ty),*] [a]) => {
        $(#[$doc])*
        #[inline(always)]
        fn $member(self $(, $p: $T)*)
            -> $crate::expr::Unary<$Op, M, Self>
        where
            $Op: $crate::rule::Rule<Self::Kind> + Clone,
        {
            $crate::expr::unary($Op { $($p),* }, self)
        }
    };
    (@member [$member:ident] [$(#[$doc:meta])*] $Op:ident [$($p:ident: $T:ty),*] [a b]) => {
        $(#[$doc])*
        #[inline(always)]
        fn $member<B>(self, b: B $(, $p: $T)*)
            -> $crate::expr::Binary<$Op, M, Self, $crate::expr::RhsExpr<B, Self::Kind, M, $Op>>
        where
            B: $crate::expr::Rhs<Self::Kind, M, $Op>,
            $Op: $crate::rule::Rule<Self::Kind, B::Kind> + Clone,
        {
            $crate::expr::binary($Op { $($p),* }, self, b.into_rhs())
        }
    };
    (@member [$member:ident] [$(#[$doc:meta])*] $Op:ident [$($p:ident: $T:ty),*] [a b c]) => {
        $(#[$doc])*
        #[inline(always)]
        fn $member<B, C>(self, b: B, c: C $(, $p: $T)*)
            -> $crate::expr::Ternary<
                $Op, M, Self,
                $crate::expr::RhsExpr<B, Self::Kind, M, $Op, Self::Kind>,
                $crate::expr::RhsExpr<C, Self::Kind, M, $Op, Self::Kind>,
            >
        where
            // A literal may be any value with such a rule.
            B: $crate::expr::Rhs<Self::Kind, M, $Op, Self::Kind>,
            C: $crate::expr::Rhs<Self::Kind, M, $Op, Self::Kind>,
            $Op: $crate::rule::Rule<Self::Kind, B::Kind, C::Kind> + Clone,
        {
            $crate::expr::ternary($Op { $($p),* }, self, b.into_rhs(), c.into_rhs())
        }
    };

    (@cost dear $($class:ident)?) => { $crate::elementwise::Dear };
    (@cost $($class:ident)?) => { $crate::elementwise::Cheap };
    (@kink [dear $($class:ident)?] $N:tt) => { $crate::elementary! { @kink [$($class)?] $N } };
    (@kink [kink] $N:tt) => {
        const KINKS: bool = true;
        #[inline(always)]
        fn is_at_kink<L: $crate::elementwise::Lane>(&self, x: [L; $N], r: L) -> L::Mask {
            $crate::elementwise::Kink::is_at(self, x, r)
        }
        #[inline(always)]
        fn tangent_at_kink<L: $crate::elementwise::Lane>(&self, x: [L; $N], x_t: [L; $N]) -> L {
            $crate::elementwise::Kink::tangent(self, x, x_t)
        }
        #[inline(always)]
        fn length_at_kink<L: $crate::elementwise::Lane>(&self, x: [L; $N], x_t: L, r_t: L) -> L {
            $crate::elementwise::Kink::length(self, x, x_t, r_t)
        }
    };
    (@kink [$($class:ident)*] $N:tt) => {};
    (@chooses choice) => { true };
    (@chooses $($class:ident)*) => { false };
    (@smooth smooth) => { true };
    (@smooth $($class:ident)*) => { false };
    (@one $x:ident) => { 1 };
    (@index a_b) => { 0 };
    (@index b_b) => { 1 };
    (@index c_b) => { 2 };
    (@bit a) => { $crate::rule::A };
    (@bit b) => { $crate::rule::B };
    (@bit c) => { $crate::rule::C };
    (@bit r) => { $crate::rule::R };
    (@value a $x:ident $r:ident) => { $x[0] };
    (@value b $x:ident $r:ident) => { $x[1] };
    (@value c $x:ident $r:ident) => { $x[2] };
    (@value r $x:ident $r:ident) => { $r };
}

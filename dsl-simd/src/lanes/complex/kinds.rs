use super::{Lanes, SimdVector};
use entape_complex::num_complex::Complex;
use entape_core::{
    coordinates::Coordinates,
    expr::{Const, Constant, ValueOf},
    kind,
    kind::Kind,
    structure::{Inputs, SingleShape},
};
use std::marker::PhantomData;
use wide::{f32x4, f32x8, f32x16, f64x2, f64x4, f64x8};

/// Complex numbers in lanes, with one identifier and `Complex<V>` as value.
///
/// `z[C64x4::RE]` and `z[C64x4::IM]` are places for lanes of reals; `z.part(C64x4::RE)` is an operand.
#[kind(
    value = Complex<V>,
    plain,
    parts(re: Lanes<V>, im: Lanes<V>),
    constant = false,
    adjoint = Option<Complex<V>>,
    zero = |_| zero(),
    add = |into, from| {
        into.re += from.re;
        into.im += from.im;
    },
    computed = |z| Complex::new(Lanes::computed(z.re), Lanes::computed(z.im)),
    finite = |z| <Lanes<V> as Kind>::is_finite(&z.re) && <Lanes<V> as Kind>::is_finite(&z.im),
    name = V::COMPLEX,
)]
pub struct ComplexLanes<V: SimdVector>(PhantomData<V>);
entape_core::debug_by_name! { [V: SimdVector] ComplexLanes<V> }

fn zero<V: SimdVector>() -> Complex<V> {
    Complex::new(V::default(), V::default())
}

/// `Complex<f64x2>`
pub type C64x2 = ComplexLanes<f64x2>;
/// `Complex<f64x4>`
pub type C64x4 = ComplexLanes<f64x4>;
/// `Complex<f64x8>`
pub type C64x8 = ComplexLanes<f64x8>;
/// `Complex<f32x4>`
pub type C32x4 = ComplexLanes<f32x4>;
/// `Complex<f32x8>`
pub type C32x8 = ComplexLanes<f32x8>;
/// `Complex<f32x16>`
pub type C32x16 = ComplexLanes<f32x16>;

impl<V: SimdVector> ValueOf<ComplexLanes<V>> for Complex<V> {
    #[inline]
    fn into_value(self) -> Self {
        self
    }
}
impl<V: SimdVector> Constant<ComplexLanes<V>> for Complex<V> {
    type Node = Const<ComplexLanes<V>>;
    #[inline(always)]
    fn into_node(self) -> Const<ComplexLanes<V>> {
        Const::of(self)
    }
}
impl<V: SimdVector> Inputs<ComplexLanes<V>> for Complex<V> {
    type Shape = SingleShape<ComplexLanes<V>>;
    fn into_values(self) -> Complex<V> {
        self
    }
}
impl<V: SimdVector> Coordinates for ComplexLanes<V> {
    const EPSILON: f64 = <Lanes<V> as Coordinates>::EPSILON;
    fn map(z: &Complex<V>, f: &mut dyn FnMut(f64) -> f64) -> Complex<V> {
        let mut mapped = zero::<V>();
        for i in 0..V::LANES {
            let number = |x: &V, f: &mut dyn FnMut(f64) -> f64| {
                <V::Number as Coordinates>::map(&x.as_slice()[i], f)
            };
            mapped.re.as_mut_slice()[i] = number(&z.re, f);
            mapped.im.as_mut_slice()[i] = number(&z.im, f);
        }
        mapped
    }
}

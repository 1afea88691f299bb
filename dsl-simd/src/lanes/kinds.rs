use super::{Arithmetic, LaneNumber, Loops, Pack, SimdVector, flow};
use entape_core::{
    coordinates::Coordinates,
    elementwise::{Broadcast, ElementKind, Elementwise, Lane, Remembered},
    eval::Whole,
    kind::{Batch, Inline, Kind, NoMemory, Numbers, OnePiece, PieceLoop, Val, index},
    machine::run_wider_loop,
    real::{NumberKind, Real, RealKind},
};
use std::marker::PhantomData;
use wide::{f32x4, f32x8, f32x16, f64x2, f64x4, f64x8};

/// The numbers of a vector `V` of `wide`, with one identifier for all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<V>(PhantomData<V>);

/// `wide::f64x2`
pub type F64x2 = Lanes<f64x2>;
/// `wide::f64x4`
pub type F64x4 = Lanes<f64x4>;
/// `wide::f64x8`
pub type F64x8 = Lanes<f64x8>;
/// `wide::f32x4`
pub type F32x4 = Lanes<f32x4>;
/// `wide::f32x8`
pub type F32x8 = Lanes<f32x8>;
/// `wide::f32x16`
pub type F32x16 = Lanes<f32x16>;

impl<V: SimdVector> Kind for Lanes<V> {
    type Value = V;
    type Adjoint = V;
    type Policy = index::Linear;
    type Layout = OnePiece;
    type Encoding = Inline;
    type Memory = NoMemory;
    type Batch = ForTheMachine;
    const NAME: &'static str = V::NAME;
    #[inline(always)]
    fn zero_like(_: &V) -> V {
        V::default()
    }
    fn is_finite(value: &V) -> bool {
        value.as_slice().iter().all(V::Number::is_finite)
    }
    fn each_number(value: &mut V, f: &mut dyn FnMut(&mut f64)) -> bool {
        for x in value.as_mut_slice() {
            let mut number = x.double();
            f(&mut number);
            *x = V::Number::nearest(number);
        }
        true
    }
    #[inline(always)]
    fn is_unset_tangent(tangent: &V) -> bool {
        tangent.as_slice().iter().all(|x| Lane::is_unset(*x))
    }
    #[inline(always)]
    fn mark_zeros(tangent: &mut V, computed: bool) {
        for x in tangent.as_mut_slice() {
            <V::Number as Kind>::mark_zeros(x, computed);
        }
    }
    #[inline(always)]
    fn accumulate(into: &mut V, from: V) {
        *into += from;
    }
    #[inline(always)]
    fn computed(value: V) -> V {
        Loops::add(value, V::default())
    }
}
/// Sweeps equal statements in one loop, compiled for the vector instructions of the machine.
#[derive(Clone, Copy, Debug)]
pub struct ForTheMachine;
impl Batch for ForTheMachine {
    const LOOPS: bool = true;
    const CHAINS: bool = false;
    #[inline(always)]
    fn run(statements: impl PieceLoop) -> bool {
        // For the compilation target alone, single statements are as fast.
        run_wider_loop(statements)
    }
}
impl<V: SimdVector> ElementKind for Lanes<V> {
    type Evaluation = Whole;
    type Remembered = Remembered<Self>;
    #[inline(always)]
    fn common<const N: usize, O>(_: &O, _: [(); N]) {}
    #[inline(always)]
    fn map<'p, const N: usize, O: Elementwise<N>>(op: &O, x: [V; N]) -> V {
        op.primal(x.map(Pack::<V>::new)).0
    }
    #[inline(always)]
    fn pull<const N: usize, O: Elementwise<N>>(
        op: &O,
        i: usize,
        x: [Option<V>; N],
        r: Option<V>,
        r_b: V,
    ) -> V {
        // A faulty formula that reads undeclared operands gives NaN.
        let known = |x: Option<V>| {
            Pack::<V, Loops>::new(x.unwrap_or_else(|| V::splat(V::Number::nearest(f64::NAN))))
        };
        let r_b = Pack::new(r_b);
        let x_b = op.adjoint(i, x.map(known), known(r), r_b);
        match O::READS[i] {
            0 => x_b.0,
            _ => flow::<O, _, N>(r_b, x_b).0,
        }
    }
    type Lane = Pack<V, Loops>;
    #[inline(always)]
    fn lane(piece: V) -> Pack<V, Loops> {
        Pack::new(piece)
    }
    #[inline(always)]
    fn piece(lane: Pack<V, Loops>) -> V {
        lane.0
    }
    const CHOICES: bool = true;
}
impl<T: LaneNumber, V: SimdVector<Number = T>> Broadcast<T> for Lanes<V> {
    #[inline(always)]
    fn broadcast(x: T) -> V {
        V::splat(x)
    }
    #[inline(always)]
    fn sum(x: V) -> T {
        x.reduce_add()
    }
}

impl<V: SimdVector> Coordinates for Lanes<V> {
    const EPSILON: f64 = <V::Number as Numbers>::EPSILON;
    fn map(value: &V, f: &mut dyn FnMut(f64) -> f64) -> V {
        V::from_fn(|i| value.as_slice()[i].map_numbers(f))
    }
}
impl<V: SimdVector> NumberKind for Lanes<V> {
    #[inline(always)]
    fn number(x: f64) -> V {
        V::splat(V::Number::nearest(x))
    }
    #[inline(always)]
    fn sum_of(x: impl Iterator<Item = V>) -> V {
        x.sum()
    }
    #[inline(always)]
    fn product_of(x: impl Iterator<Item = V>) -> V {
        x.product()
    }
}

impl<V: SimdVector> RealKind for Lanes<V> {}

/// Lanes of `V`, or one number for all of them.
#[diagnostic::on_unimplemented(
    message = "entities of kind `{Self}` cannot fill lanes of `{V}`",
    note = "use lanes or reals of the same precision: cast with `to_f64` or `to_f32`"
)]
pub trait Fill<V: SimdVector>: Kind<Policy = index::Linear, Value: Copy> {
    /// Returns the lanes.
    fn fill(x: Val<Self>) -> V;
    /// Returns the adjoint of the value that filled the lanes.
    fn gather(r_b: V) -> Val<Self>;
}
impl<V: SimdVector> Fill<V> for Lanes<V> {
    #[inline(always)]
    fn fill(x: V) -> V {
        x
    }
    #[inline(always)]
    fn gather(r_b: V) -> V {
        r_b
    }
}
impl<T: LaneNumber, V: SimdVector<Number = T>> Fill<V> for T {
    #[inline(always)]
    fn fill(x: T) -> V {
        V::splat(x)
    }
    #[inline(always)]
    fn gather(r_b: V) -> T {
        r_b.reduce_add()
    }
}

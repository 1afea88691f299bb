//! Methods of the vectors of `wide` that move lanes, or combine other operations.
use super::{Gather, LaneNumber, Lanes, SimdVector, members::assert_lane};
use entape_core::{
    expr::{
        Active, Binary, Const, Expr, Nodes, Operand, Rhs, RhsExpr, Ternary, ToList, Unary, binary,
        list, list_of, lit, ternary, unary,
    },
    kind::{Adjoint, List, Passed, PassedItems},
    mode::AnyMode,
    op,
    rule::Rule,
};

/// Lanes by number; larger numbers are zeros.
type Places = [u8; 16];
const ZERO: u8 = u8::MAX;
fn places<V: SimdVector>(place: impl Fn(usize) -> u8) -> Places {
    std::array::from_fn(|i| if i < V::LANES { place(i) } else { ZERO })
}

/// Moves lanes.
#[op(linear)]
pub fn shuffled<V: SimdVector>(
    #[ad_in({
        let mut all = <V as Adjoint<Lanes<V>>>::unset();
        for (&from, &r_b) in from.iter().zip(r_b.as_slice()) {
            if from != ZERO {
                all.as_mut_slice()[usize::from(from)] += r_b;
            }
        }
        Passed(all)
    })]
    v: Lanes<V>,
    #[ad_passive] from: Places,
) -> Lanes<V> {
    V::from_fn(|i| match from[i] {
        ZERO => V::Number::default(),
        from => v.as_slice()[usize::from(from)],
    })
}
fn columns<V: SimdVector>(rows: &[V]) -> impl Iterator<Item = V> + '_ {
    (0..V::LANES).map(|i| V::from_fn(|j| rows[j].as_slice()[i]))
}
/// Exchanges rows and columns.
#[op(linear)]
pub fn transposed<V: SimdVector>(
    #[ad_in(PassedItems(columns::<V>(r_b).collect::<Vec<_>>().into_iter()))] rows: List<Lanes<V>>,
) -> List<Lanes<V>> {
    columns::<V>(rows).collect()
}
/// The slope of `asin`.
fn slope<V: SimdVector>(x: V) -> V {
    V::ONE / (V::ONE - x * x).sqrt()
}
/// Returns the arc sine and the arc cosine.
#[op(
    tangent(x = (slope(x) * x_t, -(slope(x) * x_t))),
    second(x = (r_b.0 - r_b.1) * x * slope(x) * slope(x) * slope(x) * x_t),
)]
pub fn asin_acos<V: SimdVector>(
    #[ad_in((r_b.0 - r_b.1) * slope(x))] x: Lanes<V>,
) -> (Lanes<V>, Lanes<V>) {
    (x.asin(), x.acos())
}

type Side<X, V, M> = RhsExpr<X, Lanes<V>, M, op::MulAdd, Lanes<V>>;
type Negative<X, M> = Unary<op::Neg, M, X>;

/// Methods of lanes that are named as in `wide`. Arguments are lanes or reals.
///
/// ```
/// use entape_drivers::gradient;
/// use entape_simd::{LanesOps, Realx4, WideOps, wide::{f64x4, u64x4}};
///
/// // differences of neighbours
/// let f = |x: Realx4| {
///     let next = x.shuffle_wrapping(u64x4::new([1, 2, 3, 4])).eval();
///     x.mul_sub(2.0, next).reduce_add().eval()
/// };
/// assert_eq!(gradient(f, f64x4::new([1.0, 2.0, 3.0, 4.0]))?, f64x4::splat(1.0));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[allow(clippy::type_complexity)]
pub trait WideOps<M: AnyMode, V: SimdVector>: Operand<M, Kind = Lanes<V>> + Sized {
    /// Returns `self * a - b`, fused like `mul_add`.
    #[inline(always)]
    fn mul_sub<A, B>(
        self,
        a: A,
        b: B,
    ) -> Ternary<op::MulAdd, M, Self, Side<A, V, M>, Negative<Side<B, V, M>, M>>
    where
        A: Rhs<Lanes<V>, M, op::MulAdd, Lanes<V>>,
        B: Rhs<Lanes<V>, M, op::MulAdd, Lanes<V>>,
        op::Neg: Rule<B::Kind, Out = B::Kind>,
        op::MulAdd: Rule<Lanes<V>, A::Kind, B::Kind>,
    {
        ternary(op::MulAdd, self, a.into_rhs(), unary(op::Neg, b.into_rhs()))
    }
    /// Returns `b - self * a`, fused like `mul_add`.
    #[inline(always)]
    fn mul_neg_add<A, B>(
        self,
        a: A,
        b: B,
    ) -> Ternary<op::MulAdd, M, Negative<Self, M>, Side<A, V, M>, Side<B, V, M>>
    where
        A: Rhs<Lanes<V>, M, op::MulAdd, Lanes<V>>,
        B: Rhs<Lanes<V>, M, op::MulAdd, Lanes<V>>,
        op::MulAdd: Rule<Lanes<V>, A::Kind, B::Kind>,
    {
        ternary(op::MulAdd, unary(op::Neg, self), a.into_rhs(), b.into_rhs())
    }
    /// Returns `-self * a - b`, fused like `mul_add`.
    #[inline(always)]
    fn mul_neg_sub<A, B>(
        self,
        a: A,
        b: B,
    ) -> Negative<Ternary<op::MulAdd, M, Self, Side<A, V, M>, Side<B, V, M>>, M>
    where
        A: Rhs<Lanes<V>, M, op::MulAdd, Lanes<V>>,
        B: Rhs<Lanes<V>, M, op::MulAdd, Lanes<V>>,
        op::MulAdd: Rule<Lanes<V>, A::Kind, B::Kind, Out = Lanes<V>>,
    {
        unary(
            op::Neg,
            ternary(op::MulAdd, self, a.into_rhs(), b.into_rhs()),
        )
    }
    /// Returns `1 / self.sqrt()`.
    #[inline(always)]
    fn recip_sqrt(self) -> Unary<op::Recip, M, Unary<op::Sqrt, M, Self>> {
        unary(op::Recip, unary(op::Sqrt, self))
    }
    /// Changes the sign of each lane where `signs` is negative.
    #[inline(always)]
    fn flip_signs<B>(
        self,
        signs: B,
    ) -> Binary<
        op::Mul,
        M,
        Self,
        Binary<
            op::Copysign,
            M,
            Expr<Lanes<V>, M, Const<Lanes<V>>>,
            RhsExpr<B, Lanes<V>, M, op::Copysign>,
        >,
    >
    where
        B: Rhs<Lanes<V>, M, op::Copysign>,
        op::Copysign: Rule<Lanes<V>, B::Kind, Out = Lanes<V>>,
    {
        let sign = binary(op::Copysign, lit(V::ONE), signs.into_rhs());
        binary(op::Mul, self, sign)
    }
    /// Returns the larger numbers, like `max`.
    #[inline(always)]
    fn fast_max<B>(self, b: B) -> Binary<op::Max, M, Self, RhsExpr<B, Lanes<V>, M, op::Max>>
    where
        B: Rhs<Lanes<V>, M, op::Max>,
        op::Max: Rule<Lanes<V>, B::Kind>,
    {
        binary(op::Max, self, b.into_rhs())
    }
    /// Returns the smaller numbers, like `min`.
    #[inline(always)]
    fn fast_min<B>(self, b: B) -> Binary<op::Min, M, Self, RhsExpr<B, Lanes<V>, M, op::Min>>
    where
        B: Rhs<Lanes<V>, M, op::Min>,
        op::Min: Rule<Lanes<V>, B::Kind>,
    {
        binary(op::Min, self, b.into_rhs())
    }
    /// Limits the numbers, like `clamp`.
    #[inline(always)]
    fn fast_clamp<A, B>(
        self,
        low: A,
        high: B,
    ) -> Ternary<
        op::Clamp,
        M,
        Self,
        RhsExpr<A, Lanes<V>, M, op::Clamp, Lanes<V>>,
        RhsExpr<B, Lanes<V>, M, op::Clamp, Lanes<V>>,
    >
    where
        A: Rhs<Lanes<V>, M, op::Clamp, Lanes<V>>,
        B: Rhs<Lanes<V>, M, op::Clamp, Lanes<V>>,
        op::Clamp: Rule<Lanes<V>, A::Kind, B::Kind>,
    {
        ternary(op::Clamp, self, low.into_rhs(), high.into_rhs())
    }
    /// Returns the arc sine and the arc cosine, for `split()`.
    #[inline(always)]
    fn asin_acos(self) -> Unary<AsinAcos, M, Self> {
        unary(AsinAcos, self)
    }
    /// Returns the lanes at `indices`.
    ///
    /// # Panics
    /// If a lane does not exist.
    #[inline]
    #[track_caller]
    fn shuffle(self, indices: V::Indices) -> Unary<Shuffled, M, Self> {
        (0..V::LANES).for_each(|i| assert_lane::<V>(V::index(&indices, i)));
        self.shuffle_wrapping(indices)
    }
    /// Returns the lanes at `indices` modulo the number of lanes.
    #[inline]
    fn shuffle_wrapping(self, indices: V::Indices) -> Unary<Shuffled, M, Self> {
        let from = places::<V>(|i| (V::index(&indices, i) % V::LANES) as u8);
        unary(Shuffled { from }, self)
    }
    /// Returns the lanes at `indices`, and zero where the lane does not exist.
    #[inline]
    fn shuffle_zeroing(self, indices: V::Indices) -> Unary<Shuffled, M, Self> {
        let from = places::<V>(|i| match V::index(&indices, i) {
            i if i < V::LANES => i as u8,
            _ => ZERO,
        });
        unary(Shuffled { from }, self)
    }
}
impl<M: AnyMode, V: SimdVector, X: Operand<M, Kind = Lanes<V>>> WideOps<M, V> for X {}

/// Transposition of as many vectors as each has lanes.
///
/// ```
/// use entape_core::mode::Plain;
/// use entape_simd::{Realx2, TransposeOps, wide::f64x2};
///
/// let rows = [[1.0, 2.0], [3.0, 4.0]].map(|row| Realx2::<Plain>::passive(f64x2::new(row)));
/// let columns = (&rows).transpose::<f64x2>().split();
/// assert_eq!(columns[0], f64x2::new([1.0, 3.0]));
/// ```
#[allow(clippy::type_complexity)]
pub trait TransposeOps<M: AnyMode>: ToList<M> + Sized {
    /// Returns the list of columns, for `split()` or `assign_to(&mut x)`.
    ///
    /// # Panics
    /// If the number of vectors differs from the number of lanes.
    #[inline]
    #[track_caller]
    fn transpose<V: SimdVector>(self) -> Unary<Transposed, M, Expr<List<Lanes<V>>, M, Self::Node>>
    where
        Self: ToList<M, Kind = Lanes<V>>,
    {
        let count = self.count();
        assert!(
            count == V::LANES,
            "{count} vectors of kind {} cannot be transposed: pass {} vectors",
            V::NAME,
            V::LANES
        );
        unary(Transposed, list(self))
    }
}
impl<M: AnyMode, X: ToList<M>> TransposeOps<M> for X {}

/// Gathers of reals by integer lanes.
///
/// ```
/// use entape_core::tape::Tape;
/// use entape_simd::{GatherAt, LanesOps, wide::{f64x2, u64x2}};
///
/// let mut tape = Tape::new();
/// let table = tape.inputs([1.0, 2.0, 4.0]);
/// let y = tape.record(|| table.gather_at::<f64x2>(u64x2::new([2, 0])).reduce_mul().eval());
/// assert_eq!(tape.gradient(&y)?.wrt_all(&table)?, [4.0, 0.0, 1.0]);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
pub trait GatherAt<T: LaneNumber, M: AnyMode> {
    /// Puts the reals at `indices` into the lanes. Arrays have this method by [`Indexed`](crate::arrays::Indexed).
    ///
    /// # Panics
    /// If an index is out of range.
    fn gather_at<V: SimdVector<Number = T>>(
        &self,
        indices: impl IndexLanes<V::Positions>,
    ) -> Unary<Gather<V>, M, Nodes<&Active<T, M>, M>>;
}
impl<T: LaneNumber, M: AnyMode> GatherAt<T, M> for [Active<T, M>] {
    #[inline]
    #[track_caller]
    fn gather_at<V: SimdVector<Number = T>>(
        &self,
        indices: impl IndexLanes<V::Positions>,
    ) -> Unary<Gather<V>, M, Nodes<&Active<T, M>, M>> {
        let at = |i| &self[position(indices.index(i), i, self.len(), "reals")];
        let all: Vec<_> = (0..V::LANES).map(at).collect();
        unary(Gather::default(), list_of(all))
    }
}
#[track_caller]
pub(crate) fn position(index: i128, lane: usize, length: usize, of: &str) -> usize {
    let position = usize::try_from(index).ok().filter(|&at| at < length);
    position.unwrap_or_else(|| {
        panic!("the index {index} of lane {lane} is out of range for {length} {of}")
    })
}

/// Lanes of integers that are `Positions` in an array: `i32x4`, `u32x4`, `i64x4` and `u64x4` for four lanes.
pub trait IndexLanes<Positions>: Copy {
    /// Returns the integer in a lane.
    fn index(self, lane: usize) -> i128;
}
macro_rules! index_lanes { ($($N:literal: $($I:ident)*;)*) => { $($(
    impl IndexLanes<[u32; $N]> for wide::$I {
        #[inline]
        fn index(self, lane: usize) -> i128 {
            self.as_array()[lane].into()
        }
    }
)*)* } }
index_lanes! {
    2: i64x2 u64x2;
    4: i32x4 u32x4 i64x4 u64x4;
    8: i32x8 u32x8 i64x8 u64x8;
    16: i32x16 u32x16;
}

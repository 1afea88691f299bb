use super::{
    ArrayNumber, ElementOf,
    adjoint::{Added, Elements},
    kinds::{ArrayKind, common, word},
    reductions::{Summands, sum_of},
};
use entape_core::{
    eval,
    kind::{AllNeeded, At, Incoming, Piece, Pieces, Val},
    node::Direct,
    rule::{
        A, ArgumentTangent, B, Order, PiecePrimals, PieceSinks, Primals, PullPieces, ReadShapes,
        ReductionRule, Rule, Sink, Sinks, Unfolded, bilinear_second, bilinear_tangent,
    },
    store::Stash,
};
use std::marker::PhantomData;

struct Products<'p, T, P, U, Q, F>(&'p P, &'p Q, F, PhantomData<(T, U)>);
impl<T, P, U, Q, V, F> Summands<V> for Products<'_, T, P, U, Q, F>
where
    T: ArrayNumber,
    U: ArrayNumber,
    P: Pieces<ArrayKind<T>>,
    Q: Pieces<ArrayKind<U>>,
    F: Fn(T, U) -> V + Copy,
{
    #[inline(always)]
    fn within(&self, block: At) -> impl Fn(usize) -> V {
        let (a, b, f) = (
            self.0.within::<AllNeeded>(block),
            self.1.within::<AllNeeded>(block),
            self.2,
        );
        #[inline(always)]
        move |i| f(a.at(i), b.at(i))
    }
}
fn dot<T: ArrayNumber, U: ArrayNumber, V: ArrayNumber>(
    v: &impl Pieces<ArrayKind<T>>,
    w: &impl Pieces<ArrayKind<U>>,
    product: impl Fn(T, U) -> V + Copy,
) -> V {
    sum_of(v.shape(), &Products(v, w, product, PhantomData))
}
/// A product of an element of each array, with the adjoints of both.
pub trait Pairing<T: ArrayNumber, U: ArrayNumber>: Stash + Copy {
    /// The kind of the product.
    type Out: ElementOf;
    /// The product.
    fn product(a: T, b: U) -> Val<Self::Out>;
    /// The adjoint of `a`.
    fn of_first(b: U, r_b: Val<Self::Out>) -> T;
    /// The adjoint of `b`.
    fn of_second(a: T, r_b: Val<Self::Out>) -> U;
}

macro_rules! sums { ($($(#[$doc:meta])* $Dot:ident)*) => { $(
    $(#[$doc])*
    #[derive(Clone, Copy, Debug, Stash)]
    pub struct $Dot;
    impl<T: ArrayNumber, U: ArrayNumber> Rule<ArrayKind<T>, ArrayKind<U>> for $Dot
    where
        $Dot: Pairing<T, U>,
    {
        type Out = <$Dot as Pairing<T, U>>::Out;
        type Saved = u32;
        type Evaluation = eval::Reduction;
        const READS: [u8; 3] = [B, A, 0];
        #[track_caller]
        fn primal(&self, v: &Vec<T>, w: &Vec<U>, (): ()) -> (Val<Self::Out>, u32) {
            let (v, w) = (
                Direct::<ArrayKind<T>>::new(Some(v)),
                Direct::<ArrayKind<U>>::new(Some(w)),
            );
            self.fold(&v, &w, &Direct::<()>::new(Some(())))
        }
        fn adjoint(
            &self,
            p: Primals<'_, ArrayKind<T>, ArrayKind<U>, (), Self::Out>,
            &length: &u32,
            r_b: Incoming<'_, Self::Out>,
            mut s: impl Sinks<ArrayKind<T>, ArrayKind<U>>,
        ) {
            let (r_b, length) = (r_b.get(), length as usize);
            if s.a().wants() {
                let b = p.b();
                s.a().add(Added::new(length, |mut into: Elements<'_, T>| {
                    into.add_each(b.iter().map(|&b| Self::of_first(b, r_b)));
                }));
            }
            if s.b().wants() {
                let a = p.a();
                s.b().add(Added::new(length, |mut into: Elements<'_, U>| {
                    into.add_each(a.iter().map(|&a| Self::of_second(a, r_b)));
                }));
            }
        }
        const ORDER: Order = Order::Second;
        fn tangent(
            &self,
            p: Primals<'_, ArrayKind<T>, ArrayKind<U>, (), Self::Out>,
            _: &u32,
            t: ArgumentTangent<'_, ArrayKind<T>, ArrayKind<U>>,
        ) -> Option<Val<Self::Out>> {
            bilinear_tangent(self, p, t)
        }
        fn adjoint_tangent(
            &self,
            _: Primals<'_, ArrayKind<T>, ArrayKind<U>, (), Self::Out>,
            length: &u32,
            t: ArgumentTangent<'_, ArrayKind<T>, ArrayKind<U>>,
            _: Option<&Val<Self::Out>>,
            r_b: Incoming<'_, Self::Out>,
            s: impl Sinks<ArrayKind<T>, ArrayKind<U>>,
        ) {
            bilinear_second(self, length, t, r_b, s);
        }
    }
    impl<T: ArrayNumber, U: ArrayNumber> PullPieces<ArrayKind<T>, ArrayKind<U>> for $Dot
    where
        $Dot: Pairing<T, U>,
    {
        #[inline(always)]
        fn pull(
            &self,
            x: &PiecePrimals<ArrayKind<T>, ArrayKind<U>, (), Self::Out>,
            r_b: Piece<Self::Out>,
            s: &mut impl PieceSinks<ArrayKind<T>, ArrayKind<U>>,
        ) {
            s.a(|| Self::of_first(x.b.unwrap_or(U::NAN), r_b));
            s.b(|| Self::of_second(x.a.unwrap_or(T::NAN), r_b));
        }
    }
    impl<T: ArrayNumber, U: ArrayNumber> ReductionRule<ArrayKind<T>, ArrayKind<U>> for $Dot
    where
        $Dot: Pairing<T, U>,
    {
        #[track_caller]
        #[inline(always)]
        fn fold(
            &self,
            v: &impl Pieces<ArrayKind<T>>,
            w: &impl Pieces<ArrayKind<U>>,
            _: &impl Pieces<()>,
        ) -> (Val<Self::Out>, u32) {
            let length = common::<Self, 2>([v.shape(), w.shape()]);
            (dot(v, w, Self::product), word(length))
        }
        fn unfold(
            &self,
            &length: &u32,
            _: impl FnOnce() -> ReadShapes<ArrayKind<T>, ArrayKind<U>, ()>,
            _: Option<Val<Self::Out>>,
            r_b: Val<Self::Out>,
        ) -> Unfolded<ArrayKind<T>, ArrayKind<U>, (), Self::Out> {
            let length = length as usize;
            Unfolded {
                shapes: (length, length, ()),
                pieces: 0..length,
                r_b,
            }
        }
    }
)* } }
sums! {
    /// `Σ a .* b`
    Dot
    /// `Σ conj(a) .* b`
    Dotc
}
impl<T: ArrayNumber> Pairing<T, T> for Dot {
    type Out = T::Kind;
    #[inline(always)]
    fn product(a: T, b: T) -> T {
        a * b
    }
    #[inline(always)]
    fn of_first(b: T, r_b: T) -> T {
        r_b * b.conj()
    }
    #[inline(always)]
    fn of_second(a: T, r_b: T) -> T {
        r_b * a.conj()
    }
}
impl<T: ArrayNumber> Pairing<T, T> for Dotc {
    type Out = T::Kind;
    #[inline(always)]
    fn product(a: T, b: T) -> T {
        a.conj() * b
    }
    #[inline(always)]
    fn of_first(b: T, r_b: T) -> T {
        b * r_b.conj()
    }
    #[inline(always)]
    fn of_second(a: T, r_b: T) -> T {
        r_b * a
    }
}

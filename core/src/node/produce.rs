//! Results of evaluating a node.
use super::Destination;
use crate::{
    kind::{
        Arg, DestinationKind, Kind, Memory, Pieces, Policy, Shape, TapeCell, TapeValue, Val, arg,
        new_cell,
    },
    store::Part,
};

/// The result of a node, perhaps before it is computed.
pub trait Produce<K: Kind>: Sized {
    /// Whether the value is computed already.
    const IS_READY: bool = false;
    /// The evaluated result.
    type Ready: Evaluated<K>;
    /// Computes the value if necessary.
    fn ready(self) -> Self::Ready;
    /// Returns the value.
    #[inline(always)]
    fn value(self) -> Val<K> {
        self.ready().own()
    }
    /// Pieces of the value.
    type Pieces<'p>: Pieces<K>
    where
        Self: 'p;
    /// Returns pieces for an operation that is evaluated by pieces.
    fn pieces(&self) -> Self::Pieces<'_>;
    /// Returns the shape of the value.
    fn shape(&self) -> Shape<K>;
    /// Adds the value to a destination as a term.
    #[inline(always)]
    fn add_to(self, to: &mut Destination<'_, K>)
    where
        K: DestinationKind,
    {
        let term = self.ready();
        to.put(K::Policy::value(&term.arg()));
        term.done();
    }
    /// Writes the value to a part of `whole`.
    #[inline(always)]
    #[track_caller]
    fn put<O: Kind, P: Part<O, Kind = K>>(self, part: &P, whole: &mut Val<O>) {
        part.put(whole, self.value());
    }
}
/// A value that is computed or borrowed.
pub trait Evaluated<K: Kind> {
    /// Returns the value as a rule receives it.
    fn arg(&self) -> Arg<'_, K>;
    /// Returns the value; borrowed ones are cloned.
    fn own(self) -> Val<K>;
    /// Drops the value, and recycles the memory of a computed one.
    #[inline(always)]
    fn done(self)
    where
        Self: Sized,
    {
    }
    /// Returns the value as stored on the tape; leaves share theirs.
    #[inline(always)]
    fn cell(self) -> TapeValue<K>
    where
        Self: Sized,
    {
        new_cell::<K>(self.own())
    }
}
/// A computed value.
pub struct OwnedValue<K: Kind>(pub Val<K>);
debug_by_name! { [K: Kind] OwnedValue<K> }
/// A leaf's value.
pub struct BorrowedValue<'n, K: Kind>(pub &'n Val<K>);
debug_by_name! { ['n, K: Kind] BorrowedValue<'n, K> }
/// A leaf's value as stored on the tape.
pub struct BorrowedTapeValue<'n, K: Kind>(pub &'n TapeValue<K>);
debug_by_name! { ['n, K: Kind] BorrowedTapeValue<'n, K> }
impl<K: Kind> Evaluated<K> for BorrowedTapeValue<'_, K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(self.0.peek())
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0.peek().clone()
    }
    #[inline(always)]
    fn cell(self) -> TapeValue<K> {
        self.0.clone()
    }
}
impl<K: Kind> Evaluated<K> for OwnedValue<K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(&self.0)
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0
    }
    #[inline(always)]
    fn done(mut self) {
        K::Memory::recycle(&mut self.0);
    }
}
impl<K: Kind> Evaluated<K> for BorrowedValue<'_, K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(self.0)
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0.clone()
    }
}
/// A value as a rule receives it.
pub struct BorrowedArg<'p, K: Kind>(pub Arg<'p, K>);
debug_by_name! { ['p, K: Kind] BorrowedArg<'p, K> }
impl<K: Kind> Evaluated<K> for BorrowedArg<'_, K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(K::Policy::value(&self.0))
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        K::Policy::value(&self.0).clone()
    }
}

macro_rules! evaluated { ($([$($parameters:tt)*] $T:ty, $K:ty;)*) => { $(
    impl<$($parameters)*> $crate::node::Produce<$K> for $T {
        const IS_READY: bool = true;
        type Ready = Self;
        #[inline(always)]
        fn ready(self) -> Self {
            self
        }
        type Pieces<'p> = $crate::node::Direct<'p, $K> where Self: 'p;
        #[inline(always)]
        fn pieces(&self) -> $crate::node::Direct<'_, $K> {
            $crate::node::Direct::new(Some($crate::node::Evaluated::arg(self)))
        }
        #[inline(always)]
        fn shape(&self) -> $crate::kind::Shape<$K> {
            $crate::kind::shape_of::<$K>(&$crate::node::Evaluated::arg(self))
        }
    }
)* } }
pub(crate) use evaluated;
evaluated! { [K: Kind] OwnedValue<K>, K; [K: Kind] BorrowedValue<'_, K>, K; [K: Kind] BorrowedTapeValue<'_, K>, K; [K: Kind] BorrowedArg<'_, K>, K; }

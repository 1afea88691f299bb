//! What an expression is made of, while it is recorded ([`Node`]) and on the tape ([`Stored`]).
use super::{
    Active,
    pending::Received,
    pieces::{Direct, Pieces, shape_of},
    sweep_pieces::StoredPieces,
};
use crate::{
    kind::{
        Arg, Cell, Contribution, Destination, DestinationKind, Hold, Kind, Part, Policy, Shape,
        Val, arg, hold,
    },
    mode::{AnyMode, Meta, Version},
    tape::{Access, Reader, Writer},
};

/// Whether an adjoint reads the value of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nobody reads it.
    No = 0,
    /// It is read, and computed again from the arguments.
    Value = 1,
    /// If it is read, it is at hand: the root's value stands in the slot of its variable.
    Known = 2,
}
impl Need {
    /// The value must be computed again.
    #[inline(always)]
    pub const fn value(self) -> bool {
        matches!(self, Need::Value)
    }
}

/// A node of an expression while it is recorded: a leaf or an [`Apply`](super::Apply).
///
/// It is implemented here alone: how statements are recorded relies on what nodes say of themselves.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an expression node")]
pub trait Node: Sized + Sealed {
    /// The kind of the node's value.
    type Kind: Kind;
    /// The same node as a sweep rebuilds it from the tape.
    type Stored: Stored<Kind = Self::Kind>;
    /// The value as [`forward`](Self::forward) returns it.
    type Value<'n>: Produce<Self::Kind>
    where
        Self: 'n;
    /// Intermediates that the rules of this subtree keep for their adjoints.
    type Saves;
    /// The same node on copies of its leaves.
    type Copy<'n>: Node<Kind = Self::Kind, Stored = Self::Stored, Saves = Self::Saves>
    where
        Self: 'n;
    /// Whether [`constants`](Self::constants) and [`write`](Self::write) run no code of DSLs, if all variables are active.
    const QUIET: bool = false;
    /// Copies the node leaf by leaf. What is rarely recorded goes out of line as a copy, so that the
    /// frequent way through `eval` never takes the node's address and keeps it in registers.
    fn copy(&self) -> Self::Copy<'_>;
    /// Computes the value.
    #[track_caller]
    fn forward(&self) -> (Self::Value<'_>, Self::Saves);
    /// Shows every leaf to `visitor`.
    fn leaves(&self, visitor: &mut impl LeafVisitor);
    /// Shows the bytes of every compile-time constant to `visitor`.
    fn constants(&self, visitor: &mut impl ConstantVisitor, need: Need);
    /// Writes identifiers, parameters, saved intermediates and the values of passive leaves; `need`
    /// tells whether an adjoint reads this node's value.
    fn write(&self, saves: Self::Saves, writer: &mut Writer<'_>, need: Need);
}

mod sealed {
    use crate::{
        expr::{
            Active, Apply, ByRef, ByVal, Const, Each, Either, Elements, Node, PartLeaf, PartRef,
            Select, apply::Nil, leaf::Copied, variables::Variables,
        },
        kind::{Kind, Part},
        mode::AnyMode,
    };

    pub trait Sealed {}
    impl<O, A, B, C> Sealed for Apply<O, A, B, C> {}
    impl Sealed for Nil {}
    impl<K: Kind> Sealed for Const<K> {}
    impl<K: Kind, M: AnyMode> Sealed for Copied<K, M> {}
    impl<K: Kind, M: AnyMode> Sealed for ByRef<'_, K, M> {}
    impl<K: Kind, M: AnyMode> Sealed for ByVal<Active<K, M>> {}
    impl<K: Kind, M: AnyMode> Sealed for Variables<'_, K, M> {}
    impl<K: Kind, P: Part<K>, M: AnyMode> Sealed for PartLeaf<'_, K, P, M> {}
    impl<K: Kind, P: Part<K>, M: AnyMode> Sealed for PartRef<'_, K, P, M> {}
    impl<A: Node, B: Node> Sealed for Select<A, B> {}
    impl<A, B> Sealed for Either<A, B> {}
    impl<L: Elements> Sealed for Each<L> {}
}
use sealed::Sealed;

/// What evaluating a node gives: a value that is at hand, or one that is computed piece by piece.
pub trait Produce<K: Kind>: Sized {
    /// The value at hand.
    type Ready: AtHand<K>;
    /// Computes what is not at hand.
    fn ready(self) -> Self::Ready;
    /// The value itself, computed if it is not at hand.
    #[inline(always)]
    fn value(self) -> Val<K> {
        self.ready().own()
    }
    /// Pieces of the value.
    type Pieces<'p>: Pieces<K>
    where
        Self: 'p;
    /// Pieces of the value, for an operation that is evaluated by pieces.
    fn pieces(&self) -> Self::Pieces<'_>;
    /// The shape of the value.
    fn shape(&self) -> Shape<K>;
    /// Adds the value, a term of a sum, to a destination.
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
/// A value that a node computed or lends.
pub trait AtHand<K: Kind> {
    /// The value for a rule.
    fn arg(&self) -> Arg<'_, K>;
    /// The value itself.
    fn own(self) -> Val<K>;
    /// Gives up the value: the memory of one that was computed goes back to its kind.
    #[inline(always)]
    fn done(self)
    where
        Self: Sized,
    {
    }
    /// The value as the tape holds it; a leaf shares it.
    #[inline(always)]
    fn cell(self) -> Cell<K>
    where
        Self: Sized,
    {
        hold::<K>(self.own())
    }
}
/// A computed value.
pub struct Made<K: Kind>(pub Val<K>);
/// A leaf's value.
pub struct Lent<'n, K: Kind>(pub &'n Val<K>);
/// A leaf's value as the tape holds it.
pub struct Shared<'n, K: Kind>(pub &'n Cell<K>);
/// The value of a variable that is referred to. What becomes of it shares the value, where the variable does.
pub struct Referred<'n, K: Kind, M: AnyMode>(pub &'n Active<K, M>);
impl<K: Kind, M: AnyMode> AtHand<K> for Referred<'_, K, M> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(self.0.get())
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0.get().clone()
    }
    #[inline(always)]
    fn cell(self) -> Cell<K> {
        self.0.cell()
    }
}
impl<K: Kind> AtHand<K> for Shared<'_, K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(self.0.peek())
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0.peek().clone()
    }
    #[inline(always)]
    fn cell(self) -> Cell<K> {
        self.0.clone()
    }
}
impl<K: Kind> AtHand<K> for Made<K> {
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
        K::recycle(&mut self.0);
    }
}
impl<K: Kind> AtHand<K> for Lent<'_, K> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(self.0)
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0.clone()
    }
}
/// Values at hand are produced as they are.
macro_rules! at_hand { ($($T:ty $([$M:ident])?;)*) => { $(
    impl<'n, K: Kind $(, $M: AnyMode)?> Produce<K> for $T {
        type Ready = Self;
        #[inline(always)]
        fn ready(self) -> Self { self }
        type Pieces<'p> = Direct<'p, K> where Self: 'p;
        #[inline(always)]
        fn pieces(&self) -> Direct<'_, K> { Direct::new(Some(self.arg())) }
        #[inline(always)]
        fn shape(&self) -> Shape<K> { shape_of::<K>(&self.arg()) }
    }
)* } }
at_hand! { Received<'n, K>; Shared<'n, K>; Lent<'n, K>; Referred<'n, K, M> [M]; }
impl<K: Kind> Produce<K> for Made<K> {
    type Ready = Self;
    #[inline(always)]
    fn ready(self) -> Self {
        self
    }
    type Pieces<'p> = Direct<'p, K>;
    #[inline(always)]
    fn pieces(&self) -> Direct<'_, K> {
        Direct::new(Some(self.arg()))
    }
    #[inline(always)]
    fn shape(&self) -> Shape<K> {
        shape_of::<K>(&self.arg())
    }
}

/// Looks at the leaves of an expression.
pub trait LeafVisitor {
    /// A variable of kind `K`.
    fn variable<K: Kind>(&mut self, meta: Meta);
    /// A copy of the identifier of a variable of kind `K`, which does not keep the variable from being written.
    #[inline(always)]
    fn copied<K: Kind>(&mut self, meta: Meta, version: impl Version) {
        let _ = version;
        self.variable::<K>(meta);
    }
    /// What comes now is below an argument without adjoint (1), or was (-1).
    #[inline(always)]
    fn flat(&mut self, depth: i32) {
        let _ = depth;
    }
}

/// Looks at the compile-time constants of an expression.
pub trait ConstantVisitor {
    /// A constant.
    fn constant(&mut self, bytes: &[u8]);
}

/// A node of a stored statement, rebuilt by a sweep on identifiers.
pub trait Stored: Sized + 'static {
    /// The kind of the node's value.
    type Kind: Kind;
    /// How pieces of it are had, if it stands below an operation that is evaluated by pieces.
    type Pieces: StoredPieces<Self>;
    /// Whether an adjoint can flow into this node; false for constants, known at compile time.
    const ACTIVE: bool;
    /// Bytes in the statement's fixed block, by [`Need`].
    const FIXED: [usize; 3];
    /// Bytes of compile-time constants, likewise.
    const CONSTANTS: [usize; 3];
    /// Whether the number of identifiers is known only at run time.
    const DYNAMIC: bool;
    /// Whether this node, as a root, reads its own result.
    const READS_RESULT: bool;
    /// Whether the node is a variable.
    const VARIABLE: bool = false;
    /// Reads the node; `need` tells whether an adjoint reads its value, `known` is the value if it is at hand.
    fn load(
        reader: &mut Reader<'_>,
        stores: &mut Access<'_>,
        need: Need,
        known: Option<Cell<Self::Kind>>,
    ) -> Self;
    /// The node's value, `None` if it was not needed.
    fn value(&self) -> Option<Arg<'_, Self::Kind>>;
    /// The node's value as the tape holds it, `None` if it was not needed.
    fn cell(&self) -> Option<Cell<Self::Kind>> {
        self.value()
            .map(|value| Hold::hold(<Self::Kind as Kind>::Policy::value(&value).clone()))
    }
    /// Whether an adjoint flows into this node.
    fn is_active(&self) -> bool;
    /// The identifier, if the node is an active variable.
    #[inline(always)]
    fn identifier(&self) -> Option<u32> {
        None
    }
    /// Adds `contribution` to the adjoint of this node.
    fn pull<C: Contribution<Self::Kind>>(&self, contribution: C, stores: &mut Access<'_>);
    /// Gives the memory of results that were computed again back to their kinds. Nodes have no destructors, which a sweep that
    /// moves them would have to call for each part wherever it may panic: what a panic leaves is lost.
    #[inline(always)]
    fn done(self) {}
    /// Shows kind and identifier of every active leaf.
    fn show(&self, to: &mut dyn FnMut(&'static str, u32));
}

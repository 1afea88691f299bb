//! Leaves: variables by reference and by value, and constants.
use super::{Active, Id, VariableCellOf, VersionOf};
use crate::{
    differences::Findings,
    formula::Formula,
    kind::Carrier,
    kind::{
        self, Arg, At, BorrowedBy, Contribution, Encoding, Identifier, Kind, Layout, NONE, Need,
        Piece, PieceBlock, Policy, Shape, Single, TapeCell, TapeValue, Val, VariableId, arg,
        assert_shape, new_cell,
    },
    node::{
        ArrayLeaf, BorrowedTapeValue, BorrowedValue, ConstantVisitor, Description, Direct,
        Evaluated, ExpressionVisitor, Gather, LeafNode, LeafVisitor, NamedId, Node, NodeTangents,
        Stored, StoredActivity, StoredPieces, Tree, ValuesOf, evaluated,
    },
    order::Order,
    sealed::Sealed,
    store::{Reader, Writer},
    sweep::{Directional, ReadValues, Slots, Sweep, add_to_variable},
};
use std::any::type_name;

/// A variable by reference.
pub struct ByRef<'a, K: Kind, M: Carrier>(pub &'a Active<K, M>);
debug_by_name! { ['a, K: Kind, M: Carrier] ByRef<'a, K, M> }
impl<K: Kind, M: Carrier> Clone for ByRef<'_, K, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind, M: Carrier> Copy for ByRef<'_, K, M> {}

/// A variable by value.
#[derive(Clone, Copy, Debug)]
pub struct ByVal<V>(pub V);

/// A constant known at compile time.
pub struct Const<K: Kind>(pub TapeValue<K>);
debug_by_name! { [K: Kind] Const<K> }
impl<K: Kind> Clone for Const<K> {
    fn clone(&self) -> Self {
        Const(self.0.clone())
    }
}
impl<K: Kind<Value: Copy>> Copy for Const<K> where TapeValue<K>: Copy {}
impl<K: Kind> Const<K> {
    /// Returns the constant with this value.
    #[inline(always)]
    pub fn of(value: Val<K>) -> Self {
        Const(TapeCell::new(value))
    }
}

/// A borrowed constant, copied only into statements whose adjoints read it.
pub struct BorrowedConst<'a, K: Kind>(pub &'a Val<K>);
debug_by_name! { ['a, K: Kind] BorrowedConst<'a, K> }
impl<K: Kind> Clone for BorrowedConst<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: Kind> Copy for BorrowedConst<'_, K> {}

/// Value and identifier of a variable. A write to an owned identifier invalidates it.
pub struct Copied<K: Kind, M: Carrier> {
    held: VariableCellOf<K, M>,
    variable: VariableId,
    version: VersionOf<K, M>,
}
debug_by_name! { [K: Kind, M: Carrier] Copied<K, M> }

impl<K: Kind, M: Carrier> Copied<K, M> {
    #[inline(always)]
    pub(crate) fn new(x: &Active<K, M>) -> Self {
        Copied {
            held: x.held().clone(),
            variable: x.variable_id(),
            version: x.version(),
        }
    }
}
impl<K: Kind, M: Carrier> Clone for Copied<K, M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Copied {
            held: self.held.clone(),
            ..*self
        }
    }
}
impl<K: Kind, M: Carrier> Copy for Copied<K, M> where VariableCellOf<K, M>: Copy {}

#[inline(always)]
fn write_variable<K: Kind, M: Carrier, const NEED: u8>(
    variable: VariableId,
    cell: impl FnOnce() -> TapeValue<K>,
    writer: &mut Writer<'_>,
) {
    if writer.mixed() && variable.is_passive() {
        writer.id(NONE);
        if const { Need::of(NEED).value() } {
            writer.passive::<K>(cell());
        }
    } else {
        writer.id(variable.id);
        if const { Need::of(NEED).value() && Id::<K, M>::OWNED } {
            writer.mark_read::<K>(variable.id);
        }
    }
}

impl<K: Kind, M: Carrier> Sealed for Copied<K, M> {}
impl<K: Kind, M: Carrier> Node for Copied<K, M> {
    type Kind = K;
    type Stored = TapeLeaf<K>;
    type Value<'n>
        = BorrowedVariableCell<'n, K, M>
    where
        Self: 'n;
    type Saves = ();
    type Copy<'n>
        = Self
    where
        Self: 'n;
    const QUIET: bool = true;
    #[inline(always)]
    fn copy(&self) -> Self {
        self.clone()
    }
    #[inline(always)]
    fn evaluate(&self) -> (BorrowedVariableCell<'_, K, M>, ()) {
        (BorrowedVariableCell(&self.held), ())
    }
    type Ready<'n>
        = BorrowedVariableCell<'n, K, M>
    where
        Self: 'n;
    #[inline(always)]
    fn push<const N: usize>(&self) -> (BorrowedVariableCell<'_, K, M>, NodeTangents<'_, K, N>) {
        (
            BorrowedVariableCell(&self.held),
            NodeTangents::borrowed(kind::VariableCell::tangents(&self.held)),
        )
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.copied::<K>(self.variable, Id::<K, M>::of_slot(self.version));
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), writer: &mut Writer<'_>) {
        let cell = || K::Policy::cell::<M, _>(&self.held);
        write_variable::<K, M, NEED>(self.variable, cell, writer);
    }
}
impl<K: Kind, M: Carrier> Sealed for ByRef<'_, K, M> {}
impl<K: Kind, M: Carrier> Node for ByRef<'_, K, M> {
    type Kind = K;
    type Stored = TapeLeaf<K>;
    type Value<'n>
        = BorrowedVariable<'n, K, M>
    where
        Self: 'n;
    type Saves = ();
    type Copy<'n>
        = Self
    where
        Self: 'n;
    const QUIET: bool = true;
    #[inline(always)]
    fn copy(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn evaluate(&self) -> (BorrowedVariable<'_, K, M>, ()) {
        (BorrowedVariable(self.0), ())
    }
    type Ready<'n>
        = BorrowedVariable<'n, K, M>
    where
        Self: 'n;
    #[inline(always)]
    fn push<const N: usize>(&self) -> (BorrowedVariable<'_, K, M>, NodeTangents<'_, K, N>) {
        (
            BorrowedVariable(self.0),
            NodeTangents::borrowed(self.0.tangents_ref()),
        )
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.variable::<K>(self.0.variable_id());
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), writer: &mut Writer<'_>) {
        write_variable::<K, M, NEED>(self.0.variable_id(), || self.0.cell(), writer);
    }
}
impl<K: Kind, M: Carrier> Sealed for ByVal<Active<K, M>> {}
impl<K: Kind, M: Carrier> Node for ByVal<Active<K, M>> {
    type Kind = K;
    type Stored = TapeLeaf<K>;
    type Value<'n>
        = BorrowedValue<'n, K>
    where
        Self: 'n;
    type Saves = ();
    type Copy<'n>
        = Copied<K, M>
    where
        Self: 'n;
    const QUIET: bool = true;
    #[inline(always)]
    fn copy(&self) -> Copied<K, M> {
        Copied::new(&self.0)
    }
    #[inline(always)]
    fn evaluate(&self) -> (BorrowedValue<'_, K>, ()) {
        (BorrowedValue(self.0.get()), ())
    }
    type Ready<'n>
        = BorrowedValue<'n, K>
    where
        Self: 'n;
    #[inline(always)]
    fn push<const N: usize>(&self) -> (BorrowedValue<'_, K>, NodeTangents<'_, K, N>) {
        (
            BorrowedValue(self.0.get()),
            NodeTangents::borrowed(self.0.tangents_ref()),
        )
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        visitor.variable::<K>(self.0.variable_id());
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), writer: &mut Writer<'_>) {
        write_variable::<K, M, NEED>(self.0.variable_id(), || self.0.cell(), writer);
    }
}

/// A variable on the tape, with its value if an adjoint reads it.
pub struct TapeLeaf<K: Kind> {
    id: u32,
    mixed: bool,
    value: Option<BorrowedBy<K>>,
}
debug_by_name! { [K: Kind] TapeLeaf<K> }
impl<K: Kind> TapeLeaf<K> {
    #[inline(always)]
    pub(super) fn id(&self) -> u32 {
        self.id
    }
}
impl<K: Kind> Stored for TapeLeaf<K> {
    type Kind = K;
    type Pieces = OfLeaf;
    const FORMULA: Formula = Formula::Variable(type_name::<K>);
    const TREE: &'static Tree = if K::NUMBERS {
        &Tree::Variable
    } else if K::Layout::NUMBERS {
        &Tree::Array(const { &ArrayLeaf::variable::<K>() })
    } else {
        &Tree::Other
    };
    const ACTIVE: bool = true;
    const VARIABLE: bool = true;
    const FIXED: [usize; 3] = [4; 3];
    const DATA: [usize; 3] = [0; 3];
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        _: Option<TapeValue<K>>,
    ) -> Self {
        let id = reader.id();
        let mixed = reader.mixed();
        let value = if const { !Need::of(NEED).value() } {
            None
        } else if mixed && id == NONE {
            let cell = reader.passive::<K>();
            // SAFETY: values of storage kinds are stored on a stack of the tape, which is not written while the node exists: a
            // sweep drops the node before it continues with the next statement.
            #[allow(unsafe_code)]
            Some(unsafe { cell.borrow_raw() })
        } else {
            // SAFETY: while the node exists, a sweep adds to adjoints but does not write slots.
            #[allow(unsafe_code)]
            Some(unsafe { sweep.primal::<K>(id).borrow_raw() })
        };
        TapeLeaf { id, mixed, value }
    }
    #[inline(always)]
    fn value(&self) -> Option<Arg<'_, K>> {
        self.value
            .as_ref()
            .map(|v| arg::<K>(TapeValue::<K>::borrowed(v)))
    }
    fn cell(&self) -> Option<TapeValue<K>> {
        self.value.as_ref().map(TapeValue::<K>::to_shared)
    }
    fn again(&self, sweep: &mut impl Sweep, _: &mut Findings) -> Option<Val<K>> {
        match self.is_active() {
            true => Some(sweep.primal::<K>(self.id).peek().clone()),
            false => Some(TapeValue::<K>::borrowed(self.value.as_ref()?).clone()),
        }
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        !self.mixed || self.id != NONE
    }
    #[inline(always)]
    fn identifier(&self) -> Option<u32> {
        self.is_active().then_some(self.id)
    }
    #[inline(always)]
    fn pull<C: Contribution<K>>(&self, contribution: C, sweep: &mut impl Sweep) {
        add_to_variable::<K, C>(self.id, contribution, sweep);
    }
    const ORDER: Order = Order::Second;
    const DESCRIPTION: &'static Description<K> = &Description::leaf::<Self>();
    fn show(&self, _: &[u8], to: &mut dyn ExpressionVisitor) {
        if self.is_active() {
            to.variable(NamedId::of::<K>(self.id));
        } else {
            to.passive();
        }
    }
}
impl<K: Kind> LeafNode for TapeLeaf<K> {
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        self.is_active() && sweep.depends::<K>(self.id)
    }
    fn tangent_of_leaf(&self, sweep: &mut Directional<'_, '_, '_>) -> Single<Val<K>> {
        match self.is_active() {
            true => sweep.tangent::<K>(self.id),
            false => Single::None,
        }
    }
}

macro_rules! constants { ($([$($lt:lifetime)?] $T:ty, $Value:ident($self:ident => $value:expr), $cell:expr;)*) => { $(
    impl<$($lt,)? K: Kind> Sealed for $T {}
    impl<$($lt,)? K: Kind> Node for $T {
        type Kind = K;
        type Stored = TapeConst<K>;
        type Value<'n> = $Value<'n, K> where Self: 'n;
        type Saves = ();
        type Copy<'n> = Self where Self: 'n;
        const QUIET: bool = K::Encoding::PLAIN;
        #[inline(always)]
        fn copy(&self) -> Self {
            self.clone()
        }
        #[inline(always)]
        fn evaluate(&$self) -> ($Value<'_, K>, ()) {
            ($Value($value), ())
        }
        type Ready<'n> = $Value<'n, K> where Self: 'n;
        #[inline(always)]
        fn push<const N: usize>(&$self) -> ($Value<'_, K>, NodeTangents<'_, K, N>) {
            ($Value($value), NodeTangents::Zero)
        }
        #[inline(always)]
        fn leaves(&self, _: &mut impl LeafVisitor) {}
        #[inline(always)]
        fn constants<const NEED: u8>(&$self, visitor: &mut impl ConstantVisitor) {
            if const { Need::of(NEED).value() && K::Encoding::PLAIN } {
                K::Encoding::show(&$cell, |bytes| visitor.constant(bytes));
            }
        }
        #[inline(always)]
        fn write<const NEED: u8>(&$self, (): (), writer: &mut Writer<'_>) {
            if const { Need::of(NEED).value() && !K::Encoding::PLAIN } {
                let into = writer.fixed(K::Encoding::BYTES);
                K::Encoding::encode($cell, into, |cell| writer.push_constant::<K>(cell));
            }
        }
    }
)* } }
constants! {
    [] Const<K>, BorrowedTapeValue(self => &self.0), self.0.clone();
    ['a] BorrowedConst<'a, K>, BorrowedValue(self => self.0), new_cell::<K>(self.0.clone());
}

pub struct TapeConst<K: Kind>(Option<TapeValue<K>>);
debug_by_name! { [K: Kind] TapeConst<K> }
impl<K: Kind> Stored for TapeConst<K> {
    type Kind = K;
    type Pieces = Gather;
    const FORMULA: Formula = Formula::Constant(type_name::<K>);
    const TREE: &'static Tree = if K::NUMBERS {
        &Tree::Literal
    } else if K::Layout::NUMBERS && !K::Encoding::PLAIN {
        &Tree::Array(const { &ArrayLeaf::constant::<K>() })
    } else {
        &Tree::Other
    };
    const ACTIVE: bool = false;
    const FIXED: [usize; 3] = [
        0,
        if K::Encoding::PLAIN {
            0
        } else {
            K::Encoding::BYTES
        },
        0,
    ];
    const CONSTANTS: [usize; 3] = [
        0,
        if K::Encoding::PLAIN {
            K::Encoding::BYTES
        } else {
            0
        },
        0,
    ];
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        _: &mut impl ReadValues,
        _: Option<TapeValue<K>>,
    ) -> Self {
        if const { !Need::of(NEED).value() } {
            return TapeConst(None);
        }
        let bytes = if K::Encoding::PLAIN {
            reader.constant(K::Encoding::BYTES)
        } else {
            reader.fixed(K::Encoding::BYTES)
        };
        TapeConst(Some(K::Encoding::decode(bytes, |place| reader.peek(place))))
    }
    #[inline(always)]
    fn value(&self) -> Option<Arg<'_, K>> {
        self.0.as_ref().map(|v| arg::<K>(v.peek()))
    }
    fn cell(&self) -> Option<TapeValue<K>> {
        self.0.clone()
    }
    fn again(&self, _: &mut impl Sweep, _: &mut Findings) -> Option<Val<K>> {
        Some(self.0.as_ref()?.peek().clone())
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        false
    }
    #[inline(always)]
    fn pull<C: Contribution<K>>(&self, _: C, _: &mut impl Sweep) {}
    const ORDER: Order = Order::Second;
    const DESCRIPTION: &'static Description<K> = &Description::leaf::<Self>();
    fn show(&self, _: &[u8], to: &mut dyn ExpressionVisitor) {
        to.passive();
    }
}
impl<K: Kind> LeafNode for TapeConst<K> {}

/// The right-hand side of a passive value.
pub(crate) struct Nothing<K>(std::marker::PhantomData<K>);
impl<K: Kind> Stored for Nothing<K> {
    type Kind = K;
    type Pieces = Gather;
    const FORMULA: Formula = Formula::Variable(type_name::<K>);
    const ACTIVE: bool = false;
    const FIXED: [usize; 3] = [0; 3];
    fn load<const PIECES: bool, const NEED: u8>(
        _: &mut Reader<'_>,
        _: &mut impl ReadValues,
        _: Option<TapeValue<K>>,
    ) -> Self {
        Nothing(std::marker::PhantomData)
    }
    fn value(&self) -> Option<Arg<'_, K>> {
        None
    }
    fn is_active(&self) -> bool {
        false
    }
    fn pull<C: Contribution<K>>(&self, _: C, _: &mut impl Sweep) {}
    const ORDER: Order = Order::Second;
    const DESCRIPTION: &'static Description<K> = &Description::leaf::<Self>();
    fn show(&self, _: &[u8], to: &mut dyn ExpressionVisitor) {
        to.passive();
    }
}
impl<K: Kind> LeafNode for Nothing<K> {}

#[derive(Clone, Copy, Debug)]
pub struct OfLeaf;
impl<K: Kind> StoredPieces<TapeLeaf<K>> for OfLeaf {
    type Source<'s> = Direct<'s, K, StoredActivity<TapeLeaf<K>>>;
    type Sums = ();
    type Blocks = PieceBlock<K>;
    #[inline(always)]
    fn source<'s>(node: &'s TapeLeaf<K>, _: &'s impl Slots) -> Self::Source<'s> {
        Direct::new(node.value())
    }
    #[inline(always)]
    fn open(node: &TapeLeaf<K>, shape: Shape<K>, (): &mut (), sweep: &mut impl Sweep) {
        if node.is_active() {
            if K::Policy::STORAGE
                && let Some(value) = sweep.stored::<K>(node.id())
            {
                assert_shape::<K>(shape, value.peek());
            }
            sweep.add_to_adjoint::<K>(node.id(), |adjoint| K::Layout::open(adjoint, shape));
        }
    }
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapeLeaf<K>,
        i: usize,
        _: &ValuesOf<'s, TapeLeaf<K>>,
        r_b: Piece<K>,
        block: &mut PieceBlock<K>,
    ) {
        K::Layout::put(block, i, r_b);
    }
    #[inline(always)]
    fn finish(
        node: &TapeLeaf<K>,
        at: At,
        block: &mut PieceBlock<K>,
        (): &mut (),
        sweep: &mut impl Sweep,
    ) {
        if node.is_active() {
            sweep.add_to_adjoint::<K>(node.id(), |adjoint| {
                K::Layout::add_block(adjoint, at, block)
            });
        }
    }
    #[inline(always)]
    fn close(_: &TapeLeaf<K>, (): (), _: &mut impl Sweep) {}
}

/// A value that new variables may share.
pub struct BorrowedVariable<'n, K: Kind, M: Carrier>(pub &'n Active<K, M>);
debug_by_name! { ['n, K: Kind, M: Carrier] BorrowedVariable<'n, K, M> }
impl<K: Kind, M: Carrier> Evaluated<K> for BorrowedVariable<'_, K, M> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(self.0.get())
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        self.0.get().clone()
    }
    #[inline(always)]
    fn cell(self) -> TapeValue<K> {
        self.0.cell()
    }
}
pub struct BorrowedVariableCell<'n, K: Kind, M: Carrier>(&'n VariableCellOf<K, M>);
debug_by_name! { ['n, K: Kind, M: Carrier] BorrowedVariableCell<'n, K, M> }
impl<'n, K: Kind, M: Carrier> BorrowedVariableCell<'n, K, M> {
    #[inline(always)]
    pub(super) fn new(held: &'n VariableCellOf<K, M>) -> Self {
        BorrowedVariableCell(held)
    }
}
impl<K: Kind, M: Carrier> Evaluated<K> for BorrowedVariableCell<'_, K, M> {
    #[inline(always)]
    fn arg(&self) -> Arg<'_, K> {
        arg::<K>(kind::VariableCell::peek(self.0))
    }
    #[inline(always)]
    fn own(self) -> Val<K> {
        kind::VariableCell::peek(self.0).clone()
    }
    #[inline(always)]
    fn cell(self) -> TapeValue<K> {
        K::Policy::cell::<M, _>(self.0)
    }
}
evaluated! { [K: Kind, M: Carrier] BorrowedVariable<'_, K, M>, K; [K: Kind, M: Carrier] BorrowedVariableCell<'_, K, M>, K; }

//! Slices of plain numbers, with their values in the statement.
//!
//! ```text
//! fixed   [ length ], if an adjoint reads the numbers
//! list    [ numbers ], likewise
//! ```
use crate::{
    formula::Formula,
    kind::{
        Arg, At, Contribution, Kind, List, Need, Needed, Pieces, TapeValue, Val, index::Linear,
    },
    node::{
        Description, ExpressionVisitor, LeafNode, LeafVisitor, Node, NodeTangents, OwnedValue,
        Produce, Stored, StoredPieces, Tree, ValuesOf,
    },
    order::Order,
    sealed::Sealed,
    store::{ListSpan, Reader, Writer},
    sweep::{ReadValues, Scratch, Slots, StatementValues, Sweep},
};
use bytemuck::Pod;
use std::{any::type_name, mem::ManuallyDrop};

/// A kind of plain numbers.
pub trait PlainKind: Kind<Policy = Linear, Value: Pod> {
    /// The bytes of a number without alignment.
    type Bytes: Pod;
}
impl PlainKind for f64 {
    type Bytes = [u8; size_of::<f64>()];
}
impl PlainKind for f32 {
    type Bytes = [u8; size_of::<f32>()];
}

/// The numbers of a slice as one node.
pub struct PlainNumbers<'a, K: PlainKind>(pub &'a [Val<K>]);
debug_by_name! { ['a, K: PlainKind] PlainNumbers<'a, K> }
impl<K: PlainKind> Clone for PlainNumbers<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K: PlainKind> Copy for PlainNumbers<'_, K> {}

impl<K: PlainKind> Sealed for PlainNumbers<'_, K> {}
impl<K: PlainKind> Node for PlainNumbers<'_, K> {
    type Kind = List<K>;
    type Stored = TapeNumbers<K>;
    type Value<'n>
        = GivenNumbers<'n, K>
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
    fn evaluate(&self) -> (GivenNumbers<'_, K>, ()) {
        (GivenNumbers(self.0), ())
    }
    type Ready<'n>
        = OwnedValue<List<K>>
    where
        Self: 'n;
    fn push<const N: usize>(&self) -> (OwnedValue<List<K>>, NodeTangents<'_, List<K>, N>) {
        (GivenNumbers::<K>(self.0).ready(), NodeTangents::Zero)
    }
    #[inline(always)]
    fn leaves(&self, _: &mut impl LeafVisitor) {}
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        if const { Need::of(NEED).value() } {
            size_of_val(self.0)
        } else {
            0
        }
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), writer: &mut Writer<'_>) {
        if const { Need::of(NEED).value() } {
            writer.elements::<K::Bytes>(self.0.iter().map(|&x| bytemuck::cast(x)));
        }
    }
}

/// The numbers of a slice, read in place.
pub struct GivenNumbers<'n, K: PlainKind>(&'n [Val<K>]);
debug_by_name! { ['n, K: PlainKind] GivenNumbers<'n, K> }
impl<K: PlainKind> Produce<List<K>> for GivenNumbers<'_, K> {
    type Ready = OwnedValue<List<K>>;
    #[inline]
    fn ready(self) -> OwnedValue<List<K>> {
        OwnedValue(self.0.to_vec())
    }
    type Pieces<'p>
        = GivenNumbers<'p, K>
    where
        Self: 'p;
    #[inline(always)]
    fn pieces(&self) -> GivenNumbers<'_, K> {
        GivenNumbers(self.0)
    }
    #[inline(always)]
    fn shape(&self) -> usize {
        self.0.len()
    }
}
impl<K: PlainKind> Pieces<List<K>> for GivenNumbers<'_, K> {
    const ACTIVE: bool = false;
    type Values = Val<K>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        GivenNumbers(block.of(self.0))
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Val<K> {
        self.0[i]
    }
    #[inline(always)]
    fn piece(value: &Val<K>) -> Option<Val<K>> {
        Some(*value)
    }
    #[inline(always)]
    fn shape(&self) -> usize {
        self.0.len()
    }
}

/// Numbers on the tape.
pub struct TapeNumbers<K: PlainKind> {
    place: Option<ListSpan>,
    gathered: ManuallyDrop<Option<Scratch<Vec<TapeValue<K>>>>>,
}
debug_by_name! { [K: PlainKind] TapeNumbers<K> }
impl<K: PlainKind> TapeNumbers<K> {
    #[inline(always)]
    fn return_gathered(&mut self, sweep: &mut impl Sweep) {
        if let Some(values) = self.gathered.take() {
            sweep.return_scratch(values);
        }
    }
}
impl<K: PlainKind> Stored for TapeNumbers<K> {
    type Kind = List<K>;
    type Pieces = OfNumbers;
    const FORMULA: Formula = Formula::Constant(type_name::<List<K>>);
    const TREE: &'static Tree = match K::NUMBERS {
        true => &Tree::NumberList,
        false => &Tree::Other,
    };
    const ACTIVE: bool = false;
    const FIXED: [usize; 3] = [0, 4, 0];
    const DYNAMIC: bool = true;
    const TELLS_SIZE: bool = true;
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        _: Option<TapeValue<List<K>>>,
    ) -> Self {
        let place =
            const { Need::of(NEED).value() }.then(|| reader.elements(size_of::<K::Bytes>()));
        let in_place = PIECES && sweep.in_place();
        let gathered = place.filter(|_| !in_place).map(|place| {
            let mut values = sweep.take_scratch::<Vec<TapeValue<K>>>();
            values.clear();
            let numbers = bytemuck::cast_slice::<_, K::Bytes>(place.of(sweep.variable_length()));
            let each = numbers.iter();
            values.extend(each.map(|&bytes| bytemuck::cast::<_, Val<K>>(bytes)));
            values
        });
        TapeNumbers {
            place,
            gathered: ManuallyDrop::new(gathered),
        }
    }
    fn value(&self) -> Option<Arg<'_, List<K>>> {
        self.gathered.as_deref()
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        false
    }
    #[inline(always)]
    fn pull<C: Contribution<List<K>>>(&self, _: C, _: &mut impl Sweep) {}
    const TAKES_SCRATCH: bool = true;
    #[inline(always)]
    fn done(mut self, sweep: &mut impl Sweep) {
        self.return_gathered(sweep);
    }
    const ORDER: Order = Order::Second;
    const DESCRIPTION: &'static Description<List<K>> = &Description::leaf::<Self>();
    fn show(&self, _: &[u8], to: &mut dyn ExpressionVisitor) {
        to.passive();
    }
}
impl<K: PlainKind> LeafNode for TapeNumbers<K> {
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>) {
        self.return_gathered(sweep);
    }
}

/// Reads pieces of numbers.
#[derive(Clone, Copy, Debug)]
pub struct OfNumbers;
impl<K: PlainKind> StoredPieces<TapeNumbers<K>> for OfNumbers {
    type Source<'s> = SweptNumbers<'s, K>;
    type Sums = ();
    type Blocks = ();
    #[inline(always)]
    fn source<'s>(node: &'s TapeNumbers<K>, slots: &'s impl Slots) -> SweptNumbers<'s, K> {
        let bytes: &[u8] = match (node.gathered.as_deref(), node.place) {
            (Some(gathered), _) => bytemuck::cast_slice(gathered),
            (None, Some(place)) => place.of(slots.variable_length()),
            (None, None) => &[],
        };
        SweptNumbers(bytemuck::cast_slice(bytes))
    }
    #[inline(always)]
    fn open(_: &TapeNumbers<K>, _: usize, (): &mut (), _: &mut impl Sweep) {}
    #[inline(always)]
    fn pull<'s>(
        _: &'s TapeNumbers<K>,
        _: usize,
        _: &ValuesOf<'s, TapeNumbers<K>>,
        _: Val<K>,
        (): &mut (),
    ) {
    }
    #[inline(always)]
    fn finish(_: &TapeNumbers<K>, _: At, (): &mut (), (): &mut (), _: &mut impl Sweep) {}
    #[inline(always)]
    fn close(_: &TapeNumbers<K>, (): (), _: &mut impl Sweep) {}
}
/// Reads the numbers of a statement from bytes.
pub struct SweptNumbers<'s, K: PlainKind>(&'s [K::Bytes]);
debug_by_name! { ['s, K: PlainKind] SweptNumbers<'s, K> }
impl<K: PlainKind> Pieces<List<K>> for SweptNumbers<'_, K> {
    const ACTIVE: bool = false;
    type Values = Option<Val<K>>;
    #[inline(always)]
    fn within<N: Needed>(&self, block: At) -> Self {
        SweptNumbers(match N::NEED.value() {
            true => block.of(self.0),
            false => &[],
        })
    }
    #[inline(always)]
    fn values<N: Needed>(&self, i: usize) -> Option<Val<K>> {
        N::NEED.value().then(|| bytemuck::cast(self.0[i]))
    }
    #[inline(always)]
    fn piece(values: &Option<Val<K>>) -> Option<Val<K>> {
        *values
    }
    #[inline(always)]
    fn shape(&self) -> usize {
        self.0.len()
    }
}

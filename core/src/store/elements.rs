//! Memory for sweeps along directions over lists of numbers. Elements below a reduction are computed in blocks, with
//! slots as in [`Planes`](super::Planes). The arguments of a reduction are whole vectors.
use super::planes::{OperationContext, PlaneSlots};
use crate::{kind::BLOCK, machine::PieceLoop, repeat::array_of};
use std::mem::take;

/// A block of elements.
pub(crate) type Block = [f64; BLOCK];
/// Blocks by slot. A slot can share that of an earlier one.
#[derive(Debug, Default)]
pub struct ElementPlane {
    blocks: Vec<Block>,
    places: Vec<u8>,
}
impl ElementPlane {
    /// Gives each slot its own block.
    fn reserve(&mut self, slots: usize, were_shared: bool) {
        let known = self.places.len();
        if known < slots {
            self.blocks.resize(slots, [-0.0; BLOCK]);
            self.places.resize(slots, 0);
        }
        if known < slots || were_shared {
            let places = self.places.iter_mut().zip(0..);
            places.for_each(|(place, slot)| *place = slot);
        }
    }
    #[inline(always)]
    fn place(&self, slot: u8) -> usize {
        usize::from(self.places[usize::from(slot)])
    }
    #[inline(always)]
    pub(crate) fn block(&self, slot: u8) -> &Block {
        &self.blocks[self.place(slot)]
    }
    #[inline(always)]
    pub(crate) fn of(&self, slot: u8, length: usize) -> &[f64] {
        &self.block(slot)[..length]
    }
    #[inline(always)]
    pub(crate) fn of_mut(&mut self, slot: u8, length: usize) -> &mut [f64] {
        let place = self.place(slot);
        &mut self.blocks[place][..length]
    }
    /// Returns a loop that adds the elements of a slot to those of an earlier one.
    pub(crate) fn adding(&mut self, slot: u8, to: u8, length: usize) -> impl PieceLoop {
        let to = self.place(to);
        let (before, elements) = self.split(slot);
        SumOfSlots(&mut before[to][..length], elements)
    }
    #[inline(always)]
    fn split(&mut self, slot: u8) -> (&mut [Block], &mut Block) {
        let place = self.place(slot);
        let (before, rest) = self.blocks.split_at_mut(place);
        (before, &mut rest[0])
    }
    #[inline(always)]
    pub(crate) fn of_operation<const I: usize>(
        &mut self,
        place: PlaneSlots,
    ) -> ([&Block; I], &mut Block) {
        let places = place.arguments.map(|slot| self.place(slot));
        let (before, result) = self.split(place.result);
        let argument = |i: usize| &before[places[i]];
        (array_of(argument), result)
    }
    #[inline(always)]
    pub(crate) fn argument_mut(&mut self, i: usize, place: PlaneSlots) -> (&mut Block, &Block) {
        let argument = self.place(place.arguments[i]);
        let (before, result) = self.split(place.result);
        (&mut before[argument], result)
    }
}
struct SumOfSlots<'e>(&'e mut [f64], &'e [f64]);
impl PieceLoop for SumOfSlots<'_> {
    #[inline(always)]
    fn run(self) {
        let each = self.0.iter_mut().zip(self.1);
        each.for_each(|(sum, x)| *sum += *x);
    }
}
#[derive(Debug)]
pub(crate) struct ElementBlock<const N: usize> {
    pub(crate) values: ElementPlane,
    pub(crate) tangents: [ElementPlane; N],
    pub(crate) adjoints: ElementPlane,
    pub(crate) directional: [ElementPlane; N],
    pub(crate) length: usize,
}
impl<const N: usize> Default for ElementBlock<N> {
    fn default() -> Self {
        ElementBlock {
            values: ElementPlane::default(),
            tangents: std::array::from_fn(|_| ElementPlane::default()),
            adjoints: ElementPlane::default(),
            directional: std::array::from_fn(|_| ElementPlane::default()),
            length: 0,
        }
    }
}
impl<const N: usize> ElementBlock<N> {
    fn planes(&mut self) -> impl Iterator<Item = &mut ElementPlane> {
        let directional = self.tangents.iter_mut().chain(&mut self.directional);
        [&mut self.values, &mut self.adjoints]
            .into_iter()
            .chain(directional)
    }
}

#[derive(Debug)]
pub(crate) struct WholeList<const N: usize> {
    pub(crate) values: Vec<f64>,
    pub(crate) tangents: [Vec<f64>; N],
    pub(crate) adjoint: Vec<f64>,
    pub(crate) directional: [Vec<f64>; N],
}
impl<const N: usize> Default for WholeList<N> {
    fn default() -> Self {
        WholeList {
            values: Vec::new(),
            tangents: [const { Vec::new() }; N],
            adjoint: Vec::new(),
            directional: [const { Vec::new() }; N],
        }
    }
}
pub(crate) type Arguments<const N: usize> = [WholeList<N>; 3];

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListPlace {
    pub(crate) start: usize,
    /// 0 for an array.
    pub(crate) length: usize,
    pub(crate) passive: usize,
    pub(crate) id: u32,
    /// An earlier leaf of the same loop with the same elements.
    pub(crate) same: Option<usize>,
    /// Whether this leaf, or a later one with the same elements, is read.
    pub(crate) value: bool,
    /// Like `value`, for tangents in a sweep to second order.
    pub(crate) bends: bool,
}
#[derive(Default)]
pub(crate) struct Lists<const N: usize> {
    pub(crate) block: ElementBlock<N>,
    pub(crate) arguments: Vec<Arguments<N>>,
    pub(crate) places: Vec<ListPlace>,
    /// Equal for leaves with the same elements.
    pub(crate) keys: Vec<u64>,
    are_shared: bool,
}
impl<const N: usize> Lists<N> {
    pub(crate) fn reserve(&mut self, slots: usize, reductions: usize, lists: usize) {
        let were_shared = take(&mut self.are_shared);
        let planes = self.block.planes();
        planes.for_each(|plane| plane.reserve(slots, were_shared));
        if self.arguments.len() < reductions {
            self.arguments.resize_with(reductions, Default::default);
        }
        self.places.clear();
        self.keys.clear();
        self.places.resize(lists, ListPlace::default());
    }
    /// Lets a slot read the values and tangents of an earlier one.
    pub(crate) fn share(&mut self, slot: u8, with: u8) {
        self.are_shared = true;
        let planes = [&mut self.block.values].into_iter();
        for plane in planes.chain(&mut self.block.tangents) {
            plane.places[usize::from(slot)] = with;
        }
    }
    pub(crate) fn held(&self) -> usize {
        let lists = self.arguments.iter().flatten();
        let lists = lists.map(|list| {
            let directional = list.tangents.iter().chain(&list.directional);
            let numbers: usize = directional.map(Vec::capacity).sum();
            8 * (numbers + list.values.capacity() + list.adjoint.capacity())
        });
        let ElementBlock {
            values,
            tangents,
            adjoints,
            directional,
            ..
        } = &self.block;
        let planes = tangents.iter().chain(directional).chain([values, adjoints]);
        let planes = planes
            .map(|plane| size_of::<Block>() * plane.blocks.capacity() + plane.places.capacity());
        size_of::<Self>()
            + planes.sum::<usize>()
            + self.arguments.capacity() * size_of::<Arguments<N>>()
            + self.places.capacity() * size_of::<ListPlace>()
            + self.keys.capacity() * size_of::<u64>()
            + lists.sum::<usize>()
    }
}

/// An elementary function for a block of elements.
pub struct ElementFunctions {
    pub(crate) value: fn(&mut ElementPlane, usize, &mut OperationContext<'_>, PlaneSlots),
    pub(crate) tangents:
        fn(&ElementPlane, &mut ElementPlane, usize, &mut OperationContext<'_>, PlaneSlots),
    pub(crate) adjoint:
        fn(&ElementPlane, &mut ElementPlane, usize, &mut OperationContext<'_>, PlaneSlots),
    pub(crate) second: fn(
        [&ElementPlane; 2],
        [&mut ElementPlane; 2],
        usize,
        &mut OperationContext<'_>,
        PlaneSlots,
    ),
    /// Whether adjoints that are set can have unset contributions, or derivatives depend on zeros.
    pub(crate) has_cases: bool,
}
debug_by_name! { [] ElementFunctions }

pub(crate) struct ReductionInputs<'l> {
    pub(crate) place: PlaneSlots,
    pub(crate) saved: u16,
    pub(crate) value: f64,
    pub(crate) values: [&'l Vec<f64>; 3],
    pub(crate) tangents: [&'l Vec<f64>; 3],
}
/// Tangent, adjoint and adjoint's tangent (`directional`) of a reduction, and the adjoints of its arguments.
pub(crate) struct ReductionBack<'l> {
    pub(crate) tangent: f64,
    pub(crate) adjoint: f64,
    pub(crate) directional: f64,
    pub(crate) adjoints: [&'l mut Vec<f64>; 3],
    pub(crate) directional_adjoints: [&'l mut Vec<f64>; 3],
}
/// A reduction of lists of numbers.
pub struct ReductionFunctions {
    pub(crate) value: fn([&Vec<f64>; 3], &mut OperationContext<'_>, PlaneSlots) -> f64,
    pub(crate) length: fn(&mut OperationContext<'_>, PlaneSlots, u16) -> usize,
    pub(crate) tangent: fn(&ReductionInputs<'_>, &mut OperationContext<'_>) -> f64,
    pub(crate) second: fn(&ReductionInputs<'_>, ReductionBack<'_>, &mut OperationContext<'_>),
}
debug_by_name! { [] ReductionFunctions }

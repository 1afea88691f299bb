//! Memory for sweeps along directions over lists of numbers. Elements below a reduction are computed in blocks, with
//! slots as in [`Planes`](super::Planes). The arguments of a reduction are whole vectors.
use super::planes::{OperationContext, PlaneSlots};
use crate::kind::BLOCK;

/// Numbers by slot; the elements of a slot are contiguous.
#[derive(Debug, Default)]
pub struct ElementPlane(Vec<f64>);
impl ElementPlane {
    fn reserve(&mut self, slots: usize) {
        if self.0.len() < slots * BLOCK {
            self.0.resize(slots * BLOCK, -0.0);
        }
    }
    #[inline(always)]
    pub(crate) fn of(&self, slot: u8, length: usize) -> &[f64] {
        &self.0[usize::from(slot) * BLOCK..][..length]
    }
    #[inline(always)]
    pub(crate) fn of_mut(&mut self, slot: u8, length: usize) -> &mut [f64] {
        &mut self.0[usize::from(slot) * BLOCK..][..length]
    }
    /// Adds the elements of a slot to those of an earlier one.
    pub(crate) fn add(&mut self, slot: u8, to: u8, length: usize) {
        let (before, elements) = self.0.split_at_mut(usize::from(slot) * BLOCK);
        let sums = &mut before[usize::from(to) * BLOCK..][..length];
        for (sum, x) in sums.iter_mut().zip(elements) {
            *sum += *x;
        }
    }
    #[inline(always)]
    pub(crate) fn of_operation<const I: usize>(
        &mut self,
        place: PlaneSlots,
        length: usize,
    ) -> ([&[f64]; I], &mut [f64]) {
        let (before, result) = self.0.split_at_mut(usize::from(place.result) * BLOCK);
        let argument = |i: usize| &before[usize::from(place.arguments[i]) * BLOCK..][..length];
        (std::array::from_fn(argument), &mut result[..length])
    }
    #[inline(always)]
    pub(crate) fn argument_mut(
        &mut self,
        i: usize,
        place: PlaneSlots,
        length: usize,
    ) -> (&mut [f64], &[f64]) {
        let (before, result) = self.0.split_at_mut(usize::from(place.result) * BLOCK);
        let argument = &mut before[usize::from(place.arguments[i]) * BLOCK..][..length];
        (argument, &result[..length])
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
            tangents: [const { ElementPlane(Vec::new()) }; N],
            adjoints: ElementPlane::default(),
            directional: [const { ElementPlane(Vec::new()) }; N],
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
}
#[derive(Default)]
pub(crate) struct Lists<const N: usize> {
    pub(crate) block: ElementBlock<N>,
    pub(crate) arguments: Vec<Arguments<N>>,
    pub(crate) places: Vec<ListPlace>,
}
impl<const N: usize> Lists<N> {
    pub(crate) fn reserve(&mut self, slots: usize, reductions: usize, lists: usize) {
        self.block.planes().for_each(|plane| plane.reserve(slots));
        if self.arguments.len() < reductions {
            self.arguments.resize_with(reductions, Default::default);
        }
        self.places.clear();
        self.places.resize(lists, ListPlace::default());
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
        let numbers: usize = planes.map(|plane| plane.0.capacity()).sum();
        size_of::<Self>()
            + 8 * numbers
            + self.arguments.capacity() * size_of::<Arguments<N>>()
            + self.places.capacity() * size_of::<ListPlace>()
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

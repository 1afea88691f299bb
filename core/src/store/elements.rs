//! Elements of lists of numbers, and the memory in which a statement with lists is swept along directions.
//!
//! The elements of the lists below one reduction are computed in blocks. In a block each node has a slot, as in [`Planes`]. The arguments of
//! the reduction itself stand in memory as a whole, as its rule reads them.
use super::planes::{Beside, Place, Planes};

/// How many numbers a slot of a block has: elements times directions.
const BLOCK: usize = 128;

/// A block of elements, with tangents along `N` directions. The elements of a slot follow each other.
pub(crate) struct Elements<const N: usize> {
    pub(crate) values: Vec<f64>,
    pub(crate) tangents: Vec<[f64; N]>,
    pub(crate) adjoints: Vec<f64>,
    pub(crate) along: Vec<[f64; N]>,
    /// How many elements the block has.
    pub(crate) length: usize,
}
debug_by_name! { [const N: usize] Elements<N> }
impl<const N: usize> Elements<N> {
    /// The most elements of a block.
    pub(crate) const LENGTH: usize = BLOCK / N;
    /// Makes room for this many slots.
    fn make_room(&mut self, slots: usize) {
        let numbers = slots * Self::LENGTH;
        if self.values.len() < numbers {
            self.values.resize(numbers, 0.0);
            self.tangents.resize(numbers, [0.0; N]);
            self.adjoints.resize(numbers, -0.0);
            self.along.resize(numbers, [-0.0; N]);
        }
    }
}
/// Where a slot begins.
#[inline(always)]
pub(crate) fn start_of<const N: usize>(slot: u8) -> usize {
    usize::from(slot) * Elements::<N>::LENGTH
}
/// The elements of a slot.
#[inline(always)]
pub(crate) fn slot<T, const N: usize>(all: &[T], slot: u8, length: usize) -> &[T] {
    &all[start_of::<N>(slot)..][..length]
}
/// The elements of a slot, mutably.
#[inline(always)]
pub(crate) fn slot_mut<T, const N: usize>(all: &mut [T], slot: u8, length: usize) -> &mut [T] {
    &mut all[start_of::<N>(slot)..][..length]
}

/// An argument of a reduction: its elements, their tangents for each direction, its adjoint and the tangents of that.
#[derive(Debug)]
pub(crate) struct WholeList<const N: usize> {
    pub(crate) values: Vec<f64>,
    pub(crate) tangents: [Vec<f64>; N],
    pub(crate) adjoint: Vec<f64>,
    pub(crate) along: [Vec<f64>; N],
}
impl<const N: usize> Default for WholeList<N> {
    fn default() -> Self {
        WholeList {
            values: Vec::new(),
            tangents: [const { Vec::new() }; N],
            adjoint: Vec::new(),
            along: [const { Vec::new() }; N],
        }
    }
}
/// The arguments of a reduction.
pub(crate) type Arguments<const N: usize> = [WholeList<N>; 3];

/// Where a list stands in the loose part of a statement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListPlace {
    pub(crate) start: usize,
    pub(crate) length: usize,
    /// Where the values of its passive variables begin.
    pub(crate) passive: usize,
}
/// The lists of the statement that is swept.
pub(crate) struct Lists<const N: usize> {
    pub(crate) block: Elements<N>,
    /// The arguments of each reduction.
    pub(crate) arguments: Vec<Arguments<N>>,
    pub(crate) places: Vec<ListPlace>,
}
impl<const N: usize> Default for Lists<N> {
    fn default() -> Self {
        Lists {
            block: Elements {
                values: Vec::new(),
                tangents: Vec::new(),
                adjoints: Vec::new(),
                along: Vec::new(),
                length: 0,
            },
            arguments: Vec::new(),
            places: Vec::new(),
        }
    }
}
impl<const N: usize> Lists<N> {
    /// Makes room for a statement with so many slots, reductions and lists.
    pub(crate) fn make_room(&mut self, slots: usize, reductions: usize, lists: usize) {
        self.block.make_room(slots);
        if self.arguments.len() < reductions {
            self.arguments.resize_with(reductions, Default::default);
        }
        self.places.clear();
        self.places.resize(lists, ListPlace::default());
    }
    /// Bytes allocated.
    pub(crate) fn held(&self) -> usize {
        let lists = self.arguments.iter().flatten();
        let lists = lists.map(|list| {
            let along = list.tangents.iter().chain(&list.along);
            let numbers: usize = along.map(Vec::capacity).sum();
            8 * (numbers + list.values.capacity() + list.adjoint.capacity())
        });
        let block = &self.block;
        let numbers = block.values.capacity() + block.adjoints.capacity();
        let along = block.tangents.capacity() + block.along.capacity();
        8 * (numbers + N * along)
            + self.arguments.capacity() * size_of::<Arguments<N>>()
            + self.places.capacity() * size_of::<ListPlace>()
            + lists.sum::<usize>()
    }
}

/// Computes elements of the result of an operation. The numbers are the size of a slot and the number of elements.
pub(crate) type ElementValue = fn(&mut [f64], [usize; 2], &mut Beside<'_>, Place);
/// Computes tangents of elements, or passes on their adjoints and the tangents of these.
pub(crate) type OnElements<const N: usize> = fn(&mut Elements<N>, &mut Beside<'_>, Place);
/// The functions for `N` directions.
#[derive(Clone, Copy)]
pub(crate) struct ElementsAlong<const N: usize> {
    pub(crate) tangents: OnElements<N>,
    pub(crate) second: OnElements<N>,
}
/// The functions of an elementary function for elements of lists.
pub struct ElementFunctions {
    pub(crate) value: ElementValue,
    pub(crate) one: ElementsAlong<1>,
    pub(crate) many: ElementsAlong<8>,
}
debug_by_name! { [] ElementFunctions }

/// Computes a reduction.
pub(crate) type ReductionValue = fn([&Vec<f64>; 3], &mut Beside<'_>, Place) -> f64;
/// Computes tangents of a reduction, or the adjoints of its arguments and their tangents. The number is the place of its saved
/// intermediates in the fixed part.
pub(crate) type OnReduction<const N: usize> =
    fn(&mut Planes<N>, &mut Arguments<N>, &mut Beside<'_>, Place, u16);
/// The functions for `N` directions.
#[derive(Clone, Copy)]
pub(crate) struct ReductionAlong<const N: usize> {
    pub(crate) tangents: OnReduction<N>,
    pub(crate) second: OnReduction<N>,
}
/// The functions of a reduction of lists of numbers.
pub struct ReductionFunctions {
    pub(crate) value: ReductionValue,
    /// How many elements the argument has.
    pub(crate) length: fn(&mut Beside<'_>, Place, u16) -> usize,
    pub(crate) one: ReductionAlong<1>,
    pub(crate) many: ReductionAlong<8>,
}
debug_by_name! { [] ReductionFunctions }

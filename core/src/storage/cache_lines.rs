//! Groups of elements of equal size, aligned to cache lines.
use super::{
    column::Column,
    pages::{LINE, prefetch},
};
use crate::error::Error;

pub struct CacheLineColumns<T: 'static, const N: usize> {
    all: Column<T>,
    skip: usize,
}
debug_by_name! { [T: 'static, const N: usize] CacheLineColumns<T, N> }
impl<T, const N: usize> CacheLineColumns<T, N> {
    const BEFORE: usize = match (N * size_of::<T>()).checked_rem(LINE) {
        Some(0) if size_of::<T>() > 0 && LINE.is_multiple_of(size_of::<T>()) => {
            LINE / size_of::<T>() - 1
        }
        _ => 0,
    };
    pub(crate) fn held(&self) -> usize {
        self.all.held()
    }
    pub(crate) fn all(&mut self) -> &mut [T] {
        &mut self.all
    }
    #[inline(always)]
    pub(crate) fn find(&self, id: u32) -> Option<&[T; N]> {
        self.all.get(self.skip + id as usize * N..)?.first_chunk()
    }
}

pub trait PerIdentifier<X>: Default {
    fn resize(&mut self, len: usize, new: X) -> Result<(), Error>;
    fn get(&self, id: u32) -> &X;
    fn at(&mut self, id: u32) -> &mut X;
    fn prefetch(&self, id: u32, ahead: isize);
    fn held(&self) -> usize;
}
impl<X: Clone> PerIdentifier<X> for Column<X> {
    fn resize(&mut self, len: usize, new: X) -> Result<(), Error> {
        self.truncate(len);
        self.resize_with(len, || new.clone())
    }
    #[inline(always)]
    fn get(&self, id: u32) -> &X {
        &self[id as usize]
    }
    #[inline(always)]
    fn at(&mut self, id: u32) -> &mut X {
        &mut self[id as usize]
    }
    fn held(&self) -> usize {
        Column::held(self)
    }
    #[inline(always)]
    fn prefetch(&self, id: u32, ahead: isize) {
        let x = self.as_ptr().wrapping_add(id as usize);
        prefetch(x.wrapping_byte_offset(ahead));
    }
}
impl<T, const N: usize> Default for CacheLineColumns<T, N> {
    fn default() -> Self {
        CacheLineColumns {
            all: Column::new(),
            skip: 0,
        }
    }
}
impl<T: Clone, const N: usize> PerIdentifier<[T; N]> for CacheLineColumns<T, N> {
    fn resize(&mut self, len: usize, new: [T; N]) -> Result<(), Error> {
        let len = len * N + Self::BEFORE;
        self.all.truncate(len);
        let mut new = new.iter().cycle().cloned();
        self.all
            .resize_with(len, || new.next().expect("a group is not empty"))?;
        self.skip = self.all.as_ptr().align_offset(LINE).min(Self::BEFORE);
        Ok(())
    }
    #[inline(always)]
    fn get(&self, id: u32) -> &[T; N] {
        match self.find(id) {
            Some(group) => group,
            None => unknown(),
        }
    }
    #[inline(always)]
    fn at(&mut self, id: u32) -> &mut [T; N] {
        let at = self.skip + id as usize * N;
        match self.all[at..].first_chunk_mut() {
            Some(group) => group,
            None => unknown(),
        }
    }
    fn held(&self) -> usize {
        CacheLineColumns::held(self)
    }
    #[inline(always)]
    fn prefetch(&self, id: u32, ahead: isize) {
        let group = self.all.as_ptr().wrapping_add(id as usize * N);
        prefetch(group.wrapping_byte_offset(ahead));
    }
}
#[cold]
#[inline(never)]
fn unknown() -> ! {
    panic!("an identifier is out of range")
}

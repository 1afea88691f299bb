//! Memory for objects of different types during one statement.
#![allow(unsafe_code)] // objects of different types are owned as one of a trait, without a box each
use bumpalo::{Bump, boxed::Box};
use std::ptr;

#[derive(Debug, Default)]
pub(crate) struct ObjectArena(Bump);
pub(crate) type InArena<'s, T> = Box<'s, T>;
impl ObjectArena {
    /// `widen` coerces to a trait object, which is impossible for a type parameter.
    #[inline(always)]
    pub(crate) fn alloc<'s, T: 's, D: ?Sized>(
        &'s self,
        object: T,
        widen: impl FnOnce(&'s mut T) -> &'s mut D,
    ) -> InArena<'s, D> {
        let object = self.0.alloc(object);
        let at = &raw const *object;
        let object = widen(object);
        assert!(ptr::addr_eq(at, &raw const *object), "the same address");
        // SAFETY: `alloc` returned the reference. It is the only reference to the object, whose memory belongs to the arena,
        // and the object is not dropped elsewhere.
        unsafe { Box::from_raw(object) }
    }
    pub(crate) fn reset(&mut self) {
        self.0.reset();
    }
}

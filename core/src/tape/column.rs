//! A vector whose room is checked apart from the push.
#![allow(unsafe_code)] // a push without a second check

/// Pushes `value` if `vec` has room for it; unlike `Vec::push` it never grows and so calls nothing.
#[inline(always)]
pub(crate) fn push_here<T>(vec: &mut Vec<T>, value: T) -> Option<usize> {
    let at = vec.len();
    if at == vec.capacity() {
        return None;
    }
    // SAFETY: `at < capacity`, so the place is allocated; it is written before the length covers it.
    unsafe {
        vec.as_mut_ptr().add(at).write(value);
        vec.set_len(at + 1);
    }
    Some(at)
}

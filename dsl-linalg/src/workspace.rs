use entape_core::machine::clear_upper_halves;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use std::cell::RefCell;

thread_local! {
    /// The buffer grows to the largest requested size.
    static WORKSPACE: RefCell<(StackReq, MemBuffer)> =
        RefCell::new((StackReq::EMPTY, MemBuffer::new(StackReq::EMPTY)));
}
pub(crate) fn with_workspace<R>(request: StackReq, run: impl FnOnce(&mut MemStack) -> R) -> R {
    WORKSPACE.with_borrow_mut(|(size, buffer)| {
        let enough = size.or(request);
        if enough != *size {
            (*size, *buffer) = (enough, MemBuffer::new(enough));
        }
        let result = run(MemStack::new(buffer));
        clear_upper_halves();
        result
    })
}

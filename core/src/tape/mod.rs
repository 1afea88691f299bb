//! The tape.
mod block;
mod chunks;
mod column;
pub(crate) mod current;
mod inner;
mod statement;
mod store;


pub use block::{Reader, Writer};
pub(crate) use store::NONE;
pub use store::{Store, Stores};

use crate::expr::Active;
use crate::mode::{Meta, Taped};
pub(crate) use inner::Inner;
pub(crate) use statement::Statement;

/// A tape.
pub struct Tape {
    inner: Option<Box<Inner>>,
}
impl Tape {
    /// new
    pub fn new() -> Self {
        Tape {
            inner: Some(Box::new(Inner::new(1))),
        }
    }
    /// input
    pub fn input(&mut self, v: f64) -> Active<f64, Taped> {
        let inner = self.inner.as_mut().unwrap();
        let tag = inner.tag;
        let s = inner.memory.stores.get::<f64>();
        let id = s.primal.len() as u32;
        s.primal.push(v);
        match s.inputs.last_mut() {
            Some(r) if r.end == id => r.end += 1,
            _ => s.inputs.push(id..id + 1),
        }
        Active::from_parts(v, Meta { id, tag: tag }, 0)
    }
    /// record
    pub fn record<T>(&mut self, f: impl FnOnce() -> T) -> T {
        let old = current::replace(self.inner.take());
        let r = f();
        self.inner = current::replace(old);
        r
    }
    /// reset
    pub fn reset(&mut self) {
        self.inner.as_mut().unwrap().clear()
    }
    /// sweep
    pub fn sweep(&mut self, y: &Active<f64, Taped>) {
        let inner = self.inner.as_mut().unwrap();
        inner.memory.stores.start_sweep();
        *inner.memory.stores.get::<f64>().adjoint(y.meta().id) += 1.0;
        inner.sweep();
    }
    /// grad
    pub fn grad(&mut self, y: &Active<f64, Taped>) -> f64 {
        *self
            .inner
            .as_mut()
            .unwrap()
            .memory
            .stores
            .get::<f64>()
            .adjoint(y.meta().id)
    }
    /// bytes
    pub fn bytes(&mut self) -> (usize, usize, usize, usize) { let i = self.inner.as_mut().unwrap(); let s = i.statements.sizes(); let n = i.memory.stores.get::<f64>().primal.len(); (s[1], 0, s[0], n) }
}

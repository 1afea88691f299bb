/// The supertrait of traits that only this crate implements. `Of` distinguishes a trait that other types get by a blanket
/// implementation.
pub trait Sealed<Of: ?Sized = ()> {}

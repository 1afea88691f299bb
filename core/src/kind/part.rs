//! Parts of values: what a place names, and what a write to a place saves.
use super::{Kind, Stash, Val};

/// A part of a value of kind `K`: an element, a block, a lane, a real part. It carries what is needed to
/// find the part again and to make a zero of the whole (index and shape), and is kept in the statement.
pub trait Part<K: Kind>: Stash + Clone {
    /// The kind of the part.
    type Kind: Kind;
    /// Reads the part.
    ///
    /// # Panics
    /// If it lies outside of the value; the message names part and shape.
    #[track_caller]
    fn get(&self, whole: &Val<K>) -> Val<Self::Kind>;
    /// Writes the part.
    ///
    /// # Panics
    /// If the part has another shape; the message names the shapes. Nothing is written then.
    #[track_caller]
    fn put(&self, whole: &mut Val<K>, part: Val<Self::Kind>);
    /// The zero of the whole.
    fn zero(&self) -> Val<K>;
    /// Adds to the part.
    fn add(&self, whole: &mut Val<K>, part: Val<Self::Kind>) {
        let mut sum = self.get(whole);
        <Self::Kind as Kind>::accumulate(&mut sum, part);
        self.put(whole, sum);
    }
}

/// A kind whose variables can be indexed by `I`: `v[i]` is a place, `&v[i]` an operand.
#[diagnostic::on_unimplemented(
    message = "entities of kind `{Self}` can't be indexed by `{I}`",
    note = "a DSL says what an index means with `impl PlaceIndex<{I}> for {Self}`"
)]
pub trait PlaceIndex<I>: Kind {
    /// What the index names.
    type Part: Part<Self>;
    /// The index as one number, below `isize::MAX`.
    ///
    /// # Panics
    /// If the index is out of range; the message names index and shape.
    #[track_caller]
    fn encode(value: &Val<Self>, index: I) -> usize;
    /// The part that [`encode`](Self::encode) numbered.
    fn part(value: &Val<Self>, number: usize) -> Self::Part;
}

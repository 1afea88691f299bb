//! Communications of two ranks.
use crate::{
    communicator::Communicator,
    message::Exchange,
    run::Call,
    statement::{Communication, Input, ListOf, Nothing},
    transfer::Leg,
};
use entape_core::{
    external::Arguments,
    mode::AnyMode,
    structure::{FlatStructure, Inputs},
};
use std::rc::Rc;

/// A rank from which a message is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The rank with this number.
    Rank(usize),
    /// Any rank. The adjoint is sent to the rank from which the message came.
    Any,
}
impl From<usize> for Source {
    fn from(rank: usize) -> Self {
        Source::Rank(rank)
    }
}

impl Communicator {
    #[track_caller]
    fn assert_peer(&self, peer: usize, tag: i32) {
        let size = self.size();
        assert!(peer < size, "a message to or from rank {peer} of {size}");
        assert!(
            (0..1 << 15).contains(&tag),
            "the tag {tag} of a message: from 0 to 32767"
        );
    }
    #[track_caller]
    fn source(&self, source: Source, tag: i32) -> Option<usize> {
        match source {
            Source::Rank(rank) => {
                self.assert_peer(rank, tag);
                Some(rank)
            }
            Source::Any => {
                self.assert_peer(0, tag);
                None
            }
        }
    }
    fn exchange(&self, call: Call, sends: Vec<Leg>, receives: Vec<Leg>) -> Rc<Exchange> {
        Rc::new(Exchange {
            shared: self.shared.clone(),
            call,
            sends,
            receives,
        })
    }
    /// Sends variables to another rank, which [receives](Self::receive) them with the same tag.
    ///
    /// Its sweep receives the adjoint. Like `MPI_Send`, it may block until the message is received.
    ///
    /// ```no_run
    /// # use entape_core::tape::Tape;
    /// # use entape_mpi::{Operation, run};
    /// # run(|ranks| {
    /// // two ranks
    /// let mut tape = Tape::new();
    /// let x = tape.input(2.0);
    /// let y = tape.record(|| {
    ///     let y = match ranks.rank() {
    ///         0 => {
    ///             ranks.send(1, 0, &(3.0 * x).eval()).eval();
    ///             x
    ///         }
    ///         _ => ranks.receive(0, 0, 0.0).eval(),
    ///     };
    ///     ranks.once().all_reduce(&(y * y).eval(), Operation::Sum).eval()
    /// });
    /// let slope = tape.gradient(&y)?.wrt(&x)?; // of x² + (3 x)² on rank 0
    /// assert_eq!(slope, if ranks.rank() == 0 { 40.0 } else { 0.0 });
    /// # Ok::<_, entape_core::tape::Error>(())
    /// # });
    /// ```
    ///
    /// # Panics
    /// If `to` is not a rank, or `tag` is negative or greater than 32767.
    #[track_caller]
    pub fn send<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        to: usize,
        tag: i32,
        x: A,
    ) -> Communication<M, A, Nothing> {
        let call = Call::new("send");
        self.assert_peer(to, tag);
        let input = Input::of(&x);
        let sends = vec![Leg::new(Some(to), tag, input.count())];
        let transfer = self.exchange(call, sends, vec![]);
        Communication::like(&self.shared, call, x, input, [], transfer, None)
    }
    /// Receives variables that another rank [sends](Self::send) with this tag. `like` is a value with their shape.
    ///
    /// # Panics
    /// If `from` is not a rank, or `tag` is negative or greater than 32767. If the message has another count than
    /// `like`; an immediate one that is longer is reported by MPI.
    #[track_caller]
    pub fn receive<M: AnyMode, P, L: Inputs<P, Shape: FlatStructure>>(
        &self,
        from: impl Into<Source>,
        tag: i32,
        like: L,
    ) -> Communication<M, ListOf<'static, f64, M>, L::Shape> {
        let call = Call::new("receive");
        let like = like.into_values();
        let count = L::Shape::flattened(&like).len();
        let peer = self.source(from.into(), tag);
        let transfer = self.exchange(call, vec![], vec![Leg::new(peer, tag, count)]);
        let none = ListOf(&[]);
        let input = Input::of(&none);
        Communication::like(&self.shared, call, none, input, like, transfer, None)
    }
    /// Sends variables to a rank and receives variables from a rank, without a deadlock if all ranks do so. `like` is a
    /// value with the shape of what is received.
    ///
    /// # Panics
    /// Like [`receive`](Self::receive).
    #[track_caller]
    pub fn send_receive<M: AnyMode, A, P, L>(
        &self,
        to: usize,
        x: A,
        from: impl Into<Source>,
        like: L,
        tag: i32,
    ) -> Communication<M, A, L::Shape>
    where
        A: Arguments<M, Shape: FlatStructure>,
        L: Inputs<P, Shape: FlatStructure>,
    {
        let call = Call::new("send_receive");
        self.assert_peer(to, tag);
        let peer = self.source(from.into(), tag);
        let (input, like) = (Input::of(&x), like.into_values());
        let sends = vec![Leg::new(Some(to), tag, input.count())];
        let receives = vec![Leg::new(peer, tag, L::Shape::flattened(&like).len())];
        let transfer = self.exchange(call, sends, receives);
        Communication::like(&self.shared, call, x, input, like, transfer, None)
    }
}

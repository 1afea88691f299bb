//! Messages between pairs of ranks.
use crate::{
    communicator::Shared,
    pending::{Buffers, Parted, Pending, Started},
    run::{Call, Way},
    transfer::{Flight, Leg, Transfer},
};
use mpi::{
    point_to_point::{Destination, Message, Source, Status},
    topology::{Communicator as _, Rank},
    traits::Equivalence,
};
use std::rc::Rc;

/// The numbers of messages, modulo this one, are their tags in walks over tapes. MPI guarantees this many tags.
const TAGS: u64 = 1 << 15;

/// Messages to and from other ranks. Arguments are the numbers of all messages that are sent, one after another, and
/// results the numbers of all messages received.
pub(crate) struct Exchange {
    pub(crate) shared: Rc<Shared>,
    pub(crate) call: Call,
    pub(crate) sends: Vec<Leg>,
    pub(crate) receives: Vec<Leg>,
}
impl Exchange {
    fn legs(&self, way: Way) -> [&[Leg]; 2] {
        match way {
            Way::Program | Way::Tangents => [&self.sends, &self.receives],
            Way::Adjoints => [&self.receives, &self.sends],
        }
    }
    fn send(&self, way: Way, leg: &Leg, numbers: &[f64]) -> Pending {
        let to = leg.peer.get().expect("a rank to send to");
        let (number, tag) = match (way, leg.number.get()) {
            (Way::Program, _) => {
                let number = self.shared.next_number(to);
                leg.number.set(Some(number));
                (number, leg.tag)
            }
            (_, Some(number)) => (number, (number % TAGS) as i32),
            (_, None) => unreachable!("the message was sent or received in the program"),
        };
        let mut message = Vec::with_capacity(1 + numbers.len());
        message.push(number as f64);
        message.extend_from_slice(numbers);
        let (send, receive) = (Parted::whole(message), Parted::default());
        Pending::start(Buffers { send, receive }, |scope, b| {
            let to = self.shared.ranks.of(way).process_at_rank(to as Rank);
            Started::new(to.immediate_send_with_tag(scope, b.send.numbers(), tag))
        })
    }
    /// Starts to receive a message, if it is already known which one.
    fn receive(&self, way: Way, leg: &Leg) -> Option<Pending> {
        let ranks = self.shared.ranks.of(way);
        let tag = match (way, leg.number.get()) {
            (Way::Program, _) => leg.tag,
            (_, Some(number)) => (number % TAGS) as i32,
            (_, None) => return None,
        };
        let (send, receive) = (Parted::default(), Parted::whole(vec![0.0; 1 + leg.count]));
        let buffers = Buffers { send, receive };
        Some(Pending::start(buffers, |scope, b| {
            let into = b.receive.numbers_mut();
            match leg.peer.get() {
                Some(peer) => {
                    let from = ranks.process_at_rank(peer as Rank);
                    Started::new(from.immediate_receive_into_with_tag(scope, into, tag))
                }
                None => {
                    let from = ranks.any_process();
                    Started::new(from.immediate_receive_into_with_tag(scope, into, tag))
                }
            }
        }))
    }
    /// Returns the next message of the program, of any length.
    fn probe(&self, leg: &Leg) -> (Message, Status) {
        let ranks = self.shared.ranks.of(Way::Program);
        self.shared.wait(self.call, Way::Program, (), |()| {
            let found = match leg.peer.get() {
                Some(peer) => {
                    let from = ranks.process_at_rank(peer as Rank);
                    from.immediate_matched_probe_with_tag(leg.tag)
                }
                None => ranks
                    .any_process()
                    .immediate_matched_probe_with_tag(leg.tag),
            };
            found.ok_or(())
        })
    }
    /// Receives a message of any length, which `open` checks.
    fn receive_now(&self, leg: &Leg) -> Pending {
        let (message, status) = self.probe(leg);
        let count = status.count(f64::equivalent_datatype());
        let count = usize::try_from(count).expect("a message of numbers");
        let (send, receive) = (Parted::default(), Parted::whole(vec![0.0; count]));
        Pending::start(Buffers { send, receive }, |scope, b| {
            Started::new(message.immediate_matched_receive_into(scope, b.receive.numbers_mut()))
        })
    }
    fn check(&self, leg: &Leg, status: &Status) {
        let count = status.count(f64::equivalent_datatype()) - 1;
        if count != leg.count as i32 {
            let (from, needed, call) = (status.source_rank(), leg.count, self.call);
            panic!(
                "{call}: a message of {count} numbers from rank {from}, where one of {needed} is received"
            );
        }
    }
    /// Returns the contents of a message.
    fn open(&self, way: Way, leg: &Leg, pending: Pending) -> Vec<f64> {
        let (buffers, status) = self.shared.complete(self.call, way, pending);
        let numbers = buffers.receive.into_numbers();
        if way == Way::Program {
            self.check(leg, &status);
            leg.peer.set(Some(status.source_rank() as usize));
            leg.number.set(Some(numbers[0] as u64));
        } else if leg.number.get() != Some(numbers[0] as u64) {
            let call = self.call;
            panic!(
                "{call} {way}: the message of another communication arrived: the ranks do not make equal sweeps"
            );
        }
        numbers
    }
}
impl Transfer for Exchange {
    fn is_collective(&self) -> bool {
        false
    }
    fn start(&self, way: Way, x: Vec<f64>, blocking: bool) -> Flight {
        let [sends, receives] = self.legs(way);
        let mut flight = Flight::default();
        // Receive first: then messages need not be stored elsewhere.
        for leg in receives {
            let later = way == Way::Program && blocking;
            flight
                .pending
                .push(if later { None } else { self.receive(way, leg) });
        }
        let mut rest = &x[..];
        for leg in sends {
            let (numbers, after) = rest.split_at(leg.count);
            rest = after;
            flight.pending.push(Some(self.send(way, leg, numbers)));
        }
        flight
    }
    fn finish(&self, way: Way, flight: Flight) -> Result<Vec<f64>, String> {
        let [_, receives] = self.legs(way);
        let mut y = Vec::with_capacity(receives.iter().map(|leg| leg.count).sum());
        let mut pending = flight.pending.into_iter();
        for (leg, pending) in receives.iter().zip(&mut pending) {
            let pending = pending.unwrap_or_else(|| match way {
                Way::Program => self.receive_now(leg),
                _ => self.receive(way, leg).expect("the value has arrived"),
            });
            y.extend_from_slice(&self.open(way, leg, pending)[1..]);
        }
        for sent in pending.flatten() {
            self.shared.complete(self.call, way, sent);
        }
        Ok(y)
    }
}

//! Linear maps of numbers that are spread over ranks.
use crate::{
    communicator::Shared,
    pattern::Pattern,
    pending::Pending,
    run::{Call, Way},
};
use std::{
    cell::{Cell, OnceCell},
    ops::Range,
    rc::Rc,
};

/// An adjoint or a tangent that is unset.
pub(crate) const UNSET: f64 = -0.0;

/// A communication between its start and its end.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    pub(crate) pending: Vec<Option<Pending>>,
    /// Numbers that the end needs.
    pub(crate) numbers: Vec<f64>,
}
impl Flight {
    pub(crate) fn of(pending: Pending) -> Self {
        Flight {
            pending: vec![Some(pending)],
            numbers: Vec::new(),
        }
    }
    fn take(&mut self) -> Pending {
        let pending = self.pending.iter_mut().find_map(Option::take);
        pending.expect("a communication in flight")
    }
}

/// A communication as a linear map of values and tangents, whose transpose maps adjoints. Ranks without them take part
/// with unset numbers.
pub(crate) trait Transfer: 'static {
    /// Begins the communication of `x`. It is `blocking` if the program ends it at once.
    fn start(&self, way: Way, x: Vec<f64>, blocking: bool) -> Flight;
    /// Ends it, and returns the numbers that this rank gets.
    ///
    /// # Errors
    /// On all ranks, if they disagree.
    fn finish(&self, way: Way, flight: Flight) -> Result<Vec<f64>, String>;
    /// Whether all ranks take part.
    fn is_collective(&self) -> bool {
        true
    }
    fn apply(&self, way: Way, x: Vec<f64>) -> Result<Vec<f64>, String> {
        let flight = self.start(way, x, true);
        self.finish(way, flight)
    }
}

/// A collective communication.
pub(crate) struct Collective {
    pub(crate) shared: Rc<Shared>,
    pub(crate) call: Call,
    pub(crate) pattern: Pattern,
    /// The numbers of arguments and results of this rank.
    pub(crate) counts: [usize; 2],
    pub(crate) transposed: OnceCell<Pattern>,
}
impl Collective {
    fn pattern(&self, way: Way) -> &Pattern {
        match way {
            Way::Program | Way::Tangents => &self.pattern,
            Way::Adjoints => self.transposed.get_or_init(|| self.pattern.transpose()),
        }
    }
}
impl Transfer for Collective {
    fn start(&self, way: Way, mut x: Vec<f64>, _: bool) -> Flight {
        // Rank 0 lacks the result of an exclusive scan.
        if let Pattern::Scan { count, .. } = self.pattern {
            x.resize(count, UNSET);
        }
        Flight::of(self.shared.start(way, self.pattern(way), x))
    }
    fn finish(&self, way: Way, mut flight: Flight) -> Result<Vec<f64>, String> {
        let pattern = self.pattern(way);
        let mut y = self.shared.finish(self.call, way, pattern, flight.take());
        let [arguments, results] = self.counts;
        let count = if way == Way::Adjoints {
            arguments
        } else {
            results
        };
        // A rank that gets nothing.
        if y.is_empty() {
            y.resize(count, UNSET);
        }
        Ok(y)
    }
}

/// A communication whose results are equal on all ranks and count once.
pub(crate) struct Once<T> {
    pub(crate) inner: T,
    pub(crate) shared: Rc<Shared>,
    pub(crate) call: Call,
    /// The part of the results that belongs to the arguments of this rank.
    pub(crate) own: Range<usize>,
    pub(crate) arguments: usize,
}
impl<T: Transfer> Transfer for Once<T> {
    fn start(&self, way: Way, x: Vec<f64>, blocking: bool) -> Flight {
        if way != Way::Adjoints {
            return self.inner.start(way, x, blocking);
        }
        Flight {
            pending: vec![Some(self.shared.start_agreement(way, &x))],
            numbers: x,
        }
    }
    fn finish(&self, way: Way, mut flight: Flight) -> Result<Vec<f64>, String> {
        if way != Way::Adjoints {
            return self.inner.finish(way, flight);
        }
        if !self.shared.finish_agreement(self.call, way, flight.take()) {
            return Err(format!(
                "the results of `{}` count once, but their adjoints differ between ranks: all ranks must make the same \
                 computation with them, or use the communicator without `once`",
                self.call.operation
            ));
        }
        let mut x_b = flight.numbers[self.own.clone()].to_vec();
        x_b.resize(self.arguments, UNSET);
        Ok(x_b)
    }
}

/// A value of which each rank uses a copy: the adjoint is the sum of the adjoints of the copies.
pub(crate) struct FanOut(pub(crate) Collective);
impl Transfer for FanOut {
    fn start(&self, way: Way, x: Vec<f64>, blocking: bool) -> Flight {
        match way {
            Way::Adjoints => self.0.start(way, x, blocking),
            Way::Program | Way::Tangents => Flight {
                pending: Vec::new(),
                numbers: x,
            },
        }
    }
    fn finish(&self, way: Way, flight: Flight) -> Result<Vec<f64>, String> {
        match way {
            Way::Adjoints => self.0.finish(way, flight),
            Way::Program | Way::Tangents => Ok(flight.numbers),
        }
    }
}

/// The least or greatest numbers of all ranks. After the values are known, it is the sum over the numbers of the ranks that own
/// them: the lowest rank, if several have them.
pub(crate) struct Extremum<T> {
    pub(crate) sum: T,
    pub(crate) shared: Rc<Shared>,
    pub(crate) call: Call,
    pub(crate) least: bool,
    /// Whether this rank owns each number.
    pub(crate) owned: OnceCell<Vec<bool>>,
}
impl<T> Extremum<T> {
    fn select(&self, mut x: Vec<f64>) -> Vec<f64> {
        let owned = self.owned.get().expect("the values are known");
        for (x, owned) in x.iter_mut().zip(owned) {
            if !owned {
                *x = UNSET;
            }
        }
        x
    }
    /// Returns for each number whether it is NaN, which comes before all others, and the number to minimise.
    fn keys(&self, x: &[f64]) -> Vec<f64> {
        let nan = x.iter().map(|x| if x.is_nan() { -1.0 } else { 0.0 });
        let ordered = x.iter().map(|&x| match self.least {
            _ if x.is_nan() => f64::INFINITY,
            true => x,
            false => -x,
        });
        nan.chain(ordered).collect()
    }
}
impl<T: Transfer> Transfer for Extremum<T> {
    fn start(&self, way: Way, x: Vec<f64>, blocking: bool) -> Flight {
        match way {
            Way::Program => {
                let least = Pattern::Least { count: 2 * x.len() };
                Flight {
                    pending: vec![Some(self.shared.start(way, &least, self.keys(&x)))],
                    numbers: x,
                }
            }
            Way::Tangents if self.owned.get().is_some() => {
                self.sum.start(way, self.select(x), blocking)
            }
            // In forward mode an immediate communication of tangents starts before the values are known.
            Way::Tangents => Flight {
                pending: Vec::new(),
                numbers: x,
            },
            Way::Adjoints => self.sum.start(way, x, blocking),
        }
    }
    fn finish(&self, way: Way, mut flight: Flight) -> Result<Vec<f64>, String> {
        match way {
            Way::Program => {
                let (x, rank) = (std::mem::take(&mut flight.numbers), self.shared.rank);
                let (mine, count) = (self.keys(&x), x.len());
                let least = Pattern::Least { count: 2 * count };
                let keys = self.shared.finish(self.call, way, &least, flight.take());
                let candidates = (0..count).map(|i| {
                    let owns = mine[i] == keys[i]
                        && (mine[i] != 0.0 || mine[count + i] == keys[count + i]);
                    if owns { rank as f64 } else { f64::INFINITY }
                });
                let least = Pattern::Least { count };
                let owners = self
                    .shared
                    .now(self.call, way, &least, candidates.collect());
                let owned = owners.iter().map(|&owner| owner == rank as f64).collect();
                assert!(self.owned.set(owned).is_ok(), "values are computed once");
                self.sum.apply(way, self.select(x))
            }
            Way::Tangents if flight.pending.is_empty() => {
                self.sum.apply(way, self.select(flight.numbers))
            }
            Way::Tangents => self.sum.finish(way, flight),
            Way::Adjoints => Ok(self.select(self.sum.finish(way, flight)?)),
        }
    }
}

/// Returns the owner of each number, given the numbers of one rank after another.
type Choose = Box<dyn Fn(&[f64]) -> Vec<usize>>;
/// The numbers of the ranks that own them, out of the numbers of all ranks.
pub(crate) struct Selected {
    pub(crate) all: Collective,
    pub(crate) choose: Choose,
    pub(crate) owners: OnceCell<Vec<usize>>,
}
impl Selected {
    fn places(&self) -> impl Iterator<Item = usize> {
        let [count, _] = self.all.counts;
        let owners = self.owners.get().expect("the values are known");
        owners
            .iter()
            .enumerate()
            .map(move |(i, owner)| owner * count + i)
    }
}
impl Transfer for Selected {
    fn start(&self, way: Way, x: Vec<f64>, blocking: bool) -> Flight {
        if way != Way::Adjoints {
            return self.all.start(way, x, blocking);
        }
        let mut each = vec![UNSET; self.all.counts[0] * self.all.shared.size];
        for (place, x) in self.places().zip(x) {
            each[place] = x;
        }
        self.all.start(way, each, blocking)
    }
    fn finish(&self, way: Way, flight: Flight) -> Result<Vec<f64>, String> {
        let y = self.all.finish(way, flight)?;
        if way == Way::Adjoints {
            return Ok(y);
        }
        if way == Way::Program {
            let owners = (self.choose)(&y);
            assert!(self.owners.set(owners).is_ok(), "values are computed once");
        }
        Ok(self.places().map(|place| y[place]).collect())
    }
}

/// A message to or from another rank.
pub(crate) struct Leg {
    /// The other rank; `None` for any, until the message arrives.
    pub(crate) peer: Cell<Option<usize>>,
    pub(crate) tag: i32,
    pub(crate) count: usize,
    /// The number of the message between the two ranks, which is sent with it. It finds the message of a walk.
    pub(crate) number: Cell<Option<u64>>,
}
impl Leg {
    pub(crate) fn new(peer: Option<usize>, tag: i32, count: usize) -> Self {
        Leg {
            peer: Cell::new(peer),
            tag,
            count,
            number: Cell::new(None),
        }
    }
}

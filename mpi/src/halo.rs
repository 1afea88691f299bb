//! Grids that are divided among ranks, and the exchange of their borders.
use crate::{
    communicator::{Communicator, Shared},
    message::Exchange,
    run::{Call, Way},
    statement::{Communication, Input, Shapes},
    transfer::{Flight, Leg, Transfer, UNSET},
};
use entape_core::{external::Arguments, mode::AnyMode, structure::FlatStructure};
use mpi::topology::{CartesianCommunicator, Communicator as _};
use std::{fmt, mem, ops::Range, rc::Rc};

/// Ranks in a grid of `D` dimensions. The last dimension runs fastest.
pub struct Grid<const D: usize> {
    communicator: Communicator,
    /// The ranks for messages of halos.
    halos: Rc<Shared>,
    sizes: [usize; D],
    place: [usize; D],
    /// The ranks before and after this one, in each dimension.
    neighbors: [[Option<usize>; 2]; D],
}
impl<const D: usize> fmt::Debug for Grid<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grid")
            .field("sizes", &self.sizes)
            .field("place", &self.place)
            .field("neighbors", &self.neighbors)
            .finish()
    }
}
impl Communicator {
    /// Arranges the ranks in a grid with `sizes[d]` ranks in dimension `d`. In a periodic dimension the last ranks are
    /// neighbors of the first ones. All ranks call this, with equal arguments.
    ///
    /// # Panics
    /// If the grid has another number of places than ranks.
    #[must_use]
    #[track_caller]
    pub fn grid<const D: usize>(&self, sizes: [usize; D], periodic: [bool; D]) -> Grid<D> {
        let call = Call::new("cartesian");
        let (size, places) = (self.size(), sizes.iter().product::<usize>());
        assert!(size == places, "a grid of {places} places for {size} ranks");
        let code = sizes.iter().zip(periodic).fold(0, |code, (n, periodic)| {
            2 * code * (size + 1) + 2 * n + usize::from(periodic)
        });
        self.shared.check(call, [code, D], "sizes and dimensions");
        let dimensions = sizes.map(|n| n as i32);
        let ranks = self.shared.ranks.of(Way::Program);
        let made = ranks.create_cartesian_communicator(&dimensions, &periodic, false);
        let cartesian: CartesianCommunicator = made.expect("a place for each rank");
        let place = cartesian.rank_to_coordinates(cartesian.rank());
        let neighbors = std::array::from_fn(|d| {
            let (before, after) = cartesian.shift(d as i32, 1);
            [before, after].map(|rank| rank.map(|rank| rank as usize))
        });
        let shared = Shared::like(&cartesian, &self.shared);
        Grid {
            halos: shared.beside(),
            communicator: Communicator {
                shared,
                once: self.once,
            },
            sizes,
            place: std::array::from_fn(|d| place[d] as usize),
            neighbors,
        }
    }
    /// Returns sizes of a grid for all ranks that differ as little as possible, the greatest first.
    pub fn grid_sizes<const D: usize>(&self) -> [usize; D] {
        let mut sizes = [1; D];
        let mut rest = self.size();
        let mut factors = Vec::new();
        let mut factor = 2;
        while rest > 1 {
            while rest.is_multiple_of(factor) {
                factors.push(factor);
                rest /= factor;
            }
            factor += 1;
        }
        for factor in factors.into_iter().rev() {
            if let Some(least) = sizes.iter_mut().min_by_key(|n| **n) {
                *least *= factor;
            }
        }
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }
}
impl<const D: usize> Grid<D> {
    /// Returns the communicator of the grid, with the ranks in its order.
    pub fn communicator(&self) -> &Communicator {
        &self.communicator
    }
    /// Returns the place of this rank.
    pub fn place(&self) -> [usize; D] {
        self.place
    }
    /// Returns the ranks before and after this one in a dimension, if any.
    pub fn neighbors(&self, dimension: usize) -> [Option<usize>; 2] {
        self.neighbors[dimension]
    }
    /// Returns which of `cells` cells along each dimension belong to this rank. Ranks differ by at most one cell.
    pub fn part(&self, cells: [usize; D]) -> [Range<usize>; D] {
        std::array::from_fn(|d| {
            let (n, i) = (self.sizes[d], self.place[d]);
            cells[d] * i / n..cells[d] * (i + 1) / n
        })
    }
    /// Describes an array of this rank's cells, with a border of `width` cells that copy cells of neighbors.
    ///
    /// # Panics
    /// If there are fewer cells than `width` in a dimension with a neighbor.
    #[must_use]
    #[track_caller]
    pub fn halo(&self, cells: [usize; D], width: usize) -> Halo {
        for (n, neighbors) in cells.iter().zip(self.neighbors) {
            assert!(
                neighbors == [None; 2] || *n >= width,
                "{n} cells for a border that is {width} cells wide"
            );
        }
        let padded = cells.map(|n| n + 2 * width);
        // Indices of the cells whose place in dimension `d` is in `range`.
        let slab = |d: usize, range: Range<usize>| -> Vec<usize> {
            let before: usize = padded[..d].iter().product();
            let after: usize = padded[d + 1..].iter().product();
            let rows = (0..before).flat_map(|i| range.clone().map(move |j| i * padded[d] + j));
            rows.flat_map(|row| row * after..(row + 1) * after)
                .collect()
        };
        let dimensions = (0..D).map(|d| {
            let n = cells[d];
            let sides = [
                (width..2 * width, 0..width),
                (n..n + width, n + width..n + 2 * width),
            ];
            let own = self.communicator.rank();
            let [before, after] = self.neighbors[d];
            Dimension {
                // A rank that is its own neighbor copies.
                own: before == Some(own) && after == Some(own),
                sides: [(before, 0), (after, 1)].map(|(neighbor, side)| {
                    let (sent, received) = sides[side].clone();
                    neighbor.map(|rank| Side {
                        rank,
                        sent: slab(d, sent),
                        received: slab(d, received),
                    })
                }),
            }
        });
        Halo {
            shared: self.halos.clone(),
            geometry: Rc::new(Geometry {
                cells: padded.iter().product(),
                dimensions: dimensions.collect(),
            }),
            fields: 1,
        }
    }
}

struct Side {
    rank: usize,
    /// The cells next to the border are sent, and the cells beyond it received.
    sent: Vec<usize>,
    received: Vec<usize>,
}
struct Dimension {
    own: bool,
    sides: [Option<Side>; 2],
}
struct Geometry {
    cells: usize,
    dimensions: Vec<Dimension>,
}

/// The exchange of the borders of an array: see [`Grid::halo`].
#[derive(Clone)]
pub struct Halo {
    shared: Rc<Shared>,
    geometry: Rc<Geometry>,
    fields: usize,
}
impl fmt::Debug for Halo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Halo")
            .field("cells", &self.geometry.cells)
            .field("fields", &self.fields)
            .finish()
    }
}
impl Halo {
    /// Exchanges this many fields together, as a tuple or an array.
    #[must_use]
    pub fn fields(mut self, fields: usize) -> Self {
        self.fields = fields;
        self
    }
    /// Returns the number of cells with borders.
    pub fn cells(&self) -> usize {
        self.geometry.cells
    }
    /// Copies cells of neighbors into the borders of an array, as one statement. `x` are all cells of this rank with
    /// their borders, where the last dimension runs fastest. Corners come from diagonal neighbors. Borders without a
    /// neighbor remain as they are.
    ///
    /// Arguments are arrays, lists, and with [`fields`](Self::fields) tuples of them. There are two messages for each
    /// dimension with neighbors, and as many in a sweep.
    ///
    /// ```
    /// # use entape_core::{expr::Active, tape::{Error, Tape}};
    /// # use entape_mpi::{Operation, run};
    /// # run(|ranks| {
    /// // a ring of ranks with three cells each, and a border of one cell
    /// let ring = ranks.grid([ranks.size()], [true]);
    /// let halo = ring.halo([3], 1);
    /// let mut tape = Tape::new();
    /// let x = tape.inputs([0.0, 1.0, 2.0, 3.0, 0.0]);
    /// let y = tape.record(|| {
    ///     let x = halo.exchange(&x).eval();
    ///     let differences = (1..=3).map(|i| ((x[i + 1] - x[i]) * (x[i + 1] - x[i])).eval());
    ///     let part: Active<f64> = differences.sum();
    ///     ranks.once().all_reduce(&part, Operation::Sum).eval()
    /// });
    /// let slopes = tape.gradient(&y)?.wrt_all(&x)?;
    /// // of (x₁ - x₃)² + (x₂ - x₁)² + (x₃ - x₂)², as all ranks have equal numbers
    /// assert_eq!(slopes, [0.0, -6.0, 0.0, 6.0, 0.0]);
    /// # Ok::<_, Error>(())
    /// # });
    /// ```
    ///
    /// # Panics
    /// If the argument has another number of cells or fields than the halo.
    #[track_caller]
    pub fn exchange<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
    ) -> Communication<M, A, A::Shape> {
        let call = Call::new("exchange");
        let (cells, fields) = (self.geometry.cells, self.fields);
        let input = Input::of(&x);
        let count = input.count();
        assert!(
            count.is_multiple_of(cells * fields) && count > 0 || cells * fields == 0,
            "{call}: {count} numbers for {fields} fields of {cells} cells"
        );
        let width = count.checked_div(cells * fields).unwrap_or(0);
        let elements = Shapes::of(&x).elements;
        assert!(
            width <= 1 || elements == cells * fields,
            "{call}: {elements} elements for {fields} fields of {cells} cells: pass the number of fields to `Halo::fields`, and \
             structs of several variables for each cell as several fields"
        );
        // All ranks make the same exchanges in one order. Those in flight together have different tags.
        let exchanged = self.shared.next_start();
        let legs = |dimension: &Dimension, received: bool| -> Vec<Leg> {
            let sides = dimension.sides.iter().enumerate();
            let legs = sides.filter_map(|(side, of)| {
                let of = of.as_ref().filter(|_| !dimension.own)?;
                let indices = if received { &of.received } else { &of.sent };
                // The message is named by the side of its sender.
                let sender = if received { 1 - side } else { side };
                let tag = 2 * (exchanged % (1 << 14)) + sender;
                Some(Leg::new(
                    Some(of.rank),
                    tag as i32,
                    indices.len() * width * fields,
                ))
            });
            legs.collect()
        };
        let exchange = |dimension: &Dimension| Exchange {
            shared: self.shared.clone(),
            call,
            sends: legs(dimension, false),
            receives: legs(dimension, true),
        };
        let transfer = Rc::new(Borders {
            geometry: self.geometry.clone(),
            exchanges: self.geometry.dimensions.iter().map(exchange).collect(),
            fields,
            width,
        });
        Communication::alike(&self.shared, call, x, input, transfer, None)
    }
}

/// One dimension after another, so that corners come from diagonal neighbors. The adjoints go through them in reverse.
struct Borders {
    geometry: Rc<Geometry>,
    exchanges: Vec<Exchange>,
    fields: usize,
    /// The numbers of a cell.
    width: usize,
}
impl Borders {
    fn order(&self, way: Way) -> Vec<usize> {
        let all = 0..self.exchanges.len();
        if way == Way::Adjoints {
            all.rev().collect()
        } else {
            all.collect()
        }
    }
    /// The numbers of these cells, in all fields.
    fn each(&self, cells: &[usize], mut visit: impl FnMut(usize)) {
        for field in 0..self.fields {
            for cell in cells {
                let at = (field * self.geometry.cells + cell) * self.width;
                (at..at + self.width).for_each(&mut visit);
            }
        }
    }
    /// Takes what is sent in a dimension. Sending an adjoint back leaves nothing.
    fn pack(&self, way: Way, d: usize, x: &mut [f64]) -> Vec<f64> {
        let mut packed = Vec::new();
        let dimension = &self.geometry.dimensions[d];
        for side in dimension.sides.iter().flatten() {
            match way {
                Way::Adjoints => self.each(&side.received, |i| {
                    packed.push(mem::replace(&mut x[i], UNSET));
                }),
                _ => self.each(&side.sent, |i| packed.push(x[i])),
            }
        }
        packed
    }
    fn unpack(&self, way: Way, d: usize, x: &mut [f64], packed: &[f64]) {
        let dimension = &self.geometry.dimensions[d];
        let mut packed = packed.iter();
        let mut next = || packed.next().expect("as many numbers as cells");
        for side in dimension.sides.iter().flatten() {
            match way {
                Way::Adjoints => self.each(&side.sent, |i| x[i] += next()),
                _ => self.each(&side.received, |i| x[i] = *next()),
            }
        }
    }
    /// Returns the numbers that a rank receives from itself.
    fn own(mut packed: Vec<f64>) -> Vec<f64> {
        // What leaves on one side arrives on the other.
        let half = packed.len() / 2;
        packed.rotate_left(half);
        packed
    }
}
impl Transfer for Borders {
    fn is_collective(&self) -> bool {
        false
    }
    fn start(&self, way: Way, mut x: Vec<f64>, blocking: bool) -> Flight {
        let Some(&first) = self.order(way).first() else {
            return Flight {
                pending: Vec::new(),
                numbers: x,
            };
        };
        let mut flight = Flight::default();
        if !self.geometry.dimensions[first].own {
            let packed = self.pack(way, first, &mut x);
            flight = self.exchanges[first].start(way, packed, blocking);
        }
        flight.numbers = x;
        flight
    }
    fn finish(&self, way: Way, mut flight: Flight) -> Result<Vec<f64>, String> {
        let mut x = mem::take(&mut flight.numbers);
        let mut started = Some(flight);
        for d in self.order(way) {
            let first = started.take();
            let packed = match (self.geometry.dimensions[d].own, first) {
                (true, _) => {
                    let packed = self.pack(way, d, &mut x);
                    Self::own(packed)
                }
                (false, Some(flight)) => self.exchanges[d].finish(way, flight)?,
                (false, None) => {
                    let packed = self.pack(way, d, &mut x);
                    self.exchanges[d].apply(way, packed)?
                }
            };
            self.unpack(way, d, &mut x, &packed);
        }
        Ok(x)
    }
}

//! Burgers' equations on a periodic square that is divided among ranks. Each rank has arrays of its cells with a border
//! of one cell. A step is one statement for each row and field, and one for the exchange of all borders.
//!
//! ```text
//! mpirun -n 2 burgers 1000 4            1000 x 1000 cells, 4 steps: times, and the gradient against one rank
//! mpirun -n 2 burgers 1000 4 --weak     1000 x 1000 cells for each rank
//! ```
use entape::{core::elementwise::Lane, op, prelude::*};
use entape_mpi::{Communicator, Grid, Halo, Operation, run};
use std::{
    ops::Range,
    time::{Duration, Instant},
};

#[derive(Clone, Copy)]
struct Setting {
    cells: [usize; 2],
    steps: usize,
}
struct Part<'r> {
    setting: Setting,
    ranks: &'r Communicator,
    halo: Halo,
    own: [Range<usize>; 2],
}
type Fields<T> = (T, T);

/// Transport by the upwind difference, and diffusion by the second difference, along one direction.
#[op(elementwise)]
fn transport<L: Lane>(
    #[ad_in(-r_b * upwind(velocity, behind, ahead).times(cx))] velocity: L,
    #[ad_in(-r_b * upwind(velocity, velocity, velocity.zero()).times(cx).plus(cd))] behind: L,
    #[ad_in(-r_b * upwind(velocity, velocity.zero(), velocity).times(cx).plus(-cd))] ahead: L,
    #[ad_passive] cx: f64,
    #[ad_passive] cd: f64,
) -> L {
    (ahead - behind).times(cd) - (velocity * upwind(velocity, behind, ahead)).times(cx)
}
fn upwind<L: Lane>(velocity: L, behind: L, ahead: L) -> L {
    L::select(velocity.zero().less_eq(velocity), behind, ahead)
}

impl<'r> Part<'r> {
    fn new(setting: Setting, grid: &Grid<2>, ranks: &'r Communicator) -> Self {
        let own = grid.part(setting.cells);
        let cells = own.clone().map(|range| range.len());
        Part {
            setting,
            ranks,
            halo: grid.halo(cells, 1).fields(2),
            own,
        }
    }
    fn row(&self) -> usize {
        self.own[1].len() + 2
    }
    /// The indices of the cells of each row, without the border.
    fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        let (n, row) = (self.own[1].len(), self.row());
        (1..=self.own[0].len()).map(move |j| j * row + 1..j * row + 1 + n)
    }
    fn initial(&self) -> Fields<Vec<f64>> {
        let [rows, columns] = self.setting.cells.map(|n| std::f64::consts::TAU / n as f64);
        let field = |of: &dyn Fn(f64, f64) -> f64| {
            let mut all = vec![0.0; self.halo.cells()];
            for (j, range) in self.own[0].clone().zip(self.rows()) {
                for (i, cell) in self.own[1].clone().zip(range) {
                    all[cell] = of(i as f64 * columns, j as f64 * rows);
                }
            }
            all
        };
        (
            field(&|x, y| 1.0 + 0.5 * x.sin() * y.cos()),
            field(&|x, y| 0.5 * (x + y).cos()),
        )
    }
    /// The squared norm of the final fields of all ranks, and these fields.
    fn program(&self, (u, v): (&Array, &Array)) -> (Real, Fields<Array>) {
        // The time step divided by the width of a cell, and by its square and the Reynolds number.
        let (cx, cd) = (0.1, 0.1);
        let (mut u, mut v) = (u.clone(), v.clone());
        for _ in 0..self.setting.steps {
            let (old_u, old_v) = self.halo.exchange((&u, &v)).eval();
            let new = || Array::filled_by(self.halo.cells(), |_| ());
            let (mut new_u, mut new_v) = (new(), new());
            for row in self.rows() {
                self.advance(&mut new_u, &old_u, &old_u, &old_v, row.clone(), cx, cd);
                self.advance(&mut new_v, &old_v, &old_u, &old_v, row, cx, cd);
            }
            (u, v) = (new_u, new_v);
        }
        let mut sum: Real = Real::passive(0.0);
        for row in self.rows() {
            sum += u.slice(row.clone()).norm_squared() + v.slice(row).norm_squared();
        }
        let norm = self.ranks.once().all_reduce(&sum, Operation::Sum).eval();
        (norm, (u, v))
    }
    #[allow(clippy::too_many_arguments)]
    fn advance(
        &self,
        new: &mut Array,
        w: &Array,
        u: &Array,
        v: &Array,
        row: Range<usize>,
        cx: f64,
        cd: f64,
    ) {
        let (Range { start, end }, n) = (row.clone(), self.row());
        let (u, v, mid) = (
            u.slice(row.clone()),
            v.slice(row.clone()),
            w.slice(row.clone()),
        );
        let (west, east) = (w.slice(start - 1..end - 1), w.slice(start + 1..end + 1));
        let (south, north) = (w.slice(start - n..end - n), w.slice(start + n..end + n));
        let along_x = transport(u, mid - west, east - mid, cx, cd);
        let along_y = transport(v, mid - south, north - mid, cx, cd);
        new.slice_mut(row).assign(mid + along_x + along_y);
    }
    /// Returns the numbers of all ranks at the places of their cells, on rank 0.
    fn whole(&self, field: &[f64]) -> Vec<f64> {
        let columns = self.setting.cells[1];
        let mut mine: Vec<Real<Plain>> = Vec::new();
        for (j, range) in self.own[0].clone().zip(self.rows()) {
            for (i, cell) in self.own[1].clone().zip(range) {
                mine.extend([(j * columns + i) as f64, field[cell]].map(Real::passive));
            }
        }
        let counts = self
            .ranks
            .all_gather(&Real::<Plain>::passive(mine.len() as f64))
            .eval();
        let like = |rank: usize| vec![0.0; counts[rank].value() as usize];
        let parts = self.ranks.gather_varcount(0, &mine, like).eval();
        let mut all = vec![0.0; self.setting.cells.iter().product()];
        for pair in parts.iter().flatten().collect::<Vec<_>>().chunks(2) {
            all[pair[0].value() as usize] = pair[1].value();
        }
        all
    }
}

struct Outcome {
    norm: f64,
    fields: Fields<Vec<f64>>,
    gradient: Fields<Vec<f64>>,
    times: [Duration; 2],
}
fn differentiate(tape: &mut Tape, part: &Part<'_>) -> Result<Outcome, Error> {
    tape.reset();
    let (u, v) = part.initial();
    let (u, v) = (tape.input(u), tape.input(v));
    let []: [Real; 0] = part.ranks.barrier().eval();
    let start = Instant::now();
    let (norm, (end_u, end_v)) = tape.record(|| part.program((&u, &v)));
    let middle = Instant::now();
    let gradient = tape.gradient(&norm)?;
    let gradient = (gradient.wrt(&u)?, gradient.wrt(&v)?);
    Ok(Outcome {
        norm: norm.value(),
        fields: (end_u.get().clone(), end_v.get().clone()),
        gradient,
        times: [middle - start, middle.elapsed()],
    })
}
fn relative(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    a.iter()
        .zip(b)
        .fold(0.0_f64, |d, (a, b)| d.max((a - b).abs()))
        / size
}

fn main() {
    run(|ranks| -> Result<(), Box<dyn std::error::Error>> {
        let mut numbers = std::env::args()
            .skip(1)
            .filter_map(|arg| arg.parse::<usize>().ok());
        let (n, steps) = (numbers.next().unwrap_or(200), numbers.next().unwrap_or(4));
        let weak = std::env::args().any(|arg| arg == "--weak");
        let sizes = ranks.grid_sizes::<2>();
        let cells = if weak {
            sizes.map(|size| size * n)
        } else {
            [n, n]
        };
        let setting = Setting { cells, steps };
        let grid = ranks.grid(sizes, [true; 2]);
        let part = Part::new(setting, &grid, grid.communicator());
        let mut tape = Tape::new();
        let mut best = [Duration::MAX; 2];
        let mut outcome = differentiate(&mut tape, &part)?;
        for _ in 0..numbers.next().unwrap_or(5) {
            outcome = differentiate(&mut tape, &part)?;
            for (best, time) in best.iter_mut().zip(outcome.times) {
                *best = time.min(*best);
            }
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        // The slowest rank.
        let times = best.map(|time| Real::<Plain>::passive(ms(time)));
        let times = ranks.all_reduce(&times, Operation::Max).eval();
        if ranks.rank() == 0 {
            println!(
                "{} ranks {sizes:?}, {cells:?} cells, {steps} steps: record {:.1} ms, sweep {:.1} ms",
                ranks.size(),
                times[0].value(),
                times[1].value()
            );
        }
        drop(tape);
        if weak {
            return Ok(());
        }
        let all = [
            &outcome.fields.0,
            &outcome.fields.1,
            &outcome.gradient.0,
            &outcome.gradient.1,
        ]
        .map(|field| part.whole(field));
        if ranks.size() > 1 {
            let alone = ranks.split(ranks.rank(), 0);
            let grid = alone.grid([1, 1], [true; 2]);
            if ranks.rank() == 0 {
                let part = Part::new(setting, &grid, &alone);
                let one = differentiate(&mut Tape::new(), &part)?;
                let one_all = [
                    &one.fields.0,
                    &one.fields.1,
                    &one.gradient.0,
                    &one.gradient.1,
                ];
                let one_all = one_all.map(|field| part.whole(field));
                let bits = all[0] == one_all[0] && all[1] == one_all[1];
                let norm = (outcome.norm - one.norm).abs() / one.norm;
                let gradient = relative(&all[2], &one_all[2]).max(relative(&all[3], &one_all[3]));
                println!("final fields bitwise equal to those of one rank: {bits}");
                println!(
                    "relative difference of the norm {norm:.1e}, of the gradient {gradient:.1e}"
                );
                if !bits || norm > 1e-12 || gradient > 1e-12 {
                    return Err("one rank has other results".into());
                }
            }
        }
        Ok(())
    });
}

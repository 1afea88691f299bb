//! The coupled Burgers' equations of [`burgers`](crate::burgers) with arrays: one statement for a row and field. The
//! custom elementary function `transport` is the contribution of a step along x or y.
use crate::{
    burgers::{Fields, Grid, Outcome},
    measure::timed,
};
use entape::{core::elementwise::Lane, op, prelude::*};
use std::{ops::Range, time::Duration};

pub type Arrays<M = Taped> = (Array<M>, Array<M>);

pub fn program<M: AnyMode>(grid: Grid, (u, v): &Arrays<M>) -> Active<f64, M> {
    let (dx, dt) = (grid.dx(), grid.dt());
    // The Reynolds number is one.
    let (cx, cd) = (dt / dx, dt / (dx * dx));
    let (mut u, mut v) = (u.clone(), v.clone());
    let mut t = 0.0;
    for _ in 0..grid.steps {
        t += dt;
        let (mut new_u, mut new_v) = grid.boundary(t);
        for row in grid.rows() {
            advance(&mut new_u, &u, &u, &v, row.clone(), grid.n, cx, cd);
            advance(&mut new_v, &v, &u, &v, row, grid.n, cx, cd);
        }
        (u, v) = (new_u, new_v);
    }
    let mut sum = Active::<f64, M>::passive(0.0);
    for row in grid.rows() {
        sum += u.slice(row.clone()).norm_squared() + v.slice(row).norm_squared();
    }
    sum
}
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn advance<M: AnyMode>(
    new: &mut Array<M>,
    w: &Array<M>,
    u: &Array<M>,
    v: &Array<M>,
    row: Range<usize>,
    n: usize,
    cx: f64,
    cd: f64,
) {
    let Range { start, end } = row.clone();
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

/// Transports the upwind difference with the velocity, and diffuses by the second difference, from the differences to
/// the points behind and ahead.
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
#[inline(always)]
fn upwind<L: Lane>(velocity: L, behind: L, ahead: L) -> L {
    L::select(velocity.zero().less_eq(velocity), behind, ahead)
}

impl Grid {
    fn rows(self) -> impl Iterator<Item = Range<usize>> {
        (1..self.n - 1).map(move |j| j * self.n + 1..(j + 1) * self.n - 1)
    }
    /// The interior is arbitrary.
    fn boundary<M: AnyMode>(self, t: f64) -> Arrays<M> {
        let (n, last) = (self.n, self.n - 1);
        let field = |part: fn((f64, f64)) -> f64| {
            Array::filled_by(n * n, |all| {
                for k in 0..n {
                    for (i, j) in [(k, 0), (k, last), (0, k), (last, k)] {
                        all[i + j * n] = part(self.exact(i, j, t));
                    }
                }
            })
        };
        (field(|(u, _)| u), field(|(_, v)| v))
    }
}

pub fn record_and_sweep<M: Recording>(
    tape: &mut Tape<M>,
    grid: Grid,
) -> Result<(Duration, Outcome), Error> {
    tape.reset();
    let Fields { u, v } = grid.initial();
    let inputs = (tape.input(u), tape.input(v));
    let (record, output) = timed(|| tape.record(|| program(grid, &inputs)));
    let (time, gradient) = timed(|| tape.gradient(&output));
    let gradient = gradient?;
    let outcome = Outcome {
        value: output.value(),
        gradient: Fields {
            u: gradient.wrt(&inputs.0)?,
            v: gradient.wrt(&inputs.1)?,
        },
        time,
    };
    Ok((record, outcome))
}

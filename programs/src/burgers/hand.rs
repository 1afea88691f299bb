//! The hand-written adjoint: the fields of every step are stored, and the way back gathers the contributions of the
//! updates of the neighbours of each point.
//!
//! ```text
//! new = w - cx (u * dx(w) + v * dy(w)) + cd * laplacian(w)                  forward, for w = u, v
//!
//! w_b = (1 - 4 cd - cx (|u| + |v|)) * new_b                                 the point itself
//!     + (cd + cx max(u, 0)) * new_b | east  + (cd - cx min(u, 0)) * new_b | west
//!     + (cd + cx max(v, 0)) * new_b | north + (cd - cx min(v, 0)) * new_b | south
//! u_b -= cx * dx(w) * new_b,   v_b -= cx * dy(w) * new_b                    for w = u, v
//! ```
use super::{Burgers, Fields, Grid, REYNOLDS, norm, plain, row};
use std::ops::Range;

pub struct Adjoint {
    grid: Grid,
    /// The fields before each step and after the last one.
    kept: Vec<Fields<f64>>,
    /// The adjoints after a step; zero on the boundary.
    new_b: Fields<f64>,
    /// The adjoints before the step.
    old_b: Fields<f64>,
}
impl Adjoint {
    pub fn new(grid: Grid) -> Self {
        let zeros = || grid.initial().map(|_| 0.0);
        let mut kept: Vec<_> = (0..=grid.steps).map(|_| zeros()).collect();
        kept[0] = Burgers::new(grid, |x| x).initial;
        Adjoint {
            grid,
            kept,
            new_b: zeros(),
            old_b: zeros(),
        }
    }
    pub fn record(&mut self) -> f64 {
        let Grid { n, steps } = self.grid;
        let (cx, cd, dt) = self.factors();
        let mut t = 0.0;
        for step in 0..steps {
            let (before, after) = self.kept.split_at_mut(step + 1);
            let (Fields { u, v }, new) = (&before[step], &mut after[0]);
            plain(&mut new.u, u, u, v, n, cx, cd);
            plain(&mut new.v, v, u, v, n, cx, cd);
            t += dt;
            new.set_boundary(&self.grid, t);
        }
        let Fields { u, v } = &self.kept[steps];
        norm(self.grid, u, v)
    }
    pub fn reverse(&mut self) {
        let Grid { n, steps } = self.grid;
        let (cx, cd, _) = self.factors();
        let end = &self.kept[steps];
        for field in [
            &mut self.old_b.u,
            &mut self.old_b.v,
            &mut self.new_b.u,
            &mut self.new_b.v,
        ] {
            field.fill(0.0);
        }
        for c in self.grid.interior() {
            self.old_b.u[c] = 2.0 * end.u[c];
            self.old_b.v[c] = 2.0 * end.v[c];
        }
        for step in (0..steps).rev() {
            std::mem::swap(&mut self.new_b, &mut self.old_b);
            let Fields { u, v } = &self.kept[step];
            let (new_b, old_b) = (&self.new_b, &mut self.old_b);
            transported(&mut old_b.u, &new_b.u, u, v, n, cx, cd);
            transported(&mut old_b.v, &new_b.v, u, v, n, cx, cd);
            transporting(old_b, &new_b.u, u, u, v, n, cx);
            transporting(old_b, &new_b.v, v, u, v, n, cx);
            if step == 0 {
                at_boundary(&mut old_b.u, &new_b.u, u, v, n, cx, cd);
                at_boundary(&mut old_b.v, &new_b.v, u, v, n, cx, cd);
            }
        }
    }
    pub fn gradient(&self) -> &Fields<f64> {
        &self.old_b
    }
    /// `cx`, `cd` and the length of a step.
    fn factors(&self) -> (f64, f64, f64) {
        let (dx, dt) = (self.grid.dx(), self.grid.dt());
        (dt / dx, dt / (REYNOLDS * dx * dx), dt)
    }
}

#[inline(never)]
fn transported(w_b: &mut [f64], new_b: &[f64], u: &[f64], v: &[f64], n: usize, cx: f64, cd: f64) {
    for j in 1..n - 1 {
        let at = |by: isize| {
            let start = (j * n + 1).wrapping_add_signed(by);
            start..start + n - 2
        };
        let (mid, west, east) = (at(0), at(-1), at(1));
        let (south, north) = (at(-(n as isize)), at(n as isize));
        let out = &mut w_b[mid.clone()];
        let (u_mid, v_mid, b_mid) = (&u[mid.clone()], &v[mid.clone()], &new_b[mid]);
        let (u_west, b_west) = (&u[west.clone()], &new_b[west]);
        let (u_east, b_east) = (&u[east.clone()], &new_b[east]);
        let (v_south, b_south) = (&v[south.clone()], &new_b[south]);
        let (v_north, b_north) = (&v[north.clone()], &new_b[north]);
        for k in 0..n - 2 {
            out[k] = (1.0 - 4.0 * cd - cx * (u_mid[k].abs() + v_mid[k].abs())) * b_mid[k]
                + (cd + cx * u_east[k].max(0.0)) * b_east[k]
                + (cd - cx * u_west[k].min(0.0)) * b_west[k]
                + (cd + cx * v_north[k].max(0.0)) * b_north[k]
                + (cd - cx * v_south[k].min(0.0)) * b_south[k];
        }
    }
}
#[inline(never)]
fn transporting(
    old_b: &mut Fields<f64>,
    new_b: &[f64],
    w: &[f64],
    u: &[f64],
    v: &[f64],
    n: usize,
    cx: f64,
) {
    for j in 1..n - 1 {
        let inside: Range<usize> = j * n + 1..(j + 1) * n - 1;
        let (v_b, r_b) = (&mut old_b.v[inside.clone()], &new_b[inside]);
        let row = row(j, n, &mut old_b.u, w, u, v);
        for k in 0..n - 2 {
            let along_x = if row.u[k] >= 0.0 {
                row.mid[k] - row.west[k]
            } else {
                row.east[k] - row.mid[k]
            };
            let along_y = if row.v[k] >= 0.0 {
                row.mid[k] - row.south[k]
            } else {
                row.north[k] - row.mid[k]
            };
            row.out[k] -= cx * along_x * r_b[k];
            v_b[k] -= cx * along_y * r_b[k];
        }
    }
}
/// The points of the boundary are inputs before the first step.
fn at_boundary(w_b: &mut [f64], new_b: &[f64], u: &[f64], v: &[f64], n: usize, cx: f64, cd: f64) {
    for k in 1..n - 1 {
        let (south, north) = (k, k + (n - 1) * n);
        w_b[south] = (cd + cx * v[south + n].max(0.0)) * new_b[south + n];
        w_b[north] = (cd - cx * v[north - n].min(0.0)) * new_b[north - n];
        let (west, east) = (k * n, k * n + n - 1);
        w_b[west] = (cd + cx * u[west + 1].max(0.0)) * new_b[west + 1];
        w_b[east] = (cd - cx * u[east - 1].min(0.0)) * new_b[east - 1];
    }
    for corner in [0, n - 1, n * (n - 1), n * n - 1] {
        w_b[corner] = 0.0;
    }
}

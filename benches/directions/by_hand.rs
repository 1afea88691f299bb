//! Hand-written sweeps along directions of [`burgers_array`](entape_programs::burgers_array): their cost without a
//! tape.
//!
//! The new value of a field `w` is linear in the five values of `w` around a point, with factors that depend on the
//! velocities `u` and `v`. So a row has seven arrays of partial derivatives, which all directions share. Compile with
//! `RUSTFLAGS="-C target-cpu=native"`, as entape's loops use the widest instructions. Loops are separate functions, so
//! that their slices do not overlap.
use entape_programs::burgers::{Fields, Grid};
use std::{array::from_fn, ops::Range};

/// Values, tangents or adjoints at all points, first of `u`, then of `v`.
type Both = [Vec<f64>; 2];
/// Partial derivatives of a row, or their tangents: with respect to the field at the point, in the west, east, south
/// and north, and to `u` and `v`.
type Partials = [Vec<f64>; 7];

pub(crate) struct ByHand {
    grid: Grid,
    fields: Vec<Both>,
}
impl ByHand {
    pub(crate) fn new(grid: Grid) -> Self {
        let Fields { u, v } = grid.initial();
        let mut fields = vec![[u, v]];
        for step in 0..grid.steps {
            let next = advance(grid, &fields[step], (step + 1) as f64 * grid.dt());
            fields.push(next);
        }
        ByHand { grid, fields }
    }
    pub(crate) fn start(&self) -> &Both {
        &self.fields[0]
    }
    pub(crate) fn adjoints(&self, count: usize) -> Vec<Both> {
        let mut partials = partials(self.grid);
        let mut adjoints: Vec<_> = (0..count)
            .map(|_| self.seed(&self.fields[self.grid.steps]))
            .collect();
        for fields in self.fields[..self.grid.steps].iter().rev() {
            let mut before: Vec<Both> = (0..count).map(|_| self.zeros()).collect();
            for row in rows(self.grid).rev() {
                for w in [1, 0] {
                    self.differentiate(fields, (fields, 1.0), w, row.clone(), &mut partials);
                    for (before, adjoints) in before.iter_mut().zip(&adjoints) {
                        self.each_argument(w, row.clone(), |k, of, at| {
                            add(&mut before[of][at], &partials[k], &adjoints[w][row.clone()]);
                        });
                    }
                }
            }
            adjoints = before;
        }
        adjoints
    }
    pub(crate) fn tangents(&self, count: usize, direction: &Both) -> Vec<Vec<Both>> {
        let mut partials = partials(self.grid);
        let mut all = vec![vec![direction.clone(); count]];
        for (step, fields) in self.fields[..self.grid.steps].iter().enumerate() {
            let mut after: Vec<Both> = (0..count).map(|_| self.zeros()).collect();
            for row in rows(self.grid) {
                for w in [0, 1] {
                    self.differentiate(fields, (fields, 1.0), w, row.clone(), &mut partials);
                    for (after, tangents) in after.iter_mut().zip(&all[step]) {
                        let mut arguments = [&[][..]; 7];
                        self.each_argument(w, row.clone(), |k, of, at| {
                            arguments[k] = &tangents[of][at]
                        });
                        sum_of_products(&mut after[w][row.clone()], &partials, arguments);
                    }
                }
            }
            all.push(after);
        }
        all
    }
    pub(crate) fn hessian_vector(&self, direction: &Both) -> Both {
        let tangents = self.tangents(1, direction);
        let (mut partials, mut along) = (partials(self.grid), partials(self.grid));
        let steps = self.grid.steps;
        let mut adjoints = [
            self.seed(&self.fields[steps]),
            self.seed(&tangents[steps][0]),
        ];
        for (fields, tangents) in self.fields[..steps].iter().zip(&tangents).rev() {
            let mut before = [self.zeros(), self.zeros()];
            for row in rows(self.grid).rev() {
                for w in [1, 0] {
                    self.differentiate(fields, (fields, 1.0), w, row.clone(), &mut partials);
                    self.differentiate(fields, (&tangents[0], 0.0), w, row.clone(), &mut along);
                    let [r_b, r_bt] = adjoints.each_ref().map(|both| &both[w][row.clone()]);
                    let [adjoint, tangent] = &mut before;
                    self.each_argument(w, row.clone(), |k, of, at| {
                        add(&mut adjoint[of][at.clone()], &partials[k], r_b);
                        add_two(
                            &mut tangent[of][at],
                            [(&partials[k], r_bt), (&along[k], r_b)],
                        );
                    });
                }
            }
            adjoints = before;
        }
        let [_, tangents] = adjoints;
        tangents
    }
    fn zeros(&self) -> Both {
        from_fn(|_| vec![0.0; self.grid.n * self.grid.n])
    }
    /// The derivative of the squared norm of the interior values, which is linear.
    fn seed(&self, fields: &Both) -> Both {
        let mut seed = self.zeros();
        for (seed, field) in seed.iter_mut().zip(fields) {
            for row in rows(self.grid) {
                seed[row.clone()]
                    .iter_mut()
                    .zip(&field[row])
                    .for_each(|(seed, x)| *seed = 2.0 * x);
            }
        }
        seed
    }
    /// Passes each argument of a row of the field `w`: the index of its partial derivative, its field, and its points.
    #[inline(always)]
    fn each_argument(
        &self,
        w: usize,
        row: Range<usize>,
        mut visit: impl FnMut(usize, usize, Range<usize>),
    ) {
        for (k, at) in around(self.grid, row.clone()).into_iter().enumerate() {
            visit(k, w, at);
        }
        visit(5, 0, row.clone());
        visit(6, 1, row);
    }
    /// Values or tangents around a row of the field `w`, and of the velocities.
    #[inline(always)]
    fn around<'f>(&self, of: &'f Both, w: usize, row: Range<usize>) -> [&'f [f64]; 7] {
        let [mid, west, east, south, north] = around(self.grid, row.clone()).map(|at| &of[w][at]);
        [
            mid,
            west,
            east,
            south,
            north,
            &of[0][row.clone()],
            &of[1][row],
        ]
    }
    /// The partial derivatives of a row of the field `w`: `one` is 1, and 0 for their tangents. `(u, v)` determine the
    /// upstream side.
    fn differentiate(
        &self,
        fields: &Both,
        (of, one): (&Both, f64),
        w: usize,
        row: Range<usize>,
        partials: &mut Partials,
    ) {
        let [mid, west, east, south, north, by_u, by_v] = self.around(of, w, row.clone());
        let [.., u, v] = self.around(fields, w, row);
        let (cx, cd) = factors(self.grid);
        differentiate(
            (cx, one * cd, one),
            mid,
            west,
            east,
            south,
            north,
            (u, v),
            (by_u, by_v),
            partials,
        );
    }
}
#[inline(never)]
#[allow(clippy::too_many_arguments)]
fn differentiate(
    (cx, cd, one): (f64, f64, f64),
    mid: &[f64],
    west: &[f64],
    east: &[f64],
    south: &[f64],
    north: &[f64],
    (u, v): (&[f64], &[f64]),
    (by_u, by_v): (&[f64], &[f64]),
    partials: &mut Partials,
) {
    let length = mid.len();
    let [west, east, south, north] = [west, east, south, north].map(|x| &x[..length]);
    let [u, v, by_u, by_v] = [u, v, by_u, by_v].map(|x| &x[..length]);
    let [c, cw, ce, cs, cn, cu, cv] = partials.each_mut().map(|x| &mut x[..length]);
    for i in 0..length {
        let (x, y) = (u[i] >= 0.0, v[i] >= 0.0);
        cu[i] = -cx
            * if x {
                mid[i] - west[i]
            } else {
                east[i] - mid[i]
            };
        cv[i] = -cx
            * if y {
                mid[i] - south[i]
            } else {
                north[i] - mid[i]
            };
        cw[i] = cd + cx * if x { by_u[i] } else { 0.0 };
        ce[i] = cd - cx * if x { 0.0 } else { by_u[i] };
        cs[i] = cd + cx * if y { by_v[i] } else { 0.0 };
        cn[i] = cd - cx * if y { 0.0 } else { by_v[i] };
        c[i] = one - cw[i] - ce[i] - cs[i] - cn[i];
    }
}
fn factors(grid: Grid) -> (f64, f64) {
    (grid.dt() / grid.dx(), grid.dt() / (grid.dx() * grid.dx()))
}
fn rows(grid: Grid) -> impl DoubleEndedIterator<Item = Range<usize>> {
    (1..grid.n - 1).map(move |j| j * grid.n + 1..(j + 1) * grid.n - 1)
}
/// The points of a row, and their neighbours in the west, east, south and north.
#[inline(always)]
fn around(grid: Grid, Range { start, end }: Range<usize>) -> [Range<usize>; 5] {
    let n = grid.n;
    [
        start..end,
        start - 1..end - 1,
        start + 1..end + 1,
        start - n..end - n,
        start + n..end + n,
    ]
}
fn partials(grid: Grid) -> Partials {
    from_fn(|_| vec![0.0; grid.n])
}
/// With the exact solution on the boundary.
fn advance(grid: Grid, fields: &Both, t: f64) -> Both {
    let (n, (cx, cd)) = (grid.n, factors(grid));
    let mut next: Both = from_fn(|_| vec![0.0; n * n]);
    for k in 0..n {
        for (i, j) in [(k, 0), (k, n - 1), (0, k), (n - 1, k)] {
            let (u, v) = grid.exact(i, j, t);
            (next[0][i + j * n], next[1][i + j * n]) = (u, v);
        }
    }
    for (next, w) in next.iter_mut().zip(fields) {
        for i in rows(grid).flatten() {
            let transport = |velocity: f64, behind: f64, ahead: f64| {
                let upwind = if velocity >= 0.0 { behind } else { ahead };
                (ahead - behind) * cd - velocity * upwind * cx
            };
            let along_x = transport(fields[0][i], w[i] - w[i - 1], w[i + 1] - w[i]);
            let along_y = transport(fields[1][i], w[i] - w[i - n], w[i + n] - w[i]);
            next[i] = w[i] + along_x + along_y;
        }
    }
    next
}
#[inline(never)]
fn add(to: &mut [f64], partials: &[f64], r_b: &[f64]) {
    let [partials, r_b] = [partials, r_b].map(|all| &all[..to.len()]);
    for (i, to) in to.iter_mut().enumerate() {
        *to += partials[i] * r_b[i];
    }
}
#[inline(never)]
fn add_two(to: &mut [f64], [(a, x), (b, y)]: [(&[f64], &[f64]); 2]) {
    let [a, b, x, y] = [a, b, x, y].map(|all| &all[..to.len()]);
    for (i, to) in to.iter_mut().enumerate() {
        *to += a[i] * x[i] + b[i] * y[i];
    }
}
#[inline(never)]
fn sum_of_products(to: &mut [f64], partials: &Partials, arguments: [&[f64]; 7]) {
    let (length, partials) = (to.len(), partials.each_ref().map(|c| &c[..to.len()]));
    let arguments = arguments.map(|x| &x[..length]);
    for (i, to) in to.iter_mut().enumerate() {
        *to = (0..7).map(|k| partials[k][i] * arguments[k][i]).sum();
    }
}

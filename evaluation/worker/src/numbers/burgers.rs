//! Burgers' equations, four assignments for each cell and field.
use super::Number;
use entape_programs::burgers::Grid;

pub(super) fn run<T: Number>(grid: Grid, u: &[T], v: &[T]) -> T {
    let Grid { n, steps } = grid;
    let (dx, dt) = (grid.dx(), grid.dt());
    // The Reynolds number is one.
    let (cx, cd) = (dt / dx, dt / (dx * dx));
    let (mut u, mut v) = (u.to_vec(), v.to_vec());
    let zero = T::constant(0.0);
    let (mut new_u, mut new_v) = (vec![zero; n * n], vec![zero; n * n]);
    let mut t = 0.0;
    for _ in 0..steps {
        advance(&mut new_u, &u, &u, &v, n, cx, cd);
        advance(&mut new_v, &v, &u, &v, n, cx, cd);
        t += dt;
        for k in 0..n {
            for (i, j) in [(k, 0), (k, n - 1), (0, k), (n - 1, k)] {
                let (u, v) = grid.exact(i, j, t);
                (new_u[i + j * n], new_v[i + j * n]) = (T::constant(u), T::constant(v));
            }
        }
        (u, new_u) = (new_u, u);
        (v, new_v) = (new_v, v);
    }
    let mut sum = zero;
    for j in 1..n - 1 {
        for c in j * n + 1..(j + 1) * n - 1 {
            sum = sum + u[c] * u[c] + v[c] * v[c];
        }
    }
    sum
}
#[inline(never)]
fn advance<T: Number>(new: &mut [T], w: &[T], u: &[T], v: &[T], n: usize, cx: f64, cd: f64) {
    for j in 1..n - 1 {
        for c in j * n + 1..(j + 1) * n - 1 {
            let mid = w[c];
            let (west, east, south, north) = (w[c - 1], w[c + 1], w[c - n], w[c + n]);
            let ax = u[c]
                * if u[c].value() >= 0.0 {
                    mid - west
                } else {
                    east - mid
                };
            let ay = v[c]
                * if v[c].value() >= 0.0 {
                    mid - south
                } else {
                    north - mid
                };
            let laplacian = east + west + north + south - mid * 4.0;
            new[c] = mid - (ax + ay) * cx + laplacian * cd;
        }
    }
}

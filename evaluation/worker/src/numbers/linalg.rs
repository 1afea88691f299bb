use super::Number;

fn dot<T: Number>(a: impl IntoIterator<Item = T>, b: impl IntoIterator<Item = T>) -> T {
    let mut all = a.into_iter().zip(b);
    let Some((a, b)) = all.next() else {
        return T::constant(0.0);
    };
    all.fold(a * b, |sum, (a, b)| sum.plus_product(a, b))
}
fn row<T: Number>(n: usize, a: &[T], i: usize) -> impl Iterator<Item = T> {
    a[i * n..(i + 1) * n].iter().copied()
}
fn column<T: Number>(n: usize, a: &[T], j: usize) -> impl Iterator<Item = T> {
    a[j..].iter().step_by(n).copied()
}
fn matrix<T: Number>(n: usize, mut f: impl FnMut(usize, usize) -> T) -> Vec<T> {
    (0..n * n).map(|c| f(c / n, c % n)).collect()
}
fn vector<T: Number>(n: usize, f: impl FnMut(usize) -> T) -> Vec<T> {
    (0..n).map(f).collect()
}
fn squares<T: Number>(x: &[T]) -> T {
    dot(x.iter().copied(), x.iter().copied())
}
fn weighted<T: Number>(x: &[T], weights: &[f64]) -> T {
    let mut all = x.iter().zip(weights).map(|(&x, &w)| x * w);
    let first = all.next().unwrap_or_else(|| T::constant(0.0));
    all.fold(first, |sum, x| sum + x)
}

pub(super) fn product<T: Number>(n: usize, a: &[T], b: &[T], weights: &[f64]) -> T {
    let c = matrix(n, |i, j| dot(row(n, a, i), column(n, b, j)));
    weighted(&c, weights)
}

/// T2 and T2m: reflections of Householder, then back substitution.
pub(super) fn solve<T: Number>(n: usize, a: &[T], b: &[T], weights: &[f64]) -> T {
    let cols = b.len() / n;
    let (mut a, mut x) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        let below = || k..n;
        let norm = squares(&below().map(|i| a[i * n + k]).collect::<Vec<_>>()).root();
        let pivot = a[k * n + k];
        let alpha = if pivot.value() > 0.0 { -norm } else { norm };
        // v = column - alpha * e, and |v|² = 2 alpha (alpha - pivot)
        let mut v: Vec<T> = below().map(|i| a[i * n + k]).collect();
        v[0] = pivot - alpha;
        let scale = T::constant(1.0) / (alpha * v[0]);
        a[k * n + k] = alpha;
        let reflect = |m: &mut [T], width: usize, j: usize| {
            let along = dot(v.iter().copied(), below().map(|i| m[i * width + j])) * scale;
            for (&v, i) in v.iter().zip(below()) {
                m[i * width + j] = m[i * width + j].plus_product(v, along);
            }
        };
        (k + 1..n).for_each(|j| reflect(&mut a, n, j));
        (0..cols).for_each(|j| reflect(&mut x, cols, j));
    }
    for j in 0..cols {
        for i in (0..n).rev() {
            let mut sum = x[i * cols + j];
            for k in i + 1..n {
                sum = sum.minus_product(a[i * n + k], x[k * cols + j]);
            }
            x[i * cols + j] = sum / a[i * n + i];
        }
    }
    weighted(&x, weights)
}

/// T3. Each matrix is an assignment of its elements.
pub(super) fn kalman<T: Number>(n: usize, steps: usize, inputs: &[&[T]]) -> T {
    let &[f, b, q, h, noise, p, u, z, x] = inputs else {
        unreachable!("six matrices and three vectors");
    };
    let (mut x, mut p) = (x.to_vec(), p.to_vec());
    for _ in 0..steps {
        let y = vector(n, |i| {
            let control = dot(row(n, b, i), u.iter().copied());
            dot(row(n, f, i), x.iter().copied()) + control
        });
        let fp = matrix(n, |i, j| dot(row(n, f, i), column(n, &p, j)));
        let cov = matrix(n, |i, j| dot(row(n, &fp, i), row(n, f, j)) + q[i * n + j]);
        let mut v = vector(n, |i| z[i] - dot(row(n, h, i), y.iter().copied()));
        let mut m1 = matrix(n, |i, j| dot(row(n, h, i), column(n, &cov, j)));
        let m2 = matrix(n, |i, j| dot(row(n, &cov, i), row(n, h, j)));
        let mut l = matrix(n, |i, j| match j <= i {
            true => dot(row(n, &m1, i), row(n, h, j)) + noise[i * n + j],
            false => T::constant(0.0),
        });
        cholesky(n, &mut l);
        solve_lower(n, &l, &mut v, 1);
        solve_upper(n, &l, &mut v, 1);
        solve_lower(n, &l, &mut m1, n);
        solve_upper(n, &l, &mut m1, n);
        x = vector(n, |i| y[i] + dot(row(n, &m2, i), v.iter().copied()));
        p = matrix(n, |i, j| {
            cov[i * n + j] - dot(row(n, &m2, i), column(n, &m1, j))
        });
    }
    squares(&x) + squares(&p)
}
fn cholesky<T: Number>(n: usize, m: &mut [T]) {
    for j in 0..n {
        for i in j..n {
            let mut sum = m[i * n + j];
            for k in 0..j {
                sum = sum.minus_product(m[i * n + k], m[j * n + k]);
            }
            m[i * n + j] = if i == j {
                sum.root()
            } else {
                sum / m[j * n + j]
            };
        }
    }
}
fn solve_lower<T: Number>(n: usize, l: &[T], x: &mut [T], cols: usize) {
    for j in 0..cols {
        for i in 0..n {
            let mut sum = x[i * cols + j];
            for k in 0..i {
                sum = sum.minus_product(l[i * n + k], x[k * cols + j]);
            }
            x[i * cols + j] = sum / l[i * n + i];
        }
    }
}
fn solve_upper<T: Number>(n: usize, l: &[T], x: &mut [T], cols: usize) {
    for j in 0..cols {
        for i in (0..n).rev() {
            let mut sum = x[i * cols + j];
            for k in i + 1..n {
                sum = sum.minus_product(l[k * n + i], x[k * cols + j]);
            }
            x[i * cols + j] = sum / l[i * n + i];
        }
    }
}

pub(super) fn analysis<T: Number>(n: usize, steps: usize, inputs: &[&[T]]) -> T {
    let &[w, a, x0, y, v1, z1, v2, z2, alpha, beta, tau] = inputs else {
        unreachable!("two matrices, six vectors and three numbers");
    };
    let (alpha, beta, tau) = (alpha[0], beta[0], tau[0]);
    let [mut v1, mut z1, mut v2, mut z2] = [v1, z1, v2, z2].map(<[T]>::to_vec);
    let combined = |v: &[T], z: &[T]| vector(n, |i| (alpha * v[i]).plus_product(tau, z[i]));
    for _ in 0..steps {
        let (y1, y2) = (combined(&v1, &z1), combined(&v2, &z2));
        let x = vector(n, |i| {
            let other = dot(column(n, a, i), y2.iter().copied());
            x0[i].plus_product(beta, dot(column(n, w, i), y1.iter().copied()) - other)
        });
        z1 = vector(n, |i| y1[i] - dot(row(n, w, i), x.iter().copied()));
        z2 = vector(n, |i| y2[i] - (y[i] - dot(row(n, a, i), x.iter().copied())));
        (v1, v2) = (combined(&v1, &z1), combined(&v2, &z2));
    }
    squares(&v1) + squares(&z1) + squares(&v2) + squares(&z2)
}

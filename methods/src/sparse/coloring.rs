//! Colourings: the columns of a sparse matrix that are computed as a sum. [`SparseObjective`](super::SparseObjective)
//! names the sources.
//!
//! An entry can be read off the sum of its colour if no other column of it has an entry in this row. Both colourings
//! are greedy and begin with the columns with most neighbours.
use super::Sparsity;
use std::{cmp::Reverse, collections::HashMap};

const NONE: u32 = u32::MAX;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Coloring {
    pub(super) colors: Vec<u32>,
    pub(super) count: usize,
}
impl Coloring {
    fn new(colors: Vec<u32>) -> Self {
        let count = colors.iter().max().map_or(0, |&last| last as usize + 1);
        Coloring { colors, count }
    }
    /// Columns of one colour share no row.
    pub(super) fn of_columns(rows: &Sparsity) -> Self {
        let columns = rows.transpose();
        let lengths: Vec<_> = rows.iter_rows().map(<[_]>::len).collect();
        // The number of other entries in the rows of a column, with repetitions.
        let degree = |j: usize| {
            columns
                .row(j)
                .iter()
                .map(|&i| lengths[i] - 1)
                .sum::<usize>()
        };
        let mut colors = vec![NONE; columns.rows()];
        let mut forbidden = Forbidden::default();
        for j in largest_first(columns.rows(), degree) {
            forbidden.clear();
            for &i in columns.row(j) {
                rows.row(i).iter().for_each(|&k| forbidden.add(colors[k]));
                if forbidden.is_full() {
                    break;
                }
            }
            colors[j] = forbidden.first_allowed();
        }
        Coloring::new(colors)
    }
    /// A star colouring: neighbours differ, and each path of four vertices has three colours. An entry can then be read
    /// off its own column or the column of its mirror image.
    pub(super) fn of_symmetric(pattern: &Sparsity) -> Self {
        let neighbors = |v: usize| pattern.row(v).iter().copied().filter(move |&w| w != v);
        let n = pattern.rows();
        let mut colors = vec![NONE; n];
        // A star is a hub with two or more neighbours of one colour. If others of their neighbours had the hub's
        // colour, a path of four vertices would have two colours.
        let mut hubs: Vec<Vec<u32>> = vec![Vec::new(); n];
        // For a vertex and a colour of two or more vertices, the first neighbour of that colour; `None` if there are
        // several. A full matrix stores nothing.
        let mut first: HashMap<(usize, u32), Option<usize>> = HashMap::new();
        let mut only: Vec<Option<usize>> = Vec::new();
        let mut forbidden = Forbidden::default();
        for v in largest_first(n, |v| neighbors(v).count()) {
            forbidden.clear();
            for w in neighbors(v) {
                forbidden.add(colors[w]);
                if colors[w] == NONE {
                    // Neighbours of a vertex differ before it gets its colour, so it never joins two stars.
                    neighbors(w).for_each(|x| forbidden.add(colors[x]));
                } else {
                    hubs[w].iter().for_each(|&color| forbidden.add(color));
                }
                if forbidden.is_full() {
                    break;
                }
            }
            let color = forbidden.first_allowed();
            colors[v] = color;
            match only.get_mut(color as usize) {
                None => {
                    only.push(Some(v));
                    continue;
                }
                Some(only) => {
                    let before = only.take();
                    let each = before
                        .into_iter()
                        .flat_map(|u| neighbors(u).map(move |w| (w, u)));
                    first.extend(each.map(|(w, u)| ((w, color), Some(u))));
                }
            }
            // If a neighbour already had a neighbour of this colour, it has a colour itself.
            for w in neighbors(v) {
                match first.get_mut(&(w, color)) {
                    None => _ = first.insert((w, color), Some(v)),
                    Some(only) => {
                        if let Some(before) = only.take() {
                            hubs[before].push(colors[w]);
                        }
                        hubs[v].push(colors[w]);
                    }
                }
            }
        }
        Coloring::new(colors)
    }
    /// Whether each entry of a symmetric matrix is read off its own column, not its mirror image.
    pub(super) fn in_own_column(&self, pattern: &Sparsity) -> Vec<bool> {
        let (mut own, mut count) = (Vec::with_capacity(pattern.entries()), vec![0; self.count]);
        for row in pattern.iter_rows() {
            let colors = || row.iter().map(|&j| self.colors[j] as usize);
            colors().for_each(|color| count[color] += 1);
            own.extend(colors().map(|color| count[color] == 1));
            colors().for_each(|color| count[color] = 0);
        }
        own
    }
}

fn largest_first(n: usize, degree: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..n).collect();
    order.sort_by_cached_key(|&v| Reverse(degree(v)));
    order
}

#[derive(Default)]
struct Forbidden {
    rounds: Vec<usize>,
    round: usize,
    count: usize,
}
impl Forbidden {
    fn clear(&mut self) {
        self.round += 1;
        self.count = 0;
    }
    fn is_full(&self) -> bool {
        self.count > 0 && self.count == self.rounds.len()
    }
    fn add(&mut self, color: u32) {
        if color == NONE {
            return;
        }
        let color = color as usize;
        if std::mem::replace(&mut self.rounds[color], self.round) != self.round {
            self.count += 1;
        }
    }
    /// Returns the first allowed colour, possibly a new one.
    fn first_allowed(&mut self) -> u32 {
        let free = self.rounds.iter().position(|&round| round != self.round);
        let color = free.unwrap_or(self.rounds.len());
        if free.is_none() {
            self.rounds.push(0);
        }
        color as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn pattern(
        rows: usize,
        columns: usize,
        has: &mut impl FnMut(usize, usize) -> bool,
    ) -> Sparsity {
        let rows = (0..rows).map(|i| {
            (0..columns)
                .filter(|&j| has(i, j))
                .map(|j| j as u32)
                .collect::<Vec<_>>()
        });
        Sparsity::from_rows(columns, rows)
    }
    fn value(i: usize, j: usize) -> f64 {
        ((i + 1) * 1000 + j) as f64
    }
    fn sum(
        pattern: &Sparsity,
        coloring: &Coloring,
        i: usize,
        color: u32,
        value: impl Fn(usize, usize) -> f64,
    ) -> f64 {
        let of_color = pattern
            .row(i)
            .iter()
            .filter(|&&j| coloring.colors[j] == color);
        of_color.map(|&j| value(i, j)).sum()
    }

    #[test]
    fn columns_are_recovered() {
        let mut state = 1;
        for _ in 0..300 {
            let (m, n) = (
                (random(&mut state) * 20.0) as usize,
                (random(&mut state) * 20.0) as usize,
            );
            let density = random(&mut state);
            let pattern = pattern(m, n, &mut |_, _| random(&mut state) < density);
            let coloring = Coloring::of_columns(&pattern);
            assert_eq!(pattern.transpose().transpose(), pattern);
            assert!(coloring.count <= n);
            for i in 0..m {
                for &j in pattern.row(i) {
                    assert_eq!(
                        sum(&pattern, &coloring, i, coloring.colors[j], value),
                        value(i, j)
                    );
                }
            }
        }
    }

    #[test]
    fn symmetric_matrices_are_recovered() {
        let mut state = 2;
        let symmetric = |i: usize, j: usize| value(i.min(j), i.max(j));
        for _ in 0..600 {
            let n = (random(&mut state) * 20.0) as usize;
            let density = random(&mut state) * random(&mut state);
            let half: Vec<bool> = (0..n * n).map(|_| random(&mut state) < density).collect();
            let pattern = pattern(n, n, &mut |i, j| half[i.min(j) * n + i.max(j)]);
            let coloring = Coloring::of_symmetric(&pattern);
            let mut own = coloring.in_own_column(&pattern).into_iter();
            for i in 0..n {
                for &j in pattern.row(i) {
                    let (i, j) = if own.next() == Some(true) {
                        (i, j)
                    } else {
                        (j, i)
                    };
                    let sum = sum(&pattern, &coloring, i, coloring.colors[j], symmetric);
                    assert_eq!(sum, symmetric(i, j));
                }
            }
        }
    }

    #[test]
    fn bands_and_arrows_need_few_colors() {
        let n = 50;
        let band = pattern(n, n, &mut |i, j| i.abs_diff(j) <= 2);
        assert_eq!(Coloring::of_columns(&band).count, 5);
        assert!(Coloring::of_symmetric(&band).count <= 5);
        let arrow = pattern(n, n, &mut |i, j| i == j || i == 0 || j == 0);
        assert_eq!(Coloring::of_columns(&arrow).count, n);
        assert_eq!(Coloring::of_symmetric(&arrow).count, 2);
        let tridiagonal = pattern(n, n, &mut |i, j| i.abs_diff(j) <= 1);
        assert_eq!(Coloring::of_symmetric(&tridiagonal).count, 3);
    }

    #[test]
    fn an_arrow_takes_time_in_proportion_to_its_entries() {
        let n = 100_000;
        let rows = (0..n).map(|i| match i {
            0 => (0..n).collect(),
            i => vec![0, i],
        });
        let arrow = Sparsity::from_rows(n as usize, rows);
        assert_eq!(Coloring::of_symmetric(&arrow).count, 2);
    }
}

//! Binomial checkpointing (A. Griewank and A. Walther, *Algorithm 799: revolve*, 2000).
use std::{cmp::Reverse, collections::BinaryHeap};

/// The number of steps that can be reversed if each is advanced at most `repeats` times: the binomial coefficient
/// `slots + repeats` over `slots`.
pub(super) fn reach(slots: usize, repeats: usize) -> usize {
    let (few, many) = (slots.min(repeats) as u128, slots.max(repeats) as u128);
    let mut product: u128 = 1;
    for i in 1..=few {
        product = product * (many + i) / i;
        if product > usize::MAX as u128 {
            return usize::MAX;
        }
    }
    product as usize
}
fn repeats(steps: usize, slots: usize) -> usize {
    if slots == 1 {
        return steps.saturating_sub(1);
    }
    let mut all = 0..;
    all.find(|&repeats| reach(slots, repeats) >= steps)
        .unwrap_or(usize::MAX)
}
/// The smallest number of steps that are advanced to reverse this many. The initial state takes a slot; recordings do not
/// count.
pub(super) fn advances(steps: usize, slots: usize) -> usize {
    match repeats(steps, slots) {
        0 => 0,
        // in this order nothing overflows if the result fits
        repeats => {
            let all = repeats as u128 * steps as u128;
            all.saturating_sub(reach(slots.saturating_add(1), repeats - 1) as u128) as usize
        }
    }
}
fn split(steps: usize, slots: usize) -> usize {
    if slots == 1 {
        return steps - 1;
    }
    let repeats = repeats(steps, slots);
    reach(slots, repeats - 1).min(steps - reach(slots - 1, repeats - 1))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Stores the present state, before step `at`.
    Store { slot: usize, at: usize },
    /// Restores the present state from a slot.
    Restore { slot: usize, at: usize },
    /// Makes steps without a recording.
    Advance { from: usize, to: usize },
    /// Records and sweeps the step after the present state.
    Reverse { at: usize },
    /// The state in the slot is no longer needed.
    Free { slot: usize },
}

#[derive(Clone, Debug)]
pub(super) struct Free {
    used_before: BinaryHeap<Reverse<usize>>,
    next: usize,
    slots: usize,
}
impl Free {
    pub(super) fn new(slots: usize) -> Self {
        Free {
            used_before: BinaryHeap::new(),
            next: 1,
            slots,
        }
    }
    pub(super) fn take(&mut self) -> Option<usize> {
        if let Some(Reverse(slot)) = self.used_before.pop() {
            return Some(slot);
        }
        let slot = self.next;
        (slot < self.slots).then(|| {
            self.next += 1;
            slot
        })
    }
    pub(super) fn give(&mut self, slot: usize) {
        self.used_before.push(Reverse(slot));
    }
    fn count(&self) -> usize {
        self.slots - self.next + self.used_before.len()
    }
}

/// The step after a stored state, and its slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) at: usize,
    pub(super) slot: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Revolve {
    stored: Vec<Stored>,
    free: Free,
    present: Option<usize>,
    /// The steps from here on are reversed.
    end: usize,
}
impl Revolve {
    pub(super) fn new(steps: usize, slots: usize) -> Self {
        Revolve {
            stored: vec![Stored { at: 0, slot: 0 }],
            free: Free::new(slots),
            present: None,
            end: steps,
        }
    }
    pub(super) fn from_the_end(steps: usize, stored: Vec<Stored>, free: Free) -> Self {
        Revolve {
            stored,
            free,
            present: None,
            end: steps,
        }
    }
    /// The steps that will be advanced.
    pub(super) fn advances(&self) -> usize {
        let (mut end, mut free, mut sum) = (self.end, self.free.count(), 0);
        for stored in self.stored.iter().rev() {
            sum += advances(end - stored.at, free + 1);
            (end, free) = (stored.at, free + 1);
        }
        sum
    }
}
impl Iterator for Revolve {
    type Item = Action;
    fn next(&mut self) -> Option<Action> {
        let last = *self.stored.last()?;
        if last.at == self.end {
            self.stored.pop();
            self.free.give(last.slot);
            return Some(Action::Free { slot: last.slot });
        }
        let Some(at) = self.present else {
            self.present = Some(last.at);
            let Stored { at, slot } = last;
            return Some(Action::Restore { slot, at });
        };
        if at + 1 == self.end {
            (self.present, self.end) = (None, at);
            return Some(Action::Reverse { at });
        }
        if at > last.at
            && let Some(slot) = self.free.take()
        {
            self.stored.push(Stored { at, slot });
            return Some(Action::Store { slot, at });
        }
        let to = at + split(self.end - at, self.free.count() + 1);
        self.present = Some(to);
        Some(Action::Advance { from: at, to })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Action, Free, Revolve, advances, reach};

    pub(in super::super) fn follow(
        actions: impl Iterator<Item = Action>,
        steps: usize,
        mut slots: Vec<Option<usize>>,
    ) -> Vec<usize> {
        let (mut counts, mut present, mut end) = (vec![0; steps], None, steps);
        for action in actions {
            match action {
                Action::Store { slot, at } => {
                    assert_eq!((present, slots[slot].replace(at)), (Some(at), None));
                }
                Action::Restore { slot, at } => {
                    assert_eq!(slots[slot], Some(at));
                    present = Some(at);
                }
                Action::Advance { from, to } => {
                    assert_eq!(present, Some(from));
                    assert!(from < to && to < end);
                    counts[from..to].iter_mut().for_each(|count| *count += 1);
                    present = Some(to);
                }
                Action::Reverse { at } => {
                    assert_eq!((present, at + 1), (Some(at), end));
                    (present, end) = (None, at);
                }
                Action::Free { slot } => {
                    assert!(slots[slot].take().is_some_and(|at| at == end));
                }
            }
        }
        assert_eq!((end, slots.iter().flatten().count()), (0, 0));
        counts
    }
    fn initial(slots: usize) -> Vec<Option<usize>> {
        let mut all = vec![None; slots];
        all[0] = Some(0);
        all
    }

    fn least(steps: usize, slots: usize) -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; steps + 1]; slots + 1];
        for slots in 1..=slots {
            for steps in 2..=steps {
                let alone = steps * (steps - 1) / 2;
                let stored = |at: usize| at + table[slots - 1][steps - at] + table[slots][at];
                let best = match slots {
                    1 => alone,
                    _ => (1..steps).map(stored).min().unwrap_or(0).min(alone),
                };
                table[slots][steps] = best;
            }
        }
        table
    }

    #[test]
    fn steps_are_repeated_as_often_as_the_theory_says_and_no_schedule_repeats_fewer() {
        let table = least(300, 40);
        for slots in (1..12).chain([20, 40]) {
            for steps in (1..40).chain([99, 100, 180, 300]) {
                let counts = follow(Revolve::new(steps, slots), steps, initial(slots));
                let sum = counts.iter().sum::<usize>();
                assert_eq!(sum, table[slots][steps], "{steps} steps, {slots} slots");
                assert_eq!(sum, advances(steps, slots));
                assert_eq!(sum, Revolve::new(steps, slots).advances());
                // no step more often than required
                let most = counts.into_iter().max().unwrap_or(0);
                assert!(reach(slots, most) >= steps);
                assert!(most == 0 || reach(slots, most - 1) < steps);
            }
        }
    }
    #[test]
    fn reach_and_advances_have_the_numbers_of_the_theory() {
        // 10 is the most that 3 slots reverse with 2 repetitions: 2 * 10 - 5 advances
        assert_eq!((reach(3, 2), advances(10, 3)), (10, 15));
        assert_eq!(reach(1000, 2), 501_501);
        assert_eq!(reach(40, 40), usize::MAX);
        assert_eq!(advances(100_000, 1000), 2 * 100_000 - 1002);
        assert_eq!(advances(1, 1), 0);
    }
    #[test]
    fn free_slots_are_those_that_were_given_back() {
        let mut free = Free::new(4);
        assert_eq!(
            [(); 4].map(|()| free.take()),
            [Some(1), Some(2), Some(3), None]
        );
        free.give(3);
        free.give(2);
        assert_eq!((free.count(), free.take()), (2, Some(2)));
    }
}

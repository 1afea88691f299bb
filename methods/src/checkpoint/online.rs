//! Chooses stored states while the number of steps is unknown (Q. Wang, P. Moin and G. Iaccarino 2009).
//!
//! Each stored state has a level, and the latest state is always stored. A state is *dispensable* if a later one has a higher
//! level. With a free slot or a dispensable state, the latest state keeps its slot and the next one begins with level 0.
//! Otherwise the latest state advances with the next step, one level higher. No step is repeated more often than with the best
//! schedule for the steps so far.
use super::schedule::{Free, Revolve, Stored};

#[derive(Clone, Copy, Debug)]
struct Leveled {
    stored: Stored,
    level: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Online {
    /// In the order of steps. Their levels do not rise.
    kept: Vec<Leveled>,
    /// In the order in which they became dispensable.
    dispensable: Vec<Stored>,
    /// The step and level of the latest state, which gets a slot when the loop advances.
    latest: (usize, usize),
    free: Free,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// The present state is not stored.
    Nothing,
    /// In a free slot.
    Store { slot: usize },
    /// Replaces the state in the slot.
    Replace { slot: usize },
}
impl Online {
    /// The first slot contains the initial state.
    pub(super) fn new(slots: usize) -> Self {
        Online {
            kept: Vec::new(),
            dispensable: Vec::new(),
            latest: (0, 0),
            free: Free::new(slots),
        }
    }
    pub(super) fn advance(&mut self) -> Before {
        let (at, level) = self.latest;
        if at == 0 {
            self.latest = (1, 0);
            return Before::Nothing;
        }
        let before = match (self.free.take(), self.dispensable.pop()) {
            (Some(slot), dispensable) => {
                self.dispensable.extend(dispensable);
                Before::Store { slot }
            }
            (None, Some(Stored { slot, .. })) => Before::Replace { slot },
            (None, None) => Before::Nothing,
        };
        match before {
            Before::Store { slot } | Before::Replace { slot } => {
                let stored = Stored { at, slot };
                self.kept.push(Leveled { stored, level });
                self.latest = (at + 1, 0);
            }
            Before::Nothing => {
                let level = level + 1;
                self.latest = (at + 1, level);
                while let Some(last) = self.kept.pop_if(|last| last.level < level) {
                    self.dispensable.push(last.stored);
                }
            }
        }
        before
    }
    pub(super) fn back(self) -> Revolve {
        let kept = self.kept.into_iter().map(|kept| kept.stored);
        let mut stored: Vec<_> = kept.chain(self.dispensable).collect();
        stored.push(Stored { at: 0, slot: 0 });
        stored.sort_by_key(|stored| stored.at);
        Revolve::from_the_end(self.latest.0, stored, self.free)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::schedule::{advances, reach, tests::follow},
        Before, Online,
    };

    #[test]
    fn no_step_is_repeated_more_often_than_the_number_of_steps_needs() {
        for slots in 1..12 {
            for steps in (1..60).chain([100, 170, 300]) {
                let mut online = Online::new(slots);
                let mut states = vec![None; slots];
                states[0] = Some(0);
                for at in 0..steps {
                    match online.advance() {
                        Before::Nothing => {}
                        Before::Store { slot } => assert_eq!(states[slot].replace(at), None),
                        Before::Replace { slot } => assert!(states[slot].replace(at).is_some()),
                    }
                }
                let back = online.back();
                let planned = back.advances();
                let counts = follow(back, steps, states);
                let sum = counts.iter().sum::<usize>();
                assert_eq!(planned, sum);
                // the theorem of the paper: the way back repeats no step more often, and advances no more steps, than
                // the best schedule
                let most = counts.into_iter().max().unwrap_or(0);
                assert!(reach(slots, most.max(1) - 1) < steps || most == 0);
                assert!(sum <= advances(steps, slots));
            }
        }
    }
}

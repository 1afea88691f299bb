//! Decides how many steps to record at once, and how many states to store.
use super::schedule::advances;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The steps that are recorded together, which the schedule counts as one.
    pub(super) at_once: usize,
    /// The number of stored states, including the initial one.
    pub(super) slots: usize,
}
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) bound: usize,
    /// A recorded step with its adjoints.
    pub(super) step: usize,
    pub(super) state: usize,
    pub(super) in_file: usize,
}
/// In plain steps, approximately.
const RECORDED: f64 = 3.0;
/// In plain steps.
const BEGIN: f64 = 2.0;
/// Plans up to this factor longer with fewer steps at once are preferred: a small tape stays in the cache.
const AS_GOOD: f64 = 1.03;
/// The most steps recorded at once if the number of steps is unknown.
const UNKNOWN: usize = 1024;

impl Sizes {
    fn at_once(self, at_once: usize) -> Option<Plan> {
        let others = self
            .step
            .checked_mul(at_once)?
            .checked_add(4 * self.state)?;
        let room = self.bound.checked_sub(others)?;
        let slots = (room / self.state.max(1))
            .saturating_add(1)
            .saturating_add(self.in_file);
        Some(Plan { at_once, slots })
    }
    pub(super) fn plan(self, steps: Option<usize>) -> Option<Plan> {
        let Some(steps) = steps else {
            return self.at_once((self.bound / 4 / self.step.max(1)).clamp(1, UNKNOWN));
        };
        let time = |plan: &Plan| {
            let leaves = steps.div_ceil(plan.at_once).max(1);
            let ahead = plan.at_once as f64 * advances(leaves, plan.slots) as f64;
            ahead + RECORDED * steps as f64 + BEGIN * leaves as f64
        };
        let longer = |&at_once: &usize| {
            Some((at_once + at_once.div_ceil(8)).min(steps)).filter(|next| next > &at_once)
        };
        let lengths = std::iter::successors(Some(1), longer);
        let plans: Vec<Plan> = lengths.map_while(|at_once| self.at_once(at_once)).collect();
        let best = plans.iter().map(time).fold(f64::INFINITY, f64::min);
        plans.into_iter().find(|plan| time(plan) <= AS_GOOD * best)
    }
}

#[cfg(test)]
mod tests {
    use super::{Plan, Sizes, advances};

    #[test]
    fn a_plan_keeps_the_bound_and_repeats_little() {
        let sizes = Sizes {
            bound: 400 << 20,
            step: 1 << 20,
            state: 3 << 17,
            in_file: 0,
        };
        let plan = sizes.plan(Some(100_000)).expect("room");
        assert!(plan.at_once * sizes.step + plan.slots * sizes.state <= sizes.bound);
        // one step at a time takes two repetitions, and one if all states fit
        let ahead = plan.at_once * advances(100_000_usize.div_ceil(plan.at_once), plan.slots);
        assert!(ahead < 135_000, "{plan:?}: {ahead}");
        let plan = Sizes {
            in_file: 1000,
            ..sizes
        }
        .plan(Some(100_000))
        .expect("room");
        let ahead = plan.at_once * advances(100_000_usize.div_ceil(plan.at_once), plan.slots);
        assert!(ahead < 110_000, "{plan:?}: {ahead}");
    }
    #[test]
    fn what_fits_is_recorded_at_once_and_what_does_not_is_refused() {
        let sizes = Sizes {
            bound: 1 << 20,
            step: 1000,
            state: 16,
            in_file: 0,
        };
        assert_eq!(sizes.plan(Some(100)).map(|plan| plan.at_once), Some(100));
        let longer = sizes.plan(Some(1_000_000)).expect("room");
        assert!(longer.at_once > 10 && longer.at_once * 1000 < 1 << 20);
        assert_eq!(
            Sizes {
                step: 2 << 20,
                ..sizes
            }
            .plan(Some(100)),
            None
        );
        assert_eq!(
            Sizes {
                step: 2 << 20,
                ..sizes
            }
            .plan(None),
            None
        );
        let tight = Sizes {
            bound: 1064,
            ..sizes
        };
        assert_eq!(
            tight.plan(None),
            Some(Plan {
                at_once: 1,
                slots: 1
            })
        );
        assert!(sizes.plan(Some(0)).is_some());
    }
}

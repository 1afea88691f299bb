use std::panic::{AssertUnwindSafe, catch_unwind};

/// SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);
impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn number(&mut self) -> f64 {
        self.below(2001) as f64 / 1000.0 - 1.0
    }
}

pub(crate) const N: usize = 3;
pub(crate) const CODES: usize = 59;

/// `u, v, w` are matrices, `p, q` vectors, `s, t` numbers, `i, j` indices, `c` is a constant.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) code: usize,
    pub(crate) u: usize,
    pub(crate) v: usize,
    pub(crate) w: usize,
    pub(crate) p: usize,
    pub(crate) q: usize,
    pub(crate) s: usize,
    pub(crate) t: usize,
    pub(crate) i: usize,
    pub(crate) j: usize,
    pub(crate) c: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) matrices: Vec<[f64; N * N]>,
    pub(crate) vectors: Vec<[f64; N]>,
    pub(crate) numbers: Vec<f64>,
    pub(crate) steps: Vec<Step>,
}
impl Program {
    pub(crate) fn of(seed: u64) -> Self {
        let mut random = Random(seed);
        let [m, n, k] = [(); 3].map(|()| 1 + random.below(3));
        let length = 2 + random.below(40);
        Program {
            matrices: (0..m)
                .map(|_| [(); N * N].map(|()| random.number()))
                .collect(),
            vectors: (0..n).map(|_| [(); N].map(|()| random.number())).collect(),
            numbers: (0..k).map(|_| random.number()).collect(),
            steps: (0..length)
                .map(|_| Step {
                    code: random.below(CODES),
                    u: random.below(m),
                    v: random.below(m),
                    w: random.below(m),
                    p: random.below(n),
                    q: random.below(n),
                    s: random.below(k),
                    t: random.below(k),
                    i: random.below(N),
                    j: random.below(N),
                    c: if random.below(3) == 0 {
                        0.5
                    } else {
                        random.number()
                    },
                })
                .collect(),
        }
    }
    fn without(&self, at: usize) -> Self {
        let mut less = self.clone();
        less.steps.remove(at);
        less
    }
}

fn failure(check: &impl Fn(&Program) -> Result<bool, String>, program: &Program) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| check(program))) {
        Ok(outcome) => outcome.err(),
        Err(panic) => Some(panic.downcast_ref::<String>().map_or_else(
            || {
                panic
                    .downcast_ref::<&str>()
                    .unwrap_or(&"a panic")
                    .to_string()
            },
            String::clone,
        )),
    }
}

/// Prints a failing program, reduced to the statements that matter. `check` returns whether numbers stayed in range.
pub(crate) fn programs(seeds: u64, check: impl Fn(&Program) -> Result<bool, String>) {
    let mut judged = 0;
    for seed in 0..seeds {
        let mut program = Program::of(seed);
        let Some(mut message) = failure(&check, &program) else {
            judged += u64::from(check(&program) == Ok(true));
            continue;
        };
        let mut at = program.steps.len();
        while at > 0 {
            at -= 1;
            let less = program.without(at);
            if let Some(other) = failure(&check, &less) {
                (program, message) = (less, other);
                at = at.min(program.steps.len());
            }
        }
        panic!("seed {seed}: {message}\nthe smallest that fails is {program:#?}");
    }
    assert!(judged > seeds * 3 / 4, "only {judged} of {seeds} judged");
}

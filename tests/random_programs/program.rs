//! Lists of instructions, any of which form a program, so that a failing program stays valid while it is shrunk.
use crate::{
    state::{POOLS, SLOTS},
    statements::{self, At},
};
use proptest::{collection::vec, prelude::*};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instruction {
    Statement(Statement),
    Pause,
    /// Seeds the variables of some kinds, one bit for each, and sweeps.
    Sweep(u16),
    Mark,
    Partial(u16),
    Back,
    Reset,
    Misuse(Misuse),
    Input(u8, u8),
    /// Begins walks that are not completed, each type by its number.
    Abandon(u8),
    Look,
    Nested,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Misuse {
    Foreign,
    Lengths,
    Shapes,
    Index,
    Operation,
    Between,
    Slice,
    StaleCopy,
}
const MISUSES: [Misuse; 8] = [
    Misuse::Foreign,
    Misuse::Lengths,
    Misuse::Shapes,
    Misuse::Index,
    Misuse::Operation,
    Misuse::Between,
    Misuse::Slice,
    Misuse::StaleCopy,
];
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) number: usize,
    variables: [u8; 3],
    elements: [u8; 2],
    eighths: i8,
}
impl Statement {
    pub(crate) fn at(&self, n: usize) -> At {
        let [i, j, k] = self.variables.map(usize::from);
        let [p, q] = self.elements.map(|e| usize::from(e) % n);
        let c = f64::from(self.eighths) / 8.0;
        At {
            i,
            j,
            k,
            p,
            q,
            c,
            n,
        }
    }
    pub(crate) fn source(&self, n: usize) -> String {
        let At {
            i, j, k, p, q, c, ..
        } = self.at(n);
        let number = |name: &str| match name {
            "i" => Some(i.to_string()),
            "j" => Some(j.to_string()),
            "k" => Some(k.to_string()),
            "p" => Some(p.to_string()),
            "q" => Some(q.to_string()),
            "c" => Some(format!("{c:?}")),
            "n" => Some(n.to_string()),
            _ => None,
        };
        let source = statements::sources()[self.number];
        let (mut text, mut word) = (String::new(), String::new());
        for letter in source.chars().chain([' ']) {
            match letter.is_alphanumeric() || letter == '_' {
                true => word.push(letter),
                false => {
                    text += &number(&word).unwrap_or(std::mem::take(&mut word));
                    word.clear();
                    text.push(letter);
                }
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The length of arrays and the size of matrices.
    pub(crate) n: usize,
    pub(crate) seed: u8,
    without: u16,
    pub(crate) chunk_bytes: Option<usize>,
    pub(crate) trace: bool,
    pub(crate) limit: usize,
    pub(crate) instructions: Vec<Instruction>,
}
impl Program {
    pub(crate) fn has(&self, statement: usize) -> bool {
        self.without >> statements::area(statement) & 1 == 0
    }
    /// Multiples of a sixteenth, exact in single precision.
    pub(crate) fn values(&self, round: u64) -> impl FnMut() -> f64 + use<> {
        let mut state = u64::from(self.seed) + 1000 * round;
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((x >> 40) % 49) as f64 / 16.0 - 1.5
        }
    }
}

fn statement(numbers: Vec<usize>) -> impl Strategy<Value = Statement> {
    let slot = || 0..SLOTS as u8;
    (
        prop::sample::select(numbers),
        [slot(), slot(), slot()],
        [0..9_u8, 0..9],
        -8..=8_i8,
    )
        .prop_map(|(number, variables, elements, eighths)| Statement {
            number,
            variables,
            elements,
            eighths,
        })
}
fn instruction(numbers: Vec<usize>) -> impl Strategy<Value = Instruction> {
    let kinds = || 0_u16..1 << POOLS.len();
    prop_oneof![
        60 => statement(numbers).prop_map(Instruction::Statement),
        2 => Just(Instruction::Pause),
        2 => kinds().prop_map(Instruction::Sweep),
        2 => Just(Instruction::Mark),
        1 => kinds().prop_map(Instruction::Partial),
        2 => Just(Instruction::Back),
        1 => Just(Instruction::Reset),
        1 => prop::sample::select(&MISUSES[..]).prop_map(Instruction::Misuse),
        1 => (0..POOLS.len() as u8, 0..SLOTS as u8).prop_map(|(kind, slot)| Instruction::Input(kind, slot)),
        1 => (0..4_u8).prop_map(Instruction::Abandon),
        1 => Just(Instruction::Look),
        1 => Just(Instruction::Nested),
    ]
}
pub(crate) fn programs(numbers: Vec<usize>) -> impl Strategy<Value = Program> {
    let areas = statements::AREAS.len();
    (
        prop::sample::select(&[2_usize, 3, 3, 4, 5, 9][..]),
        any::<u8>(),
        // Statements of a few areas follow each other more often.
        prop_oneof![Just(0), 0..1_u16 << areas],
        prop::sample::select(&[None, Some(32), Some(100), Some(1000)][..]),
        any::<bool>(),
        10_000..100_000_usize,
        vec(instruction(numbers), 1..60),
    )
        .prop_map(
            |(n, seed, without, chunk_bytes, trace, limit, instructions)| Program {
                n,
                seed,
                without,
                chunk_bytes,
                trace,
                limit,
                instructions,
            },
        )
}

use crate::arguments::Arguments;
use evaluation_worker::Program;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Extent {
    Full,
    Quick,
    Smoke,
}
impl Extent {
    pub(crate) fn of(arguments: &Arguments) -> Self {
        match () {
            () if arguments.smoke => Extent::Smoke,
            () if arguments.quick => Extent::Quick,
            () => Extent::Full,
        }
    }
    pub(crate) fn rounds(self) -> usize {
        match self {
            Extent::Full => 5,
            Extent::Quick => 3,
            Extent::Smoke => 1,
        }
    }
    fn operations(self) -> f64 {
        match self {
            Extent::Full => 1e7,
            Extent::Quick => 4e6,
            Extent::Smoke => 1e5,
        }
    }
    /// Steps that are enough for a tool that takes some microseconds for each call.
    fn calls(self) -> usize {
        match self {
            Extent::Full => 2000,
            Extent::Quick | Extent::Smoke => 200,
        }
    }
    fn shortening(self) -> usize {
        match self {
            Extent::Full => 1,
            Extent::Quick | Extent::Smoke => 10,
        }
    }
    pub(crate) fn sizes(self, program: Program) -> Vec<(usize, usize)> {
        let all: &[(usize, usize)] = match program {
            Program::Burgers if self == Extent::Smoke => return vec![(24, 4)],
            _ if self == Extent::Smoke => return vec![(12, 1)],
            Program::Burgers => &[
                (100, 32),
                (200, 32),
                (300, 32),
                (500, 32),
                (700, 32),
                (1000, 32),
            ],
            Program::T1 | Program::T2 | Program::T2m => {
                &[(100, 1), (200, 1), (300, 1), (500, 1), (700, 1), (1000, 1)]
            }
            Program::T3 => &[
                (4, 100_000),
                (20, 15_000),
                (50, 2500),
                (100, 500),
                (400, 20),
                (500, 16),
            ],
            Program::T4 => &[
                (4, 400_000),
                (20, 200_000),
                (50, 50_000),
                (100, 15_000),
                (200, 4000),
                (1000, 160),
            ],
        };
        let wanted = |n: usize| match program {
            _ if self == Extent::Full => true,
            Program::Burgers => [100, 300, 500].contains(&n),
            Program::T3 | Program::T4 => [4, 20, 100, 200].contains(&n),
            _ => [100, 200, 300].contains(&n),
        };
        let steps = |steps: usize| match program {
            Program::Burgers if self == Extent::Full => steps,
            Program::Burgers => steps / 2,
            _ => (steps / self.shortening()).max(1),
        };
        let wanted = all.iter().filter(|(n, _)| wanted(*n));
        wanted.map(|&(n, all)| (n, steps(all))).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Plain,
    Hand,
    Entape,
    Peer,
    External,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    Numbers,
    Entities,
}
/// A tool in the report. Its tape grows with the operations on numbers, or on entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) family: Family,
    pub(crate) grain: Grain,
}
const fn tool(name: &'static str, label: &'static str, family: Family, grain: Grain) -> Tool {
    Tool {
        name,
        label,
        family,
        grain,
    }
}
pub(crate) const TOOLS: [Tool; 21] = [
    tool("plain", "plain", Family::Plain, Grain::Entities),
    tool(
        "hand",
        "hand-written adjoint",
        Family::Hand,
        Grain::Entities,
    ),
    tool(
        "entities",
        "entape, entities",
        Family::Entape,
        Grain::Entities,
    ),
    tool(
        "fused",
        "entape, reals fused",
        Family::Entape,
        Grain::Numbers,
    ),
    tool("reals", "entape, reals", Family::Entape, Grain::Numbers),
    tool(
        "reuse",
        "entape, reuse mode",
        Family::Entape,
        Grain::Entities,
    ),
    tool(
        "reuse-fused",
        "entape, reuse mode fused",
        Family::Entape,
        Grain::Numbers,
    ),
    tool("ad_trait", "ad_trait", Family::Peer, Grain::Numbers),
    tool("echidna", "echidna", Family::Peer, Grain::Numbers),
    tool("reverse", "reverse", Family::Peer, Grain::Numbers),
    tool(
        "num-dual",
        "num-dual (forward)",
        Family::Peer,
        Grain::Numbers,
    ),
    tool("burn", "burn (flex, f64)", Family::Peer, Grain::Entities),
    tool("candle", "candle-core", Family::Peer, Grain::Entities),
    tool("adolc", "ADOL-C", Family::External, Grain::Numbers),
    tool("codipack", "CoDiPack", Family::External, Grain::Numbers),
    tool(
        "codipack-primal",
        "CoDiPack, primal values",
        Family::External,
        Grain::Numbers,
    ),
    tool("adept", "Adept", Family::External, Grain::Numbers),
    tool("cppad", "CppAD", Family::External, Grain::Numbers),
    tool("stan", "Stan Math", Family::External, Grain::Entities),
    tool("jax", "JAX", Family::External, Grain::Entities),
    tool("pytorch", "PyTorch", Family::External, Grain::Entities),
];
pub(crate) fn tool_of(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
impl Tool {
    /// Whether the program exists in this form. Peers report what they cannot express, and are left out.
    pub(crate) fn has(&self, program: Program) -> bool {
        match self.name {
            "fused" | "reuse-fused" => program == Program::Burgers,
            _ => true,
        }
    }
    /// The number of steps that the tool runs: fewer, if all steps would take minutes.
    pub(crate) fn steps(&self, extent: Extent, program: Program, n: usize, steps: usize) -> usize {
        if program == Program::Burgers {
            return steps;
        }
        match (self.grain, self.family) {
            (Grain::Entities, Family::Peer | Family::External) => return steps.min(extent.calls()),
            (Grain::Entities, _) => return steps,
            (Grain::Numbers, _) => (),
        }
        let enough = extent.operations() / program.operations(n, 1);
        steps.min((enough as usize).max(1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) program: Program,
    pub(crate) n: usize,
    pub(crate) steps: usize,
    pub(crate) tool: &'static Tool,
}
impl Point {
    /// An estimate of its time for the progress bar, in arbitrary units.
    pub(crate) fn weight(&self) -> u64 {
        let operations = self.program.operations(self.n, self.steps);
        let each = match (self.tool.grain, self.tool.family) {
            (_, Family::Plain) => 0.3,
            (_, Family::Hand) => 1.0,
            (Grain::Entities, _) if self.program != Program::Burgers => 3.0,
            _ => 30.0,
        };
        1000 + (operations * each / 1e6) as u64
    }
}
pub(crate) fn points(
    extent: Extent,
    programs: &[Program],
    wanted: impl Fn(&Tool) -> bool,
) -> Vec<Point> {
    let mut all = Vec::new();
    for &program in programs {
        for (n, steps) in extent.sizes(program) {
            for tool in TOOLS
                .iter()
                .filter(|tool| tool.has(program) && wanted(tool))
            {
                let steps = tool.steps(extent, program, n, steps);
                all.push(Point {
                    program,
                    n,
                    steps,
                    tool,
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_extent_has_the_papers_range() {
        let sizes = |program| Extent::Full.sizes(program);
        let ends = |program| {
            let all = sizes(program);
            (all[0].0, all[all.len() - 1].0)
        };
        for program in [Program::Burgers, Program::T1, Program::T2, Program::T2m] {
            assert_eq!(ends(program), (100, 1000));
        }
        assert_eq!(
            (ends(Program::T3), ends(Program::T4)),
            ((4, 500), (4, 1000))
        );
        for program in Program::ALL {
            assert!(sizes(program).is_sorted());
            assert!(Extent::Quick.sizes(program).len() >= 2);
            assert_eq!(Extent::Smoke.sizes(program).len(), 1);
        }
    }
    #[test]
    fn tools_for_numbers_run_fewer_steps() {
        let [reals, entities] = ["reals", "entities"].map(|name| tool_of(name).unwrap());
        let steps = |tool: &Tool, n| tool.steps(Extent::Full, Program::T4, n, 4000);
        assert_eq!((steps(entities, 200), steps(entities, 1000)), (4000, 4000));
        assert!((1..200).contains(&steps(reals, 200)));
        assert!(steps(reals, 1000) >= 1);
        assert_eq!(steps(reals, 4), 4000);
        assert_eq!(steps(tool_of("pytorch").unwrap(), 4), 2000);
    }
    #[test]
    fn every_program_has_plain_and_hand_at_every_size() {
        let all = points(Extent::Quick, &Program::ALL, |_| true);
        for program in Program::ALL {
            for (n, _) in Extent::Quick.sizes(program) {
                for name in ["plain", "hand", "entities", "reals"] {
                    let found = |p: &&Point| (p.program, p.n, p.tool.name) == (program, n, name);
                    assert_eq!(all.iter().filter(found).count(), 1);
                }
            }
        }
    }
}

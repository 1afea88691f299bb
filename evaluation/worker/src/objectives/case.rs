use super::{
    Asian, Gmm, Hand, KMeans, Lstm, Observation, Ode, Visitor, asian, ba, gmm, hand, kmeans, lstm,
    ode,
};
use crate::{Fault, read, write};
use rand::{Rng, SeedableRng, rngs::SmallRng};
use rand_distr::StandardNormal;
use std::{fmt, path::Path, str::FromStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// Of ADBench, a mixture of Gaussians: its gradient.
    Gmm,
    /// Of ADBench, bundle adjustment: the sparse Jacobian.
    Ba,
    /// Of ADBench, long short-term memory: its gradient.
    Lstm,
    /// Of ADBench ("simple"), the pose of a hand: the Jacobian.
    Hand,
    /// The pose with points on triangles ("complicated"): the sparse Jacobian.
    HandSurface,
    /// Of gradbench, an ordinary differential equation: the gradient of the last state.
    Ode,
    /// Of gradbench, clusters of points around means: the gradient.
    KMeans,
    /// These clusters with the diagonal of the Hessian.
    Newton,
    /// The price of an Asian option: its gradient.
    Asian,
}
impl Name {
    pub const ALL: [Name; 9] = [
        Name::Gmm,
        Name::Ba,
        Name::Lstm,
        Name::Hand,
        Name::HandSurface,
        Name::Ode,
        Name::KMeans,
        Name::Newton,
        Name::Asian,
    ];
    pub fn name(self) -> &'static str {
        match self {
            Name::Gmm => "gmm",
            Name::Ba => "ba",
            Name::Lstm => "lstm",
            Name::Hand => "hand",
            Name::HandSurface => "hand-surface",
            Name::Ode => "ode",
            Name::KMeans => "kmeans",
            Name::Newton => "kmeans-newton",
            Name::Asian => "asian",
        }
    }
    pub fn sizes(self) -> &'static [&'static str] {
        match self {
            Name::Gmm => &["dimension", "components", "points"],
            Name::Ba => &["cameras", "points", "observations"],
            Name::Lstm => &["layers", "characters", "bits"],
            Name::Hand | Name::HandSurface => &["vertices", "correspondences"],
            Name::Ode => &["states", "steps"],
            Name::KMeans | Name::Newton => &["dimension", "means", "points"],
            Name::Asian => &["paths", "steps"],
        }
    }
    pub fn inputs(self, sizes: &[usize]) -> usize {
        match (self, sizes) {
            (Name::Gmm, &[d, k, _]) => k * (1 + d + d * (d + 1) / 2),
            (Name::Ba, &[cameras, points, observations]) => {
                ba::CAMERA * cameras + 3 * points + observations
            }
            (Name::Lstm, &[layers, _, bits]) => bits * (8 * layers + 3),
            (Name::Hand, _) => hand::THETA,
            (Name::HandSurface, &[_, correspondences]) => hand::THETA + 2 * correspondences,
            (Name::Ode, &[states, _]) => states,
            (Name::KMeans | Name::Newton, &[d, k, _]) => d * k,
            (Name::Asian, _) => 3,
            _ => panic!("{self} has the sizes {:?}", self.sizes()),
        }
    }
}
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
impl FromStr for Name {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Name::ALL.into_iter().find(|n| n.name() == name);
        found.ok_or_else(|| format!("there is no objective `{name}`"))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub name: Name,
    pub sizes: Vec<usize>,
    pub inputs: Vec<f64>,
    pub data: Vec<f64>,
}
impl Case {
    /// Creates a case with numbers that follow from the sizes.
    ///
    /// # Panics
    /// If the objective has another number of sizes.
    pub fn random(name: Name, sizes: &[usize]) -> Self {
        let mut random = Random(SmallRng::seed_from_u64(31));
        let (inputs, data) = match (name, sizes) {
            (Name::Gmm, &[d, k, n]) => gmm::random(d, k, n),
            (Name::Ba, &[cameras, points, observations]) => {
                ba::random(&mut random, cameras, points, observations)
            }
            (Name::Lstm, &[layers, characters, bits]) => {
                lstm::random(&mut random, layers, characters, bits)
            }
            (Name::Hand | Name::HandSurface, &[vertices, points]) => {
                hand::random(&mut random, vertices, points, name == Name::HandSurface)
            }
            (Name::Ode, &[states, _]) => ode::random(&mut random, states),
            (Name::KMeans | Name::Newton, &[d, k, n]) => kmeans::random(&mut random, d, k, n),
            (Name::Asian, &[paths, steps]) => asian::random(&mut random, paths, steps),
            _ => panic!("{name} has the sizes {:?}", name.sizes()),
        };
        Case {
            name,
            sizes: sizes.to_vec(),
            inputs,
            data,
        }
    }
    pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
        use super::Objective;
        match self.name {
            Name::Gmm => visitor.visit(Gmm::new(self)),
            Name::Ba => visitor.visit(Observation::new(self)),
            Name::Lstm => visitor.visit(Lstm::new(self)),
            Name::Hand | Name::HandSurface => visitor.visit(Hand::new(self)),
            Name::Ode => visitor.visit(Ode::new(self)),
            Name::KMeans | Name::Newton => visitor.visit(KMeans::new(self)),
            Name::Asian => visitor.visit(Asian::new(self)),
        }
    }
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let sizes = self.sizes.iter().map(|&n| n as f64);
        let all = sizes
            .chain(self.inputs.iter().copied())
            .chain(self.data.iter().copied());
        write(path, &all.collect::<Vec<f64>>())
    }
    pub fn read(name: Name, path: &Path) -> Result<Self, Fault> {
        let mut numbers = read(path)?;
        let count = name.sizes().len();
        let short = Fault::Argument("a file with sizes, inputs and data");
        if numbers.len() < count {
            return Err(short);
        }
        let sizes: Vec<usize> = numbers.drain(..count).map(|n| n as usize).collect();
        let inputs = name.inputs(&sizes);
        if numbers.len() < inputs {
            return Err(short);
        }
        let data = numbers.split_off(inputs);
        Ok(Case {
            name,
            sizes,
            inputs: numbers,
            data,
        })
    }
}

pub(super) struct Random(SmallRng);
impl Random {
    pub(super) fn normal(&mut self) -> f64 {
        self.0.sample(StandardNormal)
    }
    pub(super) fn normals(&mut self, count: usize, scale: f64) -> Vec<f64> {
        (0..count).map(|_| scale * self.normal()).collect()
    }
    pub(super) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0.random_range(low..high)
    }
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }
}

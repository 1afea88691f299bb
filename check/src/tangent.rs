use super::{
    Fault, few_or,
    rule::{Found, ORDINALS, Point, SEARCHED, arguments, caught, of_argument},
};
use entape_core::{
    differences::{self, Random, dot, dot_abs, moved, scale},
    rule::Order,
};

const TANGENT: &str = "the tangent";
const SECOND: &str = "the tangent of the adjoint";
type Lists = [Vec<f64>; 3];

impl Point<'_> {
    pub(super) fn tangents(&self) -> Result<(), Found> {
        let order = self.subject.order();
        if few_or(true, false) {
            return Ok(());
        }
        if order >= Order::Tangent {
            self.tangent()?;
        }
        if order >= Order::Second {
            self.second()?;
        }
        Ok(())
    }
    fn directional_tangent(
        &self,
        directions: &Lists,
        directed: [bool; 3],
    ) -> Result<Vec<f64>, Fault> {
        let mut tangent = caught(TANGENT, || self.subject.tangent(directions, directed))?;
        if tangent.is_empty() {
            tangent = vec![0.0; self.result.len()];
        }
        if tangent.len() == self.result.len() {
            return Ok(tangent);
        }
        Err(Fault::Shape {
            what: "the tangent of the result, compared with the result",
            got: tangent.len(),
            want: self.result.len(),
        })
    }
    fn tangent(&self) -> Result<(), Found> {
        let mut random = Random(self.check.seed ^ 2);
        for part in self.parts() {
            for _ in 0..self.check.directions {
                let directions = self.directions(&mut random, part);
                let weights = random.weights(self.result.len());
                self.transposed(&directions, &weights, part)?;
            }
        }
        let (all, directions) = (self.there, self.directions(&mut random, self.there));
        let tangent = self.directional_tangent(&directions, all)?;
        let weights = random.weights(self.result.len());
        let (got, size) = (dot(&weights, &tangent), dot_abs(&weights, &tangent));
        let label = || format!("along a direction of {}", arguments(all));
        let slope = self.slope_of(&weights, &directions);
        self.judge(TANGENT, label, got, size, slope)?;
        Ok(())
    }
    fn transposed(
        &self,
        directions: &Lists,
        weights: &[f64],
        part: [bool; 3],
    ) -> Result<(), Found> {
        let adjoints = caught("the adjoint", || self.subject.direct(weights, self.there))?;
        let rounding = self.check.rounding_for(self.epsilon);
        let compare = |directions: &Lists, label: &dyn Fn() -> String| {
            let tangent = self.directional_tangent(directions, part)?;
            let (got, mut size) = (dot(weights, &tangent), dot_abs(weights, &tangent));
            let mut want = 0.0;
            for i in (0..3).filter(|&i| part[i]) {
                want += dot(&adjoints[i], &directions[i]);
                size += dot_abs(&adjoints[i], &directions[i]);
            }
            agree(got, want, rounding * size).map_err(|()| Fault::Transposed {
                label: label(),
                got,
                want,
            })
        };
        let Err(fault) = compare(directions, &|| {
            format!("along a direction of {}", arguments(part))
        }) else {
            return Ok(());
        };
        for (i, k, unit) in self.units(part) {
            if let Err(fault) = compare(&unit, &|| with_respect_to(i, k)) {
                return Err(fault.into());
            }
        }
        Err(fault.into())
    }
    fn units(&self, part: [bool; 3]) -> impl Iterator<Item = (usize, usize, Lists)> {
        let of_one = move |i: usize| {
            let list = &self.lists[i];
            list.iter().enumerate().take(SEARCHED).map(move |(k, &x)| {
                let mut unit = self.lists.each_ref().map(|list| vec![0.0; list.len()]);
                unit[i][k] = scale(x);
                (i, k, unit)
            })
        };
        (0..3).filter(move |&i| part[i]).flat_map(of_one)
    }

    /// The tangents of all adjoints, for a fixed adjoint of the result.
    fn directional_second(&self, directions: &Lists, directed: [bool; 3]) -> Result<Lists, Fault> {
        let [_, tangents] = self.second_of(directions, directed, [true, false], self.there)?;
        Ok(tangents)
    }
    /// The seed is the adjoint of the result, its tangent, or both.
    fn second_of(
        &self,
        directions: &Lists,
        directed: [bool; 3],
        seeded: [bool; 2],
        active: [bool; 3],
    ) -> Result<[Lists; 2], Fault> {
        let seeds = seeded.map(|is| is.then_some(&self.seed[..]));
        caught(SECOND, || {
            self.subject.second(directions, directed, seeds, active)
        })
    }
    fn second(&self) -> Result<(), Found> {
        let mut random = Random(self.check.seed ^ 3);
        for _ in 0..self.check.directions {
            self.derivative_of_adjoint(&mut random)?;
        }
        for part in self.parts() {
            for _ in 0..self.check.directions {
                let [u, v] = [(); 2].map(|()| self.directions(&mut random, part));
                self.symmetric(&u, &v, part)?;
            }
        }
        self.sums(&self.directions(&mut random, self.there))
    }
    fn derivative_of_adjoint(&self, random: &mut Random) -> Result<(), Found> {
        let all = self.there;
        let directions = self.directions(random, all);
        let tangents = self.directional_second(&directions, all)?;
        for (i, (tangent, list)) in tangents.iter().zip(&self.lists).enumerate() {
            if tangent.len() != list.len() {
                return Err(of_argument(i)(Fault::Shape {
                    what: "the tangent of an adjoint, compared with the argument",
                    got: tangent.len(),
                    want: list.len(),
                }));
            }
        }
        let compare = |weights: &Lists, label: &dyn Fn() -> String| {
            let times = |lists: &Lists, by: fn(&[f64], &[f64]) -> f64| -> f64 {
                (0..3).map(|i| by(&weights[i], &lists[i])).sum()
            };
            let slope = differences::slope(self.epsilon, |h| {
                let at = [0, 1, 2].map(|i| moved(&self.lists[i], h, &directions[i]));
                match caught("the adjoint", || self.subject.direct_at(&at, &self.seed)) {
                    Ok(adjoints) => (times(&adjoints, dot), times(&adjoints, dot_abs)),
                    Err(_) => (f64::NAN, 0.0),
                }
            });
            let (got, size) = (times(&tangents, dot), times(&tangents, dot_abs));
            self.judge(SECOND, label, got, size, slope)
        };
        let weights = self.directions(random, all);
        let Err(fault) = compare(&weights, &|| {
            "along a direction of all arguments".to_owned()
        }) else {
            return Ok(());
        };
        for (i, k, unit) in self.units(all) {
            let label = || format!("for coordinate {k} of the {} argument", ORDINALS[i]);
            if let Err(fault @ Fault::Slope { .. }) = compare(&unit, &label) {
                return Err(fault.into());
            }
        }
        Err(fault.into())
    }
    fn symmetric(&self, u: &Lists, v: &Lists, part: [bool; 3]) -> Result<(), Fault> {
        let [of_u, of_v] = [u, v].map(|direction| self.directional_second(direction, part));
        let (of_u, of_v) = (of_u?, of_v?);
        let (mut got, mut want, mut size) = (0.0, 0.0, 0.0);
        for i in (0..3).filter(|&i| part[i]) {
            got += dot(&u[i], &of_v[i]);
            want += dot(&v[i], &of_u[i]);
            size += dot_abs(&u[i], &of_v[i]) + dot_abs(&v[i], &of_u[i]);
            size += dot_abs(&u[i], &self.adjoints[i]) + dot_abs(&v[i], &self.adjoints[i]);
        }
        agree(got, want, self.check.rounding_for(self.epsilon) * size).map_err(|()| {
            Fault::Asymmetric {
                arguments: arguments(part),
                got,
                want,
            }
        })
    }
    /// Tests that tangents are sums over the arguments, and do not depend on other active or seeded ones.
    fn sums(&self, directions: &Lists) -> Result<(), Found> {
        let (all, rounding) = (self.there, self.check.rounding_for(self.epsilon));
        let [adjoints, tangents] = self.second_of(directions, all, [true, false], all)?;
        let size: [f64; 3] =
            [0, 1, 2].map(|i| largest(&self.adjoints[i]).max(largest(&tangents[i])));
        let near = |what, got: &Lists, want: &Lists, part: [bool; 3], sizes: &[f64; 3]| {
            for i in (0..3).filter(|&i| part[i]) {
                close(what, &got[i], &want[i], rounding * sizes[i]).map_err(of_argument(i))?;
            }
            Ok::<(), Found>(())
        };
        let what = "the adjoint beside its tangent, compared with the adjoint";
        near(what, &adjoints, &self.adjoints, all, &size)?;
        let [none, passed] = self.second_of(directions, [false; 3], [false, true], all)?;
        let what = "the tangent of the adjoint, from the tangent of the result's adjoint alone";
        near(what, &passed, &self.adjoints, all, &size)?;
        let what = "the adjoint, without an adjoint of the result";
        let zeros = self.lists.each_ref().map(|list| vec![0.0; list.len()]);
        near(what, &none, &zeros, all, &size)?;
        let [_, both] = self.second_of(directions, all, [true, true], all)?;
        let sum = add(&tangents, &self.adjoints);
        let what = "the tangent of the adjoint, with one of the result's adjoint";
        near(what, &both, &sum, all, &size)?;
        let (mut sum, mut sizes) = (zeros, size);
        for part in self.parts().into_iter().filter(|part| *part != all) {
            let one = self.directional_second(directions, part)?;
            for i in 0..3 {
                sizes[i] = sizes[i].max(largest(&one[i]));
            }
            sum = add(&sum, &one);
            let [_, alone] = self.second_of(directions, part, [true, false], part)?;
            let what =
                "the tangent of the adjoint with other arguments passive, compared with all active";
            near(what, &alone, &one, part, &sizes)?;
        }
        if self.parts().len() > 1 {
            let what = "the tangent of the adjoint along all arguments, compared with the sum of those along each";
            near(what, &tangents, &sum, all, &sizes)?;
        }
        Ok(())
    }
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}
fn add(x: &Lists, y: &Lists) -> Lists {
    [0, 1, 2].map(|i| x[i].iter().zip(&y[i]).map(|(x, y)| x + y).collect())
}
fn with_respect_to(i: usize, k: usize) -> String {
    format!(
        "with respect to coordinate {k} of the {} argument",
        ORDINALS[i]
    )
}
/// Whether two numbers differ by at most `error`, or are both NaN.
fn agree(got: f64, want: f64, error: f64) -> Result<(), ()> {
    let same = got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= error;
    same.then_some(()).ok_or(())
}
fn close(what: &'static str, got: &[f64], want: &[f64], error: f64) -> Result<(), Fault> {
    if got.len() != want.len() {
        let (got, want) = (got.len(), want.len());
        return Err(Fault::Shape { what, got, want });
    }
    for (coordinate, (&got, &want)) in got.iter().zip(want).enumerate() {
        agree(got, want, error).map_err(|()| Fault::Differs {
            what,
            coordinate,
            got,
            want,
        })?;
    }
    Ok(())
}

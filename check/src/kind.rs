use super::{
    Check, Failure, Fault,
    forms::Same,
    rule::{caught, list_of, same},
};
use entape_core::coordinates::{self, Coordinates};
use entape_core::{
    differences::Random,
    expr::{Apply, ByRef},
    kind::{Adjoint, Contribution, Policy, Val},
    names::name_of,
    tape::Tape,
};
use std::any::TypeId;

/// The number of coordinates tested one by one.
const ONE_BY_ONE: usize = 64;

impl Check {
    /// Tests a kind at a value, and at random values of its shape:
    ///
    /// * [`from_coordinates`](Coordinates::from_coordinates) makes a value of its coordinates;
    /// * [`zero_like`](entape_core::kind::Kind::zero_like) has the shape of the value and the coordinates 0;
    /// * [`accumulate`](entape_core::kind::Kind::accumulate) adds coordinate by coordinate;
    /// * the [`Adjoint`] begins as zero, is the sum of all contributions in any order, and is unset exactly if it is zero;
    /// * variables have values and adjoints on a tape.
    ///
    /// Checks of rules include these tests.
    ///
    /// ```
    /// use entape_check::{Check, Fault};
    /// use entape_core::kind;
    ///
    /// /// Adds up to the common length and drops the rest.
    /// #[kind(
    ///     value = Vec<f64>,
    ///     index = Owned,
    ///     zero = |_| Vec::new(),
    ///     add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
    ///     coordinates,
    /// )]
    /// struct Array;
    /// let failure = Check::default().kind::<Array>(vec![1.0, 2.0]).unwrap_err();
    /// assert!(matches!(failure.fault, Fault::Shape { got: 0, want: 2, .. })); // the shape of the zero
    /// ```
    ///
    /// # Errors
    /// A [`Failure`] with the violated law.
    pub fn kind<K: Coordinates>(&self, value: Val<K>) -> Result<(), Failure> {
        let failure = |fault| failed::<K>(&value, fault);
        self.laws::<K>(&value).map_err(failure)?;
        if K::Policy::VARIABLES {
            self.on_a_tape::<K>(&value).map_err(failure)?;
        }
        Ok(())
    }
    pub(super) fn laws_if_there<K: Coordinates>(&self, value: &Val<K>) -> Result<(), Failure> {
        if TypeId::of::<K>() == TypeId::of::<()>() {
            return Ok(());
        }
        self.laws::<K>(value)
            .map_err(|fault| failed::<K>(value, fault))
    }
    fn laws<K: Coordinates>(&self, value: &Val<K>) -> Result<(), Fault> {
        let rounding = 8.0 * K::EPSILON;
        let count = coordinates::of::<K>(value).len();
        let zeros = vec![0.0; count];
        let mut random = Random(self.seed ^ 2);
        let mut drawn = || -> Result<(Val<K>, Vec<f64>), Fault> {
            let weights = random.weights(count);
            let new = draw::<K>(value, &weights)?;
            let list = coordinates::of::<K>(&new);
            let what = "the coordinates after `from_coordinates`, compared with its argument";
            same(what, &list, &weights, rounding)?;
            Ok((new, list))
        };
        let ((x, x_list), (y, y_list)) = (drawn()?, drawn()?);
        let sum: Vec<f64> = x_list.iter().zip(&y_list).map(|(x, y)| x + y).collect();

        let zero = caught("`zero_like`", || K::zero_like(value))?;
        let what = "`zero_like`, compared with zeros";
        same(what, &coordinates::of::<K>(&zero), &zeros, 0.0)?;

        let plus = |into: &Val<K>, from: &Val<K>| {
            let mut into = into.clone();
            caught("`accumulate`", || K::accumulate(&mut into, from.clone()))?;
            Ok(coordinates::of::<K>(&into))
        };
        same(
            "`accumulate`, compared with the sum",
            &plus(&x, &y)?,
            &sum,
            rounding,
        )?;
        same(
            "`accumulate` with exchanged arguments, compared with the sum",
            &plus(&y, &x)?,
            &sum,
            rounding,
        )?;
        same(
            "`accumulate` into the zero, compared with what is added",
            &plus(&zero, &x)?,
            &x_list,
            0.0,
        )?;
        same(
            "`accumulate` of the zero, compared with the value",
            &plus(&x, &zero)?,
            &x_list,
            0.0,
        )?;

        let now = |adjoint: &K::Adjoint| {
            let value = || list_of::<K>(adjoint.clone(), value);
            caught("the value of an adjoint", value)
        };
        let add = |adjoint: &mut K::Adjoint, value: &Val<K>| {
            caught("adding to an adjoint", || adjoint.add(value.clone()))
        };
        let mut adjoint = K::Adjoint::unset();
        if !adjoint.is_unset() {
            let what = "`Adjoint::unset()` does not count as unset";
            return Err(Fault::Broken { what });
        }
        same(
            "a new adjoint, compared with zeros",
            &now(&adjoint)?,
            &zeros,
            0.0,
        )?;
        add(&mut adjoint, &x)?;
        let what =
            "a value added to a new adjoint, compared with the value: is the unset adjoint zero?";
        same(what, &now(&adjoint)?, &x_list, 0.0)?;
        add(&mut adjoint, &y)?;
        same(
            "an adjoint, compared with the sum of what was added",
            &now(&adjoint)?,
            &sum,
            rounding,
        )?;
        adjoint.reset();
        if !adjoint.is_unset() {
            let what = "an adjoint that was reset does not count as unset";
            return Err(Fault::Broken { what });
        }
        caught("a contribution", || {
            x.clone().add_to(&mut adjoint);
            Contribution::<K>::materialise(y.clone()).add_to(&mut adjoint);
        })?;
        same(
            "contributions to an adjoint, compared with their sum",
            &now(&adjoint)?,
            &sum,
            rounding,
        )?;
        if K::Policy::VARIABLES {
            let mut adjoint = K::Adjoint::unset();
            caught("the value of an adjoint in place", || {
                K::accumulate(adjoint.value_mut(|| zero.clone()), x.clone());
            })?;
            let what = "a value added in place to a new adjoint, compared with the value";
            same(what, &now(&adjoint)?, &x_list, 0.0)?;
        }
        for i in 0..count.min(ONE_BY_ONE) {
            let mut one = zeros.clone();
            one[i] = 1.0;
            let mut adjoint = K::Adjoint::unset();
            add(&mut adjoint, &draw::<K>(value, &one)?)?;
            if adjoint.is_unset() {
                let what = "an adjoint counts as unset although a coordinate is not zero, so it would not be propagated";
                return Err(Fault::Broken { what });
            }
        }
        Ok(())
    }
    fn on_a_tape<K: Coordinates>(&self, value: &Val<K>) -> Result<(), Fault> {
        let list = coordinates::of::<K>(value);
        let mut random = Random(self.seed ^ 3);
        let mut tape = Tape::new();
        let x = tape.input_as::<K>(value.clone());
        let record = || tape.record(|| [(); 2].map(|()| K::record(Apply::unary(Same, ByRef(&x)))));
        let outputs = caught("recording", record)?;
        let mut sum = vec![0.0; list.len()];
        let run = || {
            for output in outputs.iter().flatten() {
                let mut value = Vec::new();
                output.coordinates(&mut value);
                let what = "the value of a variable, compared with the value that it was given";
                same(what, &value, &list, 0.0)?;
                let seed = random.weights(list.len());
                sum.iter_mut()
                    .zip(&seed)
                    .for_each(|(sum, seed)| *sum += seed);
                output.seed(&mut tape, &mut &seed[..]).map_err(refused)?;
            }
            let gradient = tape.sweep().map_err(refused)?;
            Ok(coordinates::of::<K>(&gradient.wrt(&x).map_err(refused)?))
        };
        let got = caught("the sweep", run)??;
        let what = "the adjoint of a variable, compared with the sum of the adjoints of its copies";
        same(what, &got, &sum, 8.0 * K::EPSILON)
    }
}
fn failed<K: Coordinates>(value: &Val<K>, fault: Fault) -> Failure {
    Failure {
        subject: format!("kind {}", name_of::<K>()),
        arguments: String::new(),
        point: coordinates::of::<K>(value),
        fault,
    }
}
pub(super) fn refused(error: entape_core::tape::Error) -> Fault {
    Fault::Tape {
        message: error.to_string(),
    }
}

pub(super) fn draw<K: Coordinates>(like: &Val<K>, list: &[f64]) -> Result<Val<K>, Fault> {
    let mut rest = list;
    let value = caught("`from_coordinates`", || {
        K::from_coordinates(like, &mut rest)
    })?;
    match rest.is_empty() {
        true => Ok(value),
        false => Err(Fault::Shape {
            what: "the coordinates that `from_coordinates` takes from the list, compared with the coordinates of the value",
            got: list.len() - rest.len(),
            want: list.len(),
        }),
    }
}

use super::{
    ADJOINT, Check, Failure, Fault,
    forms::Same,
    kind::{draw, refused},
    rule::{caught, list_of, same},
};
use entape_core::coordinates::{Coordinates, Output, of};
use entape_core::{
    differences::{Random, dot, dot_abs},
    expr::{Active, Apply, ByRef, Expr, node_of},
    kind::{Adjoint, Kind, Val},
    mode::Taped,
    names::name_of,
    store::Part,
    tape::Tape,
};

impl Check {
    /// Tests a part of values of kind `K`, at a value and at random values of its shape:
    ///
    /// * [`get`](Part::get) reads what [`put`](Part::put) writes, and writing the old part again restores the whole, except for
    ///   parts that [save it](Part::SAVES_WHOLE);
    /// * [`zero`](Part::zero) has the shape of the whole and the coordinates 0, if provided;
    /// * [`add`](Part::add) is the adjoint of `get`, and [`take_value`](Part::take_value) and [`take`](Part::take) of
    ///   `put`;
    /// * on a tape, a sweep restores the values before a write, and propagates these adjoints.
    ///
    /// # Errors
    /// A [`Failure`] with the violated law.
    pub fn part<K: Coordinates, P: Part<K, Kind: Coordinates>>(
        &self,
        part: P,
        whole: Val<K>,
    ) -> Result<(), Failure> {
        let tested = Tested {
            part: &part,
            whole: &whole,
            random: Random(self.seed ^ 4),
        };
        tested.run().map_err(|fault| Failure {
            subject: format!("part {}", name_of::<P>()),
            arguments: String::new(),
            point: of::<K>(&whole),
            fault,
        })
    }
}

struct Tested<'t, K: Kind, P> {
    part: &'t P,
    whole: &'t Val<K>,
    random: Random,
}
type Value<P, K> = Val<<P as Part<K>>::Kind>;

impl<K: Coordinates, P: Part<K, Kind: Coordinates>> Tested<'_, K, P> {
    const ROUNDING: f64 = 64.0 * f64::max(K::EPSILON, P::Kind::EPSILON);

    fn run(mut self) -> Result<(), Fault> {
        let whole = self.whole;
        let shape = self.get(whole)?;
        self.zero()?;
        self.restores(whole)?;
        for _ in 0..3 {
            let other = self.draw_whole()?;
            self.restores(&other)?;
            self.adjoint_of_get(&shape)?;
            self.adjoint_of_put(&shape)?;
        }
        self.on_a_tape(&shape)
    }
    fn draw_whole(&mut self) -> Result<Val<K>, Fault> {
        let count = of::<K>(self.whole).len();
        draw::<K>(self.whole, &self.random.weights(count))
    }
    fn draw_part(&mut self, shape: &Value<P, K>) -> Result<Value<P, K>, Fault> {
        let count = of::<P::Kind>(shape).len();
        draw::<P::Kind>(shape, &self.random.weights(count))
    }
    fn get(&self, whole: &Val<K>) -> Result<Value<P, K>, Fault> {
        caught("`get`", || self.part.get(whole))
    }
    fn put(&self, whole: &Val<K>, part: &Value<P, K>) -> Result<Val<K>, Fault> {
        let mut whole = whole.clone();
        caught("`put`", || self.part.put(&mut whole, part.clone()))?;
        Ok(whole)
    }
    fn add(&self, whole: &Val<K>, part: &Value<P, K>) -> Result<Val<K>, Fault> {
        let mut whole = whole.clone();
        caught("`add`", || self.part.add(&mut whole, part.clone()))?;
        Ok(whole)
    }
    fn take(&self, whole: &Val<K>) -> Result<(Val<K>, Value<P, K>), Fault> {
        let mut whole = whole.clone();
        let part = caught("`take_value`", || self.part.take_value(&mut whole))?;
        Ok((whole, part))
    }

    fn zero(&self) -> Result<(), Fault> {
        if !P::KNOWS_SHAPE {
            return Ok(());
        }
        let zero = caught("`zero`", || self.part.zero())?;
        let zeros = vec![0.0; of::<K>(self.whole).len()];
        same("`zero`, compared with zeros", &of::<K>(&zero), &zeros, 0.0)?;
        let mut sum = zero;
        caught("a value added to `zero`", || {
            K::accumulate(&mut sum, self.whole.clone())
        })?;
        let what = "a value added to `zero`, compared with the value";
        same(what, &of::<K>(&sum), &of::<K>(self.whole), 0.0)
    }
    fn restores(&mut self, whole: &Val<K>) -> Result<(), Fault> {
        // Some numbers may be fixed, such as zeros of a triangle.
        let other = self.draw_whole()?;
        let new = self.get(&other)?;
        let written = self.put(whole, &new)?;
        let read = self.get(&written)?;
        let what = "the result of `get`, compared with the argument of `put`";
        same(what, &of::<P::Kind>(&read), &of::<P::Kind>(&new), 0.0)?;
        if P::SAVES_WHOLE {
            return Ok(());
        }
        let back = self.put(&written, &self.get(whole)?)?;
        let what = "the whole after the old part was written again, compared with the whole before (set `SAVES_WHOLE` if `put` changes more than \
         the part)";
        same(what, &of::<K>(&back), &of::<K>(whole), 0.0)
    }
    /// `<get(v), u> = <v, add(0, u)>`
    fn adjoint_of_get(&mut self, shape: &Value<P, K>) -> Result<(), Fault> {
        let (v, w) = (self.draw_whole()?, self.draw_whole()?);
        let u = self.draw_part(shape)?;
        let zero = K::zero_like(self.whole);
        let pulled = of::<K>(&self.add(&zero, &u)?);
        let (got, u_list) = (of::<P::Kind>(&self.get(&v)?), of::<P::Kind>(&u));
        let v = of::<K>(&v);
        same_products(
            "`add`, as the adjoint of `get`",
            (&v, &pulled),
            (&got, &u_list),
            Self::ROUNDING,
        )?;
        let sum: Vec<f64> = of::<K>(&w)
            .iter()
            .zip(&pulled)
            .map(|(w, x)| w + x)
            .collect();
        let what = "`add`, compared with the old adjoint plus the result of `add` for zero";
        same(what, &of::<K>(&self.add(&w, &u)?), &sum, Self::ROUNDING)
    }
    /// `<put(v, p) - put(w, q), u> = <v - w, rest> + <p - q, part>`, where `take` splits `u` into rest and part.
    fn adjoint_of_put(&mut self, shape: &Value<P, K>) -> Result<(), Fault> {
        let (v, w, u) = (self.draw_whole()?, self.draw_whole()?, self.draw_whole()?);
        let (p, q) = (self.draw_part(shape)?, self.draw_part(shape)?);
        let (rest, part) = self.take(&u)?;
        let (rest, part, u_list) = (of::<K>(&rest), of::<P::Kind>(&part), of::<K>(&u));
        let from = of::<K>(&self.put(&w, &q)?);
        let moved = minus(&of::<K>(&self.put(&v, &q)?), &from);
        let difference = minus(&of::<K>(&v), &of::<K>(&w));
        let what = "the rest after `take_value`, as the adjoint of `put` with respect to the whole";
        same_products(
            what,
            (&difference, &rest),
            (&moved, &u_list),
            Self::ROUNDING,
        )?;
        let moved = minus(&of::<K>(&self.put(&w, &p)?), &from);
        let difference = minus(&of::<P::Kind>(&p), &of::<P::Kind>(&q));
        let what = "`take_value`, as the adjoint of `put` with respect to the part";
        same_products(
            what,
            (&difference, &part),
            (&moved, &u_list),
            Self::ROUNDING,
        )?;

        let mut adjoint = K::Adjoint::unset();
        adjoint.add(u.clone());
        let taken = caught("`take`", || self.part.take(&mut adjoint))?;
        let what = "`take`, compared with `take_value`";
        same(
            what,
            &list_of::<P::Kind>(taken, shape),
            &part,
            Self::ROUNDING,
        )?;
        let what = "the rest after `take`, compared with the rest after `take_value`";
        same(
            what,
            &list_of::<K>(adjoint, self.whole),
            &rest,
            Self::ROUNDING,
        )?;
        let taken = caught("`take` of a new adjoint", || {
            self.part.take(&mut K::Adjoint::unset())
        })?;
        let zeros = vec![0.0; part.len()];
        let what = "`take` of a new adjoint, compared with zeros";
        same(what, &list_of::<P::Kind>(taken, shape), &zeros, 0.0)
    }
    fn on_a_tape(&mut self, shape: &Value<P, K>) -> Result<(), Fault> {
        let other = self.draw_whole()?;
        let new = self.get(&other)?;
        let mut tape = Tape::new();
        let (x, p) = (
            tape.input_as::<K>(self.whole.clone()),
            tape.input_as::<P::Kind>(new.clone()),
        );
        let part = || self.part.clone();
        let record = || {
            tape.record(|| {
                let mut w: Active<K> = Expr::new(Apply::unary(Same, ByRef(&x))).eval();
                let before = K::record(Apply::unary(Same, ByRef(&w)));
                w.part_mut(part())
                    .assign(Expr::<P::Kind, Taped, _>::new(ByRef(&p)));
                [
                    before,
                    K::record(Apply::unary(Same, ByRef(&w))),
                    P::Kind::record(node_of(w.part(part()))),
                    P::Kind::record(node_of(w.part_ref(part()))),
                    P::Kind::record(Apply::unary(Same, node_of(w.part(part())))),
                ]
            })
        };
        let outputs = caught("recording", record)?;
        let written = self.put(self.whole, &new)?;
        let [whole, written] = [self.whole, &written].map(|x| of::<K>(x));
        let read = of::<P::Kind>(&new);
        let values = [&whole, &written, &read, &read, &read];
        let mut seeds = Vec::new();
        for (output, value) in outputs.iter().zip(values) {
            let got = value_of(output);
            same(
                "a value of a recorded read or write, compared with `get` and `put`",
                &got,
                value,
                0.0,
            )?;
            seeds.push(self.random.weights(value.len()));
        }
        let mut w_b = draw::<K>(self.whole, &seeds[1])?;
        for seed in &seeds[2..] {
            w_b = self.add(&w_b, &draw::<P::Kind>(shape, seed)?)?;
        }
        let (rest, p_b) = self.take(&w_b)?;
        let x_b: Vec<f64> = of::<K>(&rest)
            .iter()
            .zip(&seeds[0])
            .map(|(x, y)| x + y)
            .collect();
        for _ in 0..2 {
            let sweep = || {
                for (output, seed) in outputs.iter().zip(&seeds) {
                    let mut seed = &seed[..];
                    for output in output {
                        output.seed(&mut tape, &mut seed)?;
                    }
                }
                let gradient = tape.sweep()?;
                Ok((
                    of::<K>(&gradient.wrt(&x)?),
                    of::<P::Kind>(&gradient.wrt(&p)?),
                ))
            };
            let (got, got_part) = caught("the sweep", sweep)?.map_err(refused)?;
            let what = "the adjoint of the whole on a tape, compared with `add` and `take_value`";
            same(what, &got, &x_b, Self::ROUNDING)?;
            let what = "the adjoint of the part on a tape, compared with `add` and `take_value`";
            same(what, &got_part, &of::<P::Kind>(&p_b), Self::ROUNDING)?;
        }
        Ok(())
    }
}

fn value_of(outputs: &[Box<dyn Output>]) -> Vec<f64> {
    let mut list = Vec::new();
    outputs.iter().for_each(|y| y.coordinates(&mut list));
    list
}
fn minus(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}
fn same_products(
    what: &'static str,
    (x, x_b): (&[f64], &[f64]),
    (y, y_b): (&[f64], &[f64]),
    rounding: f64,
) -> Result<(), Fault> {
    for (list, other) in [(x_b, x), (y, y_b)] {
        if list.len() != other.len() {
            return Err(Fault::Shape {
                what,
                got: list.len(),
                want: other.len(),
            });
        }
    }
    let (got, want) = (dot(x, x_b), dot(y, y_b));
    let error = rounding * (dot_abs(x, x_b) + dot_abs(y, y_b));
    match (got - want).abs() <= error {
        true => Ok(()),
        false => Err(Fault::Slope {
            label: format!("{ADJOINT} by {what}"),
            got,
            want,
            error,
        }),
    }
}

//! Which types have the mode, and which functions are values.
use super::*;

#[function]
fn of_array([a, b]: [Real; 2]) -> [Real; 2] {
    [a * b, a - b]
}
#[function]
fn of_array_ref(x: &[Real; 2]) -> (Real, Vec<Real>) {
    (x[0] * x[1], vec![x[0] + x[1]; 2])
}
#[function]
fn of_one(x: Real) -> Real {
    x * x
}
#[function]
fn of_tuple((a, b): (Real, &[Real])) -> Real {
    a * b.sum()
}
#[function]
fn of_several(a: Real, b: &[Real]) -> Real {
    a * b.norm_squared()
}
#[test]
fn arguments_are_inputs_of_every_shape() -> Result<(), Error> {
    assert_eq!(of_array {}.value([3.0, 2.0]), [6.0, 1.0]);
    assert_eq!(of_array_ref {}.value([3.0, 2.0]), (6.0, vec![5.0, 5.0]));
    assert_eq!(of_one {}.value(3.0), 9.0);
    assert_eq!(of_tuple {}.value((3.0, &[1.0, 2.0])), 9.0);
    assert_eq!(of_several {}.value((2.0, &[1.0, 2.0])), 10.0);
    assert_eq!(gradient(of_one, 3.0)?, 6.0);
    assert_eq!(
        jacobian(of_array, [3.0, 2.0])?.as_slice(),
        [2.0, 3.0, 1.0, -1.0]
    );
    let g = gradient(
        |(a, b): (Real, &[Real])| of_several(a, b),
        (2.0, &[1.0, 2.0]),
    )?;
    assert_eq!(g, (5.0, [4.0, 8.0]));
    let f = Objective::new(of_array {});
    assert_eq!(f.jacobian(&[3.0, 2.0])?.as_slice(), [2.0, 3.0, 1.0, -1.0]);
    check::gradient(of_one {}, &[0.7]).unwrap();
    Ok(())
}

struct Model {
    scale: f64,
}
#[function]
fn misfit(x: &[Real], data: &[f64], model: &Model, n: usize) -> Real {
    let each = data.iter().take(n).map(|d| (x[0] * d - x[1]).powi(2));
    let s = each.sum::<Real>();
    s * model.scale
}
#[function]
pub(crate) fn with_callbacks<F: Fn(f64) -> f64, const N: usize>(
    x: [Real; N],
    weight: F,
    shift: impl Fn(&f64) -> f64,
    table: Vec<f64>,
    pick: &dyn Fn(usize) -> usize,
) -> Real {
    let w = weight(2.0);
    let s = shift(&table[pick(0)]);
    let y = x[N - 1] * w;
    y + s
}
#[test]
fn data_are_fields() -> Result<(), Error> {
    let (data, model) = (vec![1.0, 2.0, 3.0], Model { scale: 0.5 });
    let f = misfit {
        data: &data,
        model: &model,
        n: 2,
    };
    assert_eq!(f.value(&[1.0, 1.0]), 0.5);
    assert_eq!(format!("{f:?}"), "misfit");
    let copy = f;
    assert_eq!(Objective::new(f).gradient(&[1.0, 1.0])?, [2.0, -1.0]);
    check::gradient(copy, &[0.4, 0.2]).unwrap();
    check::hessian(&copy, &[0.4, 0.2]).unwrap();
    let g = with_callbacks {
        weight: |w| w * w,
        shift: |s: &f64| s + 1.0,
        table: vec![7.0, 8.0],
        pick: &|i| i + 1,
    };
    assert_eq!(<_ as Function>::value(&g, [5.0, 3.0]), 21.0);
    assert_eq!(
        gradient(|x: [Real; 2]| g.clone().call(x), [5.0, 3.0])?,
        [0.0, 4.0]
    );
    Ok(())
}

#[function]
fn product(x: &[Real], data: &[f64], n: usize) -> Real {
    let n = n as f64;
    x[0] * x[1] * data[0] * n
}
#[function]
fn scaled_array(x: [Real; 2], n: f64) -> Result<[Real; 2], std::fmt::Error> {
    Ok([x[0] * x[1], x[0] / x[1] * n])
}
#[function]
fn scaled_tuple(a: Real, n: f64, (b, c): (&[Real], [Real; 1])) -> Real {
    (a * b[0] + c[0] * c[0]) * n
}
struct Scaled(f64);
impl Function for Scaled {
    type Inputs = entape_drivers::ListShape<f64>;
    type Values = f64;
    type Output<M: Mode> = Real<M>;
    fn call<M: Mode>(&self, x: &[Real<M>]) -> Real<M> {
        (x[0] * x[1] * self.0).eval()
    }
}
#[test]
fn drivers_take_functions_with_data() -> Result<(), Error> {
    let data = [2.0];
    let f = product { data: &data, n: 3 };
    assert_eq!(value_and_gradient(f, &[1.0, 3.0])?, (18.0, [18.0, 6.0]));
    assert_eq!(gradient(&f, &vec![1.0, 3.0])?, [18.0, 6.0]);
    assert_eq!(gradient(std::rc::Rc::new(f), vec![1.0, 3.0])?, [18.0, 6.0]);
    assert_eq!(hessian(f, &[1.0, 3.0])?.as_slice(), [0.0, 6.0, 6.0, 0.0]);
    let along = hessian_vector(f, &[1.0, 3.0], &[1.0, 0.0])?;
    assert_eq!(along, ([18.0, 6.0], [0.0, 6.0]));
    let all = value_gradient_hessian(f, &[1.0, 3.0])?;
    assert_eq!((all.value, all.gradient), (18.0, [18.0, 6.0]));
    assert_eq!(jvp(f, &[1.0, 3.0], [1.0, 0.0])?, (18.0, 18.0));
    assert_eq!(vjp(f, &[1.0, 3.0], 2.0)?, (18.0, [36.0, 12.0]));
    assert_eq!(Objective::new(f).gradient(&[1.0, 3.0])?, [18.0, 6.0]);
    check::expression(f, &[1.0, 3.0]).unwrap();

    let f = scaled_array { n: 8.0 };
    let j = jacobian(f, [1.0, 2.0])?;
    assert_eq!(j.as_slice(), [2.0, 1.0, 4.0, -2.0]);
    assert_eq!(values_and_jacobian(f, [1.0, 2.0])?, ([2.0, 4.0], j));
    check::expression(f, [1.0, 2.0]).unwrap();

    let f = scaled_tuple { n: 2.0 };
    let x = (3.0, (&[4.0], [5.0]));
    assert_eq!(gradient(f, x)?, (8.0, ([6.0], [20.0])));
    let x = (3.0, (vec![4.0], [5.0]));
    assert_eq!(gradient(f, x)?, (8.0, (vec![6.0], [20.0])));

    assert_eq!(gradient(Scaled(2.0), &[1.0, 3.0])?, [6.0, 2.0]);
    assert_eq!(
        gradient(|x: &[Real]| Scaled(2.0).call(x), &[1.0, 3.0])?,
        [6.0, 2.0]
    );
    Ok(())
}

#[derive(Clone, Copy)]
struct Pose<M: Mode> {
    at: [Real<M>; 2],
    angle: Real<M>,
}
#[derive(Clone)]
struct Pair<T> {
    a: T,
    b: [T; 2],
}
#[function]
impl Pose<M> {
    fn of(p: &[Real]) -> Self {
        Pose {
            at: [p[0] * 2.0, p[1]],
            angle: p[2] / 2.0,
        }
    }
    fn moved(self, by: Real) -> Self {
        let (s, c) = self.angle.sin_cos();
        let [x, y] = self.at;
        Self {
            at: [x + by * c, y + by * s],
            ..self
        }
    }
    fn dimensions() -> usize {
        2
    }
}
#[function]
impl Pair<Real> {
    fn sum(&self) -> Real {
        self.a + self.b[0] + self.b[1]
    }
}
struct Spring {
    stiffness: f64,
}
#[function]
impl Spring {
    fn energy(&self, x: Real) -> Real {
        let half = 0.5 * self.stiffness;
        half * x * x
    }
    fn scaled(&self, by: f64) -> Spring {
        let stiffness = self.stiffness * by;
        Spring { stiffness }
    }
}
#[function]
fn distance(pose: &Pose<M>, pair: &Pair<Real>) -> Real {
    let r = pose.at[0].hypot(pose.at[1]);
    r * pair.sum()
}
#[function]
fn walk(p: &[Real]) -> Real {
    let spring = Spring { stiffness: 3.0 }.scaled(2.0);
    let mut pose = Pose::of(p);
    for i in 0..Pose::<M>::dimensions() {
        pose = pose.moved((p[i] * p[i]).eval());
    }
    let pair: Pair<Real> = Pair {
        a: p[0] * p[1],
        b: [p[2], p[2] * 2.0],
    };
    distance(&pose, &pair) + spring.energy(pair.a)
}
#[test]
fn structs_and_methods_take_variables() {
    // `of`, twice the argument of `moved` and its statements, the pair, `distance` with `sum`, the tail with `energy`
    let count = 2 + 2 * (1 + 3) + 2 + 3 + 2;
    assert_eq!(statements(walk, [0.3, 0.5, 0.7]), count);
    verify(walk {}, &[0.3, 0.5, 0.7]);
}

struct Power(i32);
#[function]
impl Function for Power {
    type Inputs = entape_drivers::ListShape<f64>;
    type Values = f64;
    type Output<R: Mode> = Real;
    fn call<R: Mode>(&self, x: &[Real]) -> Real {
        let y = x[0].powi(self.0);
        y * x[1]
    }
}
trait Area<M: Mode> {
    fn area(&self) -> Real<M>;
}
#[function]
impl Area<M> for Pair<Real> {
    fn area(&self) -> Real {
        self.b[0] * self.b[1]
    }
}
#[function]
fn area(x: &[Real]) -> Real {
    let pair = Pair {
        a: x[0],
        b: [x[0] + x[1], x[1]],
    };
    pair.area() * pair.a
}
#[test]
fn methods_of_traits_may_be_functions() {
    assert_eq!(statements(|x| Power(3).call(x), [2.0, 3.0]), 2);
    check::gradient(Power(3), &[0.7, 0.2]).unwrap();
    verify(area {}, &[0.7, 0.2]);
}

#[function]
fn decay<K: RealKind>(x: Active<K>) -> Active<K> {
    let e = x.exp();
    number(1.0) / (number(1.0) + e)
}
#[function]
fn norm<A: AnyMode>(x: &[Real]) -> Real {
    let mut sum = Real::passive(0.0);
    for x in x {
        let square = x * x;
        sum += square;
    }
    sum.sqrt()
}
#[function]
fn applied<F, T>(x: &[Real], f: F, with: T) -> Real
where
    F: Fn(Real, T) -> Real,
{
    f(x[0], with) * 2.0
}
#[test]
fn functions_may_be_generic_in_the_precision() -> Result<(), Error> {
    assert_eq!(gradient(decay::<f64, Taped>, 0.0)?, -0.25);
    assert_eq!(gradient(decay::<f32, _>, 0.0_f32)?, -0.25);
    let mut tape = Tape::<Reuse>::default();
    let x = tape.inputs([3.0, 4.0]);
    let y = tape.record(|| norm(&x));
    assert_eq!(tape.gradient(&y)?.wrt(&x[1])?, 0.8);
    verify(norm {}, &[0.3, 0.4]);
    let y = applied(&[Real::<Plain>::passive(3.0)], |x, n| (x * n).eval(), 4.0);
    assert_eq!(y.value(), 24.0);
    Ok(())
}

mod inner {
    use super::*;
    #[function]
    pub(super) fn cube(x: &[Real]) -> Real {
        x[0].powi(3)
    }
}
#[test]
fn functions_may_be_in_modules_and_in_functions() -> Result<(), Error> {
    #[function]
    fn local(x: &[Real]) -> Real {
        inner::cube(x) * 2.0
    }
    assert_eq!(gradient(local, &[2.0])?, [24.0]);
    assert_eq!(inner::cube {}.value(&[2.0]), 8.0);
    verify(local {}, &[0.3]);
    Ok(())
}

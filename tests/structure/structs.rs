//! Structs and enums as inputs, outputs and gradients.
use entape::{
    Structure, Vars, check,
    checkpoint::{Checkpoints, Cost, Steps},
    complex::num_complex::{Complex, Complex64},
    driver::{jvp, vjp},
    external, hessian, hessian_vector, implicit,
    mode::Forward,
    parallel::Parallel,
    prelude::*,
    value_and_gradient,
};
use nalgebra::{DMatrix, DVector, Matrix2, dmatrix, dvector, matrix};

#[derive(Clone, Debug, PartialEq, Structure)]
struct Layer {
    weights: DMatrix<f64>,
    bias: DVector<f64>,
    name: String,
}
#[derive(Clone, Debug, PartialEq, Structure)]
struct Network {
    layers: Vec<Layer>,
    scale: Option<f64>,
    limits: [[f64; 2]; 2],
    epochs: usize,
}
fn network() -> Network {
    let layer = |weights, bias, name: &str| Layer {
        weights,
        bias,
        name: name.into(),
    };
    let first = dmatrix![0.5, -0.2; 0.1, 0.3; -0.4, 0.7];
    Network {
        layers: vec![
            layer(first, dvector![0.1, 0.2, 0.3], "first"),
            layer(dmatrix![0.2, -0.3, 0.6], dvector![0.05], "last"),
        ],
        scale: Some(1.5),
        limits: [[0.5, 2.0], [3.0, 4.0]],
        epochs: 7,
    }
}
const POINT: [f64; 2] = [0.7, -1.2];
#[entape::function]
fn output(network: &Vars<Network>, x: &[f64]) -> Real {
    let mut h = Vector::passive(DVector::from_column_slice(x));
    for layer in &network.layers {
        let z = &layer.weights * &h + &layer.bias;
        h = z.component_mul(&z);
    }
    let scale = network.scale.unwrap_or(Real::passive(1.0));
    h.sum() * scale + network.limits[0][1] * network.limits[1][0]
}
fn plain(network: &Network) -> f64 {
    let mut h = DVector::from_column_slice(&POINT);
    for layer in &network.layers {
        let z = &layer.weights * &h + &layer.bias;
        h = z.component_mul(&z);
    }
    h.sum() * network.scale.unwrap_or(1.0) + network.limits[0][1] * network.limits[1][0]
}
fn of_network(network: &Vars<Network>) -> Real {
    output(network, &POINT)
}

#[test]
fn a_gradient_is_a_value_of_the_struct() -> Result<(), Error> {
    let (value, slope) = value_and_gradient(of_network, &network())?;
    assert_eq!(value, plain(&network()));
    assert_eq!((slope.epochs, &*slope.layers[1].name), (7, "last"));
    assert_eq!(slope.limits, [[0.0, 3.0], [2.0, 0.0]]);
    let scale = slope.scale.expect("a derivative");
    approx::assert_relative_eq!(scale, (value - 6.0) / 1.5, epsilon = 1e-14);
    check::assert_expression(of_network, network());
    let without = Network {
        scale: None,
        ..network()
    };
    assert_eq!(entape::gradient(of_network, without)?.scale, None);
    Ok(())
}
#[test]
fn objectives_take_the_coordinates_of_a_struct() -> Result<(), Error> {
    let f = Objective::like(output { x: &POINT }, &network());
    let x = f.coordinates(&network());
    assert_eq!(x.len(), 6 + 3 + 3 + 1 + 1 + 4);
    assert_eq!(f.inputs(&x), network());
    assert_eq!(f.value(&x), plain(&network()));
    let (_, slope) = value_and_gradient(of_network, &network())?;
    // The second recording reuses the inputs of the first one.
    for _ in 0..2 {
        assert_eq!(f.inputs(&f.gradient(&x)?), slope);
    }
    let dense = hessian(of_network, network())?;
    assert_eq!(f.hessian(&x)?, dense);
    let direction = f.inputs(&vec![0.5; x.len()]);
    let (_, along) = hessian_vector(of_network, &network(), direction)?;
    assert_eq!(
        f.hessian_vector(&x, &vec![0.5; x.len()])?,
        f.coordinates(&along)
    );
    for (row, along) in dense.iter_rows().zip(f.coordinates(&along)) {
        approx::assert_relative_eq!(row.iter().sum::<f64>() * 0.5, along, epsilon = 1e-12);
    }
    Ok(())
}
#[test]
#[should_panic(expected = "3 numbers do not fit inputs with 18 coordinates")]
fn too_few_coordinates_panic() {
    Objective::like(output { x: &POINT }, &network()).value(&[0.0; 3]);
}
#[test]
#[should_panic(expected = "a direction of 1 numbers does not fit 2 inputs")]
fn a_direction_of_another_length_panics() {
    let mut direction = network();
    direction.layers.pop();
    let _ = hessian_vector(of_network, &network(), direction);
}

#[derive(Clone, Debug, PartialEq, Structure)]
enum Figure {
    Circle { radius: f64 },
    Box(f64, f64),
    Nothing,
}
#[entape::function]
fn area(figures: &[Vars<Figure>]) -> Real {
    let areas = figures.iter().map(|figure| match figure {
        FigureOf::Circle { radius } => (3.0 * radius * radius).eval(),
        FigureOf::Box(a, b) => (a * b).eval(),
        FigureOf::Nothing => Real::passive(0.0),
    });
    areas.sum::<Real>()
}
#[test]
fn enums_keep_their_variants() -> Result<(), Error> {
    let figures = vec![
        Figure::Circle { radius: 2.0 },
        Figure::Nothing,
        Figure::Box(3.0, 4.0),
    ];
    let slopes = entape::gradient(area, &figures)?;
    let expected = vec![
        Figure::Circle { radius: 12.0 },
        Figure::Nothing,
        Figure::Box(4.0, 3.0),
    ];
    assert_eq!(slopes, expected);
    let f = Objective::like(area {}, &figures);
    assert_eq!(f.gradient(&[1.0, 2.0, 3.0])?, [6.0, 3.0, 2.0]);
    Ok(())
}
#[test]
#[should_panic(expected = "another variant")]
fn a_direction_of_another_variant_panics() {
    let circle = vec![Figure::Circle { radius: 2.0 }];
    let _ = hessian_vector(area, circle, vec![Figure::Nothing]);
}

#[derive(Clone, Copy, Debug, PartialEq, Structure)]
struct Mixed {
    z: Complex64,
    m: Matrix2<f64>,
    single: f32,
}
#[test]
fn values_of_all_kinds_are_fields() -> Result<(), Error> {
    let mixed = Mixed {
        z: Complex::new(3.0, 4.0),
        m: matrix![1.0, 2.0; 3.0, 4.0],
        single: 0.5,
    };
    let f = |mixed: &Vars<Mixed>| mixed.z.norm() * mixed.m.determinant() * mixed.single.to_f64();
    let slope = entape::gradient(f, mixed)?;
    let expected = Mixed {
        z: Complex::new(-0.6, -0.8),
        m: matrix![10.0, -7.5; -5.0, 2.5],
        single: -10.0,
    };
    approx::assert_relative_eq!(slope.m, expected.m, epsilon = 1e-14);
    assert_eq!((slope.z, slope.single), (expected.z, expected.single));
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Structure)]
struct Body {
    x: f64,
    v: f64,
}
#[derive(Clone, Copy, Debug, PartialEq, Structure)]
struct Spring {
    stiffness: f64,
    damping: f64,
    dt: f64,
}
fn advance<M: Mode>(body: &Vars<Body, M>, spring: &Vars<Spring, M>) -> Vars<Body, M> {
    let force = spring.stiffness * body.x + spring.damping * body.v;
    let v = (body.v - spring.dt * force).eval();
    BodyOf {
        x: (body.x + spring.dt * v).eval(),
        v,
    }
}
const BODY: Body = Body { x: 1.0, v: 0.5 };
const SPRING: Spring = Spring {
    stiffness: 2.0,
    damping: 0.1,
    dt: 0.01,
};
#[test]
fn functions_return_structs() -> Result<(), Error> {
    let step = |(body, spring): (&Vars<Body>, &Vars<Spring>)| advance(body, spring);
    let seed = Body { x: 1.0, v: 10.0 };
    let (next, (body_b, _)) = vjp(step, (BODY, SPRING), seed)?;
    assert_eq!(next.v, 0.5 - 0.01 * (2.0 * 1.0 + 0.1 * 0.5));
    let step =
        |(body, spring): (&Vars<Body, Forward>, &Vars<Spring, Forward>)| advance(body, spring);
    let no = Spring {
        stiffness: 0.0,
        damping: 0.0,
        dt: 0.0,
    };
    let (_, along) = jvp(step, (BODY, SPRING), (Body { x: 1.0, v: 0.0 }, no))?;
    approx::assert_relative_eq!(along.x + 10.0 * along.v, body_b.x, epsilon = 1e-14);
    Ok(())
}
struct Swing;
impl Steps for Swing {
    type State = Body;
    type Parameters = Spring;
    type Output<M: Mode> = Vars<Body, M>;
    fn step<M: Mode>(
        &self,
        _: usize,
        body: &Vars<Body, M>,
        spring: &Vars<Spring, M>,
    ) -> Vars<Body, M> {
        advance(body, spring)
    }
}
impl Cost for Swing {
    fn cost<M: Mode>(&self, body: &Vars<Body, M>, _: &Vars<Spring, M>) -> Real<M> {
        body.x
    }
}
#[test]
fn loops_have_structs_as_states_and_parameters() -> Result<(), Box<dyn std::error::Error>> {
    let whole = |(body, spring): (&Vars<Body>, &Vars<Spring>)| {
        (0..50).fold(*body, |body, _| advance(&body, spring)).x
    };
    let (value, slopes) = value_and_gradient(whole, (BODY, SPRING))?;
    let checkpoints = Checkpoints::new().states(4);
    let found = checkpoints.value_and_gradient(&Swing, BODY, SPRING, 50)?;
    assert_eq!(found, (value, slopes));
    let mut tape = Tape::new();
    let (body, spring) = tape.structure((BODY, SPRING));
    let end = tape.record(|| {
        Checkpoints::new()
            .states(4)
            .as_statement(Swing, &body, &spring, 50)
    })?;
    let gradient = tape.gradient(&end.x)?;
    assert_eq!(gradient.wrt_structure((&body, &spring))?, slopes);
    Ok(())
}

#[entape::function]
fn balance((x, spring): (Real, &Vars<Spring>)) -> Real {
    spring.stiffness * x + spring.damping * x * x * x - 1.0
}
#[test]
fn implicit_and_external_functions_take_structs() -> Result<(), Error> {
    let solve = |spring: &Spring| {
        (0..50).fold(0.5, |x: f64, _| {
            let slope = spring.stiffness + 3.0 * spring.damping * x * x;
            x - (spring.stiffness * x + spring.damping * x.powi(3) - 1.0) / slope
        })
    };
    let x = solve(&SPRING);
    let slope = SPRING.stiffness + 3.0 * SPRING.damping * x * x;
    let by_theorem = |spring: &Vars<Spring>| {
        implicit::root(balance {}, x, spring)
            .eval()
            .expect("a solution")
    };
    let by_hand = |spring: &Vars<Spring>| {
        let adjoint = move |x_b: f64| Spring {
            stiffness: -x_b * x / slope,
            damping: -x_b * x.powi(3) / slope,
            dt: 0.0,
        };
        external(spring, x, adjoint).eval()
    };
    let (a, b) = (
        entape::gradient(by_theorem, SPRING)?,
        entape::gradient(by_hand, SPRING)?,
    );
    approx::assert_relative_eq!(a.stiffness, b.stiffness, epsilon = 1e-14);
    approx::assert_relative_eq!(a.damping, b.damping, epsilon = 1e-14);
    Ok(())
}
#[test]
fn parallel_sums_take_structs() -> Result<(), Error> {
    let term = |spring: &Vars<Spring>, i: usize| spring.stiffness * i as f64 + spring.damping;
    let (value, slope) = Parallel::new().sum(10, term, SPRING)?;
    assert_eq!(value, 2.0 * 45.0 + 1.0);
    assert_eq!(
        slope,
        Spring {
            stiffness: 45.0,
            damping: 10.0,
            dt: 0.0
        }
    );
    Ok(())
}

#[test]
fn lists_of_arrays_and_of_lists_are_inputs() -> Result<(), Error> {
    let pairs = |x: &[[Real; 2]]| x.iter().map(|[a, b]| a * b).sum::<Real>();
    let slopes = entape::gradient(pairs, &[[1.0, 2.0], [3.0, 4.0]])?;
    assert_eq!(slopes, [[2.0, 1.0], [4.0, 3.0]]);
    let rows = |x: &[Vec<Real>]| x.iter().flatten().map(|x| x * x).sum::<Real>();
    assert_eq!(
        entape::gradient(rows, vec![vec![1.0], vec![], vec![2.0, 3.0]])?,
        [vec![2.0], vec![], vec![4.0, 6.0]]
    );
    #[entape::function]
    fn grid(x: &[[Real; 2]], shift: Option<Real>) -> Real {
        let sum: Real = x.iter().map(|[a, b]| a * b).sum();
        sum + shift.unwrap_or(Real::passive(0.0))
    }
    let f = Objective::like(grid {}, (&[[1.0, 2.0]], Some(5.0)));
    assert_eq!(f.gradient(&[1.0, 2.0, 5.0])?, [2.0, 1.0, 1.0]);
    Ok(())
}

#[derive(Debug, PartialEq)]
struct NoRoot(f64);
impl std::fmt::Display for NoRoot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} has no root", self.0)
    }
}
impl std::error::Error for NoRoot {}
#[entape::function]
fn checked_root(x: &[Real]) -> Result<Real, NoRoot> {
    if x[0] < 0.0 {
        return Err(NoRoot(x[0].value()));
    }
    Ok(x[0].sqrt())
}
#[test]
fn the_error_of_a_function_reaches_the_caller() -> Result<(), Error> {
    let own = |error: Error| match error {
        Error::Function(failure) => failure.get().downcast_ref::<NoRoot>().map(|e| e.0),
        _ => None,
    };
    assert_eq!(entape::gradient(checked_root, &[4.0])?, [0.25]);
    assert_eq!(
        entape::gradient(checked_root, &[-4.0]).map_err(own),
        Err(Some(-4.0))
    );
    let f = Objective::new(checked_root {});
    assert_eq!(f.try_value(&[-1.0]).map_err(own), Err(Some(-1.0)));
    assert_eq!(f.gradient(&[-2.0]).map_err(own), Err(Some(-2.0)));
    assert_eq!(f.hessian(&[-3.0]).map_err(own), Err(Some(-3.0)));
    assert_eq!(f.value_and_gradient(&[4.0])?, (2.0, vec![0.25]));
    assert_eq!(f.hessian(&[4.0])?.as_slice(), [-1.0 / 32.0]);
    Ok(())
}
#[test]
#[should_panic(
    expected = "-1 has no root: call the method with the prefix `try_` to handle the error"
)]
fn a_value_that_cannot_fail_panics_with_the_error() {
    Objective::new(checked_root {}).value(&[-1.0]);
}

mod geometry {
    #[derive(Clone, Debug, PartialEq, entape::Structure)]
    pub(super) struct Vector3 {
        pub(super) x: f64,
        pub(super) y: f64,
    }
}
type Number = f64;
#[derive(Clone, Copy, Debug, PartialEq, Structure)]
enum Choice {
    First,
    Second,
}
#[derive(Clone, Copy, Debug, PartialEq, Structure)]
struct Unit;
#[derive(Clone, Debug, PartialEq, Structure)]
enum Tree {
    Leaf(f64),
    Node(Vec<Tree>),
}
#[derive(Clone, Debug, PartialEq, Structure)]
struct Chain {
    x: f64,
    next: Option<Box<Chain>>,
}
#[derive(Clone, Debug, PartialEq, Structure)]
struct Pair<T> {
    a: T,
    b: T,
}
#[derive(Clone, Debug, PartialEq, Structure)]
struct Everything {
    choice: Choice,
    unit: Unit,
    by_path: geometry::Vector3,
    number: Number,
    rectangle: nalgebra::Matrix2x3<f64>,
    array: Box<[f64; 2]>,
    text: Box<str>,
    tree: Tree,
    chain: Chain,
    pair: Pair<f64>,
}
fn everything() -> Everything {
    let last = Chain { x: 5.0, next: None };
    Everything {
        choice: Choice::Second,
        unit: Unit,
        by_path: geometry::Vector3 { x: 2.0, y: 3.0 },
        number: 4.0,
        rectangle: nalgebra::Matrix2x3::repeat(2.0),
        array: Box::new([6.0, 7.0]),
        text: "text".into(),
        tree: Tree::Node(vec![Tree::Leaf(8.0), Tree::Node(vec![Tree::Leaf(9.0)])]),
        chain: Chain {
            x: 3.0,
            next: Some(Box::new(last)),
        },
        pair: Pair { a: 10.0, b: 11.0 },
    }
}
fn leaves<M: Mode>(tree: &Vars<Tree, M>) -> Real<M> {
    match tree {
        TreeOf::Leaf(x) => (x * x).eval(),
        TreeOf::Node(all) => all.iter().map(leaves).sum(),
    }
}
fn of_everything(all: &Vars<Everything>) -> Real {
    let choice = match all.choice {
        Choice::First => 0.0,
        Choice::Second => 1.0,
    };
    let next = all
        .chain
        .next
        .as_ref()
        .map_or(Real::passive(0.0), |next| next.x);
    let [a, b] = *all.array;
    let sum = all.by_path.x * all.by_path.y + all.number * choice + all.rectangle.sum();
    let sum = (sum + a * b + all.chain.x * next).eval();
    (sum + all.pair.a * all.pair.b + leaves(&all.tree)).eval()
}
#[test]
fn recursive_generic_and_empty_types_are_fields() -> Result<(), Error> {
    let slope = entape::gradient(of_everything, everything())?;
    let last = Chain { x: 3.0, next: None };
    let expected = Everything {
        by_path: geometry::Vector3 { x: 3.0, y: 2.0 },
        number: 1.0,
        rectangle: nalgebra::Matrix2x3::repeat(1.0),
        array: Box::new([7.0, 6.0]),
        tree: Tree::Node(vec![Tree::Leaf(16.0), Tree::Node(vec![Tree::Leaf(18.0)])]),
        chain: Chain {
            x: 5.0,
            next: Some(Box::new(last)),
        },
        pair: Pair { a: 11.0, b: 10.0 },
        ..everything()
    };
    assert_eq!(slope, expected);
    check::assert_expression(of_everything, everything());
    Ok(())
}
#[test]
#[should_panic(expected = "another variant")]
fn coordinates_of_another_variant_panic() {
    let f = Objective::like(area {}, vec![Figure::Circle { radius: 2.0 }]);
    f.coordinates(vec![Figure::Box(1.0, 2.0)]);
}
#[test]
#[should_panic(expected = "shape")]
fn coordinates_of_another_shape_panic() {
    let mut other = network();
    other.layers[0].weights = DMatrix::zeros(2, 3);
    Objective::like(output { x: &POINT }, &network()).coordinates(&other);
}
#[test]
#[should_panic(expected = "another variant")]
fn a_direction_with_another_choice_panics() {
    let direction = Everything {
        choice: Choice::First,
        ..everything()
    };
    let _ = hessian_vector(of_everything, everything(), direction);
}

//! The state of a program: three variables of each kind, as entities and as numbers.
use crate::exact::{self, Cx, Grid, Num};
use entape::{
    check::Coordinates,
    complex::C64,
    expr::{Active, IntoExpr},
    kind::Val,
    linalg::Dense,
    mode::{AnyMode, Plain, Recording},
    simd::{
        F32x8, F64x4,
        arrays::ArrayKind,
        wide::{f32x8, f64x4},
    },
    tape::{Adjoints, Count, Directed, Directions, Error, Gradient, SweptAdjoints, Tangents, Tape},
};
use nalgebra::{Complex, Const, DMatrix, DVector, Dyn, Matrix2, U1};

pub(crate) const SLOTS: usize = 3;
pub(crate) type VectorKind<T = f64> = Dense<T, Dyn, U1>;
pub(crate) type MatrixKind<T = f64> = Dense<T, Dyn, Dyn>;
pub(crate) type Matrix2Kind = Dense<f64, Const<2>, Const<2>>;

pub(crate) trait Variable<M: Recording> {
    fn coordinates(&self) -> Vec<f64>;
    fn is_active(&self) -> bool;
    fn seed(&self, tape: &mut Tape<M>, seed: &[f64]) -> Result<(), Error>;
    fn gradient(&self, gradient: &Gradient<'_, M>) -> Result<Vec<f64>, Error>;
    fn read(&self) -> Box<dyn Variable<M>>;
    fn one(&self) -> &dyn Directional<M, 1>;
    fn eight(&self) -> &dyn Directional<M, 8>;
}
pub(crate) trait Directional<M: Recording, const N: usize>
where
    Count: Directed<N>,
{
    fn set(
        &self,
        directions: &mut Directions<'_, N, M>,
        tangents: &[Vec<f64>; N],
    ) -> Result<(), Error>;
    fn tangents(&self, tangents: &Tangents<'_, N, M>) -> Result<[Vec<f64>; N], Error>;
    fn pull<'t>(
        &self,
        tangents: Tangents<'t, N, M>,
        seed: &[f64],
    ) -> Result<SweptAdjoints<'t, N, M>, Error>;
    fn seed(&self, adjoints: &mut Adjoints<'_, M>, j: usize, seed: &[f64]) -> Result<(), Error>;
    fn gradient(&self, swept: &SweptAdjoints<'_, N, M>) -> Result<Vec<f64>, Error>;
    fn wrt(&self, swept: &SweptAdjoints<'_, N, M>) -> Result<[Vec<f64>; N], Error>;
}
impl<K: Coordinates, M: Recording, const N: usize> Directional<M, N> for Active<K, M>
where
    Count: Directed<N>,
{
    fn set(
        &self,
        directions: &mut Directions<'_, N, M>,
        tangents: &[Vec<f64>; N],
    ) -> Result<(), Error> {
        let tangent = |t: &Vec<f64>| K::from_coordinates(self.get(), &mut &t[..]);
        directions.set(self, tangents.each_ref().map(tangent))
    }
    fn tangents(&self, tangents: &Tangents<'_, N, M>) -> Result<[Vec<f64>; N], Error> {
        Ok(tangents.of(self)?.each_ref().map(coordinates::<K>))
    }
    fn pull<'t>(
        &self,
        tangents: Tangents<'t, N, M>,
        mut seed: &[f64],
    ) -> Result<SweptAdjoints<'t, N, M>, Error> {
        let seed = K::from_coordinates(self.get(), &mut seed);
        let zeros = std::array::from_fn(|_| K::zero_like(self.get()));
        tangents.pull(&[self], &[seed], &[zeros])
    }
    fn seed(
        &self,
        adjoints: &mut Adjoints<'_, M>,
        j: usize,
        mut seed: &[f64],
    ) -> Result<(), Error> {
        adjoints.seed(self, j, K::from_coordinates(self.get(), &mut seed))
    }
    fn gradient(&self, swept: &SweptAdjoints<'_, N, M>) -> Result<Vec<f64>, Error> {
        swept.gradient(self).map(|g| coordinates::<K>(&g))
    }
    fn wrt(&self, swept: &SweptAdjoints<'_, N, M>) -> Result<[Vec<f64>; N], Error> {
        Ok(swept.wrt(self)?.each_ref().map(coordinates::<K>))
    }
}
fn coordinates<K: Coordinates>(value: &Val<K>) -> Vec<f64> {
    let mut all = Vec::new();
    K::coordinates(value, &mut all);
    all
}
impl<K: Coordinates, M: Recording> Variable<M> for Active<K, M> {
    fn coordinates(&self) -> Vec<f64> {
        coordinates::<K>(self.get())
    }
    fn is_active(&self) -> bool {
        Active::is_active(self)
    }
    fn seed(&self, tape: &mut Tape<M>, mut seed: &[f64]) -> Result<(), Error> {
        tape.seed(self, K::from_coordinates(self.get(), &mut seed))
    }
    fn gradient(&self, gradient: &Gradient<'_, M>) -> Result<Vec<f64>, Error> {
        gradient.wrt(self).map(|g| coordinates::<K>(&g))
    }
    fn read(&self) -> Box<dyn Variable<M>> {
        Box::new(self.into_expr().eval())
    }
    fn one(&self) -> &dyn Directional<M, 1> {
        self
    }
    fn eight(&self) -> &dyn Directional<M, 8> {
        self
    }
}

/// An input that is not written, so that its gradient is always available.
pub(crate) struct Input<M: Recording> {
    pub(crate) kind: usize,
    pub(crate) variable: Box<dyn Variable<M>>,
    pub(crate) numbers: Vec<Num>,
}
impl<M: Recording> Input<M> {
    pub(crate) fn name(&self) -> String {
        format!("an input {}", POOLS[self.kind])
    }
}

pub(crate) trait Numbered {
    fn scalars(&self) -> Vec<Num>;
    fn with(&self, numbers: &[Num]) -> Self;
}
impl Numbered for Num {
    fn scalars(&self) -> Vec<Num> {
        vec![*self]
    }
    fn with(&self, numbers: &[Num]) -> Self {
        numbers[0]
    }
}
impl Numbered for Cx {
    fn scalars(&self) -> Vec<Num> {
        vec![self.re, self.im]
    }
    fn with(&self, numbers: &[Num]) -> Self {
        Cx {
            re: numbers[0],
            im: numbers[1],
        }
    }
}
impl<const N: usize> Numbered for [Num; N] {
    fn scalars(&self) -> Vec<Num> {
        self.to_vec()
    }
    fn with(&self, numbers: &[Num]) -> Self {
        std::array::from_fn(|i| numbers[i])
    }
}
impl Numbered for Vec<Num> {
    fn scalars(&self) -> Vec<Num> {
        self.clone()
    }
    fn with(&self, numbers: &[Num]) -> Self {
        numbers.to_vec()
    }
}
impl<T: Numbered> Numbered for Grid<T> {
    fn scalars(&self) -> Vec<Num> {
        self.elements.iter().flat_map(Numbered::scalars).collect()
    }
    fn with(&self, numbers: &[Num]) -> Self {
        let each = numbers.chunks(numbers.len() / self.elements.len());
        Grid {
            elements: each.zip(&self.elements).map(|(n, e)| e.with(n)).collect(),
            ..*self
        }
    }
}
fn fresh<X: Numbered + Clone>(x: &X) -> X {
    let numbers = x.scalars();
    match numbers.iter().any(|x| x.is_active()) {
        true => x.with(&numbers.into_iter().map(exact::copy).collect::<Vec<_>>()),
        false => x.clone(),
    }
}

/// Declares the kinds: the name of their variables, whether they are storage kinds, the kind, its numbers, and a value
/// with their shape.
macro_rules! kinds { ($n:ident; $($pool:ident: $storage:literal, $Kind:ty, $Exact:ty, $value:expr, $zero:expr;)*) => {
    pub(crate) struct Entities<M: AnyMode> {
        $( pub(crate) $pool: [Active<$Kind, M>; SLOTS], )*
        pub(crate) $n: usize,
    }
    #[derive(Clone)]
    pub(crate) struct Numbers {
        $( pub(crate) $pool: [$Exact; SLOTS], )*
        pub(crate) $n: usize,
    }
    pub(crate) const POOLS: &[&str] = &[$( stringify!($pool) ),*];

    impl<M: AnyMode> Entities<M> {
        pub(crate) fn copy(&self) -> Self {
            Entities { $( $pool: self.$pool.each_ref().map(Clone::clone), )* $n: self.$n }
        }
        pub(crate) fn fresh(&self) -> Self {
            Entities { $( $pool: self.$pool.each_ref().map(|x| x.into_expr().eval()), )* $n: self.$n }
        }
        pub(crate) fn values(&self) -> Vec<f64> {
            let mut all = Vec::new();
            $( self.$pool.iter().for_each(|x| <$Kind>::coordinates(x.get(), &mut all)); )*
            all
        }
    }
    impl<M: AnyMode> Entities<M> {
        pub(crate) fn passive($n: usize, mut next: impl FnMut() -> f64) -> (Self, Numbers) {
            $(
                let values: [_; SLOTS] = std::array::from_fn(|_| drawn_values::<$Kind>(&$value, &mut next));
                let $pool = values;
            )*
            let numbers = Numbers {
                $( $pool: $pool.each_ref().map(|(_, x)| {
                    rounded::<$Kind, _>(x.iter().map(|x| exact::passive(*x)).collect(), &$zero)
                }), )*
                $n,
            };
            (Entities { $( $pool: $pool.map(|x| Active::passive(x.0)), )* $n }, numbers)
        }
    }
    impl<M: Recording> Entities<M> {
        pub(crate) fn variables(&self) -> Vec<&dyn Variable<M>> {
            let mut all: Vec<&dyn Variable<M>> = Vec::new();
            $( all.extend(self.$pool.iter().map(|x| x as &dyn Variable<M>)); )*
            all
        }
        /// Replaces a variable, which remains beside the input as its clone.
        pub(crate) fn input(
            &mut self, plain: &mut Entities<Plain>, numbers: &mut Numbers, tape: &mut Tape<M>,
            pool: usize, slot: usize, mut next: impl FnMut() -> f64,
        ) -> Result<Input<M>, Error> {
            let mut at = 0;
            $(
                if at == pool {
                    let (value, scalars) = drawn::<$Kind>(self.$pool[slot].get(), &mut next);
                    let variable = tape.try_input::<$Kind>(value.clone())?;
                    let scalars = numbers.$pool[slot].with(&scalars);
                    self.$pool[slot] = tape.record(|| variable.clone());
                    numbers.$pool[slot] = scalars.clone();
                    plain.$pool[slot] = Active::passive(value);
                    return Ok(Input { kind: pool, variable: Box::new(variable), numbers: scalars.scalars() });
                }
                at += 1;
            )*
            unreachable!("there are {at} kinds")
        }
        /// The first of each kind is an input that the program writes, the others are passive.
        pub(crate) fn start(
            tape: &mut Tape<M>, $n: usize, mut next: impl FnMut() -> f64,
        ) -> Result<(Self, Entities<Plain>, Numbers), Error> {
            $(
                let values: [_; SLOTS] = std::array::from_fn(|_| drawn_values::<$Kind>(&$value, &mut next));
                let $pool = values;
            )*
            let plain = Entities { $( $pool: $pool.clone().map(|x| Active::passive(x.0)), )* $n };
            let numbers = Numbers {
                $( $pool: {
                    let mut slot = 0;
                    $pool.each_ref().map(|(_, x)| {
                        let made = |x: &f64| if slot == 0 { exact::input(*x) } else { exact::passive(*x) };
                        let numbers: Vec<_> = x.iter().map(made).collect();
                        slot += 1;
                        rounded::<$Kind, _>(numbers, &$zero)
                    })
                }, )*
                $n,
            };
            let entities = Entities {
                $( $pool: {
                    let [(first, _), second, third] = $pool;
                    [tape.try_input::<$Kind>(first)?, Active::passive(second.0), Active::passive(third.0)]
                }, )*
                $n,
            };
            Ok((entities, plain, numbers))
        }
    }
    impl Numbers {
        /// Variables of value kinds are `copied`, or get separate identifiers.
        pub(crate) fn copy(&self, copied: bool) -> Self {
            Numbers {
                $( $pool: self.$pool.each_ref().map(|x| if copied && !$storage { x.clone() } else { fresh(x) }), )*
                $n: self.$n,
            }
        }
        pub(crate) fn fresh(&self) -> Self {
            self.copy(false)
        }
        pub(crate) fn variables(&self) -> Vec<Vec<Num>> {
            let mut all = Vec::new();
            $( all.extend(self.$pool.iter().map(Numbered::scalars)); )*
            all
        }
    }
} }
kinds! { n;
    x: false, f64, Num, 0.0, exact::passive(0.0);
    s: false, f32, Num, 0.0, exact::passive(0.0);
    z: false, C64, Cx, Complex::new(0.0, 0.0), Cx::constant(0.0, 0.0);
    l: false, F64x4, [Num; 4], f64x4::splat(0.0), [exact::passive(0.0); 4];
    v: true, ArrayKind<f64>, Vec<Num>, vec![0.0; n], Vec::new();
    m: true, MatrixKind, Grid<Num>, DMatrix::zeros(n, n), Grid::filled((n, n), 0.0);
    u: true, VectorKind, Grid<Num>, DVector::zeros(n), Grid::filled((n, 1), 0.0);
    f: false, Matrix2Kind, Grid<Num>, Matrix2::zeros(), Grid::filled((2, 2), 0.0);
    a: true, MatrixKind<Complex<f64>>, Grid<Cx>, DMatrix::zeros(n, n), Grid::filled((n, n), 0.0);
    b: true, VectorKind<Complex<f64>>, Grid<Cx>, DVector::zeros(n), Grid::filled((n, 1), 0.0);
    h: false, F32x8, [Num; 8], f32x8::splat(0.0), [exact::passive(0.0); 8];
    w: true, ArrayKind<f32>, Vec<Num>, vec![0.0; n], Vec::new();
    g: true, MatrixKind<f32>, Grid<Num>, DMatrix::zeros(n, n), Grid::filled((n, n), 0.0);
    t: true, ArrayKind<f64>, Vec<Num>, vec![0.0; n], Vec::new();
    d: true, MatrixKind, Grid<Num>, DMatrix::zeros(n, n), Grid::filled((n, n), 0.0);
}

pub(crate) fn source(pool: usize, n: usize, numbers: &[f64]) -> String {
    let complex = |x: &[f64]| format!("Complex::new({:?}, {:?})", x[0], x[1]);
    let list = match POOLS[pool] {
        "a" | "b" => numbers
            .chunks(2)
            .map(complex)
            .collect::<Vec<_>>()
            .join(", "),
        _ => numbers
            .iter()
            .map(|x| format!("{x:?}"))
            .collect::<Vec<_>>()
            .join(", "),
    };
    match POOLS[pool] {
        "x" => list,
        "s" => format!("{list}_f32"),
        "z" => complex(numbers),
        "l" => format!("f64x4::new([{list}])"),
        "h" => format!("f32x8::new([{list}])"),
        "f" => format!("Matrix2::from_column_slice(&[{list}])"),
        "u" | "b" => format!("DVector::from_vec(vec![{list}])"),
        "m" | "a" | "g" => format!("DMatrix::from_vec({n}, {n}, vec![{list}])"),
        // Its size differs.
        "d" => format!("DMatrix::from_vec(rows, columns, vec![{list}])"),
        _ => format!("vec![{list}]"),
    }
}
pub(crate) fn name(variable: usize) -> String {
    format!("{}[{}]", POOLS[variable / SLOTS], variable % SLOTS)
}
fn drawn_values<K: Coordinates>(
    like: &Val<K>,
    next: &mut impl FnMut() -> f64,
) -> (Val<K>, Vec<f64>) {
    let numbers: Vec<f64> = coordinates::<K>(like).iter().map(|_| next()).collect();
    (K::from_coordinates(like, &mut &numbers[..]), numbers)
}
/// Makes inputs of the reference by [`drawn_values`].
fn drawn<K: Coordinates>(like: &Val<K>, next: &mut impl FnMut() -> f64) -> (Val<K>, Vec<Num>) {
    let (value, numbers) = drawn_values::<K>(like, next);
    let inputs = numbers.into_iter().map(exact::input).collect();
    (value, as_precise::<K>(inputs))
}
fn rounded<K: Coordinates, X: Numbered>(numbers: Vec<Num>, like: &X) -> X {
    like.with(&as_precise::<K>(numbers))
}
fn as_precise<K: Coordinates>(mut numbers: Vec<Num>) -> Vec<Num> {
    if K::EPSILON > f64::EPSILON {
        numbers.iter_mut().for_each(|x| *x = exact::single(*x));
    }
    numbers
}

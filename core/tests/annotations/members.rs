//! `#[operations]`: a whole kind, external and in place.
use crate::{
    foreign::complex,
    kinds::{Array, C64, Dual, Fixed},
    sweep::gradient,
};
use entape_core::{
    expr::{Active, constant},
    mode::{AnyMode, Plain, Taped},
    operations,
    rule::{A, B, Rule},
};

#[operations(ext = ComplexOps)]
impl C64 {
    pub const ORIGIN: f64 = 0.0;

    #[op]
    fn re(#[ad_in(complex(r_b, 0.0))] z: Self) -> f64 {
        z.re
    }
    #[op(self_adjoint)]
    fn conj(z: Self) -> Self {
        z.conj()
    }
    #[op]
    fn scaled(
        #[ad_in(r_b.scale(s))] z: Self,
        #[ad_in(r_b.re * z.re + r_b.im * z.im)] s: f64,
    ) -> Self {
        z.scale(s)
    }
    #[op]
    fn shifted(#[ad_in(r_b)] z: Self, #[ad_passive] re: f64, #[ad_passive] im: f64) -> Self {
        complex(z.re + re, z.im + im)
    }
    #[op(Add)]
    fn add(#[ad_in(r_b)] a: Self, #[ad_in(r_b)] b: Self) -> Self {
        complex(a.re + b.re, a.im + b.im)
    }
    #[op(passive)]
    fn is_real(#[ad_inp] z: Self) -> bool {
        z.im == Self::ORIGIN
    }
    #[op]
    fn scale_by(
        #[ad_inout(z_b.scale(s))] z: &mut Self,
        #[ad_in(z_b.re * z.re + z_b.im * z.im)] s: f64,
    ) {
        *z = z.scale(s);
    }
}

#[test]
fn members_of_an_external_kind_apply_to_variables() {
    let z = Active::<C64, Plain>::passive(complex(3.0, 4.0));
    assert_eq!(z.re().eval().value(), 3.0);
    assert_eq!((&z).conj().re().eval().value(), 3.0);
    assert_eq!(
        (z + z.conj()).scaled(z.re()).eval().value(),
        complex(18.0, 0.0)
    );
    assert_eq!(z.shifted(1.0, 2.0).eval().value(), complex(4.0, 6.0));
    assert!(!z.is_real() && (z + z.conj()).is_real());
    assert_eq!(
        constant::<C64, Plain, _>(complex(1.0, 0.0))
            .re()
            .eval()
            .value(),
        1.0
    );
    let mut z = z;
    z.scale_by(2.0);
    assert_eq!(z.value(), complex(6.0, 8.0));
    assert_eq!(<Scaled as Rule<C64, f64>>::READS, [B, A, 0]);
}

#[test]
fn members_are_differentiated_on_a_tape() {
    let (y, [x_b]) = gradient([2.0], |[x]| {
        let z = constant::<C64, Taped, _>(complex(3.0, 4.0));
        let mut z = z.scaled(x * x).eval();
        z.scale_by(x);
        z.re().eval()
    });
    assert_eq!((y, x_b), (24.0, 36.0));
}

#[operations(ext = pub(crate) DualOps, in_place)]
impl Dual {
    pub fn new(x: f64, y: f64) -> Self {
        Dual { x, y }
    }
    #[op]
    pub fn product(#[ad_in(Self::new(r_b * d.y, r_b * d.x))] d: Self) -> f64 {
        d.x * d.y
    }
    #[op(Mul)]
    pub fn mul(
        #[ad_in(Self { x: r_b.x * b.x, y: r_b.y * b.y })] a: &Self,
        #[ad_in(Self { x: r_b.x * a.x, y: r_b.y * a.y })] b: &Self,
    ) -> Self {
        Self::new(a.x * b.x, a.y * b.y)
    }
    #[op(self_adjoint)]
    pub fn swap(mut d: Self) -> Self {
        std::mem::swap(&mut d.x, &mut d.y);
        d
    }
    #[op(passive)]
    pub fn is_sorted(#[ad_inp] d: &Self) -> bool {
        d.x <= d.y
    }
}

fn of_a_dual<M: AnyMode>() -> f64 {
    let d = Active::<Dual, M>::passive(Dual::new(2.0, 5.0));
    assert!((&d).is_sorted() && !(&d).swap().is_sorted());
    let y = (&d * &d).swap().product().eval();
    *y.get()
}

#[test]
fn members_of_an_own_type_remain_plain_functions() {
    let d = Dual::new(2.0, 5.0);
    let plain = Dual::product(Dual::swap(Dual::mul(&d, &d)));
    assert!(Dual::is_sorted(&d));
    assert_eq!(
        (plain, of_a_dual::<Plain>(), of_a_dual::<Taped>()),
        (100.0, 100.0, 100.0)
    );
}

#[operations(ext = FixedOps)]
impl<const N: usize> Fixed<f64, N> {
    #[op]
    fn inner(#[ad_in(b.map(|b| b * r_b))] a: Self, #[ad_in(a.map(|a| a * r_b))] b: Self) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }
    #[op]
    fn padded<const M: usize>(#[ad_in(std::array::from_fn(|i| r_b[i]))] a: Self) -> Fixed<f64, M> {
        std::array::from_fn(|i| if i < N { a[i] } else { 0.0 })
    }
    #[op]
    fn stretched<const F: usize>(#[ad_in(r_b.map(|x| x * F as f64))] a: Self) -> Self {
        a.map(|x| x * F as f64)
    }
}

#[test]
fn members_of_a_generic_kind_are_generic() {
    let v = Active::<Fixed<f64, 2>, Plain>::passive([1.0, 2.0]);
    assert_eq!(v.inner(v).eval().value(), 5.0);
    assert_eq!(v.padded::<3>().eval().value(), [1.0, 2.0, 0.0]);
    assert_eq!(v.inner(v.stretched::<3>()).eval().value(), 15.0);
}

#[operations(ext = ArrayOps)]
impl Array {
    #[op]
    fn inner_product(
        #[ad_in(b.iter().map(|b| b * r_b).collect::<Vec<_>>())] a: Self,
        #[ad_in(a.iter().map(|a| a * r_b).collect::<Vec<_>>())] b: Self,
    ) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }
    #[op(passive)]
    fn len(#[ad_inp] v: Self) -> usize {
        v.len()
    }
}

#[test]
fn members_of_a_storage_kind_do_not_move_it() {
    let v = Active::<Array>::passive(vec![1.0, 2.0]);
    assert_eq!(v.inner_product(&v).eval().value(), 5.0);
    assert_eq!(v.len(), 2);
}

#[entape_core::op(in_place)]
pub fn cube(#[ad_in(r_b * 3.0 * x * x)] x: f64) -> f64 {
    x * x * x
}

#[entape_core::op(in_place, passive)]
pub fn is_positive(#[ad_inp] x: f64) -> bool {
    x > 0.0
}

#[entape_core::op(in_place)]
pub fn nth_power<const N: i32>(#[ad_in(r_b * f64::from(N) * x.powi(N - 1))] x: f64) -> f64 {
    x.powi(N)
}

#[test]
fn functions_in_place_remain_plain_functions() {
    let x = Active::<f64, Plain>::passive(2.0);
    assert_eq!((cube(2.0), Cube::of(x).eval().value()), (8.0, 8.0));
    assert_eq!(NthPower::<5>::of(x).eval().value(), nth_power::<5>(2.0));
    assert!(is_positive(1.0) && !is_positive_of(-x));
}

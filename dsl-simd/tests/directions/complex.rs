use crate::{Program, Real, check};
use entape_complex::{ComplexOps, ComplexParts, num_complex::c64};
use entape_core::{expr::constant, mode::Mode, real::Elementary, tape::Error};
use entape_simd::{
    Array, LanesOps, Realx4,
    arrays::{
        ArrayMembers, ArrayOps, Compare, ComplexArrayOps, FftOps, MaskOps, RealArrayOps,
        RealFftOps, Slices, from_parts, from_polar,
    },
};

struct Elements;
impl Program for Elements {
    fn run<M: Mode>(u: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M> {
        let x = v.lane(2).eval();
        let z = (from_parts(u, u.reverse() * a) * a + x.cis_of()).eval();
        let w = (z.exp() * u / (&z + 2.0) - from_polar(u, x) * c64(0.3, 0.4)).eval();
        let mut p = (w.sqrt() + z.powf(u) + w.powi(3) * z.conj()).eval();
        p[1].assign(&w[0] * a);
        p[2].re_mut().assign(x * a);
        p.slice_mut(3..5).assign(z.slice(..2) * u.slice(..2));
        p *= a;
        let far = p.abs().simd_gt(1.2);
        let chosen = far.select(&p, &z * constant(vec![c64(0.5, 1.0); 6])).eval();
        let parts = (p.re() * w.im() + z.arg() * p.norm_sqr()).sum();
        (parts + p.dotc(&chosen).re() + w.dot(u).norm() + chosen.norm() + p.sum().im()).eval()
    }
}
trait CisOf<M: Mode> {
    fn cis_of(self) -> entape_complex::Complex<M>;
}
impl<M: Mode> CisOf<M> for Real<M> {
    fn cis_of(self) -> entape_complex::Complex<M> {
        entape_complex::cis(self).eval()
    }
}
#[test]
fn complex_arrays_have_second_derivatives() -> Result<(), Error> {
    check::<Elements>()
}

struct Transforms;
impl Program for Transforms {
    fn run<M: Mode>(u: &Array<M>, v: Realx4<M>, a: Real<M>) -> Real<M> {
        let x = v.reduce_add().eval();
        let z = (u.cis() * a + u.to_complex()).fft().eval();
        let w = (&z * &z * x * 0.1).ifft().eval();
        let r = (u.rfft() * z.slice(..4)).irfft(6).eval();
        let shifted = constant(vec![c64(1.0, 0.5), c64(0.0, -1.0), c64(2.0, 0.3)]) + a;
        let line = (constant(vec![0.5, 1.0, 0.25]) - x * a).to_complex() + shifted.fft();
        (line.sum().norm() + w.norm_sqr().sum() + (&r * u).sum() + z.mean().norm() * r.norm())
            .eval()
    }
}
#[test]
fn transforms_have_second_derivatives() -> Result<(), Error> {
    check::<Transforms>()
}

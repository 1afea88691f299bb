//! Elementary functions of list elements, see [`ElementFunctions`].
use super::{Cost, Dual, ElementKind, Elementwise};
use crate::{
    kind::{Adjoint, PieceLoop},
    machine::run_loop,
    store::{ElementFunctions, ElementPlane, OperationContext, PlaneSlots},
};
use std::array::from_fn;

impl ElementFunctions {
    /// Returns the functions of `O`.
    #[must_use]
    pub const fn of<O: Elementwise<I>, const I: usize>() -> Self {
        ElementFunctions {
            value: value::<O, I>,
            tangents: tangents::<O, I>,
            adjoint: adjoint::<O, I>,
            second: second::<O, I>,
        }
    }
}
#[inline(always)]
fn run<O: Elementwise<I>, const I: usize>(elements: impl PieceLoop) {
    match O::Cost::VECTORISES {
        true => run_loop(elements),
        false => elements.run(),
    }
}

fn value<O: Elementwise<I>, const I: usize>(
    values: &mut ElementPlane,
    length: usize,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let op = context.fetch(place.parameters);
    let (x, r) = values.of_operation(place, length);
    run::<O, I>(ValueLoop::<O, I> { op, x, r });
}
struct ValueLoop<'e, O, const I: usize> {
    op: O,
    x: [&'e [f64]; I],
    r: &'e mut [f64],
}
impl<O: Elementwise<I>, const I: usize> PieceLoop for ValueLoop<'_, O, I> {
    #[inline(always)]
    fn run(self) {
        let ValueLoop { op, x, r } = self;
        let x = x.map(|x| &x[..r.len()]);
        for (k, r) in r.iter_mut().enumerate() {
            *r = op.primal(from_fn(
                #[inline(always)]
                |i| x[i][k],
            ));
        }
    }
}

struct KnownElements<'e, O, const I: usize> {
    op: O,
    x: [&'e [f64]; I],
    r: &'e [f64],
    x_t: [&'e [f64]; I],
    active: [bool; I],
    one_sided: bool,
}
fn tangents<O: Elementwise<I>, const I: usize>(
    values: &ElementPlane,
    tangents: &mut ElementPlane,
    length: usize,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let (x_t, r_t) = tangents.of_operation(place, length);
    let of = KnownElements {
        op: context.fetch(place.parameters),
        x: from_fn(|i| values.of(place.arguments[i], length)),
        r: values.of(place.result, length),
        x_t,
        active: from_fn(|i| place.is_active(i)),
        one_sided: context.one_sided,
    };
    run::<O, I>(TangentLoop::<O, I> { of, r_t });
}
struct TangentLoop<'e, O, const I: usize> {
    of: KnownElements<'e, O, I>,
    r_t: &'e mut [f64],
}
impl<O: Elementwise<I>, const I: usize> TangentLoop<'_, O, I> {
    #[inline(always)]
    fn each(self, one_sided: bool) {
        let (of, length) = (self.of, self.r_t.len());
        let (x, x_t) = (of.x.map(|x| &x[..length]), of.x_t.map(|x_t| &x_t[..length]));
        let r = &of.r[..length];
        for (k, r_t) in self.r_t.iter_mut().enumerate() {
            let x = from_fn(
                #[inline(always)]
                |i| Some(x[i][k]),
            );
            let x_t = from_fn(
                #[inline(always)]
                |i| of.active[i].then_some([x_t[i][k]]),
            );
            [*r_t] = <f64 as ElementKind>::push(&of.op, x, Some(r[k]), x_t, one_sided);
        }
    }
}
impl<O: Elementwise<I>, const I: usize> PieceLoop for TangentLoop<'_, O, I> {
    #[inline(always)]
    fn run(self) {
        // Without this branch the loop is not vectorised.
        match self.of.one_sided {
            true => self.each(true),
            false => self.each(false),
        }
    }
}

fn adjoint<O: Elementwise<I>, const I: usize>(
    values: &ElementPlane,
    adjoints: &mut ElementPlane,
    length: usize,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let op = context.fetch(place.parameters);
    for i in (0..I).filter(|&i| O::FLOWS[i] && place.is_active(i)) {
        let (x_b, r_b) = adjoints.argument_mut(i, place, length);
        run::<O, I>(AdjointLoop::<O, I> {
            op: &op,
            x: from_fn(|i| values.of(place.arguments[i], length)),
            r: values.of(place.result, length),
            i,
            r_b,
            x_b,
        });
    }
}
struct AdjointLoop<'a, 'e, O, const I: usize> {
    op: &'a O,
    x: [&'e [f64]; I],
    r: &'e [f64],
    i: usize,
    r_b: &'e [f64],
    x_b: &'e mut [f64],
}
impl<O: Elementwise<I>, const I: usize> AdjointLoop<'_, '_, O, I> {
    #[inline(always)]
    fn each(self, i: usize) {
        let length = self.x_b.len();
        let x = self.x.map(|x| &x[..length]);
        let (r, r_b) = (&self.r[..length], &self.r_b[..length]);
        for (k, x_b) in self.x_b.iter_mut().enumerate() {
            let x = from_fn(
                #[inline(always)]
                |i| Some(x[i][k]),
            );
            let made = <f64 as ElementKind>::pull(self.op, i, x, Some(r[k]), r_b[k]);
            *x_b = contribution::<O, I>(Adjoint::<f64>::is_unset(&r_b[k]), made);
        }
    }
}
/// Calls `each` with `i` as a constant, so that its loop is vectorised.
#[inline(always)]
fn with_argument<const I: usize>(i: usize, each: impl FnOnce(usize)) {
    if I == 1 || i == 0 {
        each(0);
    } else if I == 2 || i == 1 {
        each(1);
    } else {
        each(2);
    }
}
/// Contributions are computed, except of choices. Unset adjoints contribute nothing.
#[inline(always)]
fn contribution<O: Elementwise<I>, const I: usize>(unset: bool, made: f64) -> f64 {
    let computed = if O::CHOOSES { -0.0 } else { 0.0 };
    if unset { -0.0 } else { made + computed }
}
impl<O: Elementwise<I>, const I: usize> PieceLoop for AdjointLoop<'_, '_, O, I> {
    #[inline(always)]
    fn run(self) {
        with_argument::<I>(
            self.i,
            #[inline(always)]
            |i| self.each(i),
        );
    }
}

fn second<O: Elementwise<I>, const I: usize>(
    [values, tangents]: [&ElementPlane; 2],
    [adjoints, directional]: [&mut ElementPlane; 2],
    length: usize,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let of = KnownElements::<O, I> {
        op: context.fetch(place.parameters),
        x: from_fn(|i| values.of(place.arguments[i], length)),
        r: values.of(place.result, length),
        x_t: from_fn(|i| tangents.of(place.arguments[i], length)),
        active: from_fn(|i| place.is_active(i)),
        one_sided: context.one_sided,
    };
    let r_t = tangents.of(place.result, length);
    for i in (0..I).filter(|&i| O::FLOWS[i] && of.active[i]) {
        let (x_b, r_b) = adjoints.argument_mut(i, place, length);
        let (x_bt, r_bt) = directional.argument_mut(i, place, length);
        run::<O, I>(SecondLoop {
            of: &of,
            r_t,
            i,
            r: (r_b, r_bt),
            x: (x_b, x_bt),
        });
    }
}
struct SecondLoop<'a, 'e, O, const I: usize> {
    of: &'a KnownElements<'e, O, I>,
    r_t: &'e [f64],
    i: usize,
    r: (&'e [f64], &'e [f64]),
    x: (&'e mut [f64], &'e mut [f64]),
}
impl<O: Elementwise<I>, const I: usize> SecondLoop<'_, '_, O, I> {
    #[inline(always)]
    fn each(self, i: usize) {
        let (of, (x_b, x_bt)) = (self.of, self.x);
        let length = x_b.len();
        let (x, x_t) = (of.x.map(|x| &x[..length]), of.x_t.map(|x_t| &x_t[..length]));
        let (r, r_t, active) = (&of.r[..length], &self.r_t[..length], of.active);
        let (r_b, r_bt) = (&self.r.0[..length], &self.r.1[..length]);
        let x_bt = &mut x_bt[..length];
        for k in 0..length {
            let x = from_fn(
                #[inline(always)]
                |i| {
                    Some(Dual {
                        value: x[i][k],
                        tangents: [if active[i] { x_t[i][k] } else { -0.0 }],
                    })
                },
            );
            let r = Dual {
                value: r[k],
                tangents: [r_t[k]],
            };
            let seed = Dual {
                value: r_b[k],
                tangents: [r_bt[k]],
            };
            let made = <f64 as ElementKind>::pull_second(&of.op, i, x, Some(r), seed, of.one_sided);
            let unset = Adjoint::<f64>::is_unset(&r_b[k]);
            let both = unset & Adjoint::<f64>::is_unset(&r_bt[k]);
            x_b[k] = contribution::<O, I>(unset, made.value);
            x_bt[k] = contribution::<O, I>(both, made.tangents[0]);
        }
    }
}
impl<O: Elementwise<I>, const I: usize> PieceLoop for SecondLoop<'_, '_, O, I> {
    #[inline(always)]
    fn run(self) {
        with_argument::<I>(
            self.i,
            #[inline(always)]
            |i| self.each(i),
        );
    }
}

//! Elementary functions of list elements, see [`ElementFunctions`].
use super::{
    Cost, Dual, ElementKind, Elementwise,
    dual::{Zeros, tangents_with},
};
use crate::{
    kind::{Adjoint, BLOCK, PieceLoop},
    machine::run_loop,
    repeat::array_of,
    store::{Block, ElementFunctions, ElementPlane, OperationContext, PlaneSlots},
};

impl ElementFunctions {
    /// Returns the functions of `O`.
    #[must_use]
    pub const fn of<O: Elementwise<I>, const I: usize>() -> Self {
        ElementFunctions {
            value: value::<O, I>,
            tangents: tangents::<O, I>,
            adjoint: adjoint::<O, I>,
            second: second::<O, I>,
            has_cases: O::CHOOSES || O::KINKS,
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
    let (x, r) = values.of_operation(place);
    run::<O, I>(ValueLoop::<O, I> { op, x, r, length });
}
struct ValueLoop<'e, O, const I: usize> {
    op: O,
    x: [&'e Block; I],
    r: &'e mut Block,
    length: usize,
}
impl<O: Elementwise<I>, const I: usize> PieceLoop for ValueLoop<'_, O, I> {
    #[inline(always)]
    fn run(self) {
        for k in 0..self.length.min(BLOCK) {
            self.r[k] = self.op.primal(array_of(
                #[inline(always)]
                |i| self.x[i][k],
            ));
        }
    }
}

struct KnownElements<'e, O, const I: usize> {
    op: O,
    x: [&'e Block; I],
    r: &'e Block,
    x_t: [&'e Block; I],
    active: [bool; I],
    one_sided: bool,
    plain: bool,
    length: usize,
}
fn tangents<O: Elementwise<I>, const I: usize>(
    values: &ElementPlane,
    tangents: &mut ElementPlane,
    length: usize,
    context: &mut OperationContext<'_>,
    place: PlaneSlots,
) {
    let (x_t, r_t) = tangents.of_operation(place);
    let of = KnownElements {
        op: context.fetch(place.parameters),
        x: array_of(|i| values.block(place.arguments[i])),
        r: values.block(place.result),
        x_t,
        active: array_of(|i| place.is_active(i)),
        one_sided: context.one_sided,
        plain: context.plain,
        length,
    };
    run::<O, I>(TangentLoop::<O, I> { of, r_t });
}
struct TangentLoop<'e, O, const I: usize> {
    of: KnownElements<'e, O, I>,
    r_t: &'e mut Block,
}
impl<O: Elementwise<I>, const I: usize> KnownElements<'_, O, I> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // the index is known to be within blocks
    fn each_tangent(&self, zeros: Zeros, active: [bool; I], r_t: &mut Block) {
        // Fields are read once.
        let (each_x, each_t, r) = (self.x, self.x_t, self.r);
        for k in 0..self.length.min(BLOCK) {
            let x = array_of(
                #[inline(always)]
                |i| each_x[i][k],
            );
            let x_t = array_of(
                #[inline(always)]
                |i| active[i].then_some([each_t[i][k]]),
            );
            [r_t[k]] = match zeros {
                Zeros::Multiplied => tangents_with(&self.op, x, r[k], x_t, zeros),
                _ => {
                    let one_sided = zeros == Zeros::Marked;
                    <f64 as ElementKind>::push(&self.op, x.map(Some), Some(r[k]), x_t, one_sided)
                }
            };
        }
    }
}
impl<O: Elementwise<I>, const I: usize> PieceLoop for TangentLoop<'_, O, I> {
    #[inline(always)]
    fn run(self) {
        // Without this branch the loop is not vectorised.
        let (of, r_t) = (self.of, self.r_t);
        let (all, one) = ([true; I], |i: usize| array_of(|j| i == j));
        match (of.plain, of.one_sided) {
            (true, _) if I == 1 || of.active == all => of.each_tangent(Zeros::Multiplied, all, r_t),
            (true, _) if of.active == one(0) => of.each_tangent(Zeros::Multiplied, one(0), r_t),
            (true, _) if I == 2 || of.active == one(1) => {
                of.each_tangent(Zeros::Multiplied, one(1), r_t)
            }
            (true, _) => of.each_tangent(Zeros::Multiplied, of.active, r_t),
            (false, true) => of.each_tangent(Zeros::Marked, of.active, r_t),
            (false, false) => of.each_tangent(Zeros::Kept, of.active, r_t),
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
        let (x_b, r_b) = adjoints.argument_mut(i, place);
        run::<O, I>(AdjointLoop::<O, I> {
            op: &op,
            x: array_of(|i| values.block(place.arguments[i])),
            r: values.block(place.result),
            i,
            r_b,
            x_b,
            length,
        });
    }
}
struct AdjointLoop<'a, 'e, O, const I: usize> {
    op: &'a O,
    x: [&'e Block; I],
    r: &'e Block,
    i: usize,
    r_b: &'e Block,
    x_b: &'e mut Block,
    length: usize,
}
impl<O: Elementwise<I>, const I: usize> AdjointLoop<'_, '_, O, I> {
    #[inline(always)]
    fn each(self, i: usize) {
        for k in 0..self.length.min(BLOCK) {
            let x = array_of(
                #[inline(always)]
                |i| Some(self.x[i][k]),
            );
            let r_b = self.r_b[k];
            let made = <f64 as ElementKind>::pull(self.op, i, x, Some(self.r[k]), r_b);
            self.x_b[k] = contribution::<O, I>(Adjoint::<f64>::is_unset(&r_b), made);
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
        x: array_of(|i| values.block(place.arguments[i])),
        r: values.block(place.result),
        x_t: array_of(|i| tangents.block(place.arguments[i])),
        active: array_of(|i| place.is_active(i)),
        one_sided: context.one_sided,
        plain: context.plain,
        length,
    };
    let r_t = tangents.block(place.result);
    for i in (0..I).filter(|&i| O::FLOWS[i] && of.active[i]) {
        let (x_b, r_b) = adjoints.argument_mut(i, place);
        let (x_bt, r_bt) = directional.argument_mut(i, place);
        run::<O, I>(SecondLoop {
            of: &of,
            i,
            r: [r_t, r_b, r_bt],
            x: [x_b, x_bt],
        });
    }
}
struct SecondLoop<'a, 'e, O, const I: usize> {
    of: &'a KnownElements<'e, O, I>,
    i: usize,
    r: [&'e Block; 3],
    x: [&'e mut Block; 2],
}
/// A function, because unique references are not aliased.
#[inline(always)]
fn each_second<O, const I: usize>(
    known: &KnownElements<'_, O, I>,
    [r_t, r_b, r_bt]: [&Block; 3],
    x_b: &mut Block,
    x_bt: &mut Block,
    pull: impl Fn([Dual<f64, 1>; I], Dual<f64, 1>, Dual<f64, 1>) -> Dual<f64, 1>,
) {
    // Fields are read once.
    let (x, x_t, r, active) = (known.x, known.x_t, known.r, known.active);
    for k in 0..known.length.min(BLOCK) {
        let x = array_of(
            #[inline(always)]
            |i| Dual {
                value: x[i][k],
                tangents: [if active[i] { x_t[i][k] } else { -0.0 }],
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
        let Dual { value, tangents } = pull(x, r, seed);
        (x_b[k], [x_bt[k]]) = (value, tangents);
    }
}
impl<O: Elementwise<I>, const I: usize> PieceLoop for SecondLoop<'_, '_, O, I> {
    #[inline(always)]
    fn run(self) {
        let (of, [x_b, x_bt]) = (self.of, self.x);
        with_argument::<I>(
            self.i,
            #[inline(always)]
            |i| match of.plain {
                true => each_second(
                    of,
                    self.r,
                    x_b,
                    x_bt,
                    #[inline(always)]
                    |x, r, r_b| of.op.adjoint(i, x, r, r_b),
                ),
                false => each_second(
                    of,
                    self.r,
                    x_b,
                    x_bt,
                    #[inline(always)]
                    |x, r, r_b| of.pull(i, x, r, r_b),
                ),
            },
        );
    }
}
impl<O: Elementwise<I>, const I: usize> KnownElements<'_, O, I> {
    #[inline(always)]
    fn pull(
        &self,
        i: usize,
        x: [Dual<f64, 1>; I],
        r: Dual<f64, 1>,
        r_b: Dual<f64, 1>,
    ) -> Dual<f64, 1> {
        let (x, one_sided) = (x.map(Some), self.one_sided);
        let made = <f64 as ElementKind>::pull_second(&self.op, i, x, Some(r), r_b, one_sided);
        let unset = Adjoint::<f64>::is_unset(&r_b.value);
        let both = unset & Adjoint::<f64>::is_unset(&r_b.tangents[0]);
        Dual {
            value: contribution::<O, I>(unset, made.value),
            tangents: [contribution::<O, I>(both, made.tangents[0])],
        }
    }
}

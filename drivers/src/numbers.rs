//! Leaves as real numbers, as solvers pass and receive them.
use entape_core::{
    expr::Active,
    kind::{Kind, Val, VariableCell},
    mode::{AnyMode, Forward},
    structure::{
        Leaves, Mismatch, ReadLeaves, Structure, UnitLeaves, ValueLeaves, VariableLeaves, Vars,
        ZipLeaves,
    },
};
use std::{any::Any, convert::Infallible, marker::PhantomData, ops::Range};

/// Passes each coordinate to `f`, in order.
#[inline]
pub(crate) fn each_number<K: Kind>(value: &Val<K>, f: &mut impl FnMut(f64)) {
    if let Some(&x) = (value as &dyn Any).downcast_ref::<f64>() {
        return f(x);
    }
    K::each_number(&mut value.clone(), &mut |x| f(*x));
}
/// Sets each coordinate to the next result of `f`, in order.
pub(crate) fn set_numbers<K: Kind>(value: &mut Val<K>, f: &mut dyn FnMut() -> f64) {
    if let Some(x) = (value as &mut dyn Any).downcast_mut::<f64>() {
        *x = f();
        return;
    }
    K::each_number(value, &mut |x| *x = f());
}
pub(crate) fn count_numbers<K: Kind>(value: &Val<K>) -> usize {
    let mut count = 0;
    each_number::<K>(value, &mut |_| count += 1);
    count
}

pub(super) struct ToNumbers<'o, F, W> {
    pub(super) reader: F,
    pub(super) to: &'o mut W,
}
impl<F: ReadLeaves<To = ValueLeaves>, W: FnMut(f64)> ReadLeaves for ToNumbers<'_, F, W> {
    type From = F::From;
    type To = UnitLeaves;
    type Fail = F::Fail;
    #[inline]
    fn leaf<K: Kind>(&mut self, leaf: &<F::From as Leaves>::Leaf<K>) -> Result<(), F::Fail> {
        each_number::<K>(&self.reader.leaf::<K>(leaf)?, &mut *self.to);
        Ok(())
    }
}
pub(super) fn write(list: &mut [f64]) -> impl FnMut(f64) {
    let mut rest = list.iter_mut();
    move |x| *rest.next().expect("a number for each coordinate") = x
}

pub(super) struct FromNumbers<'i, F, M> {
    pub(super) zip: F,
    pub(super) from: std::slice::Iter<'i, f64>,
    pub(super) _mode: PhantomData<M>,
}
impl<M: AnyMode, F: ZipLeaves<Left = VariableLeaves<M>, Right = ValueLeaves>> ZipLeaves
    for FromNumbers<'_, F, M>
{
    type Left = VariableLeaves<M>;
    type Right = UnitLeaves;
    type Fail = F::Fail;
    fn leaf<K: Kind>(&mut self, x: &mut Active<K, M>, (): ()) -> Result<(), F::Fail> {
        let mut value = x.get().clone();
        set_numbers::<K>(&mut value, &mut || {
            *self.from.next().expect("a number for each coordinate")
        });
        self.zip.leaf(x, value)
    }
    fn mismatch(&mut self, mismatch: Mismatch) -> F::Fail {
        self.zip.mismatch(mismatch)
    }
}
pub(super) fn zip_numbers<S, M, F>(
    variables: &mut Vars<S, M>,
    from: &[f64],
    zip: F,
) -> Result<F, F::Fail>
where
    S: Structure,
    M: AnyMode,
    F: ZipLeaves<Left = VariableLeaves<M>, Right = ValueLeaves>,
{
    let (from, _mode) = (from.iter(), PhantomData);
    let mut each = FromNumbers { zip, from, _mode };
    S::change(variables, &mut each)?;
    Ok(each.zip)
}

pub(super) fn each_value<S: Structure, M: AnyMode>(
    variables: &Vars<S, M>,
    to: &mut impl FnMut(f64),
) {
    let Ok(_) = S::read(variables, &mut EachValue(to, PhantomData));
}
struct EachValue<'o, W, M>(&'o mut W, PhantomData<M>);
impl<W: FnMut(f64), M: AnyMode> ReadLeaves for EachValue<'_, W, M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Infallible;
    #[inline]
    fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<(), Infallible> {
        each_number::<K>(x.get(), &mut *self.0);
        Ok(())
    }
}
pub(super) fn count<S: Structure, M: AnyMode>(variables: &Vars<S, M>) -> usize {
    let mut count = 0;
    each_value::<S, M>(variables, &mut |_| count += 1);
    count
}
pub(super) struct SetValues<M>(pub(super) PhantomData<M>);
impl<M: AnyMode> ZipLeaves for SetValues<M> {
    type Left = VariableLeaves<M>;
    type Right = ValueLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &mut Active<K, M>, value: Val<K>) -> Result<(), Infallible> {
        *x = Active::passive(value);
        Ok(())
    }
    fn mismatch(&mut self, mismatch: Mismatch) -> Infallible {
        mismatch.panic("list", "inputs")
    }
}

/// Visits each coordinate within a range as a value that is one there and zero elsewhere. `next` counts coordinates.
pub(super) fn each_unit<K: Kind, E>(
    value: &Val<K>,
    range: &Range<usize>,
    next: &mut usize,
    mut act: impl FnMut(usize, Val<K>) -> Result<(), E>,
) -> Result<(), E> {
    let first = *next;
    *next += count_numbers::<K>(value);
    for at in range.start.max(first)..range.end.min(*next) {
        let mut unit = K::zero_like(value);
        let mut i = first;
        set_numbers::<K>(&mut unit, &mut || {
            i += 1;
            if i == at + 1 { 1.0 } else { 0.0 }
        });
        act(at - range.start, unit)?;
    }
    Ok(())
}
pub(super) fn set_unit_tangents<S: Structure, const N: usize>(
    variables: &mut Vars<S, Forward<N>>,
    range: Range<usize>,
) {
    let Ok(()) = S::change(variables, &mut SetUnitTangents::<N> { range, next: 0 });
}
struct SetUnitTangents<const N: usize> {
    range: Range<usize>,
    next: usize,
}
impl<const N: usize> ZipLeaves for SetUnitTangents<N> {
    type Left = VariableLeaves<Forward<N>>;
    type Right = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, x: &mut Active<K, Forward<N>>, (): ()) -> Result<(), Infallible> {
        let value = x.get().clone();
        each_unit::<K, _>(&value, &self.range, &mut self.next, |j, unit| {
            *x.held_mut().tangent_mut(j, K::zero_like) = unit;
            Ok(())
        })
    }
    fn mismatch(&mut self, _: Mismatch) -> Infallible {
        unreachable!("the values have the shape of the variables")
    }
}

//! Statements of external functions in a walk over the tape.
use crate::{
    error::Error,
    expr::Id,
    kind::{
        Adjoint, Carrier, Contribution, FreelyCopied, Identifier, Kind, Layout, NONE, Ownership,
        Policy, Shape, TangentStorage, TapeCell, Unique, Val,
    },
    node::{Dependence, NamedId},
    order::ExternalFailure,
    store::{AllTangents, AnyDirections},
    structure::{
        MapLeaves, Mismatch, ReadLeaves, Skeleton, Structure, UnitLeaves, ValueLeaves, ZipLeaves,
    },
    sweep::{Directional, ReadValues, StatementCursor, Sweep},
    tape::{
        StatementVisitor, Target, WholeTarget,
        external::{ExternalFunction, ValueCheck},
    },
};
use std::{any::Any, convert::Infallible, marker::PhantomData, panic::Location};

pub(super) type Closure<X, Y> = Box<dyn Fn(X) -> Result<Y, String>>;

pub(super) struct Like<K: Kind> {
    pub(super) shape: Shape<K>,
    pub(super) zero: Option<Val<K>>,
}

pub(super) struct ExternalRecord<A: Structure, R: Structure, M> {
    pub(super) arguments: A::Of<UnitLeaves>,
    pub(super) ids: Vec<u32>,
    /// The [`Like`] of each argument; without a tangent only of storage kinds.
    pub(super) likes: Vec<Box<dyn Any>>,
    pub(super) results: R::Of<UnitLeaves>,
    pub(super) adjoint: Closure<R::Values, A::Values>,
    pub(super) tangent: Option<Closure<A::Values, R::Values>>,
    /// Whether `-0.0` means unset.
    pub(super) marked: bool,
    pub(super) unconditional: bool,
    pub(super) location: &'static Location<'static>,
    pub(super) _mode: PhantomData<M>,
}

/// The target of a result, empty for linear identifiers.
pub(super) type TargetOf<K, M> = WholeTarget<K, <Id<K, M> as Identifier>::Ownership>;
const fn id_bytes<K: Kind, M: Carrier>() -> usize {
    if Id::<K, M>::OWNED {
        0
    } else {
        size_of::<u32>()
    }
}
pub(super) const fn target_bytes<K: Kind, M: Carrier>() -> usize {
    id_bytes::<K, M>() + <TargetOf<K, M> as Target<K>>::FIXED
}
pub(super) fn next_target<'l, K: Kind, M: Carrier>(
    lhs: &mut &'l mut [u8],
) -> (&'l mut [u8], &'l mut [u8]) {
    let (mine, rest) = std::mem::take(lhs).split_at_mut(target_bytes::<K, M>());
    *lhs = rest;
    mine.split_at_mut(id_bytes::<K, M>())
}

struct EachTarget<'l, M, F> {
    lhs: &'l mut [u8],
    act: F,
    _mode: PhantomData<M>,
}
trait ActOnTarget {
    fn act<K: Kind, W: Ownership>(&mut self, id: Option<u32>, lhs: &mut [u8]);
}
impl<M: Carrier, F: ActOnTarget> ReadLeaves for EachTarget<'_, M, F> {
    type From = UnitLeaves;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, (): &()) -> Result<(), Infallible> {
        let (id, lhs) = next_target::<K, M>(&mut self.lhs);
        let id = (!id.is_empty()).then(|| bytemuck::pod_read_unaligned(id));
        match Id::<K, M>::OWNED {
            true => self.act.act::<K, Unique>(id, lhs),
            false => self.act.act::<K, FreelyCopied>(id, lhs),
        }
        Ok(())
    }
}
/// Returns identifiers.
struct Load<'w, 'p, 't> {
    walk: &'w mut StatementCursor<'p, 't>,
    forward: bool,
    ids: Vec<u32>,
}
impl ActOnTarget for Load<'_, '_, '_> {
    fn act<K: Kind, W: Ownership>(&mut self, id: Option<u32>, lhs: &mut [u8]) {
        let target = match self.forward {
            true => WholeTarget::<K, W>::load_forward(lhs, self.walk),
            false => WholeTarget::<K, W>::load(lhs, self.walk),
        };
        self.ids.push(id.unwrap_or(target.id()));
    }
}
struct Exchange<'w, 'p, 't> {
    walk: &'w mut StatementCursor<'p, 't>,
    ids: std::vec::IntoIter<u32>,
    /// Unless zero, undoes the statement for variables with a lower tag.
    tag: u32,
    finite: Option<bool>,
}
impl ActOnTarget for Exchange<'_, '_, '_> {
    fn act<K: Kind, W: Ownership>(&mut self, _: Option<u32>, lhs: &mut [u8]) {
        let target = WholeTarget::<K, W>::at(next(&mut self.ids));
        target.exchange(lhs, self.walk);
        if self.tag > 0 {
            target.undo(lhs, self.walk, self.tag);
        }
        if let Some(finite) = &mut self.finite {
            *finite &= K::is_finite(target.result(self.walk).peek());
        }
    }
}
fn next<T>(each: &mut impl Iterator<Item = T>) -> T {
    each.next().expect("the list has an entry for each value")
}

struct TakeAdjoints<'s, S> {
    sweep: &'s mut S,
    ids: std::slice::Iter<'s, u32>,
    marked: bool,
    any: bool,
}
impl<S: Sweep> ReadLeaves for TakeAdjoints<'_, S> {
    type From = UnitLeaves;
    type To = ValueLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, (): &()) -> Result<Val<K>, Infallible> {
        let id = *next(&mut self.ids);
        let adjoint = self.sweep.take_adjoint::<K>(id);
        self.any |= !adjoint.is_unset();
        let value = self.sweep.primal::<K>(id).peek();
        if self.marked {
            let flowed = match adjoint.is_unset() {
                true => None,
                false => adjoint.into_marked(),
            };
            return Ok(flowed.unwrap_or_else(|| K::unset_tangent(value)));
        }
        Ok(adjoint.value_or_zero(|| value.clone()))
    }
}
struct AddAdjoints<'s, S> {
    sweep: &'s mut S,
    ids: std::slice::Iter<'s, u32>,
    likes: Likes<'s>,
    marked: bool,
    location: &'static Location<'static>,
}
impl<S: Sweep> MapLeaves for AddAdjoints<'_, S> {
    type From = ValueLeaves;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, value: Val<K>) -> Result<(), Infallible> {
        let id = *next(&mut self.ids);
        if let Some(like) = self.likes.next::<K>()
            && K::Layout::shape(&value) != like.shape
        {
            let needed = format!("{:?}", like.shape);
            other_shape::<K>("adjoint", &value, &needed, self.location);
        }
        if id != NONE {
            if K::Policy::STORAGE
                && let Some(like) = self.sweep.stored::<K>(id)
            {
                assert_shape::<K>("adjoint", &value, like.peek(), self.location);
            }
            let marked = self.marked;
            if marked && K::is_unset_tangent(&value) {
                return Ok(());
            }
            self.sweep.add_to_adjoint::<K>(id, |adjoint| match marked {
                true => adjoint.add(value),
                false => value.add_to(adjoint),
            });
        }
        Ok(())
    }
}
pub(super) fn assert_shape<K: Kind>(
    what: &str,
    given: &Val<K>,
    value: &Val<K>,
    location: &'static Location<'static>,
) {
    if !K::same_shape(given, value) {
        other_shape::<K>(what, given, &K::shape_text(value), location);
    }
}
#[cold]
#[inline(never)]
fn other_shape<K: Kind>(
    what: &str,
    given: &Val<K>,
    needed: &str,
    location: &'static Location<'static>,
) -> ! {
    panic!(
        "{location}: the closure for the {what} of the external function returned a value of kind {} and shape {}: return one of shape {needed}",
        K::NAME,
        K::shape_text(given)
    )
}
pub(super) fn assert_lengths<S: Structure>(
    what: &'static str,
    given: &S::Of<ValueLeaves>,
    needed: &S::Of<UnitLeaves>,
    location: &'static Location<'static>,
) {
    let Ok(given) = S::read(given, &mut Skeleton(PhantomData));
    let Ok(mut needed) = S::read(needed, &mut Skeleton(PhantomData));
    let Ok(()) = S::zip(&mut needed, given, &mut CompareLengths { what, location });
}
struct CompareLengths {
    what: &'static str,
    location: &'static Location<'static>,
}
impl ZipLeaves for CompareLengths {
    type Left = UnitLeaves;
    type Right = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, (): &mut (), (): ()) -> Result<(), Infallible> {
        Ok(())
    }
    fn mismatch(&mut self, mismatch: Mismatch) -> Infallible {
        let CompareLengths { what, location } = self;
        match mismatch {
            Mismatch::Lengths { left, right } => panic!(
                "{location}: the closure for the {what} of the external function returned a list of length {right}: return one of length {left}"
            ),
            Mismatch::Variants => panic!(
                "{location}: the closure for the {what} of the external function returned another variant of an enum: return the variant of the value"
            ),
        }
    }
}
struct Likes<'k> {
    each: std::slice::Iter<'k, Box<dyn Any>>,
    all: bool,
}
impl<'k> Likes<'k> {
    fn next<K: Kind>(&mut self) -> Option<&'k Like<K>> {
        let known = self.all || K::Policy::STORAGE;
        known.then(|| next(&mut self.each).downcast_ref().expect("of this kind"))
    }
}
struct ClosureTangents<'s, const N: usize> {
    all: &'s mut AllTangents<N>,
    ids: std::slice::Iter<'s, u32>,
    likes: Likes<'s>,
    marked: bool,
    j: usize,
}
impl<const N: usize> ReadLeaves for ClosureTangents<'_, N> {
    type From = UnitLeaves;
    type To = ValueLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, (): &()) -> Result<Val<K>, Infallible> {
        let (id, like) = (*next(&mut self.ids), self.likes.next::<K>());
        let tangents = (id != NONE).then(|| self.all.get::<K>().get(id));
        Ok(match tangents.and_then(TangentStorage::get) {
            Some(tangents) => {
                let mut tangent = tangents[self.j].clone();
                if !self.marked {
                    K::mark_zeros(&mut tangent, true);
                }
                tangent
            }
            None => {
                let zero = like.and_then(|like| like.zero.clone());
                let mut zero = zero.expect("arguments of functions with tangents have a zero");
                if self.marked {
                    K::mark_zeros(&mut zero, false);
                }
                zero
            }
        })
    }
}
struct ActiveDirections<'s, const N: usize> {
    all: &'s mut AllTangents<N>,
    ids: std::slice::Iter<'s, u32>,
    computed: Option<[bool; N]>,
}
impl<const N: usize> ReadLeaves for ActiveDirections<'_, N> {
    type From = UnitLeaves;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, (): &()) -> Result<(), Infallible> {
        let id = *next(&mut self.ids);
        if id == NONE {
            return Ok(());
        }
        if let Some(tangents) = self.all.get::<K>().get(id).get() {
            let computed = self.computed.get_or_insert([false; N]);
            for (computed, tangent) in computed.iter_mut().zip(tangents) {
                *computed |= !K::is_unset_tangent(tangent);
            }
        }
        Ok(())
    }
}
struct ClearTangents<'w, 'p, 't, const N: usize> {
    walk: &'w mut StatementCursor<'p, 't>,
    all: &'w mut AllTangents<N>,
    ids: std::slice::Iter<'w, u32>,
}
impl<const N: usize> ActOnTarget for ClearTangents<'_, '_, '_, N> {
    fn act<K: Kind, W: Ownership>(&mut self, _: Option<u32>, _: &mut [u8]) {
        let target = WholeTarget::<K, W>::at(*next(&mut self.ids));
        target.set_tangents(None, self.all, &mut self.walk.sweep);
    }
}
struct SetResultTangents<'w, 'p, 't, const N: usize> {
    walk: &'w mut StatementCursor<'p, 't>,
    all: &'w mut AllTangents<N>,
    ids: std::slice::Iter<'w, u32>,
    j: usize,
    /// Whether zeros are computed; `None` if they are marked.
    computed: Option<bool>,
    location: &'static Location<'static>,
}
type Restore = fn(u32, AnyDirections<'_>);
struct RestoreTangents<'l> {
    ids: std::slice::Iter<'l, u32>,
    each: Vec<(u32, Restore)>,
}
impl ActOnTarget for RestoreTangents<'_> {
    fn act<K: Kind, W: Ownership>(&mut self, _: Option<u32>, _: &mut [u8]) {
        self.each.push((*next(&mut self.ids), |id, all| {
            let target = WholeTarget::<K, W>::at(id);
            match all {
                AnyDirections::One(all) => _ = target.restore_tangents(all),
                AnyDirections::Many(all) => _ = target.restore_tangents(all),
            }
        }));
    }
}
impl<const N: usize> MapLeaves for SetResultTangents<'_, '_, '_, N> {
    type From = ValueLeaves;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, mut tangent: Val<K>) -> Result<(), Infallible> {
        let id = *next(&mut self.ids);
        let value = self.walk.sweep.primal::<K>(id).peek();
        assert_shape::<K>("tangent", &tangent, value, self.location);
        if let Some(computed) = self.computed {
            K::mark_zeros(&mut tangent, computed);
        }
        self.all.get::<K>().at(id).make(|| K::unset_tangent(value))[self.j] = tangent;
        Ok(())
    }
}

/// Tangents of results along each direction, and whether tangents of arguments were computed.
type TangentsOf<R, const N: usize> = ([<R as Structure>::Of<ValueLeaves>; N], [bool; N]);

impl<A: Structure, R: Structure, M: Carrier> ExternalRecord<A, R, M> {
    fn likes(&self) -> Likes<'_> {
        Likes {
            each: self.likes.iter(),
            all: self.tangent.is_some(),
        }
    }
    fn each_target<F: ActOnTarget>(&self, lhs: &mut [u8], act: F) -> F {
        let _mode = PhantomData::<M>;
        let mut each = EachTarget { lhs, act, _mode };
        let Ok(_) = R::read(&self.results, &mut each);
        each.act
    }
    fn load(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, forward: bool) -> Vec<u32> {
        let ids = Vec::new();
        self.each_target(lhs, Load { walk, forward, ids }).ids
    }
    fn exchange(
        &self,
        lhs: &mut [u8],
        walk: &mut StatementCursor<'_, '_>,
        ids: Vec<u32>,
        tag: u32,
    ) {
        let (ids, finite) = (ids.into_iter(), None);
        let exchange = Exchange {
            walk,
            ids,
            tag,
            finite,
        };
        self.each_target(lhs, exchange);
    }
    fn adjoints_of_results(&self, ids: &[u32], sweep: &mut impl Sweep) -> Option<R::Values> {
        let mut take = TakeAdjoints {
            sweep,
            ids: ids.iter(),
            marked: self.marked,
            any: false,
        };
        let Ok(adjoints) = R::read(&self.results, &mut take);
        (take.any || self.unconditional).then(|| R::pack(adjoints))
    }
    fn pull(&self, results: R::Values, sweep: &mut impl Sweep) -> Result<(), Error> {
        let arguments = A::unpack(self.check((self.adjoint)(results))?);
        assert_lengths::<A>("adjoint", &arguments, &self.arguments, self.location);
        let (ids, likes) = (self.ids.iter(), self.likes());
        let mut add = AddAdjoints {
            sweep,
            ids,
            likes,
            marked: self.marked,
            location: self.location,
        };
        let Ok(_) = A::map(arguments, &mut add);
        Ok(())
    }
    fn check<T>(&self, result: Result<T, String>) -> Result<T, Error> {
        let location = self.location;
        result.map_err(|reason| Error::External(ExternalFailure { reason, location }))
    }
    fn push<const N: usize>(
        &self,
        all: &mut AllTangents<N>,
    ) -> Result<Option<TangentsOf<R, N>>, Error> {
        let ids = || self.ids.iter();
        let mut any = ActiveDirections {
            all,
            ids: ids(),
            computed: None,
        };
        let Ok(_) = A::read(&self.arguments, &mut any);
        let computed = any
            .computed
            .or_else(|| self.unconditional.then_some([true; N]));
        let (Some(tangent), Some(computed)) = (&self.tangent, computed) else {
            return Ok(None);
        };
        let mut each = Vec::with_capacity(N);
        for j in 0..N {
            let likes = self.likes();
            let mut arguments = ClosureTangents {
                all,
                ids: ids(),
                likes,
                marked: self.marked,
                j,
            };
            let Ok(arguments) = A::read(&self.arguments, &mut arguments);
            let results = R::unpack(self.check(tangent(A::pack(arguments)))?);
            assert_lengths::<R>("tangent", &results, &self.results, self.location);
            each.push(results);
        }
        Ok(each.try_into().ok().map(|each| (each, computed)))
    }
    fn forward_tangents<const N: usize>(
        &self,
        lhs: &mut [u8],
        walk: &mut StatementCursor<'_, '_>,
        all: &mut AllTangents<N>,
    ) {
        let ids = self.load(lhs, walk, true);
        // Before the tangents of results replace them.
        let made = self.push(all);
        self.exchange(lhs, walk, ids.clone(), 0);
        let clear = ClearTangents {
            walk,
            all,
            ids: ids.iter(),
        };
        self.each_target(lhs, clear);
        match made {
            Ok(Some((made, computed))) => {
                for (j, results) in made.into_iter().enumerate() {
                    let mut set = SetResultTangents {
                        walk,
                        all,
                        ids: ids.iter(),
                        j,
                        computed: (!self.marked).then_some(computed[j]),
                        location: self.location,
                    };
                    let Ok(_) = R::map(results, &mut set);
                }
            }
            Ok(None) => {}
            Err(failure) => _ = walk.stacks.failed.get_or_insert(failure),
        }
    }
}
impl<A: Structure, R: Structure, M: Carrier> ExternalFunction for ExternalRecord<A, R, M> {
    fn reverse(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>) {
        let ids = self.load(lhs, walk, false);
        let results = self.adjoints_of_results(&ids, &mut walk.sweep);
        self.exchange(lhs, walk, ids, 0);
        if let Some(results) = results
            && let Err(failure) = self.pull(results, &mut walk.sweep)
        {
            walk.stacks.failed.get_or_insert(failure);
        }
    }
    fn redo(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, check: ValueCheck) -> bool {
        let ids = self.load(lhs, walk, true).into_iter();
        // Results count as read, so the slots have their values.
        let finite = (check != ValueCheck::None).then_some(true);
        let exchange = Exchange {
            walk,
            ids,
            tag: 0,
            finite,
        };
        self.each_target(lhs, exchange).finite.unwrap_or(true)
    }
    fn undo(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, tag: u32) {
        let ids = self.load(lhs, walk, false);
        self.exchange(lhs, walk, ids, tag);
    }
    fn show(
        &self,
        lhs: &mut [u8],
        walk: &mut StatementCursor<'_, '_>,
        to: &mut dyn StatementVisitor,
    ) {
        struct Show<'s>(
            &'s mut dyn StatementVisitor,
            std::slice::Iter<'s, u32>,
            usize,
        );
        impl ReadLeaves for Show<'_> {
            type From = UnitLeaves;
            type To = UnitLeaves;
            type Fail = Infallible;
            fn leaf<K: Kind>(&mut self, (): &()) -> Result<(), Infallible> {
                let id = *next(&mut self.1);
                if id != NONE {
                    self.0.variable(NamedId::of::<K>(id));
                    self.2 += 1;
                }
                Ok(())
            }
        }
        struct ShowTarget<'s>(&'s mut dyn StatementVisitor, std::slice::Iter<'s, u32>);
        impl ReadLeaves for ShowTarget<'_> {
            type From = UnitLeaves;
            type To = UnitLeaves;
            type Fail = Infallible;
            fn leaf<K: Kind>(&mut self, (): &()) -> Result<(), Infallible> {
                self.0.target(NamedId::of::<K>(*next(&mut self.1)), true);
                Ok(())
            }
        }
        let ids = self.load(lhs, walk, true);
        let Ok(_) = R::read(&self.results, &mut ShowTarget(to, ids.iter()));
        let mut show = Show(to, self.ids.iter(), 0);
        let Ok(_) = A::read(&self.arguments, &mut show);
        let count = show.2;
        to.list(count);
        to.passive();
        to.passive();
        to.operation(&Dependence {
            flows: [true, false, false],
            pairs: [1, 0, 0],
        });
        self.exchange(lhs, walk, ids, 0);
    }
    fn tangents(&self, lhs: &mut [u8], walk: &mut StatementCursor<'_, '_>, all: AnyDirections<'_>) {
        match all {
            AnyDirections::One(all) => self.forward_tangents(lhs, walk, all),
            AnyDirections::Many(all) => self.forward_tangents(lhs, walk, all),
        }
    }
    fn second(
        &self,
        lhs: &mut [u8],
        walk: &mut StatementCursor<'_, '_>,
        mut all: AnyDirections<'_>,
    ) {
        let ids = self.load(lhs, walk, false);
        let r_b = self.adjoints_of_results(&ids, &mut walk.sweep);
        let mut r_bt = Vec::with_capacity(all.count());
        for j in 0..all.count() {
            let mut sweep = Directional::new(&mut walk.sweep, all.reborrow(), j);
            r_bt.push(self.adjoints_of_results(&ids, &mut sweep));
        }
        let (each, places) = (Vec::new(), ids.iter());
        let restore = self.each_target(lhs, RestoreTangents { ids: places, each });
        // Restored in reverse order.
        for (id, restore) in restore.each.into_iter().rev() {
            restore(id, all.reborrow());
        }
        self.exchange(lhs, walk, ids, 0);
        let mut pulled = r_b.map_or(Ok(()), |r_b| self.pull(r_b, &mut walk.sweep));
        for (j, r_bt) in r_bt.into_iter().enumerate() {
            if let Some(r_bt) = r_bt {
                let mut sweep = Directional::new(&mut walk.sweep, all.reborrow(), j);
                pulled = pulled.and(self.pull(r_bt, &mut sweep));
            }
        }
        if let Err(failure) = pulled {
            walk.stacks.failed.get_or_insert(failure);
        }
    }
}

pub(super) fn create<K: Kind, M: Carrier>(
    memory: &mut crate::store::RecordedValues,
    lhs: &mut &mut [u8],
    cell: crate::kind::TapeValue<K>,
) -> u32 {
    let (place, lhs) = next_target::<K, M>(lhs);
    let id = TargetOf::<K, M>::create(memory, lhs, None, cell, true);
    if !place.is_empty() {
        place.copy_from_slice(&id.to_ne_bytes());
    }
    id
}

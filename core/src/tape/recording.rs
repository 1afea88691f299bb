//! Recordings.
use super::{
    activity::{Reads, VariablesFound},
    any_node::{AnyNode, Erased, inspect},
    fast::Unwritten,
    handles::{CollectConstants, HandleLookup, Handles},
    position::Position,
    sequence::{Mark, Sequence, WORD},
    statement::{InputsStatement, Statement, StatementOf},
    target::{OverwrittenTarget, PartTarget, ReadyPart, Target, WriteInPlace},
};
use crate::{
    error::Error,
    expr::{Active, Id, Nothing},
    kind::Carrier,
    kind::{Identifier, Kind, Origin, TapeValue, Val, VariableId, bytes_of, misfit_from},
    node::{Node, Produce, Stored},
    storage::{RESERVED, SLACK, pool},
    store::{
        AdjointStore, AnyValues as _, Part, RecordedValues, VariableLength, Writer, test_part,
    },
};
use std::{any::TypeId, collections::HashSet, panic::Location};

pub(crate) const NOBODY: u32 = u32::MAX - 1;

#[repr(C)]
pub(crate) struct TapeRecording {
    /// The tape's own tag while memory is reserved, otherwise [`NOBODY`]. The first field, which `current` reads
    /// through a pointer.
    pub(crate) accepts: u32,
    pub(crate) tag: u32,
    pub(crate) statements: Sequence,
    pub(crate) table: Handles,
    pub(crate) memory: RecordedValues,
    /// Tags before resets to a position. Valid variables may have them.
    pub(crate) older: Vec<u32>,
    /// The tags that began with resets to positions, until no valid variable can have them.
    pub(crate) resets: Vec<(u32, Position)>,
    /// The position whose values are in the slots after a sweep, unless it is the end.
    pub(crate) values_at: Option<Mark>,
    pub(crate) full: Option<Error>,
    pub(crate) limit: usize,
    /// The excess over the limit that causes an exact count.
    grace: usize,
    pub(crate) peak: usize,
    pub(crate) trace: bool,
    pub(crate) verify: bool,
    pub(crate) refuse_casts: bool,
    pub(crate) keeps_parts: bool,
    pub(crate) accumulated: Option<(&'static Location<'static>, Mark)>,
    pub(crate) unconditional: Option<&'static Location<'static>>,
    /// Whether code of a DSL panicked.
    pub(crate) broken: bool,
    constants: Vec<u8>,
    variable_length: VariableLength,
    pub(super) fixed: Vec<u8>,
    few: u32,
    wide: bool,
}

/// For fewer statements, reserved memory and a cache would be too large.
const FEW: u32 = 16;

/// The most results of a statement.
const RESULTS: usize = 8;

#[inline(always)]
fn put(mut block: &mut [u8], parts: [&[u8]; 3]) {
    for part in parts {
        if !part.is_empty() {
            let (head, tail) = block.split_at_mut(part.len());
            head.copy_from_slice(part);
            block = tail;
        }
    }
    debug_assert!(block.is_empty());
}
fn nothing_more(_: &mut RecordedValues, _: &mut [u8]) {}

pub(crate) enum RecordOutcome<R> {
    Passive,
    Lost,
    As(R),
}
impl RecordOutcome<u32> {
    pub(crate) fn variable_id(self, tag: u32) -> VariableId {
        match self {
            RecordOutcome::Passive => VariableId::PASSIVE,
            RecordOutcome::Lost => VariableId::LOST,
            RecordOutcome::As(id) => VariableId { id, tag },
        }
    }
}

impl TapeRecording {
    pub(crate) fn new(tag: u32, chunk: Option<usize>, huge_pages: bool) -> Self {
        let mut memory = RecordedValues::default();
        memory.values.use_huge_pages(huge_pages);
        TapeRecording {
            tag,
            accepts: NOBODY,
            older: Vec::new(),
            resets: Vec::new(),
            statements: Sequence::new(chunk, huge_pages),
            table: Handles::default(),
            memory,
            values_at: None,
            full: None,
            limit: usize::MAX,
            grace: 0,
            peak: 0,
            trace: false,
            verify: false,
            refuse_casts: false,
            keeps_parts: false,
            accumulated: None,
            unconditional: None,
            broken: false,
            constants: Vec::new(),
            variable_length: VariableLength::default(),
            fixed: Vec::new(),
            few: 0,
            wide: false,
        }
    }
    pub(super) fn expect_many(&mut self) {
        self.few = FEW;
    }
    #[inline]
    fn open(&mut self) {
        if self.wide || self.widen() {
            self.accepts = self.tag;
        }
    }
    fn widen(&mut self) -> bool {
        self.few += 1;
        self.wide = self.few >= FEW && self.reserve_many().is_ok();
        if self.wide {
            self.table.widen();
        }
        self.wide
    }

    fn reserve_many(&mut self) -> Result<(), Error> {
        let mut values = self.memory.values.all_mut();
        values.try_for_each(|v| v.reserve_many())
    }
    /// Reserves memory for a window of statements, or closes the fast path; the slow path reports the error.
    #[cold]
    #[inline(never)]
    pub(super) fn next_window(&mut self) {
        let reserved = self.reserve_many().and_then(|()| self.statements.reserve());
        if reserved.and_then(|()| self.check_limit(0)).is_err() {
            self.accepts = NOBODY;
        }
    }
    /// Its address, the key of the cache, may differ between codegen units.
    #[inline(always)]
    pub(crate) fn statement<T: Target<N::Kind>, N: Node>() -> &'static Statement {
        StatementOf::<T, N::Stored, false>::STATEMENT
    }

    /// Records a statement that sets whole variables; `statement` is its form without passive variables. `target` is
    /// the bytes of the target, in all and outside the fixed size. `create` writes the target and returns identifiers,
    /// after `reserve` has reserved memory.
    #[track_caller]
    pub(crate) fn record<R>(
        &mut self,
        node: &mut dyn AnyNode,
        statement: &'static Statement,
        (target, more): (usize, usize),
        reserve: impl Fn(&mut Self) -> Result<(), Error>,
        create: impl FnOnce(&mut RecordedValues, &mut [u8]) -> R,
    ) -> RecordOutcome<R> {
        let (statement, found) = match self.begin_whole(node, statement, (target, more)) {
            RecordOutcome::Passive => return RecordOutcome::Passive,
            RecordOutcome::Lost => return RecordOutcome::Lost,
            RecordOutcome::As(begun) => begun,
        };
        if !found.reserved
            && let Err(full) = reserve(self)
        {
            return self.stop(full);
        }
        match self.finish(&found, statement, target, create) {
            Ok(made) => RecordOutcome::As(made),
            Err(full) => self.stop(full),
        }
    }
    pub(crate) fn identifier_of<K: Kind>(&mut self, variable: VariableId) -> Option<u32> {
        let tag = self.tag;
        let valid = variable.is_recorded() && self.memory.values.get::<K>().is_valid(variable, tag);
        valid.then_some(variable.id)
    }

    /// Records a write to a part of a variable of a storage kind. On success it moves `value` out.
    #[track_caller]
    pub(crate) fn record_part<
        K: Kind,
        M: Carrier,
        P: Part<K>,
        N: Node<Kind = P::Kind>,
        V: Produce<P::Kind>,
    >(
        &mut self,
        x: &mut Active<K, M>,
        part: P,
        value: &mut Option<V>,
        node: &N,
        saves: N::Saves,
    ) -> RecordOutcome<u32> {
        let variable = x.variable_id();
        let plain = StatementOf::<PartTarget<K, P>, N::Stored, false>::STATEMENT;
        let node = &mut Erased::new(node, saves);
        let mixed = match inspect(node, plain, self) {
            VariablesFound::Lost => return RecordOutcome::Lost,
            VariablesFound::Passive if variable.is_passive() => return RecordOutcome::Passive,
            VariablesFound::Passive => true,
            VariablesFound::Active { mixed } => mixed,
        };
        test_part(&part, x.get(), self.verify);
        let location = Location::caller();
        let id = match self.identifier_of_whole(x, node) {
            Ok(id) => id,
            Err(lost) => return self.lose(lost),
        };
        if let Err(full) = self.reserve::<K>() {
            return self.stop(full);
        }
        let statement = plain.of(mixed);
        let target = <PartTarget<K, P> as Target<P::Kind>>::FIXED;
        let before = self.statements.end();
        let found = self.begin(node, (statement, mixed), (target, 0), location);
        if N::Stored::READS_RESULT || self.keeps_values() {
            self.memory.values.get::<K>().mark_read(id);
        }
        let read = self.memory.values.get::<K>().is_read(id);
        let old = read.then(|| part.get(x.get()));
        let early = match read {
            true => value.take().map(|value| value.value()),
            false => None,
        };
        let lhs = &mut self.fixed[..target];
        PartTarget::<K, P>::create(&mut self.memory, lhs, id, part.clone(), old);
        let recorded = self.finish(&found, statement, target, nothing_more);
        if let Err(full) = recorded {
            if let Some(value) = early {
                part.put(x.get_mut(), value);
            }
            return self.stop(full);
        }
        let statements = Unwritten {
            statements: &mut self.statements,
            before,
        };
        let write = WriteInPlace::new(&mut self.memory, x, id);
        if let Some(value) = value.take() {
            value.put(&part, write.x.get_mut());
        } else if let Some(value) = early {
            part.put(write.x.get_mut(), value);
        }
        drop(write);
        std::mem::forget(statements);
        self.memory.values.get::<K>().raise_version(id);
        RecordOutcome::As(id)
    }
    /// Returns the identifier of a variable, which a passive one gets first. The error is `None` if it is lost.
    #[track_caller]
    fn identifier_of_whole<K: Kind, M: Carrier>(
        &mut self,
        x: &Active<K, M>,
        node: &dyn AnyNode,
    ) -> Result<u32, Option<Error>> {
        let variable = x.variable_id();
        match self.identifier_of::<K>(variable) {
            Some(id) => Ok(id),
            None if variable.is_lost() => Err(None),
            None if !variable.is_passive() => panic!(
                "a part of this variable of kind {} is written, but the variable belongs to another tape or to a recording that was reset: assign \
                 to all of it first, or create it with `tape.input(..)` or `Active::passive(..)`",
                K::NAME
            ),
            None => self
                .record_activation::<K>(x.cell(), node, Location::caller())
                .map_err(Some),
        }
    }
    /// Prepares a write of `value` to a part, in a statement with several outputs.
    #[track_caller]
    pub(crate) fn prepare_part<K: Kind, M: Carrier, P: Part<K>>(
        &mut self,
        x: &mut Active<K, M>,
        part: &P,
        value: &Val<P::Kind>,
        node: &dyn AnyNode,
    ) -> Result<ReadyPart<Val<P::Kind>>, Option<Error>> {
        test_part(part, x.get(), self.verify);
        let old = part.get(x.get());
        if !P::Kind::same_shape(&old, value) {
            part.put(&mut x.get().clone(), value.clone());
            misfit_from::<P::Kind>(Origin::UNKNOWN, value, &old);
        }
        let (tag, variable) = (self.tag, x.variable_id());
        if PartTarget::<K, P, <Id<K, M> as Identifier>::Ownership>::IN_PLACE
            || !variable.is_passive()
        {
            let id = self.identifier_of_whole(x, node)?;
            let slot = self.memory.values.get::<K>().slot(id);
            let kept = self.identifier_of::<K>(variable);
            x.set_variable_id(VariableId { id, tag }, slot, kept);
        }
        self.reserve::<K>()?;
        let keeps = self.keeps_values();
        Ok(ReadyPart { old, tag, keeps })
    }
    #[track_caller]
    pub(crate) fn inspect(
        &self,
        node: &dyn AnyNode,
        statement: &'static Statement,
    ) -> RecordOutcome<bool> {
        match inspect(node, statement, self) {
            VariablesFound::Passive => RecordOutcome::Passive,
            VariablesFound::Lost => RecordOutcome::Lost,
            VariablesFound::Active { mixed } => RecordOutcome::As(mixed),
        }
    }
    /// Records an inspected statement with prepared targets of `target` bytes.
    #[track_caller]
    pub(crate) fn record_prepared<R>(
        &mut self,
        node: &mut dyn AnyNode,
        (statement, mixed): (&'static Statement, bool),
        (target, more): (usize, usize),
        create: impl FnOnce(&mut RecordedValues, &mut [u8]) -> R,
    ) -> RecordOutcome<R> {
        let statement = statement.of(mixed);
        let found = self.begin(node, (statement, mixed), (target, more), Location::caller());
        match self.finish(&found, statement, target, create) {
            Ok(made) => RecordOutcome::As(made),
            Err(full) => self.stop(full),
        }
    }
    /// Notes that a variable is lost, and why, unless that is known.
    pub(crate) fn lose<R>(&mut self, full: Option<Error>) -> RecordOutcome<R> {
        match full {
            Some(full) => self.stop(full),
            None => RecordOutcome::Lost,
        }
    }
    /// Gives a passive value an owned identifier, before a part of it becomes active. A copy in `node`, which is
    /// recorded next, must not read that identifier.
    fn record_activation<K: Kind>(
        &mut self,
        value: TapeValue<K>,
        node: &dyn AnyNode,
        location: &'static Location<'static>,
    ) -> Result<u32, Error> {
        self.reserve::<K>()?;
        let statement = StatementOf::<OverwrittenTarget<K>, Nothing<K>, false>::STATEMENT;
        let found = self.table.find(statement, &[], location, self.trace);
        self.clear_block(statement.fixed);
        let read = self.keeps_values();
        self.finish(&found, statement, statement.fixed, |memory, fixed| {
            let id = memory.values.get::<K>().reuse_unless(|id| {
                let kind = TypeId::of::<K>();
                let mut reads = Reads {
                    kind,
                    id,
                    found: false,
                };
                node.find(&mut reads);
                reads.found
            });
            OverwrittenTarget::<K>::give(memory, fixed, id, value, read)
        })
    }
    #[inline(always)]
    pub(crate) fn keeps_values(&self) -> bool {
        self.trace || self.verify
    }

    /// Begins a statement, whose target, with `more` bytes outside the fixed size, is written later.
    #[inline]
    fn begin(
        &mut self,
        node: &mut dyn AnyNode,
        (statement, mixed): (&'static Statement, bool),
        (target, more): (usize, usize),
        location: &'static Location<'static>,
    ) -> HandleLookup {
        let mut constants = CollectConstants::new(statement, &mut self.constants);
        if statement.constants > 0 {
            node.constants(&mut constants);
        }
        let hash = constants.hash();
        let constants = (&self.constants[..], hash);
        let place = (location, self.trace);
        let mut found = self.table.look_up(statement, constants, place);
        self.variable_length.bytes.clear();
        if self.fixed.len() != more + statement.fixed {
            self.fixed.resize(more + statement.fixed, 0);
        }
        let RecordedValues { values, stacks } = &mut self.memory;
        let mut writer = Writer {
            statement: statement.formula,
            mixed,
            variable_length: statement.sized.then_some(&mut self.variable_length),
            fixed: &mut self.fixed[target..],
            lists: &mut [],
            stacks,
            values,
        };
        node.write(&mut writer);
        writer.finish();
        // An open fast path has memory for a small statement that was recorded before.
        let open = statement.fresh && self.accepts == self.tag;
        found.reserved &= open && self.block_size(&found) + 2 * WORD <= SLACK;
        found
    }
    #[inline(never)]
    #[track_caller]
    fn begin_whole(
        &mut self,
        node: &mut dyn AnyNode,
        statement: &'static Statement,
        target: (usize, usize),
    ) -> RecordOutcome<(&'static Statement, HandleLookup)> {
        let mixed = match inspect(node, statement, self) {
            VariablesFound::Passive => return RecordOutcome::Passive,
            VariablesFound::Lost => return RecordOutcome::Lost,
            VariablesFound::Active { mixed } => mixed,
        };
        let statement = statement.of(mixed);
        let found = self.begin(node, (statement, mixed), target, Location::caller());
        RecordOutcome::As((statement, found))
    }
    pub(super) fn clear_block(&mut self, bytes: usize) {
        self.fixed.clear();
        self.fixed.resize(bytes, 0);
        self.variable_length.bytes.clear();
        self.constants.clear();
    }
    fn block_size(&self, found: &HandleLookup) -> usize {
        let constants = if found.inline {
            self.constants.len()
        } else {
            0
        };
        self.variable_length.bytes.len() + constants + self.fixed.len()
    }
    /// `create` changes values, so memory is reserved first.
    pub(super) fn finish<R>(
        &mut self,
        found: &HandleLookup,
        statement: &'static Statement,
        target: usize,
        create: impl FnOnce(&mut RecordedValues, &mut [u8]) -> R,
    ) -> Result<R, Error> {
        if found.reserved {
            let size = self.write_reserved(found, statement);
            let made = create(&mut self.memory, &mut []);
            self.take_reserved(size);
            return Ok(made);
        }
        let size = self.block_size(found);
        let block = self
            .statements
            .append(size, found.handle, statement.sized)?;
        // A panic leaves an incomplete block.
        let broken = std::mem::replace(&mut self.broken, true);
        let made = create(&mut self.memory, &mut self.fixed[..target]);
        self.broken = broken;
        let constants = if found.inline {
            &self.constants[..]
        } else {
            &[]
        };
        put(block, [&self.variable_length.bytes, constants, &self.fixed]);
        // Last, so that faulty nodes never reach the fast path.
        if let Some(hash) = found.hash {
            let constants = (&self.constants[..], hash);
            self.table.remember(statement, constants, found);
        }
        self.open();
        Ok(made)
    }
    #[inline(never)]
    fn write_reserved(&mut self, found: &HandleLookup, statement: &Statement) -> usize {
        let size = self.block_size(found);
        let block = match statement.sized {
            true => self.statements.next_sized(size, found.handle),
            false => self.statements.next(size, found.handle),
        };
        let constants = if found.inline {
            &self.constants[..]
        } else {
            &[]
        };
        put(block, [&self.variable_length.bytes, constants, &self.fixed]);
        if statement.sized { size + WORD } else { size }
    }
    fn take_reserved(&mut self, size: usize) {
        if !self.statements.take(size) || self.memory.stacks.bytes.are_many() {
            self.next_window();
        }
    }
    #[track_caller]
    pub(crate) fn linear_inputs<K: Kind>(
        &mut self,
        values: impl ExactSizeIterator<Item = TapeValue<K>>,
    ) -> Result<u32, Error> {
        let count = values.len();
        self.reserve_for::<K>(count)?;
        let told =
            u32::try_from(count).map_err(|_| Error::IdentifiersExhausted { kind: K::NAME })?;
        let statement = InputsStatement::<K>::STATEMENT;
        let place = Location::caller();
        let handle = self.table.varying(statement).unwrap_or_else(|| {
            let HandleLookup { handle, .. } = self.table.find(statement, &[], place, false);
            self.table.remember_varying(statement, handle);
            handle
        });
        self.statements
            .append(size_of_val(&told), handle, false)?
            .copy_from_slice(&told.to_ne_bytes());
        self.open();
        Ok(self.memory.values.get::<K>().linear_inputs(values))
    }
    #[track_caller]
    fn linear_input<K: Kind>(&mut self, value: TapeValue<K>) -> Result<u32, Error> {
        let open = self.accepts == self.tag;
        let cached = self.table.varying(InputsStatement::<K>::STATEMENT);
        let Some(handle) = cached.filter(|_| open) else {
            return self.linear_inputs::<K>(std::iter::once(value));
        };
        let one = 1u32.to_ne_bytes();
        self.statements
            .next(one.len(), handle)
            .copy_from_slice(&one);
        let id = self.memory.values.get::<K>().linear_input(value);
        if !self.statements.take(one.len()) {
            self.next_window();
        }
        Ok(id)
    }
    #[track_caller]
    pub(crate) fn input<K: Kind, I: Identifier>(
        &mut self,
        value: TapeValue<K>,
    ) -> Result<VariableId, Error> {
        if !I::OWNED {
            let id = self.linear_input::<K>(value)?;
            return Ok(VariableId { id, tag: self.tag });
        }
        self.reserve::<K>()?;
        let bytes = bytes_of::<K>(&value);
        let values = self.memory.values.get::<K>();
        let id = values.owned_input(value);
        values.set_bytes(id, bytes);
        self.memory.stacks.bytes.add(bytes);
        Ok(VariableId { id, tag: self.tag })
    }

    pub(crate) fn reserve<K: Kind>(&mut self) -> Result<(), Error> {
        self.reserve_for::<K>(1)
    }
    pub(crate) fn reserve_for<K: Kind>(&mut self, count: usize) -> Result<(), Error> {
        if let Some(full) = &self.full {
            return Err(full.clone());
        }
        let mut after = 0;
        if self.wide {
            // The kind may be new since the tape became wide. The fast path continues in the same window.
            self.memory.values.get::<K>().reserve_many()?;
            after = RESERVED;
        }
        if count == 1 {
            self.memory.values.get::<K>().reserve(RESULTS)?;
            return self.check_limit(0).or_else(|_| self.check_closely(0));
        }
        // Only a window may exceed the limit.
        let coming = count.saturating_mul(size_of::<TapeValue<K>>() + size_of::<K::Adjoint>());
        self.check_limit(coming)
            .or_else(|_| self.check_closely(coming))?;
        self.memory
            .values
            .get::<K>()
            .reserve(count.saturating_add(after))
    }
    /// Runs no code of a DSL, because the tape may not have been taken out.
    fn check_limit(&mut self, coming: usize) -> Result<(), Error> {
        if self.limit == usize::MAX {
            return Ok(());
        }
        let all = self.bytes_with_adjoints().saturating_add(coming);
        let Some(more) = self.limit.saturating_add(self.grace).checked_sub(all) else {
            return Err(Error::MemoryLimit { limit: self.limit });
        };
        self.memory.stacks.bytes.allow(more);
        Ok(())
    }
    #[cold]
    fn check_closely(&mut self, coming: usize) -> Result<(), Error> {
        let found = self.look();
        self.memory.stacks.bytes.found(found);
        self.grace = 0;
        if self.check_limit(coming).is_err() {
            pool::release_memory();
            self.check_limit(coming)?;
        }
        self.grace = self.limit / 64;
        self.check_limit(coming)
    }
    fn look(&self) -> usize {
        let mut seen = HashSet::new();
        let values = self.memory.values.all();
        let in_slots: usize = values.map(|v| v.value_bytes(&mut seen)).sum();
        in_slots + self.memory.stacks.value_bytes(&mut seen)
    }
    fn bytes_with_adjoints(&self) -> usize {
        let values = self.memory.values.all();
        self.bytes_of_statements() + values.map(|v| v.with_adjoints()).sum::<usize>()
    }
    fn bytes_of_statements(&self) -> usize {
        let stacks = &self.memory.stacks;
        self.statements.allocated() + stacks.bytes.held() + stacks.handle_bytes() + pool::bytes()
    }
    pub(crate) fn bytes(&self, adjoints: &AdjointStore) -> usize {
        let values: usize = self.memory.values.all().map(|v| v.allocated()).sum();
        self.bytes_of_statements() + values + adjoints.allocated()
    }
    pub(super) fn held(&self) -> usize {
        let values: usize = self.memory.values.all().map(|v| v.held()).sum();
        let aside = self.constants.capacity() + self.variable_length.held() + self.fixed.capacity();
        size_of::<Self>()
            + self.statements.held()
            + self.table.held()
            + self.memory.stacks.held()
            + values
            + aside
    }
    pub(crate) fn note_peak(&mut self, adjoints: &AdjointStore) {
        self.peak = self.peak.max(self.bytes(adjoints));
    }
    pub(crate) fn cursors_to_end(&self, adjoints: &mut AdjointStore) {
        self.memory
            .values
            .all()
            .for_each(|v| v.cursor_to_end(adjoints));
    }
    #[cold]
    pub(super) fn stop<R>(&mut self, full: Error) -> RecordOutcome<R> {
        self.full.get_or_insert(full);
        self.accepts = NOBODY;
        RecordOutcome::Lost
    }
}

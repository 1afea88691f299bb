//! Communications of all ranks.
use crate::{
    communicator::Communicator,
    pattern::Pattern,
    run::{Call, Way, panic_together},
    statement::{Check, Communication, Input, ListOf, Nothing, Shapes},
    transfer::{Collective, Extremum, FanOut, Once, Selected, Transfer},
};
use entape_core::{
    expr::Active,
    external::Arguments,
    kind::Kind,
    mode::AnyMode,
    structure::{
        FlatStructure, Inputs, Mismatch, OptionOf, ReadLeaves, Structure, VariableLeaves, Vars,
        VecOf, ZipLeaves,
    },
};
use std::{any::Any, cell::OnceCell, convert::Infallible, marker::PhantomData, rc::Rc};

type ValuesOf<S> = <S as Structure>::Values;
type Each<'a, P, L, M> = ListOf<'a, <L as Inputs<P>>::Shape, M>;

/// A reduction of numbers of all ranks. It applies to each [coordinate](entape_core::coordinates::Coordinates) of an argument.
///
/// [`all_reduce_with`](Communicator::all_reduce_with) and similar methods take your own operations, and [`product`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// The sum.
    Sum,
    /// The least number. If several ranks have it, the lowest one has all of the derivative. NaN comes before all others.
    Min,
    /// The greatest number, with the conventions of `Min`.
    Max,
}

/// Returns the products of the reals of two structures, an operation for
/// [`all_reduce_with`](Communicator::all_reduce_with).
///
/// # Panics
/// If a variable is not of kind `f64` or `f32`.
#[track_caller]
pub fn product<S: Structure, M: AnyMode>(a: &Vars<S, M>, b: &Vars<S, M>) -> Vars<S, M> {
    struct Multiply<M>(PhantomData<M>);
    impl<M: AnyMode> ZipLeaves for Multiply<M> {
        type Left = VariableLeaves<M>;
        type Right = VariableLeaves<M>;
        type Fail = Infallible;
        #[track_caller]
        fn leaf<K: Kind>(
            &mut self,
            left: &mut Active<K, M>,
            right: Active<K, M>,
        ) -> Result<(), Infallible> {
            let (left, right): (&mut dyn Any, &dyn Any) = (left, &right);
            macro_rules! try_kind {
                ($T:ty) => {
                    if let (Some(a), Some(b)) = (
                        left.downcast_mut::<Active<$T, M>>(),
                        right.downcast_ref::<Active<$T, M>>(),
                    ) {
                        *a = (&*a * b).eval();
                        return Ok(());
                    }
                };
            }
            try_kind!(f64);
            try_kind!(f32);
            panic!(
                "`product` of variables of kind {}: it is for reals; pass an operation of your own",
                K::NAME
            )
        }
        #[track_caller]
        fn mismatch(&mut self, mismatch: Mismatch) -> Infallible {
            mismatch.panic("factor", "numbers")
        }
    }
    let mut made = copy::<S, M>(a);
    let Ok(()) = S::zip(&mut made, copy::<S, M>(b), &mut Multiply(PhantomData));
    made
}
fn copy<S: Structure, M: AnyMode>(x: &Vars<S, M>) -> Vars<S, M> {
    struct Copy<M>(PhantomData<M>);
    impl<M: AnyMode> ReadLeaves for Copy<M> {
        type From = VariableLeaves<M>;
        type To = VariableLeaves<M>;
        type Fail = Infallible;
        fn leaf<K: Kind>(&mut self, x: &Active<K, M>) -> Result<Active<K, M>, Infallible> {
            Ok(x.clone())
        }
    }
    let Ok(copy) = S::read(x, &mut Copy(PhantomData));
    copy
}

impl Communicator {
    fn collective(&self, call: Call, pattern: Pattern, counts: [usize; 2]) -> Collective {
        Collective {
            shared: self.shared.clone(),
            call,
            pattern,
            counts,
            transposed: OnceCell::new(),
        }
    }
    /// Returns a collective whose results are equal on all ranks. `own` is where the arguments of this rank are among
    /// the results, if anywhere.
    fn replicated_results(&self, inner: Collective, own: Option<usize>) -> Rc<dyn Transfer> {
        if !self.once {
            return Rc::new(inner);
        }
        let ([arguments, _], call) = (inner.counts, inner.call);
        let own = own.map_or(0..0, |at| at..at + arguments);
        let shared = self.shared.clone();
        Rc::new(Once {
            inner,
            shared,
            call,
            own,
            arguments,
        })
    }
    #[track_caller]
    fn assert_root(&self, root: usize) {
        let size = self.size();
        assert!(root < size, "the root is rank {root} of {size}");
    }

    /// Blocks until all ranks have called it, in sweeps, too. After [`start`](Communication::start), only the end
    /// blocks.
    #[track_caller]
    pub fn barrier<M: AnyMode>(&self) -> Communication<M, ListOf<'static, f64, M>, Nothing> {
        let call = Call::new("barrier");
        let transfer = Rc::new(self.collective(call, Pattern::Barrier, [0, 0]));
        let none = ListOf(&[]);
        let input = Input::of(&none);
        Communication::like(
            &self.shared,
            call,
            none,
            input,
            [],
            transfer,
            Some(([0, 0], "")),
        )
    }
    /// Sends the variables of the root to all ranks. Variables of other ranks give the shape, and their adjoints are
    /// zero.
    ///
    /// The adjoint of the root is the sum of the adjoints of all ranks, or [counts once](Self::once).
    ///
    /// # Panics
    /// If `root` is not a rank.
    #[track_caller]
    pub fn broadcast<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        root: usize,
        x: A,
    ) -> Communication<M, A, A::Shape> {
        let call = Call::new("broadcast");
        self.assert_root(root);
        let input = Input::of(&x);
        let count = input.count();
        let inner = self.collective(call, Pattern::Broadcast { root, count }, [count, count]);
        let own = (self.rank() == root).then_some(0);
        let transfer = self.replicated_results(inner, own);
        let check = Some(([root, count], "root and count"));
        Communication::alike(&self.shared, call, x, input, transfer, check)
    }
    /// Sends one part of a list of the root to each rank. `like` is a value with the shape of this rank's part. On
    /// other ranks the list is empty.
    ///
    /// ```
    /// # use entape_core::{expr::Active, tape::Tape};
    /// # use entape_mpi::run;
    /// # run(|ranks| {
    /// let mut tape = Tape::new();
    /// let x: Vec<Active<f64>> = match ranks.rank() {
    ///     0 => (0..ranks.size()).map(|i| tape.input(i as f64)).collect(),
    ///     _ => vec![],
    /// };
    /// let part = tape.record(|| ranks.scatter(0, &x, 0.0).eval());
    /// assert_eq!(part, ranks.rank() as f64);
    /// # Ok::<_, String>(())
    /// # });
    /// ```
    ///
    /// # Panics
    /// If `root` is not a rank. On the root, if it does not have a part for each rank with the count that the rank
    /// expects.
    #[track_caller]
    pub fn scatter<'a, M: AnyMode, P, L: Inputs<P, Shape: FlatStructure>>(
        &self,
        root: usize,
        parts: &'a [Vars<L::Shape, M>],
        like: L,
    ) -> Communication<M, Each<'a, P, L, M>, L::Shape> {
        let call = Call::new("scatter");
        self.assert_root(root);
        let (like, arguments) = (like.into_values(), ListOf::<L::Shape, M>(parts));
        let own = L::Shape::flattened(&like).len();
        let input = Input::of(&arguments);
        let mut counts = counts::<L::Shape>(&input.value);
        if self.rank() == root {
            self.assert_parts(call, parts.len());
        } else {
            assert!(
                parts.is_empty(),
                "{call}: only the root, rank {root}, has parts"
            );
            counts = vec![0; self.size()];
            counts[self.rank()] = own;
        }
        self.check_counts(call, root, own, &counts);
        let pattern = Pattern::Scatter { root, counts };
        let transfer = Rc::new(self.collective(call, pattern, [input.count(), own]));
        Communication::like(&self.shared, call, arguments, input, like, transfer, None)
    }
    #[track_caller]
    fn assert_parts(&self, call: Call, parts: usize) {
        let size = self.size();
        assert!(parts == size, "{call}: {parts} parts for {size} ranks");
    }
    /// Compares the counts of the root with the counts of all ranks.
    #[track_caller]
    fn check_counts(&self, call: Call, root: usize, own: usize, counts: &[usize]) {
        self.shared.check(call, [root, 0], "root");
        if !self.shared.checked() {
            return;
        }
        let pattern = Pattern::Gather {
            root,
            counts: vec![1; self.size()],
        };
        let all = self
            .shared
            .now(call, Way::Program, &pattern, vec![own as f64]);
        for (rank, (theirs, count)) in all.iter().zip(counts).enumerate() {
            assert!(
                *theirs == *count as f64,
                "{call}: rank {rank} has {theirs} numbers, and the root, rank {root}, has {count} for it"
            );
        }
    }
    /// Collects the variables of all ranks, which have equal shapes, in a list of the root. On other ranks the list is empty.
    ///
    /// # Panics
    /// If `root` is not a rank.
    #[track_caller]
    pub fn gather<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        root: usize,
        x: A,
    ) -> Communication<M, A, VecOf<A::Shape>> {
        let call = Call::new("gather");
        let input = Input::of(&x);
        let value = input.value.clone();
        let check = Some(([root, input.count()], "root and count"));
        self.gather_as(call, root, (x, input), |_| value.clone(), check)
    }
    /// Like [`gather`](Self::gather), for different shapes: on the root, `like(rank)` is a value with the shape of the
    /// variables of that rank.
    ///
    /// # Panics
    /// If `root` is not a rank. On the root, if variables have other counts than it expects.
    #[track_caller]
    pub fn gather_varcount<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        root: usize,
        x: A,
        like: impl Fn(usize) -> ValuesOf<A::Shape>,
    ) -> Communication<M, A, VecOf<A::Shape>> {
        let call = Call::new("gather_varcount");
        let input = Input::of(&x);
        self.gather_as(call, root, (x, input), like, None)
    }
    #[track_caller]
    fn gather_as<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        call: Call,
        root: usize,
        (x, input): (A, Input<A::Shape>),
        like: impl Fn(usize) -> ValuesOf<A::Shape>,
        check: Check,
    ) -> Communication<M, A, VecOf<A::Shape>> {
        self.assert_root(root);
        let own = input.count();
        let results: Vec<_> = match self.rank() == root {
            true => (0..self.size()).map(like).collect(),
            false => vec![],
        };
        let mut counts = counts::<A::Shape>(&results);
        let received = counts.iter().sum();
        if self.rank() != root {
            counts = vec![0; self.size()];
            counts[self.rank()] = own;
        }
        if check.is_none() {
            self.check_counts(call, root, own, &counts);
        }
        let pattern = Pattern::Gather { root, counts };
        let transfer = Rc::new(self.collective(call, pattern, [own, received]));
        Communication::like(&self.shared, call, x, input, results, transfer, check)
    }
    /// Collects the variables of all ranks, which have equal shapes, in a list on each rank.
    ///
    /// The adjoint is the sum of the adjoints of all lists, or [counts once](Self::once).
    #[track_caller]
    pub fn all_gather<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
    ) -> Communication<M, A, VecOf<A::Shape>> {
        let call = Call::new("all_gather");
        let input = Input::of(&x);
        let value = input.value.clone();
        let check = Some(([input.count(), 0], "count"));
        self.all_gather_as(call, (x, input), |_| value.clone(), check)
    }
    /// Like [`all_gather`](Self::all_gather), for different shapes: `like(rank)` is a value with the shape of the
    /// variables of that rank.
    ///
    /// # Panics
    /// If the variables of this rank have another count than `like` of its rank.
    #[track_caller]
    pub fn all_gather_varcount<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
        like: impl Fn(usize) -> ValuesOf<A::Shape>,
    ) -> Communication<M, A, VecOf<A::Shape>> {
        let call = Call::new("all_gather_varcount");
        let mut input = Input::of(&x);
        input.alike = false;
        self.all_gather_as(call, (x, input), like, None)
    }
    #[track_caller]
    fn all_gather_as<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        call: Call,
        (x, input): (A, Input<A::Shape>),
        like: impl Fn(usize) -> ValuesOf<A::Shape>,
        check: Check,
    ) -> Communication<M, A, VecOf<A::Shape>> {
        let own = input.count();
        let results: Vec<_> = (0..self.size()).map(like).collect();
        let counts = counts::<A::Shape>(&results);
        let (before, received) = (
            counts[..self.rank()].iter().sum(),
            counts.iter().sum::<usize>(),
        );
        let expected = counts[self.rank()];
        let check = check.or_else(|| {
            assert!(
                own == expected,
                "{call}: {own} numbers of this rank, and {expected} in the value that it is like"
            );
            // All ranks expect the same counts.
            Some(([received, digest(&counts)], "sum and hash of the counts"))
        });
        let inner = self.collective(call, Pattern::AllGather { counts }, [own, received]);
        let transfer = self.replicated_results(inner, Some(before));
        Communication::like(&self.shared, call, x, input, results, transfer, check)
    }
    /// Sums up the variables of all ranks, or takes the least or greatest ones. The root has `Some` result, and other ranks
    /// `None`.
    ///
    /// # Panics
    /// If `root` is not a rank.
    #[track_caller]
    pub fn reduce<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        root: usize,
        x: A,
        operation: Operation,
    ) -> Communication<M, A, OptionOf<A::Shape>> {
        let call = Call::new("reduce");
        self.assert_root(root);
        let input = Input::of(&x);
        let count = input.count();
        let result = (self.rank() == root).then(|| input.value.clone());
        let received = if result.is_some() { count } else { 0 };
        let pattern = Pattern::Reduce { root, count };
        let sum = self.collective(call, pattern, [count, received]);
        let transfer = self.reduction(call, operation, sum, |sum| Rc::new(sum));
        let check = Some(([3 * root + operation as usize, count], "root and count"));
        Communication::like(&self.shared, call, x, input, result, transfer, check)
    }
    /// Returns the map of a sum, or of a selection that is a sum over the numbers of their owners.
    fn reduction(
        &self,
        call: Call,
        operation: Operation,
        sum: Collective,
        convention: impl FnOnce(Collective) -> Rc<dyn Transfer>,
    ) -> Rc<dyn Transfer> {
        match operation {
            Operation::Sum => convention(sum),
            Operation::Min | Operation::Max => Rc::new(Extremum {
                sum: convention(sum),
                shared: self.shared.clone(),
                call,
                least: operation == Operation::Min,
                owned: OnceCell::new(),
            }),
        }
    }
    /// Sums up the variables of all ranks, or takes the least or greatest ones, on all ranks.
    ///
    /// The adjoint is the sum of the adjoints of all ranks, or [counts once](Self::once). All ranks get the same bits.
    /// They may depend on the number of ranks, as MPI chooses the order of the sum.
    #[track_caller]
    pub fn all_reduce<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
        operation: Operation,
    ) -> Communication<M, A, A::Shape> {
        let call = Call::new("all_reduce");
        let input = Input::of(&x);
        let count = input.count();
        let sum = self.collective(call, Pattern::AllReduce { count }, [count, count]);
        let transfer = self.reduction(call, operation, sum, |sum| {
            self.replicated_results(sum, Some(0))
        });
        let check = Some(([operation as usize, count], "operation and count"));
        Communication::alike(&self.shared, call, x, input, transfer, check)
    }
    /// Returns copies of variables that are equal on all ranks, for a different part of the work on each rank. Only the
    /// sweep communicates; the adjoint is the sum of the adjoints on all ranks.
    ///
    /// It is the counterpart of [`once`](Self::once): parameters fan out to parts of the work, whose results are summed
    /// up once.
    ///
    /// # Panics
    /// If the ranks have different values, with [checks](Self::checks).
    #[track_caller]
    pub fn fan_out<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
    ) -> Communication<M, A, A::Shape> {
        let call = Call::new("fan_out");
        let input = Input::of(&x);
        let count = input.count();
        let shapes = || Shapes::of(&x).hash;
        self.shared.check_shapes(call, [count, 0], "count", shapes);
        if self.shared.checked() && !self.shared.agree(call, Way::Program, &input.numbers) {
            let message = format!("{call}: the values differ between ranks: broadcast them");
            panic_together(self.rank(), &message);
        }
        let sum = self.collective(call, Pattern::AllReduce { count }, [count, count]);
        Communication::alike(&self.shared, call, x, input, Rc::new(FanOut(sum)), None)
    }
    /// Sums up lists with a part for each rank, and gives each rank its part of the sum. `like` is a value with the shape of this
    /// rank's part.
    ///
    /// # Panics
    /// Unless the list has a part for each rank.
    #[track_caller]
    pub fn reduce_scatter<'a, M: AnyMode, P, L: Inputs<P, Shape: FlatStructure>>(
        &self,
        parts: &'a [Vars<L::Shape, M>],
        like: L,
    ) -> Communication<M, Each<'a, P, L, M>, L::Shape> {
        let call = Call::new("reduce_scatter");
        self.assert_parts(call, parts.len());
        let (like, arguments) = (like.into_values(), ListOf::<L::Shape, M>(parts));
        let own = L::Shape::flattened(&like).len();
        let input = Input::of(&arguments);
        let counts = counts::<L::Shape>(&input.value);
        let mine = counts[self.rank()];
        assert!(
            own == mine,
            "{call}: {own} numbers expected, and {mine} in the part"
        );
        let sent = input.count();
        let check = Some(([sent, digest(&counts)], "sum and hash of the counts"));
        let pattern = Pattern::ReduceScatter { counts };
        let transfer = Rc::new(self.collective(call, pattern, [sent, own]));
        Communication::like(&self.shared, call, arguments, input, like, transfer, check)
    }
    /// Sums up the variables of this rank and of lower ones, or takes the least or greatest ones.
    #[track_caller]
    pub fn scan<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
        operation: Operation,
    ) -> Communication<M, A, A::Shape> {
        let call = Call::new("scan");
        let input = Input::of(&x);
        let count = input.count();
        let transfer = self.scan_as(call, operation, count, false);
        let check = Some(([operation as usize, count], "operation and count"));
        Communication::alike(&self.shared, call, x, input, transfer, check)
    }
    /// Sums up the variables of lower ranks, or takes the least or greatest ones; `None` on rank 0.
    #[track_caller]
    pub fn exclusive_scan<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
        operation: Operation,
    ) -> Communication<M, A, OptionOf<A::Shape>> {
        let call = Call::new("exclusive_scan");
        let input = Input::of(&x);
        let count = input.count();
        let result = (self.rank() > 0).then(|| input.value.clone());
        let transfer = self.scan_as(call, operation, count, true);
        let check = Some(([operation as usize, count], "operation and count"));
        Communication::like(&self.shared, call, x, input, result, transfer, check)
    }
    fn scan_as(
        &self,
        call: Call,
        operation: Operation,
        count: usize,
        exclusive: bool,
    ) -> Rc<dyn Transfer> {
        let reversed = false;
        if operation == Operation::Sum {
            let pattern = Pattern::Scan {
                count,
                exclusive,
                reversed,
            };
            // Rank 0 passes no adjoints to an exclusive scan, whose result it lacks.
            return Rc::new(self.collective(call, pattern, [count, count]));
        }
        let (size, rank) = (self.size(), self.rank());
        let counts = vec![count; size];
        let all = self.collective(call, Pattern::AllGather { counts }, [count, count * size]);
        let ranks = if exclusive { rank } else { rank + 1 };
        let better = move |a: f64, b: f64| match operation {
            _ if b.is_nan() => false,
            _ if a.is_nan() => true,
            Operation::Min => a < b,
            _ => a > b,
        };
        let choose = move |all: &[f64]| {
            let best = |i: usize| {
                (1..ranks).fold(0, |best, rank| {
                    let (a, b) = (all[rank * count + i], all[best * count + i]);
                    if better(a, b) { rank } else { best }
                })
            };
            match ranks {
                0 => vec![],
                _ => (0..count).map(best).collect(),
            }
        };
        Rc::new(Selected {
            all,
            choose: Box::new(choose),
            owners: OnceCell::new(),
        })
    }
    /// Sends a part of each rank's list to each rank, and returns what this rank gets as a list. All parts have the
    /// shape of `like`.
    ///
    /// # Panics
    /// Unless the list has a part for each rank.
    #[track_caller]
    pub fn all_to_all<'a, M: AnyMode, P, L: Inputs<P, Shape: FlatStructure>>(
        &self,
        parts: &'a [Vars<L::Shape, M>],
        like: L,
    ) -> Communication<M, Each<'a, P, L, M>, VecOf<L::Shape>> {
        let call = Call::new("all_to_all");
        let like = like.into_values();
        let count = L::Shape::flattened(&like).len();
        let received = vec![like; self.size()];
        let mut made = self.all_to_all_as(call, parts, received);
        made.check = Some(([count, 0], "count"));
        for part in counts::<L::Shape>(&made.input.value) {
            assert!(
                part == count,
                "{call}: a part of {part} numbers, not {count}"
            );
        }
        made
    }
    /// Like [`all_to_all`](Self::all_to_all), for different shapes: `like(rank)` is a value with the shape of what
    /// comes from that rank.
    ///
    /// # Panics
    /// Unless the list has a part for each rank. On a receiver, if a part has another count than it expects.
    #[track_caller]
    pub fn all_to_all_varcount<'a, M: AnyMode, P, L: Inputs<P, Shape: FlatStructure>>(
        &self,
        parts: &'a [Vars<L::Shape, M>],
        like: impl Fn(usize) -> L,
    ) -> Communication<M, Each<'a, P, L, M>, VecOf<L::Shape>> {
        let call = Call::new("all_to_all_varcount");
        let received: Vec<_> = (0..self.size())
            .map(|rank| like(rank).into_values())
            .collect();
        let made = self.all_to_all_as::<M, L::Shape>(call, parts, received.clone());
        self.shared.check(call, [0, 0], "");
        if self.shared.checked() {
            let sent = counts::<L::Shape>(&made.input.value);
            let one = vec![1; self.size()];
            let pattern = Pattern::AllToAll {
                sent: one.clone(),
                received: one,
            };
            let sent = sent.iter().map(|&count| count as f64).collect();
            let theirs = self.shared.now(call, Way::Program, &pattern, sent);
            for (rank, (count, like)) in theirs.iter().zip(&received).enumerate() {
                let expected = L::Shape::flattened(like).len();
                assert!(
                    *count == expected as f64,
                    "{call}: rank {rank} sends {count} numbers, and this rank expects {expected}"
                );
            }
        }
        made
    }
    #[track_caller]
    fn all_to_all_as<'a, M: AnyMode, S: FlatStructure>(
        &self,
        call: Call,
        parts: &'a [Vars<S, M>],
        results: Vec<ValuesOf<S>>,
    ) -> Communication<M, ListOf<'a, S, M>, VecOf<S>> {
        self.assert_parts(call, parts.len());
        let arguments = ListOf::<S, M>(parts);
        let input = Input::of(&arguments);
        let (sent, received) = (counts::<S>(&input.value), counts::<S>(&results));
        let both = [input.count(), received.iter().sum()];
        let pattern = Pattern::AllToAll { sent, received };
        let transfer = Rc::new(self.collective(call, pattern, both));
        Communication::like(
            &self.shared,
            call,
            arguments,
            input,
            results,
            transfer,
            None,
        )
    }

    /// Reduces the variables of all ranks by your own operation, from the lowest rank to the highest, for the root;
    /// `None` on other ranks. The root gathers all variables and records the operations.
    ///
    /// # Panics
    /// If `root` is not a rank.
    #[track_caller]
    pub fn reduce_with<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        root: usize,
        x: A,
        operation: impl Fn(&Vars<A::Shape, M>, &Vars<A::Shape, M>) -> Vars<A::Shape, M>,
    ) -> Option<Vars<A::Shape, M>> {
        let mut gathered = self.gather(root, x);
        gathered.call = Call::new("reduce_with");
        fold(gathered.eval(), operation)
    }
    /// Like [`reduce_with`](Self::reduce_with). Each rank computes the result.
    ///
    /// ```
    /// # use entape_core::tape::Tape;
    /// # use entape_mpi::{product, run};
    /// # run(|ranks| {
    /// let mut tape = Tape::new();
    /// let x = tape.input(1.0 + ranks.rank() as f64);
    /// // All ranks compute the product, so it counts once.
    /// let y = tape.record(|| ranks.once().all_reduce_with(&x, product::<f64, _>));
    /// let factorial = (1..=ranks.size()).product::<usize>() as f64;
    /// assert_eq!(y, factorial);
    /// assert_eq!(tape.gradient(&y)?.wrt(&x)?, factorial / x.value());
    /// # Ok::<_, entape_core::tape::Error>(())
    /// # });
    /// ```
    #[track_caller]
    pub fn all_reduce_with<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
        operation: impl Fn(&Vars<A::Shape, M>, &Vars<A::Shape, M>) -> Vars<A::Shape, M>,
    ) -> Vars<A::Shape, M> {
        let mut gathered = self.all_gather(x);
        gathered.call = Call::new("all_reduce_with");
        fold(gathered.eval(), operation).expect("a variable of each rank")
    }
    /// Reduces the variables of this rank and of lower ones by your own operation, as in
    /// [`all_reduce_with`](Self::all_reduce_with).
    ///
    /// The adjoints of all ranks are added, also [`once`](Self::once): the results differ between ranks.
    #[track_caller]
    pub fn scan_with<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
        operation: impl Fn(&Vars<A::Shape, M>, &Vars<A::Shape, M>) -> Vars<A::Shape, M>,
    ) -> Vars<A::Shape, M> {
        let mut gathered = self.many().all_gather(x);
        gathered.call = Call::new("scan_with");
        let mut gathered = gathered.eval();
        gathered.truncate(self.rank() + 1);
        fold(gathered, operation).expect("a variable of this rank")
    }
    /// Reduces the variables of lower ranks by your own operation, as in [`scan_with`](Self::scan_with); `None` on rank
    /// 0.
    #[track_caller]
    pub fn exclusive_scan_with<M: AnyMode, A: Arguments<M, Shape: FlatStructure>>(
        &self,
        x: A,
        operation: impl Fn(&Vars<A::Shape, M>, &Vars<A::Shape, M>) -> Vars<A::Shape, M>,
    ) -> Option<Vars<A::Shape, M>> {
        let mut gathered = self.many().all_gather(x);
        gathered.call = Call::new("exclusive_scan_with");
        let mut gathered = gathered.eval();
        gathered.truncate(self.rank());
        fold(gathered, operation)
    }
    /// Reduces lists with a part for each rank by your own operation, from the lowest rank to the highest, and returns
    /// this rank's part. All parts have the shape of `like`.
    ///
    /// # Panics
    /// Like [`all_to_all`](Self::all_to_all).
    #[track_caller]
    pub fn reduce_scatter_with<M: AnyMode, P, L: Inputs<P, Shape: FlatStructure>>(
        &self,
        parts: &[Vars<L::Shape, M>],
        like: L,
        operation: impl Fn(&Vars<L::Shape, M>, &Vars<L::Shape, M>) -> Vars<L::Shape, M>,
    ) -> Vars<L::Shape, M> {
        let mut received = self.all_to_all(parts, like);
        received.call = Call::new("reduce_scatter_with");
        fold(received.eval(), operation).expect("a part of each rank")
    }
    /// Returns the communicator without `once`.
    fn many(&self) -> Communicator {
        Communicator {
            shared: self.shared.clone(),
            once: false,
        }
    }
}
/// Returns 32 bits that depend on all counts.
fn digest(counts: &[usize]) -> usize {
    let numbers: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    crate::communicator::digest(&numbers)[0] as usize
}
fn counts<S: FlatStructure>(values: &[S::Values]) -> Vec<usize> {
    values.iter().map(|x| S::flattened(x).len()).collect()
}
#[track_caller]
fn fold<X>(all: Vec<X>, operation: impl Fn(&X, &X) -> X) -> Option<X> {
    let mut all = all.into_iter();
    let mut result = all.next()?;
    for x in all {
        result = operation(&result, &x);
    }
    Some(result)
}

impl Transfer for Rc<dyn Transfer> {
    fn start(&self, way: Way, x: Vec<f64>, blocking: bool) -> crate::transfer::Flight {
        (**self).start(way, x, blocking)
    }
    fn finish(&self, way: Way, flight: crate::transfer::Flight) -> Result<Vec<f64>, String> {
        (**self).finish(way, flight)
    }
    fn is_collective(&self) -> bool {
        (**self).is_collective()
    }
}

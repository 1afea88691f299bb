//! Statements with any number of identifiers.
//!
//! Expressions of one type form a node of kind [`List`]; variables form [`Variables`]. Elements are stored in the
//! variable-length part:
//!
//! ```text
//! fixed   [ length ]
//! list    [ constants, once if all elements have the same | elements: identifiers, .. | passive values ]
//! ```
use super::{Active, Copied, Expr, IntoExpr, Operand, PlainNumbers, Variables};
use crate::{
    differences::Findings,
    formula::Formula,
    kind::Carrier,
    kind::{
        Adjoint, Arg, Contribution, Kind, List, Need, Origin, Passed, Policy, TapeCell, TapeValue,
        Val, assert_lengths,
    },
    node::{
        Description, DirectionalNode, Evaluated, ExpressionVisitor, Gather, LeafVisitor, Node,
        NodeInArena, NodeReader, NodeTangents, OwnedValue, Produce, Stored, with_need,
    },
    order::Order,
    sealed::Sealed,
    storage::ObjectArena,
    store::{Reader, Writer},
    sweep::{Directional, ReadValues, StatementValues, Sweep, WholeValues},
};

/// The nodes of a list. The trait is sealed, so that the inspected nodes are written.
pub trait Elements: Sealed {
    /// The type of the nodes.
    type Node: Node;
    /// Returns the nodes.
    fn nodes(&self) -> &[Self::Node];
}
impl<N> Sealed for Vec<N> {}
impl<N: Node> Elements for Vec<N> {
    type Node = N;
    #[inline(always)]
    fn nodes(&self) -> &[N] {
        self
    }
}
impl<N> Sealed for &[N] {}
impl<N: Node> Elements for &[N] {
    type Node = N;
    #[inline(always)]
    fn nodes(&self) -> &[N] {
        self
    }
}

/// A list of nodes as one node.
#[derive(Clone, Copy, Debug)]
pub struct Each<L>(pub L);

type ElementKindOf<L> = <<L as Elements>::Node as Node>::Kind;

impl<L: Elements> Sealed for Each<L> {}
impl<L: Elements> Node for Each<L> {
    type Kind = List<ElementKindOf<L>>;
    type Stored = TapeList<<L::Node as Node>::Stored>;
    type Value<'n>
        = OwnedValue<Self::Kind>
    where
        Self: 'n;
    type Saves = Vec<<L::Node as Node>::Saves>;
    type Copy<'n>
        = Each<&'n [L::Node]>
    where
        Self: 'n;
    fn copy(&self) -> Self::Copy<'_> {
        Each(self.0.nodes())
    }
    #[inline]
    fn evaluate(&self) -> (OwnedValue<Self::Kind>, Self::Saves) {
        let nodes = self.0.nodes();
        let (mut values, mut saves) = (
            Vec::with_capacity(nodes.len()),
            Vec::with_capacity(nodes.len()),
        );
        // A closure would lose the user's line.
        for node in nodes {
            let (value, saved) = node.evaluate();
            values.push(value.ready().cell());
            saves.push(saved);
        }
        (OwnedValue(values), saves)
    }
    type Ready<'n>
        = OwnedValue<Self::Kind>
    where
        Self: 'n;
    fn push<const N: usize>(&self) -> (OwnedValue<Self::Kind>, NodeTangents<'_, Self::Kind, N>) {
        let nodes = self.0.nodes();
        let mut values = Vec::with_capacity(nodes.len());
        let mut tangents = ListTangents::of(nodes.len());
        for node in nodes {
            let (value, pushed) = node.push::<N>();
            tangents.push(pushed.get(), &value);
            values.push(value.cell());
        }
        (OwnedValue(values), tangents.finish())
    }
    #[inline]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        for node in self.0.nodes() {
            node.leaves(visitor);
        }
    }
    fn write<const NEED: u8>(&self, saves: Self::Saves, writer: &mut Writer<'_>) {
        with_need! { of_each::<ElementKindOf<L>>(Need::of(NEED)), EACH => {
            write_each::<L::Node, EACH>(self.0.nodes(), saves, writer);
        } }
    }
}
fn write_each<N: Node, const NEED: u8>(nodes: &[N], saves: Vec<N::Saves>, writer: &mut Writer<'_>) {
    let size = N::Stored::CONSTANTS[NEED as usize];
    let write = |writer: &mut Writer<'_>| {
        for (node, saved) in nodes.iter().zip(saves) {
            node.write::<NEED>(saved, writer);
        }
    };
    let constants = |constants: &mut Vec<u8>| {
        if size > 0 {
            nodes
                .iter()
                .for_each(|node| node.constants::<NEED>(constants));
        }
    };
    let fixed = N::Stored::FIXED[NEED as usize];
    writer.list(nodes.len(), fixed, size, constants, write);
}

/// Elements that own memory are always needed, for zeros of their shapes.
pub(super) const fn of_each<K: Kind>(need: Need) -> Need {
    if need.value() || K::Policy::STORAGE {
        Need::Recompute
    } else {
        Need::Unused
    }
}

/// A list of nodes on the tape.
pub struct TapeList<S: Stored> {
    items: Vec<S>,
    values: Option<Vec<TapeValue<S::Kind>>>,
    active: bool,
}
debug_by_name! { [S: Stored] TapeList<S> }
impl<S: Stored> Stored for TapeList<S> {
    type Kind = List<S::Kind>;
    type Pieces = Gather;
    const FORMULA: Formula = Formula::List(&S::FORMULA);
    const ACTIVE: bool = S::ACTIVE;
    const FIXED: [usize; 3] = [4; 3];
    const DYNAMIC: bool = true;
    const TELLS_SIZE: bool = false;
    fn load<const PIECES: bool, const NEED: u8>(
        reader: &mut Reader<'_>,
        sweep: &mut impl ReadValues,
        _: Option<TapeValue<Self::Kind>>,
    ) -> Self {
        let need = const { of_each::<S::Kind>(Need::of(NEED)) };
        let (fixed, constants) = (S::FIXED[need as usize], S::CONSTANTS[need as usize]);
        let items = reader.list(fixed, constants, |reader| {
            with_need! { of_each::<S::Kind>(Need::of(NEED)), EACH => S::load::<false, EACH>(reader, sweep, None) }
        });
        let values = need
            .value()
            .then(|| items.iter().map_while(S::cell).collect());
        let active = S::ACTIVE && items.iter().any(S::is_active);
        TapeList {
            items,
            values,
            active,
        }
    }
    fn value(&self) -> Option<Arg<'_, Self::Kind>> {
        self.values.as_ref()
    }
    fn again(
        &self,
        sweep: &mut impl Sweep,
        found: &mut Findings,
    ) -> Option<Vec<TapeValue<S::Kind>>> {
        let again = |item: &S| item.again(sweep, found).map(TapeCell::new);
        self.items.iter().map(again).collect()
    }
    fn is_active(&self) -> bool {
        self.active
    }
    fn pull<C: Contribution<Self::Kind>>(&self, contribution: C, sweep: &mut impl Sweep) {
        let mut adjoints = Vec::new();
        contribution.add_to(&mut adjoints);
        assert_lengths(self.items.len(), adjoints.len(), C::ORIGIN);
        for (item, adjoint) in self.items.iter().zip(adjoints) {
            if !adjoint.is_unset()
                && item.is_active()
                && let Some(value) = adjoint.into_value()
            {
                item.pull(Passed(value), sweep);
            }
        }
    }
    const TAKES_SCRATCH: bool = true;
    fn done(self, sweep: &mut impl Sweep) {
        self.items.into_iter().for_each(|item| item.done(sweep));
    }
    const ORDER: Order = S::ORDER;
    const DESCRIPTION: &'static Description<Self::Kind> = &Description {
        node_reader: &ListReader {
            item: S::DESCRIPTION,
            fixed: S::FIXED,
            constants: S::CONSTANTS,
        },
        spreads: false,
        takes_scratch: S::DESCRIPTION.takes_scratch,
    };
    fn show(&self, variable_length: &[u8], to: &mut dyn ExpressionVisitor) {
        self.items
            .iter()
            .for_each(|item| item.show(variable_length, to));
        to.list(self.items.len());
    }
}

struct ListReader<K: Kind> {
    item: &'static Description<K>,
    fixed: [usize; 3],
    constants: [usize; 3],
}
impl<K: Kind> NodeReader<List<K>> for ListReader<K> {
    fn read<'s>(
        &'static self,
        need: Need,
        reader: &mut Reader<'_>,
        sweep: &mut WholeValues<'_, '_, '_>,
        _: Option<TapeValue<List<K>>>,
        arena: &'s ObjectArena,
    ) -> NodeInArena<'s, List<K>> {
        let need = of_each::<K>(need);
        let n = need as usize;
        let items = reader.list(self.fixed[n], self.constants[n], |reader| {
            self.item.node_reader.read(need, reader, sweep, None, arena)
        });
        let values = need
            .value()
            .then(|| items.iter().map_while(|item| item.cell()).collect());
        let list = DirectionalList {
            items,
            values,
            tangent: None,
        };
        arena.alloc(list, |list| list as _)
    }
}
struct DirectionalList<'s, K: Kind> {
    items: Vec<NodeInArena<'s, K>>,
    values: Option<Vec<TapeValue<K>>>,
    tangent: Option<Vec<TapeValue<K>>>,
}
impl<K: Kind> DirectionalNode<List<K>> for DirectionalList<'_, K> {
    fn value(&self) -> Option<&Vec<TapeValue<K>>> {
        self.values.as_ref()
    }
    fn cell(&self) -> Option<TapeValue<List<K>>> {
        self.values.clone().map(TapeCell::new)
    }
    fn is_active(&self) -> bool {
        self.items.iter().any(|item| item.is_active())
    }
    fn depends(&self, sweep: &mut Directional<'_, '_, '_>) -> bool {
        self.items.iter().any(|item| item.depends(sweep))
    }
    fn push_forward(
        &mut self,
        sweep: &mut Directional<'_, '_, '_>,
        _: Option<&Vec<TapeValue<K>>>,
        _: Option<Option<Vec<TapeValue<K>>>>,
    ) {
        for item in &mut self.items {
            item.push_forward(sweep, None, None);
        }
        let like = self.items.iter().find_map(|item| item.tangent());
        let zero = like.map(K::unset_tangent);
        self.tangent = zero.map(|zero| {
            let each = self.items.iter().map(|item| {
                TapeCell::new(match (item.tangent(), item.value()) {
                    (Some(tangent), _) => tangent.clone(),
                    (None, Some(value)) => K::unset_tangent(K::Policy::value(&value)),
                    (None, None) => zero.clone(),
                })
            });
            each.collect()
        });
    }
    fn tangent(&self) -> Option<&Vec<TapeValue<K>>> {
        self.tangent.as_ref()
    }
    fn take_tangent(&mut self) -> Option<Vec<TapeValue<K>>> {
        self.tangent.take()
    }
    fn pull(
        &mut self,
        adjoint: Option<Vec<TapeValue<K>>>,
        tangent: Option<Vec<TapeValue<K>>>,
        sweep: &mut Directional<'_, '_, '_>,
    ) {
        let lengths = adjoint.iter().chain(&tangent).map(Vec::len);
        lengths.for_each(|length| assert_lengths(self.items.len(), length, Origin::UNKNOWN));
        for (i, item) in self.items.iter_mut().enumerate() {
            if item.is_active() {
                let of = |list: &Vec<TapeValue<K>>| list[i].peek().clone();
                let (adjoint, tangent) = (adjoint.as_ref().map(of), tangent.as_ref().map(of));
                item.pull(adjoint, tangent, sweep);
            }
        }
    }
    fn give_back(&mut self, sweep: &mut StatementValues<'_, '_>) {
        self.items.iter_mut().for_each(|item| item.give_back(sweep));
    }
}

/// A slice, array or vector of variables or plain numbers by reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of variables or numbers",
    note = "pass slices, arrays and vectors by reference: `&x`"
)]
pub trait ToList<M: Carrier> {
    /// The kind of the elements.
    type Kind: Kind;
    /// The node of the list.
    type Node: Node<Kind = List<Self::Kind>>;
    /// Returns the length.
    fn count(&self) -> usize;
    /// Converts the list to an expression.
    fn to_list(self) -> Expr<List<Self::Kind>, M, Self::Node>;
}
/// Gathers variables or numbers into one list, the argument of operations on [`List`]s.
///
/// ```
/// use entape_core::{expr::list, real::ListReductions, tape::Tape};
///
/// let mut tape = Tape::new();
/// let x = tape.inputs([3.0, 4.0]);
/// let y = tape.record(|| list(&x).norm_squared().eval());
/// assert_eq!((y.value(), tape.gradient(&y)?.wrt_all(&x)?), (25.0, vec![6.0, 8.0]));
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[inline(always)]
pub fn list<M: Carrier, X: ToList<M>>(x: X) -> Expr<List<X::Kind>, M, X::Node> {
    x.to_list()
}

/// A list of operands.
pub type Nodes<X, M> = Expr<List<<X as IntoExpr<M>>::Kind>, M, Each<Vec<<X as IntoExpr<M>>::Node>>>;
/// Gathers operands of one type into a list: expressions, or variables by value.
///
/// ```
/// use entape_core::{expr::{Active, list_of, unary}, mode::Plain, op::Norm};
///
/// let x = [1.0, 2.0, 3.0].map(Active::<f64, Plain>::passive);
/// let differences = x.windows(2).map(|x| x[1] - x[0]);
/// assert_eq!(unary(Norm, list_of(differences)).eval(), 2_f64.sqrt()); // one statement
/// ```
pub fn list_of<M: Carrier, X: Operand<M>>(items: impl IntoIterator<Item = X>) -> Nodes<X, M> {
    let nodes = items.into_iter().map(|x| x.into_expr().node);
    Expr::new(Each(nodes.collect()))
}
/// A list of variables that are not borrowed.
pub type Detached<K, M> = Expr<List<K>, M, Each<Vec<Copied<K, M>>>>;
/// Gathers variables without borrowing them, for an assignment to them: `sorted(detached(&x)).assign_to(&mut x)`.
/// Evaluate it before the next write to a variable that owns its identifier.
pub fn detached<K: Kind, M: Carrier>(x: &[Active<K, M>]) -> Detached<K, M> {
    Expr::new(Each(x.iter().map(Active::copied).collect()))
}

impl<'a, K: Kind, M: Carrier> ToList<M> for &'a [Active<K, M>] {
    type Kind = K;
    type Node = Variables<'a, K, M>;
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn to_list(self) -> Expr<List<K>, M, Variables<'a, K, M>> {
        Expr::new(Variables(self))
    }
}
for_reals! { $T =>
    impl<'a, M: Carrier> ToList<M> for &'a [$T] {
        type Kind = $T;
        type Node = PlainNumbers<'a, $T>;
        #[inline(always)]
        fn count(&self) -> usize {
            self.len()
        }
        #[inline(always)]
        fn to_list(self) -> Expr<List<$T>, M, PlainNumbers<'a, $T>> {
            Expr::new(PlainNumbers(self))
        }
    }
}
macro_rules! as_slices { ($([$($of:tt)*] $T:ty;)*) => { $(
    impl<'a, M: Carrier, X $($of)*> ToList<M> for &'a $T
    where
        &'a [X]: ToList<M>,
    {
        type Kind = <&'a [X] as ToList<M>>::Kind;
        type Node = <&'a [X] as ToList<M>>::Node;
        #[inline(always)]
        fn count(&self) -> usize {
            self.len()
        }
        #[inline(always)]
        fn to_list(self) -> Expr<List<Self::Kind>, M, Self::Node> {
            self[..].to_list()
        }
    }
)* } }
as_slices! { [] Vec<X>; [, const N: usize] [X; N]; }

pub(super) struct ListTangents<K: Kind, const N: usize> {
    tangents: [Vec<TapeValue<K>>; N],
    active: bool,
}
impl<K: Kind, const N: usize> ListTangents<K, N> {
    pub(super) fn of(count: usize) -> Self {
        ListTangents {
            tangents: std::array::from_fn(|_| Vec::with_capacity(count)),
            active: false,
        }
    }
    pub(super) fn push(&mut self, tangents: Option<&[Val<K>; N]>, value: &impl Evaluated<K>) {
        self.active |= tangents.is_some();
        for (j, list) in self.tangents.iter_mut().enumerate() {
            list.push(TapeCell::new(match tangents {
                Some(tangents) => tangents[j].clone(),
                None => K::zero_like(K::Policy::value(&value.arg())),
            }));
        }
    }
    pub(super) fn finish<'n>(self) -> NodeTangents<'n, List<K>, N> {
        NodeTangents::owned(self.active.then_some(self.tangents))
    }
}

//! Expressions, and their only inner node: an operation applied to nodes.
use crate::{
    differences::Findings,
    eval::{again, needs_of},
    formula::Formula,
    kind::{Carrier, Contribution, Kind, Need, arg},
    node::{
        ConstantVisitor, Description, Evaluated, ExpressionVisitor, Gather, LeafNode, LeafVisitor,
        Node, NodeTangents, OwnedValue, Produce, Stored, Tree, evaluated, with_need,
    },
    order::{Order, without_tangent},
    rule::{ArgumentTangents, Evaluation, Primals, Rule, Saved},
    sealed::Sealed,
    store::{Reader, Writer},
    sweep::{ReadValues, Sweep},
};
use std::{any::type_name, fmt, marker::PhantomData, mem::ManuallyDrop};

/// An expression of kind `K` in mode `M`, recorded as one statement when it is evaluated or assigned. Functions take
/// `impl Operand<M, Kind = f64>` instead of naming the tree `N`.
///
/// ```
/// use entape_core::{real::Elementary, tape::Tape};
///
/// let mut tape = Tape::new();
/// let x = tape.input(0.0);
/// let y = tape.record(|| {
///     let e = x.exp() * (x + 1.0); // an expression
///     e.eval()                     // a statement
/// });
/// assert_eq!(tape.statistics().statements, 2); // with the input
/// assert_eq!(tape.gradient(&y)?.wrt(&x)?, 2.0);
/// # Ok::<(), entape_core::tape::Error>(())
/// ```
#[must_use = "an expression records nothing until `.eval()` or an assignment: evaluate it or remove it"]
pub struct Expr<K, M, N> {
    pub(crate) node: N,
    _of: PhantomData<(K, M)>,
}
impl<K: Kind<Value: fmt::Debug>, M: Carrier, N: Node<Kind = K>> fmt::Debug for Expr<K, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.node.evaluate().0.value();
        f.debug_struct("Expr").field("value", &value).finish()
    }
}

impl<K, M, N> Expr<K, M, N> {
    /// Wraps a node.
    #[inline(always)]
    pub fn new(node: N) -> Self {
        Expr {
            node,
            _of: PhantomData,
        }
    }
}
#[doc(hidden)]
#[inline(always)]
pub fn node_of<K, M, N>(expr: Expr<K, M, N>) -> N {
    expr.node
}

/// The operation `O` applied to one, two or three nodes.
#[derive(Clone, Copy, Debug)]
pub struct Apply<O, A, B = Nil, C = Nil> {
    pub(crate) op: O,
    pub(crate) a: A,
    pub(crate) b: B,
    pub(crate) c: C,
}
impl<O, A> Apply<O, A> {
    /// Creates a unary operation.
    #[inline(always)]
    pub fn unary(op: O, a: A) -> Self {
        Apply {
            op,
            a,
            b: Nil,
            c: Nil,
        }
    }
}
impl<O, A, B> Apply<O, A, B> {
    /// Creates a binary operation.
    #[inline(always)]
    pub fn binary(op: O, a: A, b: B) -> Self {
        Apply { op, a, b, c: Nil }
    }
}
impl<O, A, B, C> Apply<O, A, B, C> {
    /// Creates an operation with three arguments.
    #[inline(always)]
    pub fn ternary(op: O, a: A, b: B, c: C) -> Self {
        Apply { op, a, b, c }
    }
}

type How<O, A, B, C> =
    <O as Rule<<A as Node>::Kind, <B as Node>::Kind, <C as Node>::Kind>>::Evaluation;

impl<O, A, B, C> Sealed for Apply<O, A, B, C> {}
impl<O, A: Node, B: Node, C: Node> Node for Apply<O, A, B, C>
where
    O: Rule<A::Kind, B::Kind, C::Kind> + Clone,
{
    type Kind = O::Out;
    type Stored = <How<O, A, B, C> as Evaluation<O, A::Kind, B::Kind, C::Kind>>::Replay<
        A::Stored,
        B::Stored,
        C::Stored,
    >;
    type Value<'n>
        = <How<O, A, B, C> as Evaluation<O, A::Kind, B::Kind, C::Kind>>::Value<
        'n,
        A::Value<'n>,
        B::Value<'n>,
        C::Value<'n>,
    >
    where
        Self: 'n;
    type Saves = (O::Saved, A::Saves, B::Saves, C::Saves);
    type Copy<'n>
        = Apply<O, A::Copy<'n>, B::Copy<'n>, C::Copy<'n>>
    where
        Self: 'n;
    const QUIET: bool = O::BYTES == 0 && O::Saved::QUIET && A::QUIET && B::QUIET && C::QUIET;
    #[inline(always)]
    fn copy(&self) -> Self::Copy<'_> {
        // Avoids code for panics.
        let op = ManuallyDrop::new(self.op.clone());
        let a = ManuallyDrop::new(self.a.copy());
        let b = ManuallyDrop::new(self.b.copy());
        let c = self.c.copy();
        Apply {
            op: ManuallyDrop::into_inner(op),
            a: ManuallyDrop::into_inner(a),
            b: ManuallyDrop::into_inner(b),
            c,
        }
    }
    #[inline(always)]
    fn evaluate(&self) -> (Self::Value<'_>, Self::Saves) {
        let (a, sa) = self.a.evaluate();
        let (b, sb) = self.b.evaluate();
        let (c, sc) = self.c.evaluate();
        let (r, s) = O::Evaluation::apply(&self.op, a, b, c);
        (r, (s, sa, sb, sc))
    }
    type Ready<'n>
        = OwnedValue<O::Out>
    where
        Self: 'n;
    #[inline(always)]
    #[track_caller]
    fn push<const N: usize>(&self) -> (OwnedValue<O::Out>, NodeTangents<'_, O::Out, N>) {
        let (a, a_t) = self.a.push::<N>();
        let (b, b_t) = self.b.push::<N>();
        let (c, c_t) = self.c.push::<N>();
        let (r, saved) = self.op.primal(a.arg(), b.arg(), c.arg());
        let tangents = {
            let tangent = ArgumentTangents {
                a: a_t.get().filter(|_| O::FLOWS[0]),
                b: b_t.get().filter(|_| O::FLOWS[1]),
                c: c_t.get().filter(|_| O::FLOWS[2]),
                one_sided: false,
            };
            if tangent.is_zero() {
                None
            } else if O::ORDER < Order::Tangent {
                without_tangent::<O>();
                None
            } else {
                let primals = Primals {
                    a: Some(a.arg()),
                    b: Some(b.arg()),
                    c: Some(c.arg()),
                    r: Some(arg::<O::Out>(&r)),
                    rule: type_name::<O>(),
                };
                self.op.tangents(&primals, &saved, tangent)
            }
        };
        a.done();
        b.done();
        c.done();
        (OwnedValue(r), NodeTangents::owned(tangents))
    }
    #[inline(always)]
    fn leaves(&self, visitor: &mut impl LeafVisitor) {
        // Constant conditions: one case is compiled.
        if const { is_written::<A>() && O::FLOWS[0] } {
            self.a.leaves(visitor);
        } else if const { is_written::<A>() } {
            flat(&self.a, visitor);
        }
        if const { is_written::<B>() && O::FLOWS[1] } {
            self.b.leaves(visitor);
        } else if const { is_written::<B>() } {
            flat(&self.b, visitor);
        }
        if const { is_written::<C>() && O::FLOWS[2] } {
            self.c.leaves(visitor);
        } else if const { is_written::<C>() } {
            flat(&self.c, visitor);
        }
    }
    #[inline(always)]
    fn constants<const NEED: u8>(&self, visitor: &mut impl ConstantVisitor) {
        if const { has_constants::<A>() } {
            with_need! { needs::<O, A, B, C>(NEED)[0], OF => self.a.constants::<OF>(visitor) }
        }
        if const { has_constants::<B>() } {
            with_need! { needs::<O, A, B, C>(NEED)[1], OF => self.b.constants::<OF>(visitor) }
        }
        if const { has_constants::<C>() } {
            with_need! { needs::<O, A, B, C>(NEED)[2], OF => self.c.constants::<OF>(visitor) }
        }
    }
    #[inline(always)]
    fn variable_length<const NEED: u8>(&self) -> usize {
        let a = with_need! { needs::<O, A, B, C>(NEED)[0], OF => self.a.variable_length::<OF>() };
        let b = with_need! { needs::<O, A, B, C>(NEED)[1], OF => self.b.variable_length::<OF>() };
        let c = with_need! { needs::<O, A, B, C>(NEED)[2], OF => self.c.variable_length::<OF>() };
        a + b + c
    }
    #[inline(always)]
    fn write<const NEED: u8>(&self, (s, sa, sb, sc): Self::Saves, writer: &mut Writer<'_>) {
        // If writing panics, saved memory leaks.
        let saves = (
            ManuallyDrop::new(s),
            ManuallyDrop::new(sa),
            ManuallyDrop::new(sb),
            ManuallyDrop::new(sc),
        );
        if const { O::BYTES > 0 } {
            self.op.clone().stash(writer);
        }
        if const { is_written::<A>() } {
            let saves = ManuallyDrop::into_inner(saves.1);
            with_need! { needs::<O, A, B, C>(NEED)[0], OF => self.a.write::<OF>(saves, writer) }
        } else {
            drop(ManuallyDrop::into_inner(saves.1));
        }
        if const { is_written::<B>() } {
            let saves = ManuallyDrop::into_inner(saves.2);
            with_need! { needs::<O, A, B, C>(NEED)[1], OF => self.b.write::<OF>(saves, writer) }
        } else {
            drop(ManuallyDrop::into_inner(saves.2));
        }
        if const { is_written::<C>() } {
            let saves = ManuallyDrop::into_inner(saves.3);
            with_need! { needs::<O, A, B, C>(NEED)[2], OF => self.c.write::<OF>(saves, writer) }
        } else {
            drop(ManuallyDrop::into_inner(saves.3));
        }
        let again = const { again::<O, A::Stored, B::Stored, C::Stored>(Need::of(NEED)) };
        if const { saves_bytes::<O, A, B, C>(NEED) } {
            ManuallyDrop::into_inner(saves.0).write(again, writer);
        } else {
            drop(ManuallyDrop::into_inner(saves.0));
        }
    }
}

const fn needs<O: Rule<A::Kind, B::Kind, C::Kind>, A: Node, B: Node, C: Node>(
    need: u8,
) -> [Need; 4] {
    needs_of::<O, A::Stored, B::Stored, C::Stored>(Need::of(need))
}
const fn saves_bytes<O: Rule<A::Kind, B::Kind, C::Kind>, A: Node, B: Node, C: Node>(
    need: u8,
) -> bool {
    let again = again::<O, A::Stored, B::Stored, C::Stored>(Need::of(need));
    O::Saved::BYTES[again as usize] > 0
}
const fn has_constants<N: Node>() -> bool {
    let [no, value, known] = N::Stored::CONSTANTS;
    no > 0 || value > 0 || known > 0
}
/// Others contain no variables and save nothing.
const fn is_written<N: Node>() -> bool {
    let [no, value, known] = N::Stored::FIXED;
    N::Stored::DYNAMIC || no > 0 || value > 0 || known > 0
}
#[inline(always)]
fn flat<N: Node>(node: &N, visitor: &mut impl LeafVisitor) {
    visitor.flat(1);
    node.leaves(visitor);
    visitor.flat(-1);
}

/// An absent argument.
#[derive(Clone, Copy, Debug)]
pub struct Nil;
impl Sealed for Nil {}
impl Node for Nil {
    type Kind = ();
    type Stored = Nil;
    type Value<'n> = Nil;
    type Saves = ();
    type Copy<'n> = Nil;
    const QUIET: bool = true;
    #[inline(always)]
    fn copy(&self) -> Nil {
        Nil
    }
    #[inline(always)]
    fn evaluate(&self) -> (Nil, ()) {
        (Nil, ())
    }
    type Ready<'n> = Nil;
    #[inline(always)]
    fn push<const N: usize>(&self) -> (Nil, NodeTangents<'_, (), N>) {
        (Nil, NodeTangents::Zero)
    }
    #[inline(always)]
    fn leaves(&self, _: &mut impl LeafVisitor) {}
    #[inline(always)]
    fn write<const NEED: u8>(&self, (): (), _: &mut Writer<'_>) {}
}
impl Evaluated<()> for Nil {
    #[inline(always)]
    fn arg(&self) {}
    #[inline(always)]
    fn own(self) {}
}
impl Stored for Nil {
    type Kind = ();
    type Pieces = Gather;
    const FORMULA: Formula = Formula::Nil;
    const TREE: &'static Tree = &Tree::Nothing;
    const ACTIVE: bool = false;
    const FIXED: [usize; 3] = [0; 3];
    #[inline(always)]
    fn load<const PIECES: bool, const NEED: u8>(
        _: &mut Reader<'_>,
        _: &mut impl ReadValues,
        _: Option<()>,
    ) -> Self {
        Nil
    }
    #[inline(always)]
    fn value(&self) -> Option<()> {
        Some(())
    }
    fn again(&self, _: &mut impl Sweep, _: &mut Findings) -> Option<()> {
        Some(())
    }
    #[inline(always)]
    fn is_active(&self) -> bool {
        false
    }
    #[inline(always)]
    fn pull<C: Contribution<()>>(&self, _: C, _: &mut impl Sweep) {}
    const ORDER: Order = Order::Second;
    const DESCRIPTION: &'static Description<()> = &Description::leaf::<Self>();
    fn show(&self, _: &[u8], to: &mut dyn ExpressionVisitor) {
        to.passive();
    }
}
impl LeafNode for Nil {}
impl Kind for () {
    type Value = ();
    type Adjoint = ();
    type Policy = crate::kind::index::Linear;
    type Layout = crate::kind::OnePiece;
    type Encoding = crate::kind::Inline;
    type Memory = crate::kind::NoMemory;
    type Batch = crate::kind::OneByOne;
    const NAME: &'static str = "()";
    fn zero_like((): &()) {}
    fn accumulate((): &mut (), (): ()) {}
}
impl crate::kind::Adjoint<()> for () {
    fn unset() {}
    fn is_unset(&self) -> bool {
        true
    }
    fn into_value(self) -> Option<()> {
        Some(())
    }
    fn add(&mut self, (): ()) {}
    fn value_mut(&mut self, _: impl FnOnce()) -> &mut () {
        self
    }
}
impl Contribution<()> for () {
    fn add_to(self, (): &mut ()) {}
    fn materialise(self) {}
}
evaluated! { [] Nil, (); }

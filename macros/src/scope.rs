//! The variables that a statement can read, and bindings before it: called functions, types of their parameters and of
//! receivers.
use crate::statements::{at, is_place};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use std::collections::HashSet;
use syn::{
    Expr, FnArg, Item, Pat, Safety, Signature, Stmt, parse_quote_spanned,
    spanned::Spanned,
    visit::{self, Visit},
};

/// More arguments do not become statements.
const PARAMETERS: usize = 8;

pub(crate) struct Scope {
    names: Vec<String>,
    before: usize,
    lets: Vec<Stmt>,
    count: usize,
    /// Unsafe functions do not implement the traits of functions.
    pub(crate) has_unsafe: bool,
}
pub(crate) struct Outer {
    names: usize,
    before: usize,
    lets: Vec<Stmt>,
}

impl Scope {
    pub(crate) fn of(sig: &Signature) -> Self {
        let mut scope = Scope {
            names: Vec::new(),
            before: 0,
            lets: Vec::new(),
            count: 0,
            has_unsafe: !matches!(sig.safety, Safety::Default),
        };
        for arg in &sig.inputs {
            match arg {
                FnArg::Receiver(_) => scope.names.push("self".into()),
                FnArg::Typed(arg) => scope.bind(&arg.pat),
            }
        }
        scope
    }
    pub(crate) fn open<'p>(&mut self, patterns: impl IntoIterator<Item = &'p Pat>) -> Outer {
        let outer = Outer {
            names: self.names.len(),
            before: self.before,
            lets: std::mem::take(&mut self.lets),
        };
        patterns.into_iter().for_each(|pattern| self.bind(pattern));
        self.begin();
        outer
    }
    pub(crate) fn close(&mut self, outer: Outer) {
        self.names.truncate(outer.names);
        self.before = outer.before;
        self.lets = outer.lets;
    }
    pub(crate) fn begin(&mut self) {
        self.before = self.names.len();
    }
    pub(crate) fn lets(&mut self) -> impl Iterator<Item = Stmt> + use<> {
        std::mem::take(&mut self.lets).into_iter()
    }
    pub(crate) fn bind(&mut self, pattern: &Pat) {
        Bound(&mut self.names).visit_pat(pattern);
    }
    pub(crate) fn names(&self) -> usize {
        self.names.len()
    }
    pub(crate) fn forget(&mut self, after: usize) {
        self.names.truncate(after);
    }

    /// Binds the types of a function's parameters, if it is known before the statement. An item is called by its
    /// binding, so that the call determines its generic parameters.
    pub(crate) fn function(
        &mut self,
        function: &mut Expr,
        arguments: usize,
        krate: &TokenStream,
    ) -> Option<TokenStream> {
        if arguments > PARAMETERS || self.has_unsafe {
            return None;
        }
        let span = function.span();
        let parameters = format_ident!("parameters_{arguments}", span = span);
        let krate = at(krate, span);
        let bound = match function {
            Expr::Path(_) => match self.is_local(function) {
                true => self
                    .is_known(function)
                    .then(|| quote_spanned!(span=> &#function))?,
                false => {
                    let item = self.name("function", span);
                    self.lets
                        .push(parse_quote_spanned!(span=> let #item = &#function;));
                    *function = parse_quote_spanned!(span=> #item);
                    quote_spanned!(span=> #item)
                }
            },
            Expr::Paren(inner) if matches!(*inner.expr, Expr::Field(_)) => {
                let place = &inner.expr;
                self.is_known(place)
                    .then(|| quote_spanned!(span=> &#place))?
            }
            _ => return None,
        };
        let name = self.name("parameters", span);
        self.lets.push(
            parse_quote_spanned!(span=> let #name = #krate::mode::statement::#parameters(#bound);),
        );
        Some(quote_spanned!(span=> #name))
    }
    /// Binds the type of a method's receiver, if it is known before the statement, or is the result of a call.
    pub(crate) fn receiver(
        &mut self,
        receiver: &mut Expr,
        krate: &TokenStream,
    ) -> Option<TokenStream> {
        let is_call = matches!(receiver, Expr::Call(_) | Expr::Try(_));
        if !(is_call || is_place(receiver) && self.is_known(receiver)) {
            return None;
        }
        let span = receiver.span();
        let (name, krate) = (self.name("receiver", span), at(krate, span));
        if is_call {
            self.lets.push(parse_quote_spanned! {span=>
                let #name = #krate::mode::statement::called();
            });
            *receiver = parse_quote_spanned!(span=> #name.is(#receiver));
            return Some(quote_spanned!(span=> #name.side()));
        }
        self.lets.push(parse_quote_spanned! {span=>
            let #name = #krate::mode::statement::receiver(|| &#receiver).side();
        });
        Some(quote_spanned!(span=> #name))
    }
    pub(crate) fn is_local(&self, function: &Expr) -> bool {
        match function {
            Expr::Path(path) => (path.path.get_ident())
                .is_some_and(|name| self.names.iter().any(|local| name == local)),
            _ => true,
        }
    }
    fn name(&mut self, of: &str, span: Span) -> Ident {
        self.count += 1;
        let span = Span::mixed_site().located_at(span);
        format_ident!("__{of}{}", self.count, span = span)
    }
    /// Whether a value exists before the statement, and is read without a call.
    fn is_known(&self, place: &Expr) -> bool {
        let mut reads = Reads::default();
        reads.visit_expr(place);
        let within = &self.names[self.before..];
        !reads.calls && !within.iter().any(|name| reads.names.contains(name))
    }
}

struct Bound<'n>(&'n mut Vec<String>);
impl<'ast> Visit<'ast> for Bound<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.push(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
    fn visit_expr(&mut self, _: &'ast Expr) {}
}
#[derive(Default)]
struct Reads {
    names: HashSet<String>,
    calls: bool,
}
impl<'ast> Visit<'ast> for Reads {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.names.insert(ident.to_string());
    }
    fn visit_expr_call(&mut self, _: &'ast syn::ExprCall) {
        self.calls = true;
    }
    fn visit_expr_method_call(&mut self, _: &'ast syn::ExprMethodCall) {
        self.calls = true;
    }
    fn visit_macro(&mut self, _: &'ast syn::Macro) {
        self.calls = true;
    }
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {
        self.calls = true;
    }
    fn visit_item(&mut self, _: &'ast Item) {}
}

//! The body of a `#[function]`: a stored expression becomes a statement.
//!
//! The syntax determines what is stored, and the type whether it is an expression: `KeptValue(value).end()` evaluates
//! an expression and passes other values through (`mode::statement` of core).
//!
//! Arguments of ordinary calls are stored, too. A `let` before the statement binds the type of the parameter (`scope.rs`), which
//! decides together with the type of the argument.
use crate::{modes::Fill, names::lists, scope::Scope};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    BinOp, Block, Expr, ExprCall, ExprClosure, ExprIf, ExprMethodCall, ExprStruct, Item, Local,
    Macro, Pat, ReturnType, Signature, Stmt, Token, Type, UnOp,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

pub(crate) fn rewrite(body: &mut Block, sig: &Signature, mode: &Ident, krate: &TokenStream) {
    Fill(mode).visit_block_mut(body);
    Grouped.visit_block_mut(body);
    let mut statements = Statements {
        krate,
        mode,
        any: false,
        scope: Scope::of(sig),
    };
    statements.block(body, Kept::as_output(&sig.output));
    if statements.any {
        let import: Stmt = syn::parse_quote! {
            #[allow(unused_imports)]
            use #krate::mode::statement::{
                Built as _, End as _, EndArgument as _, PassArgument as _, Side as _,
            };
        };
        body.stmts.insert(0, import);
    }
}

/// Adds the parentheses of tokens that `macro_rules` passes as one expression.
struct Grouped;
impl VisitMut for Grouped {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::Group(group) = expr {
            let inner = std::mem::replace(&mut *group.expr, Expr::Verbatim(TokenStream::new()));
            *expr = match inner {
                Expr::Path(_) | Expr::Lit(_) | Expr::Call(_) | Expr::MethodCall(_) => inner,
                inner => Expr::Paren(syn::ExprParen {
                    attrs: Vec::new(),
                    paren_token: syn::token::Paren(Span::mixed_site().located_at(inner.span())),
                    expr: Box::new(inner),
                }),
            };
        }
    }
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

#[derive(Clone, Copy, PartialEq)]
enum Kept {
    /// Not stored: the value is `()`, or dropped.
    No,
    /// Stored, and possibly an expression.
    Yes,
    /// Stored as an explicit type other than a variable.
    Plain,
    /// Passed on as an expression.
    Formula,
}
impl Kept {
    fn as_type(ty: &Type) -> Self {
        match ty {
            Type::Path(path) if path.qself.is_none() => {
                let last = path.path.segments.last();
                match last.is_some_and(|s| lists(PLAIN, &s.ident)) {
                    true => Kept::Plain,
                    false => Kept::Yes,
                }
            }
            Type::Path(_) | Type::Infer(_) | Type::Macro(_) | Type::Group(_) => Kept::Yes,
            Type::Paren(ty) => Kept::as_type(&ty.elem),
            Type::Tuple(ty) if ty.elems.is_empty() => Kept::No,
            _ => Kept::Plain,
        }
    }
    fn as_output(output: &ReturnType) -> Self {
        match output {
            ReturnType::Default => Kept::No,
            ReturnType::Type(_, ty) => Kept::as_type(ty),
        }
    }
}
const PLAIN: &str = "f64 f32 usize u64 u32 u16 u8 u128 isize i64 i32 i16 i8 i128 bool char String Vec Option \
    Result Box Rc Arc HashMap";

/// Methods whose result type is inferred from its use.
const INFERRED: &str = "collect into try_into parse unzip unwrap_or_default default from eval value clone to_vec \
    to_owned len is_empty iter iter_mut into_iter push pop insert extend fill assign update \
    passive new";
const OPENED: &str =
    "unwrap expect unwrap_or unwrap_or_else ok map_err ok_or ok_or_else unwrap_unchecked";
const KEEPING: &str = "push push_back push_front insert fill resize unwrap_or replace";
const ITERATING: &str = "iter iter_mut into_iter zip enumerate windows chunks chunks_exact filter filter_map \
    flat_map copied cloned drain values";

struct Statements<'f> {
    krate: &'f TokenStream,
    mode: &'f Ident,
    any: bool,
    scope: Scope,
}

impl Statements<'_> {
    fn keep(&mut self, expr: &mut Expr, kept: Kept) {
        match expr {
            Expr::Paren(inner) => self.keep(&mut inner.expr, kept),
            Expr::Group(inner) => self.keep(&mut inner.expr, kept),
            Expr::Reference(inner) if !is_place(&inner.expr) => {
                self.keep(&mut inner.expr, Kept::Yes);
            }
            Expr::Block(inner) if kept == Kept::Formula => self.block(&mut inner.block, kept),
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Unsafe(_) => {
                let kept = match kept {
                    Kept::Formula => Kept::Yes,
                    kept => kept,
                };
                self.branches(expr, kept);
            }
            _ => {
                self.visit_expr_mut(expr);
                if may_be_expression(expr, kept) {
                    self.statement(expr);
                }
            }
        }
    }
    fn keep_all<P>(&mut self, all: &mut Punctuated<Expr, P>) {
        all.iter_mut().for_each(|e| self.keep(e, Kept::Yes));
    }
    fn statement(&mut self, expr: &mut Expr) {
        self.wrap(
            expr,
            "end",
            |krate, span| syn::parse_quote_spanned!(span=> #krate::mode::statement::KeptValue()),
        );
    }
    fn argument(&mut self, expr: &mut Expr, of: &TokenStream) {
        self.wrap(expr, "pass", |krate, span| {
            syn::parse_quote_spanned!(span=> #krate::mode::statement::KeptArgument::new(#of))
        });
    }
    /// Makes an expression the first argument of a call, and calls a method on the result. The call begins and ends
    /// with the user's expression, because the tape reports its line, and the compiler its span.
    fn wrap(
        &mut self,
        expr: &mut Expr,
        method: &str,
        call: impl FnOnce(TokenStream, Span) -> ExprCall,
    ) {
        self.any = true;
        let (first, last) = ends(expr);
        let value = std::mem::replace(expr, Expr::Verbatim(TokenStream::new()));
        let mut call = call(at(self.krate, first), first);
        call.args.insert(0, value);
        *expr = Expr::MethodCall(ExprMethodCall {
            attrs: Vec::new(),
            receiver: Box::new(Expr::Call(call)),
            dot_token: Token![.](first),
            method: Ident::new(method, first),
            turbofish: None,
            paren_token: syn::token::Paren(last),
            args: Punctuated::new(),
        });
    }

    fn block(&mut self, block: &mut Block, kept: Kept) {
        let outer = self.scope.open([]);
        let last = block.stmts.len().saturating_sub(1);
        for (i, mut stmt) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
            self.scope.begin();
            if let Stmt::Macro(call) = &stmt
                && call.semi_token.is_none()
                && builds(&call.mac)
            {
                let (attrs, mac) = (call.attrs.clone(), call.mac.clone());
                stmt = Stmt::Expr(Expr::Macro(syn::ExprMacro { attrs, mac }), None);
            }
            match &mut stmt {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(value, None) if i == last => self.keep(value, kept),
                Stmt::Expr(expr, _) => self.keep(expr, Kept::No),
                Stmt::Macro(call) => self.visit_macro_mut(&mut call.mac),
                Stmt::Item(_) => {}
            }
            block.stmts.extend(self.scope.lets());
            block.stmts.push(stmt);
        }
        self.scope.close(outer);
    }
    /// A part of an expression that has variables of its own: a closure or an arm.
    fn inner<'p>(
        &mut self,
        patterns: impl IntoIterator<Item = &'p Pat>,
        expr: &mut Expr,
        kept: Kept,
    ) {
        let outer = self.scope.open(patterns);
        self.keep(expr, kept);
        let lets: Vec<Stmt> = self.scope.lets().collect();
        if !lets.is_empty() {
            *expr = syn::parse_quote!({ #(#lets)* #expr });
        }
        self.scope.close(outer);
    }
    fn local(&mut self, local: &mut Local) {
        let Some(init) = &mut local.init else {
            return;
        };
        let kept = match &local.pat {
            Pat::Type(pattern) => Kept::as_type(&pattern.ty),
            _ => Kept::Yes,
        };
        self.keep(&mut init.expr, kept);
        if let Some((_, diverging)) = &mut init.diverge {
            self.keep(diverging, Kept::No);
        }
        self.scope.bind(&local.pat);
    }
    fn condition(&mut self, branch: &mut ExprIf, kept: Kept) {
        let outer = self.scope.names();
        self.visit_expr_mut(&mut branch.cond);
        self.block(&mut branch.then_branch, kept);
        self.scope.forget(outer);
    }
    fn branches(&mut self, expr: &mut Expr, kept: Kept) {
        match expr {
            Expr::If(branch) => {
                let kept = match &branch.else_branch {
                    Some(_) => kept,
                    None => Kept::No,
                };
                self.condition(branch, kept);
                if let Some((_, other)) = &mut branch.else_branch {
                    self.branches(other, kept);
                }
            }
            Expr::Match(choice) => {
                match may_be_expression(&choice.expr, Kept::Plain) {
                    true => self.keep(&mut choice.expr, Kept::Yes),
                    false => self.visit_expr_mut(&mut choice.expr),
                }
                for arm in &mut choice.arms {
                    let outer = self.scope.names();
                    self.scope.bind(&arm.pat);
                    self.visit_pat_mut(&mut arm.pat); // it may have a guard
                    self.scope.forget(outer);
                    self.inner([&arm.pat], &mut arm.body, kept);
                }
            }
            Expr::Block(inner) => self.block(&mut inner.block, kept),
            Expr::Unsafe(inner) => {
                let outer = std::mem::replace(&mut self.scope.has_unsafe, true);
                self.block(&mut inner.block, kept);
                self.scope.has_unsafe = outer;
            }
            other => self.visit_expr_mut(other),
        }
    }
    /// Stores the value, unless the caller of the closure takes an expression.
    fn closure(&mut self, closure: &mut ExprClosure, formula: bool) {
        let kept = match &closure.output {
            ReturnType::Default if formula => Kept::Formula,
            ReturnType::Default => Kept::Yes,
            output => Kept::as_output(output),
        };
        self.inner(&closure.inputs, &mut closure.body, kept);
    }
    fn method_call(&mut self, call: &mut ExprMethodCall) {
        let name = call.method.to_string();
        let name = name.as_str();
        match &mut *call.receiver {
            // `map(closure).sum()` is a sum of expressions.
            Expr::MethodCall(map) if name == "sum" || name == "product" => {
                self.visit_expr_mut(&mut map.receiver);
                self.arguments(&mut map.args, map.method == "map");
            }
            receiver => self.visit_expr_mut(receiver),
        }
        if matches!(&*call.receiver, Expr::Macro(built) if builds(&built.mac)) {
            let mode = self.mode;
            self.wrap(&mut call.receiver, "built", |krate, span| {
                syn::parse_quote_spanned!(span=> #krate::mode::statement::KeptBuilder::<_, #mode>::new())
            });
        }
        if lists(KEEPING, name) {
            return self.keep_all(&mut call.args);
        }
        let any = self.arguments(&mut call.args, name == "update");
        if any && let Some(of) = self.scope.receiver(&mut call.receiver, self.krate) {
            self.expressions(&mut call.args, |_| of.clone());
        }
    }
    fn call(&mut self, call: &mut ExprCall) {
        self.visit_expr_mut(&mut call.func);
        let any = self.arguments(&mut call.args, false);
        let n = call.args.len();
        if any {
            if call.args.iter().any(is_open) && !self.scope.is_local(&call.func) {
                let krate = self.krate;
                let of = quote!(#krate::mode::statement::OfUser);
                self.expressions(&mut call.args, |_| of.clone());
            } else if let Some(of) = self.scope.function(&mut call.func, n, self.krate) {
                self.expressions(&mut call.args, |i| {
                    let i = syn::Index::from(i);
                    quote!(#of.#i)
                });
            }
        }
    }
    /// Rewrites arguments, whose closures return expressions if `formulas`, and stores referents. Returns whether an
    /// argument may be an expression.
    fn arguments(&mut self, args: &mut Punctuated<Expr, Token![,]>, formulas: bool) -> bool {
        let mut any = false;
        for arg in args {
            match arg {
                Expr::Closure(closure) => self.closure(closure, formulas),
                Expr::Reference(_) => self.keep(arg, Kept::Yes),
                arg => {
                    self.visit_expr_mut(arg);
                    any |= may_be_expression(arg, Kept::Yes);
                }
            }
        }
        any
    }
    fn literal(&mut self, literal: &mut ExprStruct) {
        let fields = literal.fields.iter_mut();
        let fields = fields.filter(|f| f.colon_token.is_some());
        fields.for_each(|f| self.keep(&mut f.expr, Kept::Yes));
        literal.rest.iter_mut().for_each(|e| self.visit_expr_mut(e));
    }
    /// Ends the expressions of arguments, depending on parameters.
    fn expressions(
        &mut self,
        args: &mut Punctuated<Expr, Token![,]>,
        of: impl Fn(usize) -> TokenStream,
    ) {
        for (i, arg) in args.iter_mut().enumerate() {
            if may_be_expression(arg, Kept::Yes) {
                self.argument(arg, &of(i));
            }
        }
    }
}

impl VisitMut for Statements<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Assign(assign) => {
                self.visit_expr_mut(&mut assign.left);
                self.keep(&mut assign.right, Kept::Yes);
            }
            Expr::Return(syn::ExprReturn { expr: value, .. })
            | Expr::Break(syn::ExprBreak { expr: value, .. }) => {
                value
                    .iter_mut()
                    .for_each(|value| self.keep(value, Kept::Yes));
            }
            Expr::Tuple(tuple) => self.keep_all(&mut tuple.elems),
            Expr::Array(array) => self.keep_all(&mut array.elems),
            Expr::Repeat(repeat) => self.keep(&mut repeat.expr, Kept::Yes),
            Expr::Struct(literal) => self.literal(literal),
            Expr::Call(call) if constructs(&call.func) => self.keep_all(&mut call.args),
            Expr::Call(call) if called(&call.func).is_some_and(|name| name == "list_of") => {
                self.items(&mut call.args);
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => {
                self.method_call(call);
                if call.method == "assign" && call.args.len() == 1 && has_index(&call.receiver) {
                    let right = &mut call.args[0];
                    let name = Ident::new("__right", right.span());
                    let right = std::mem::replace(right, syn::parse_quote!(#name));
                    *expr = right_first(&right, &name, call);
                }
            }
            Expr::Let(binding) => {
                self.visit_expr_mut(&mut binding.expr);
                self.scope.bind(&binding.pat);
            }
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Unsafe(_) => {
                self.branches(expr, Kept::Yes);
            }
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => self.repeated(expr),
            Expr::Closure(closure) => self.closure(closure, false),
            Expr::Binary(binary) if is_compound(&binary.op) => {
                visit_mut::visit_expr_binary_mut(self, binary);
                if has_index(&binary.left) {
                    let name = Ident::new("__right", binary.right.span());
                    let right = std::mem::replace(&mut *binary.right, syn::parse_quote!(#name));
                    *expr = right_first(&right, &name, binary);
                }
            }
            Expr::Const(_) | Expr::Async(_) => {}
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }
    fn visit_macro_mut(&mut self, call: &mut Macro) {
        if builds(call) {
            let rows = |input: ParseStream| Punctuated::<Row, Token![;]>::parse_terminated(input);
            if let Ok(mut rows) = call.parse_body_with(rows) {
                for value in rows.iter_mut().flat_map(|row| &mut row.0) {
                    Fill(self.mode).visit_expr_mut(value);
                    self.visit_expr_mut(value);
                }
                call.tokens = rows.into_token_stream();
            }
            return;
        }
        if call.path.segments.last().is_none_or(|s| s.ident != "vec") {
            return;
        }
        if let Ok(mut elements) = call.parse_body::<Elements>() {
            for value in &mut elements.values {
                Fill(self.mode).visit_expr_mut(value);
                self.keep(value, Kept::Yes);
            }
            call.tokens = elements.into_token_stream();
        }
    }
    fn visit_item_mut(&mut self, _: &mut Item) {}
}
impl Statements<'_> {
    fn repeated(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Loop(repeated) => self.block(&mut repeated.body, Kept::No),
            Expr::While(repeated) => {
                let outer = self.scope.names();
                self.visit_expr_mut(&mut repeated.cond);
                self.block(&mut repeated.body, Kept::No);
                self.scope.forget(outer);
            }
            Expr::ForLoop(repeated) => {
                self.visit_expr_mut(&mut repeated.expr);
                let outer = self.scope.names();
                self.scope.bind(&repeated.pat);
                self.block(&mut repeated.body, Kept::No);
                self.scope.forget(outer);
            }
            _ => {}
        }
    }
    fn items(&mut self, args: &mut Punctuated<Expr, Token![,]>) {
        for arg in args {
            match arg {
                Expr::MethodCall(map) if map.method == "map" => {
                    self.visit_expr_mut(&mut map.receiver);
                    self.arguments(&mut map.args, true);
                }
                arg => self.visit_expr_mut(arg),
            }
        }
    }
}

/// `v[i] += w * v[j]`, `v[i].assign(w * v.at(j))`: the right side, `name` in `write`, is read before the place is
/// borrowed.
fn right_first(right: &Expr, name: &Ident, write: &impl ToTokens) -> Expr {
    let of_macro = Span::mixed_site().located_at(right.span());
    let braces = quote!(#name => #write);
    let choice = quote::quote_spanned!(of_macro=> match #right { #braces });
    syn::parse2(choice).unwrap_or_else(|error| Expr::Verbatim(error.to_compile_error()))
}

fn ends(expr: &Expr) -> (Span, Span) {
    let last = expr.to_token_stream().into_iter().last();
    let last = last.map(|token| match token {
        TokenTree::Group(group) => group.span_close(),
        token => token.span(),
    });
    let first = expr.span();
    (first, last.unwrap_or(first))
}
/// The tokens at a position, because the beginning of a path is the beginning of its expression.
pub(crate) fn at(tokens: &TokenStream, span: Span) -> TokenStream {
    let tokens = tokens.clone().into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    tokens.collect()
}

struct Elements {
    values: Punctuated<Expr, Token![,]>,
    times: Option<(Token![;], Expr)>,
}
impl Parse for Elements {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let Row(values) = input.parse()?;
        let times = match input.peek(Token![;]) {
            true => Some((input.parse()?, input.parse()?)),
            false => None,
        };
        Ok(Elements { values, times })
    }
}
struct Row(Punctuated<Expr, Token![,]>);
impl Parse for Row {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut values = Punctuated::new();
        while !input.is_empty() && !input.peek(Token![;]) {
            values.push_value(input.parse()?);
            if input.is_empty() || input.peek(Token![;]) {
                break;
            }
            values.push_punct(input.parse()?);
        }
        Ok(Row(values))
    }
}
impl ToTokens for Row {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}
impl ToTokens for Elements {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.values.to_tokens(tokens);
        if let Some((semi, times)) = &self.times {
            semi.to_tokens(tokens);
            times.to_tokens(tokens);
        }
    }
}

/// Macros that build an entity from elements within one statement.
const BUILDING: &str = "vector matrix dvector dmatrix array";
fn builds(call: &Macro) -> bool {
    let last = call.path.segments.last();
    last.is_some_and(|s| lists(BUILDING, &s.ident))
}

/// Whether a stored value may be an expression, judged by its form: not variables, parts of values, literals and
/// references.
fn may_be_expression(expr: &Expr, kept: Kept) -> bool {
    if matches!(kept, Kept::No | Kept::Formula) {
        return false;
    }
    match expr {
        Expr::Binary(binary) => is_arithmetic(&binary.op) && !is_number(expr),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && !is_number(expr),
        Expr::MethodCall(_) | Expr::Try(_) => kept == Kept::Yes && !is_inferred(expr),
        Expr::Call(call) => kept == Kept::Yes && !constructs(&call.func) && !is_inferred(expr),
        Expr::Macro(call) => builds(&call.mac),
        _ => false,
    }
}
fn is_inferred(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            let name = name.as_str();
            match name {
                "sum" | "product" => call.turbofish.is_some() || is_iterator(&call.receiver),
                _ if lists(OPENED, name) => is_inferred(&call.receiver),
                _ => lists(INFERRED, name),
            }
        }
        Expr::Call(call) => called(&call.func).is_some_and(|name| lists(INFERRED, name)),
        Expr::Try(inner) => is_inferred(&inner.expr),
        Expr::Paren(inner) => is_inferred(&inner.expr),
        _ => false,
    }
}
fn is_iterator(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => {
            let maps = call.method == "map" && matches!(call.args.first(), Some(Expr::Closure(_)));
            let iterates = lists(ITERATING, &call.method);
            maps || iterates || is_iterator(&call.receiver)
        }
        Expr::Paren(inner) => is_iterator(&inner.expr),
        Expr::Range(_) => true,
        _ => false,
    }
}
fn constructs(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let segments = &path.path.segments;
    segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.starts_with(char::is_uppercase) || name == "new" && segments.len() > 1
    })
}
fn called(function: &Expr) -> Option<&Ident> {
    let Expr::Path(path) = function else {
        return None;
    };
    path.path.segments.last().map(|s| &s.ident)
}
/// Whether a closure's parameter is inferred, from the function in the call and not from a binding.
fn is_open(expr: &Expr) -> bool {
    let Expr::Closure(closure) = expr else {
        return false;
    };
    closure.inputs.iter().any(|p| !matches!(p, Pat::Type(_)))
}
pub(crate) fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Paren(inner) => is_place(&inner.expr),
        _ => false,
    }
}
fn has_index(expr: &Expr) -> bool {
    match expr {
        Expr::Index(_) => true,
        Expr::Field(field) => has_index(&field.base),
        Expr::Paren(inner) => has_index(&inner.expr),
        Expr::Unary(unary) => has_index(&unary.expr),
        _ => false,
    }
}
fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_number(&inner.expr),
        Expr::Unary(unary) => is_number(&unary.expr),
        Expr::Binary(binary) => is_number(&binary.left) && is_number(&binary.right),
        Expr::Cast(_) => true,
        _ => false,
    }
}
fn is_arithmetic(op: &BinOp) -> bool {
    use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Sub};
    matches!(
        op,
        Add(_) | Sub(_) | Mul(_) | Div(_) | Rem(_) | BitAnd(_) | BitOr(_) | BitXor(_)
    )
}
fn is_compound(op: &BinOp) -> bool {
    use BinOp::{AddAssign, DivAssign, MulAssign, RemAssign, SubAssign};
    matches!(
        op,
        AddAssign(_) | SubAssign(_) | MulAssign(_) | DivAssign(_) | RemAssign(_)
    )
}

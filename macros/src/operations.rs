use crate::{
    apply::Receiver,
    errors::Errors,
    index::{Index, is_index},
    model::{Around, Operation, Role, Source},
    op::{generate, strip},
    options::{assigned, assigned_path, each_option},
    receiver::{Implementation, is_op, tokens_of},
};
use proc_macro2::{Group, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, ImplItem, ImplItemFn, ItemImpl, Meta, Path, Type, Visibility, parse_quote};

#[derive(Default)]
struct Options {
    ext: Option<(Visibility, Ident)>,
    in_place: bool,
    krate: Option<Path>,
}

fn options(attr: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options::default();
    each_option(attr, errors, |key, input| {
        match key.to_string().as_str() {
            "in_place" => options.in_place = true,
            "ext" => {
                let vis = match assigned(input)? {
                    Visibility::Inherited => parse_quote!(pub),
                    vis => vis,
                };
                options.ext = Some((vis, input.parse()?));
            }
            "crate" => options.krate = Some(assigned_path(input)?),
            _ => {
                let message = format!(
                    "unknown key `{key}` of `#[operations]`: use `ext = Trait`, `in_place` or `crate = path`"
                );
                return Err(syn::Error::new(key.span(), message));
            }
        }
        Ok(())
    });
    options
}

#[derive(Default)]
struct Members {
    operations: Vec<Operation>,
    indices: Vec<TokenStream>,
    rest: Vec<ImplItem>,
}

/// `samples! { name(..), .. }`: the samples of the functions of a block.
fn samples(item: &ItemImpl, errors: &mut Errors) -> Vec<(Ident, Group)> {
    let mut samples = Vec::new();
    for member in &item.items {
        if let ImplItem::Macro(call) = member
            && call.mac.path.is_ident("samples")
        {
            each_option(call.mac.tokens.clone(), errors, |name, input| {
                samples.push((name, input.parse()?));
                Ok(())
            });
        }
    }
    let is_operation = |name: &Ident| {
        item.items.iter().any(|member| {
            matches!(member, ImplItem::Fn(f) if f.sig.ident == *name && f.attrs.iter().any(is_op))
        })
    };
    for (name, _) in samples.iter().filter(|(name, _)| !is_operation(name)) {
        let message = format!(
            "`{name}` is not an operation of this block: name one of its functions with `#[op]`"
        );
        errors.at(name, message);
    }
    samples
}
fn add_samples(function: &mut ImplItemFn, samples: &[(Ident, Group)]) {
    let own = samples
        .iter()
        .filter(|(name, _)| *name == function.sig.ident);
    let sample = |(name, list): &(Ident, Group)| {
        let key = Ident::new("sample", name.span());
        quote!(#key #list,)
    };
    let mut tokens: TokenStream = own.map(sample).collect();
    let attr = function.attrs.iter_mut().find(|attr| is_op(attr));
    if let Some(attr) = attr.filter(|_| !tokens.is_empty())
        && let (path, Some(keys)) = (attr.path(), tokens_of(attr))
    {
        tokens.extend(keys);
        attr.meta = Meta::List(parse_quote!(#path(#tokens)));
    }
}

fn split(item: &ItemImpl, of: &Implementation, options: &Options, errors: &mut Errors) -> Members {
    let (mut members, samples) = (Members::default(), samples(item, errors));
    for member in &item.items {
        let ImplItem::Fn(function) = member else {
            if !matches!(member, ImplItem::Macro(call) if call.mac.path.is_ident("samples")) {
                members.rest.push(member.clone());
            }
            continue;
        };
        let mut named = function.clone();
        add_samples(&mut named, &samples);
        if options.in_place {
            of.name_arguments(&mut named.attrs, &mut named.sig);
        }
        let Some(attr) = named.attrs.iter().find(|a| is_op(a)) else {
            members.rest.push(member.clone());
            continue;
        };
        let Some(tokens) = tokens_of(attr) else {
            errors.at(attr, "`op` takes a list: write `#[op(..)]`");
            continue;
        };
        if options.in_place && is_index(&tokens, of) {
            let krate = options.krate.as_ref();
            let index = Index::parse(tokens, &named.sig, of, item, krate, errors);
            members.indices.extend(index.map(|index| index.generate()));
        } else {
            let operation = operation(tokens, &named, of, options, errors);
            members.operations.extend(operation);
        }
        if options.in_place {
            let mut function = function.clone();
            function.attrs.retain(|a| !is_op(a));
            strip(&mut function.sig);
            members.rest.push(ImplItem::Fn(function));
        }
    }
    members
}

fn operation(
    tokens: TokenStream,
    function: &ImplItemFn,
    of: &Implementation,
    options: &Options,
    errors: &mut Errors,
) -> Option<Operation> {
    let around = Around {
        ty: &of.kind,
        generics: &of.generics,
        path: &of.path,
        operator: of.operator.as_ref(),
        in_place: options.in_place,
        krate: options.krate.as_ref(),
        ext: options.ext.as_ref().map(|(_, ext)| ext),
    };
    let vis = match (&function.vis, &options.ext) {
        (Visibility::Inherited, Some((vis, _))) => vis.clone(),
        (vis, _) => vis.clone(),
    };
    let ImplItemFn {
        attrs, sig, block, ..
    } = function;
    let source = Source {
        attrs,
        vis: &vis,
        sig,
        body: block,
    };
    let operation = Operation::parse(tokens, source, Some(&around), errors)?;
    check_member(&operation, &of.kind, errors);
    Some(operation)
}

fn check_member(operation: &Operation, kind: &Type, errors: &mut Errors) {
    if !operation.is_member() {
        return;
    }
    match operation.args.first() {
        Some(arg) if arg.ty != *kind || matches!(arg.role, Role::Passive) => errors.at(
            &arg.ident,
            "a method needs an operand: give its first argument the kind `Self`",
        ),
        _ => {}
    }
}

pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    let options = options(attr, &mut errors);
    let item: ItemImpl = syn::parse2(item)?;
    if let (Some((path, _)), false) = (&item.trait_, options.in_place) {
        errors.at(
            path,
            "the functions of a trait remain: write `#[operations(in_place)]`, or remove the trait",
        );
    }
    let of = Implementation::of(&item);
    let Members {
        mut operations,
        indices,
        rest,
    } = split(&item, &of, &options, &mut errors);
    if let (None, Some(member)) = (&options.ext, operations.iter().find(|o| o.is_member())) {
        let message = "operations are called as methods of a trait: name the trait, `#[operations(ext = Trait)]`";
        errors.at(&member.name, message);
    }
    errors.finish()?;

    if let Some(mode) = operations
        .iter()
        .map(|o| &o.mode)
        .find(|m| *m != "M")
        .cloned()
    {
        operations.iter_mut().for_each(|o| o.mode = mode.clone());
    }

    let rules = operations.iter().map(generate);
    let inherent = (!rest.is_empty()).then(|| {
        let mut block = item.clone();
        block
            .attrs
            .retain(|a| options.ext.is_none() || !a.path().is_ident("doc"));
        block.items = rest;
        quote!(#[allow(dead_code)] #block)
    });
    let traits = options.ext.as_ref().map(|(vis, ext)| {
        let members: Vec<_> = operations.iter().filter(|o| o.is_member()).collect();
        let (of_variables, of_operands): (Vec<_>, Vec<_>) = members
            .into_iter()
            .partition(|o| o.args.first().is_some_and(|a| a.is_output()));
        let operands = extension((&item, &of), vis, ext, &of_operands, false);
        let ext_mut = format_ident!("{ext}Mut");
        let variables = extension((&item, &of), vis, &ext_mut, &of_variables, true);
        quote!(#operands #variables)
    });
    Ok(quote!(#inherent #(#rules)* #(#indices)* #traits))
}

fn extension(
    (item, of): (&ItemImpl, &Implementation),
    vis: &Visibility,
    name: &Ident,
    members: &[&Operation],
    variables: bool,
) -> Option<TokenStream> {
    let first = members.first()?;
    let (krate, kind, m) = (&first.krate, &of.kind, &first.mode);
    let mut generics = of.generics.clone();
    generics
        .params
        .insert(0, parse_quote!(#m: #krate::mode::AnyMode));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let params = &generics.params;
    let bound = (!variables)
        .then(|| quote!(: #krate::expr::IntoExpr<#m, Kind = #kind> + ::core::marker::Sized));
    let receiver = || match variables {
        true => Receiver::Variable,
        false => Receiver::Operand,
    };
    let functions: Vec<_> = members.iter().map(|o| o.function(receiver())).collect();
    let about = about(item, kind, members);
    let signatures: Vec<_> = functions.iter().map(|f| &f.signature).collect();
    let (docs, cfgs): (Vec<_>, Vec<_>) = functions.iter().map(|f| (&f.docs, &f.cfgs)).unzip();
    let bodies: Vec<_> = functions.iter().map(|f| &f.body).collect();
    let allow = quote!(#[allow(private_bounds, private_interfaces, unreachable_pub, dead_code, clippy::all)]);
    Some(match variables {
        false => quote! {
            #allow
            #about
            #vis trait #name<#params> #bound #where_clause {
                #(#cfgs #docs #[inline] #[track_caller] #signatures { #bodies })*
            }
            #[allow(private_bounds, private_interfaces)]
            impl<OperandType: #krate::expr::IntoExpr<#m, Kind = #kind>, #params> #name #ty_generics for OperandType #where_clause {}
        },
        true => quote! {
            #allow
            #about
            #vis trait #name<#params> #where_clause { #(#cfgs #docs #[track_caller] #signatures;)* }
            #[allow(private_bounds, private_interfaces, clippy::all)]
            impl #impl_generics #name #ty_generics for #krate::expr::Active<#kind, #m> #where_clause {
                #(#cfgs #[inline] #[track_caller] #signatures { #bodies })*
            }
        },
    })
}

/// The documentation of a trait: the block's, or the names of its members.
fn about(item: &ItemImpl, kind: &Type, members: &[&Operation]) -> TokenStream {
    let mut comment = item
        .attrs
        .iter()
        .filter(|a| a.path().is_ident("doc"))
        .peekable();
    if comment.peek().is_some() {
        return quote!(#(#comment)*);
    }
    let names: Vec<_> = members.iter().map(|o| format!("`{}`", o.name)).collect();
    let last = match kind {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    };
    let kind = last.unwrap_or_else(|| quote!(#kind).to_string());
    let title = format!("Operations of `{kind}` as methods: {}.", names.join(", "));
    quote!(#[doc = #title])
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, MetaNameValue};

    fn text(attrs: &[Attribute]) -> String {
        let lines = attrs.iter().filter_map(|a| match &a.meta {
            Meta::NameValue(MetaNameValue {
                value:
                    Expr::Lit(ExprLit {
                        lit: Lit::Str(s), ..
                    }),
                ..
            }) => Some(s.value()),
            _ => None,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn samples_of_a_block_are_options_of_its_functions() {
        let code = |key: TokenStream, last: TokenStream| {
            let f = quote!(
                #[op(#key linear)]
                fn f(#[ad_in(r_b)] p: Self) -> Self {
                    p
                }
            );
            let block = quote!(impl Point { #f fn plain() {} #last });
            let code = expand(quote!(ext = PointOps, crate = core), block);
            code.map_or_else(|error| error.to_string(), |code| code.to_string())
        };
        let at_end = |name| quote!(samples! { #name(p = Point(1.0)) });
        let expected = code(quote!(sample(p = Point(1.0)),), quote!());
        assert!(expected.contains("Point (1.0)"), "{expected}");
        assert_eq!(code(quote!(), at_end(quote!(f))), expected);
        let message = code(quote!(), at_end(quote!(plain)));
        assert!(
            message.contains("`plain` is not an operation of this block"),
            "{message}"
        );
    }

    #[test]
    fn comments_of_blocks_and_functions_reach_traits_and_structs() {
        let block = quote! {
            /// Geometry.
            impl Point {
                /// Farther away.
                ///
                /// An example.
                #[op]
                fn farther(#[ad_in(r_b)] p: Self) -> Self { p }
                fn plain() {}
            }
        };
        let code = expand(quote!(ext = PointOps, crate = core), block).expect("a valid block");
        let file: syn::File = syn::parse2(code).expect("items");
        let (mut traits, mut structs, mut inherent) = (Vec::new(), Vec::new(), Vec::new());
        for item in &file.items {
            match item {
                Item::Trait(item) => traits.push(text(&item.attrs)),
                Item::Struct(item) => structs.push(text(&item.attrs)),
                Item::Impl(item) if item.trait_.is_none() => inherent.push(text(&item.attrs)),
                _ => {}
            }
        }
        assert_eq!(traits, [" Geometry."]);
        assert_eq!(
            structs,
            [
                " Farther away.\n\nThe operation of [`PointOps::farther`]: its rule, and what a statement keeps of it."
            ]
        );
        assert_eq!(inherent, [""]);
    }
}

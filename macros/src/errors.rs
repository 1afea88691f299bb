use crate::names::RECEIVER;
use quote::ToTokens;
use std::fmt::Display;

#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        let message = message.to_string().replace(RECEIVER, "self");
        self.push(syn::Error::new_spanned(tokens, message));
    }
    /// Reports the lack of what would be `Some`.
    pub(crate) fn none<T>(&mut self, tokens: impl ToTokens, message: impl Display) -> Option<T> {
        self.at(tokens, message);
        None
    }
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }
    pub(crate) fn finish(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

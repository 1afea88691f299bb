//! Sums and differences, products with numbers, products and quotients element by element.
use crate::{Dense, Number, Sizes, Times, kernels::dot, shapes};
use entape_core::{op, operations};
use nalgebra::{DefaultAllocator, Dim};

#[op(Add)]
fn add<T: Number, R: Dim, C: Dim>(
    #[ad_in(r_b)] a: &Dense<T, R, C>,
    #[ad_in(r_b)] b: &Dense<T, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    shapes::same("a + b", a.shape(), b.shape());
    a.zip_map(b, |a, b| a + b)
}
#[op(Sub)]
fn sub<T: Number, R: Dim, C: Dim>(
    #[ad_in(r_b)] a: &Dense<T, R, C>,
    #[ad_in(Times(-T::one(), r_b))] b: &Dense<T, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    shapes::same("a - b", a.shape(), b.shape());
    a.zip_map(b, |a, b| a - b)
}
#[op(Neg)]
fn neg<T: Number, R: Dim, C: Dim>(
    #[ad_in(Times(-T::one(), r_b))] a: &Dense<T, R, C>,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    a.map(|a| -a)
}
#[op(Mul)]
fn scale<T: Number, R: Dim, C: Dim>(
    #[ad_in(Times(s, r_b))] a: &Dense<T, R, C>,
    #[ad_in(dot(r_b.as_slice(), a.as_slice()))] s: T,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    a.map(|a| a * s)
}
#[op(Div)]
fn div<T: Number, R: Dim, C: Dim>(
    #[ad_in(Times(T::one() / s, r_b))] a: &Dense<T, R, C>,
    #[ad_in(-dot(r_b.as_slice(), a.as_slice()) / (s * s))] s: T,
) -> &Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    a.map(|a| a / s)
}
/// A number in front, of each type: the rules of foreign operations name their first argument.
macro_rules! number_first { ($($name:ident $T:ident;)*) => { $(
    #[op(Mul)]
    fn $name<R: Dim, C: Dim>(
        #[ad_in(dot(r_b.as_slice(), a.as_slice()))] s: $T,
        #[ad_in(Times(s, r_b))] a: &Dense<$T, R, C>,
    ) -> &Dense<$T, R, C>
    where
        DefaultAllocator: Sizes<$T, R, C>,
    {
        a.map(|a| s * a)
    }
)* } }
number_first! { f64_times f64; f32_times f32; }

#[operations(ext = ComponentOps)]
impl<T: Number, R: Dim, C: Dim> Dense<T, R, C>
where
    DefaultAllocator: Sizes<T, R, C>,
{
    /// The product, element by element.
    ///
    /// # Panics
    /// If the shapes differ.
    #[op]
    fn component_mul(
        #[ad_in(r_b.component_mul(b))] a: &Self,
        #[ad_in(r_b.component_mul(a))] b: &Self,
    ) -> &Self {
        shapes::same("a.component_mul(b)", a.shape(), b.shape());
        a.zip_map(b, |a, b| a * b)
    }
    /// The quotient, element by element.
    ///
    /// # Panics
    /// If the shapes differ.
    #[op]
    fn component_div(
        #[ad_in(r_b.component_div(b))] a: &Self,
        #[ad_in(r_b.zip_zip_map(r, b, |r_b, r, b| -r_b * r / b))] b: &Self,
    ) -> &Self {
        shapes::same("a.component_div(b)", a.shape(), b.shape());
        a.zip_map(b, |a, b| a / b)
    }
    /// The matrix with `s` added to every element.
    #[op]
    fn add_scalar(#[ad_in(r_b)] a: &Self, #[ad_in(r_b.sum())] s: T) -> &Self {
        a.map(|a| a + s)
    }
}

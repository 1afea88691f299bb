//! `candle-core` in f64 on the CPU.
use super::Tensors;
use candle_core::{Device, Tensor, Var, backprop::GradStore};
use std::ops::Range;

pub(crate) struct Candle;
const FITS: &str = "shapes fit";

impl Tensors for Candle {
    type Tensor = Tensor;
    type Gradients = GradStore;
    fn new() -> Self {
        Candle
    }
    fn input(&self, values: &[f64], shape: (usize, usize)) -> Tensor {
        let variable = Var::from_slice(values, shape, &Device::Cpu).expect(FITS);
        variable.as_tensor().clone()
    }
    fn constant(&self, values: &[f64], shape: (usize, usize)) -> Tensor {
        Tensor::from_slice(values, shape, &Device::Cpu).expect(FITS)
    }
    fn add(a: &Tensor, b: &Tensor) -> Tensor {
        (a + b).expect(FITS)
    }
    fn sub(a: &Tensor, b: &Tensor) -> Tensor {
        (a - b).expect(FITS)
    }
    fn mul(a: &Tensor, b: &Tensor) -> Tensor {
        (a * b).expect(FITS)
    }
    fn times(number: &Tensor, a: &Tensor) -> Tensor {
        a.broadcast_mul(number).expect(FITS)
    }
    fn scale(a: &Tensor, by: f64) -> Tensor {
        (a * by).expect(FITS)
    }
    fn matmul(a: &Tensor, b: &Tensor) -> Tensor {
        a.matmul(b).expect(FITS)
    }
    fn transpose(a: &Tensor) -> Tensor {
        a.t().expect(FITS)
    }
    fn sum(a: &Tensor) -> Tensor {
        a.sum_all().expect(FITS)
    }
    fn part(a: &Tensor, rows: Range<usize>, cols: Range<usize>) -> Tensor {
        let rows = a.narrow(0, rows.start, rows.len()).expect(FITS);
        rows.narrow(1, cols.start, cols.len()).expect(FITS)
    }
    fn framed(a: &Tensor) -> Tensor {
        let rows = a.pad_with_zeros(0, 1, 1).expect(FITS);
        rows.pad_with_zeros(1, 1, 1).expect(FITS)
    }
    fn upwind(x: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        let mask = x.ge(0.0).expect(FITS);
        mask.where_cond(a, b).expect(FITS)
    }
    fn value(a: &Tensor) -> f64 {
        a.to_scalar().expect("one number")
    }
    fn backward(output: &Tensor) -> GradStore {
        output.backward().expect("operations with a gradient")
    }
    fn gradient(gradients: &GradStore, input: &Tensor) -> Vec<f64> {
        let gradient = gradients.get(input).expect("an input of the output");
        let flat = gradient.flatten_all().expect(FITS);
        flat.to_vec1().expect("numbers of 8 bytes")
    }
}

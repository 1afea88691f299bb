//! `burn` in f64 with its flex backend.
use super::Tensors;
use burn::tensor::{DType, Device, Gradients, Tensor, TensorCreationOptions, TensorData};
use std::ops::Range;

type Matrix = Tensor<2>;

pub(crate) struct Burn(Device);
fn in_f64(device: &Device) -> TensorCreationOptions {
    TensorCreationOptions::new(device.clone()).with_dtype(DType::F64)
}

impl Tensors for Burn {
    type Tensor = Matrix;
    type Gradients = Gradients;
    fn new() -> Self {
        Burn(Device::flex().autodiff())
    }
    fn input(&self, values: &[f64], shape: (usize, usize)) -> Matrix {
        self.constant(values, shape).require_grad()
    }
    fn constant(&self, values: &[f64], shape: (usize, usize)) -> Matrix {
        let data = TensorData::new(values.to_vec(), [shape.0, shape.1]);
        Tensor::from_data(data, in_f64(&self.0))
    }
    fn add(a: &Matrix, b: &Matrix) -> Matrix {
        a.clone() + b.clone()
    }
    fn sub(a: &Matrix, b: &Matrix) -> Matrix {
        a.clone() - b.clone()
    }
    fn mul(a: &Matrix, b: &Matrix) -> Matrix {
        a.clone() * b.clone()
    }
    fn times(number: &Matrix, a: &Matrix) -> Matrix {
        a.clone() * number.clone()
    }
    fn scale(a: &Matrix, by: f64) -> Matrix {
        a.clone().mul_scalar(by)
    }
    fn matmul(a: &Matrix, b: &Matrix) -> Matrix {
        a.clone().matmul(b.clone())
    }
    fn transpose(a: &Matrix) -> Matrix {
        a.clone().transpose()
    }
    fn sum(a: &Matrix) -> Matrix {
        a.clone().sum().reshape([1, 1])
    }
    fn part(a: &Matrix, rows: Range<usize>, cols: Range<usize>) -> Matrix {
        a.clone().slice([rows, cols])
    }
    fn framed(a: &Matrix) -> Matrix {
        let [rows, cols] = a.dims();
        let zeros = Tensor::zeros([rows + 2, cols + 2], in_f64(&a.device()));
        zeros.slice_assign([1..rows + 1, 1..cols + 1], a.clone())
    }
    fn upwind(x: &Matrix, a: &Matrix, b: &Matrix) -> Matrix {
        let mask = x.clone().greater_equal_elem(0.0);
        b.clone().mask_where(mask, a.clone())
    }
    fn value(a: &Matrix) -> f64 {
        a.clone()
            .into_data()
            .try_to_vec::<f64>()
            .expect("numbers of 8 bytes")[0]
    }
    fn backward(output: &Matrix) -> Gradients {
        output.backward()
    }
    fn gradient(gradients: &Gradients, input: &Matrix) -> Vec<f64> {
        let gradient = input.grad(gradients).expect("an input of the output");
        gradient
            .into_data()
            .try_to_vec::<f64>()
            .expect("numbers of 8 bytes")
    }
}

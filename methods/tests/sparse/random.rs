#[derive(Clone)]
pub(super) struct Random(pub(super) u64);
impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
    pub(super) fn point(&mut self, n: usize) -> Vec<f64> {
        (0..n)
            .map(|_| 0.5 + self.below(1000) as f64 / 1000.0)
            .collect()
    }
}

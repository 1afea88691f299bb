//! Arithmetic, for every kind made of numbers.
crate::elementary! { |r_b|
    /// Sum.
    Add(a, b) = a + b => smooth { a_b[] += r_b; b_b[] += r_b; }
    /// Difference.
    Sub(a, b) = a - b => smooth { a_b[] += r_b; b_b[] += -r_b; }
    /// Product.
    Mul(a, b) = a * b => smooth { a_b[b] += r_b * b; b_b[a] += r_b * a; }
    /// Quotient.
    Div(a, b) = a / b => smooth { a_b[b] += r_b / b; b_b[b, r] += -(r_b / b * r); }
    /// Remainder with the sign of the first argument, `a - (a / b).trunc() * b`.
    // The rounded quotient can be one too large, (a - r) / b is a whole number but for a rounding error.
    Rem(a, b) = a.rem(b) => smooth { a_b[] += r_b; b_b[a, b, r] += -r_b * ((a - r) / b).round(); }
    /// Negative.
    Neg(a) = -a => smooth { a_b[] += -r_b; }
}

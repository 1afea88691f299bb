//! Arithmetic, for every kind made of numbers.
crate::elementary! { |r_b|
    /// `a + b`.
    Add(a, b) = a + b => smooth { a_b[] += r_b; b_b[] += r_b; }
    /// `a - b`.
    Sub(a, b) = a - b => smooth { a_b[] += r_b; b_b[] += r_b.negated(); }
    /// `a * b`.
    Mul(a, b) = a * b => smooth { a_b[b] += r_b * b; b_b[a] += r_b * a; }
    /// `a / b`.
    Div(a, b) = a / b => smooth { a_b[b] += r_b / b; b_b[b, r] += -(r_b / b * r); }
    /// `a % b` with the sign of `a`: `a - (a / b).trunc() * b`.
    // The rounded quotient can be too large by one, whereas `(a - r) / b` is whole up to rounding.
    Rem(a, b) = a.rem(b) => smooth { a_b[] += r_b; b_b[a, b, r] += -r_b * ((a - r) / b).round(); }
    /// `-a`.
    Neg(a) = -a => smooth { a_b[] += r_b.negated(); }
}

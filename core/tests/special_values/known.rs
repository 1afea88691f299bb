// Known differences from the table: functions, the beginning of the column's name, arguments, the reason. The first entry that
// fits applies.
[
    (&["abs", "copysign"], "", |x| x[0].is_nan(), "NaN has a sign, which is the slope"),
    (&["acosh", "asinh"], "value", |x| x[0].abs() == f64::MAX, "the functions of the standard library overflow"),
    (&["acosh", "atanh"], "value", |x| (x[0].abs() - 1.0).abs() < 1e-15, "the functions of the standard library lose digits"),
    (&["acos", "asin", "atanh", "tanh"], "second", |x| x[0].abs() < 1e-15, "the tangent of `1 - x²` is a difference of ones"),
    (&["tanh"], "", |x| x[0].abs() >= 10.0, "`1 - r²` has lost digits of a result near 1"),
    (&["exp2"], "", |x| x[0] == 1024.0, "the result overflows before its slope"),
    (&["ln_gamma", "polygamma(2)"], "", |x| x[0] < 0.0, "the terms of the reflection cancel"),
    (&["hypot"], "first", |x| x[0].abs() == f64::MAX && x[1].abs() == f64::MAX, "the result overflows"),
    (&["hypot"], "first", |x| x == [5e-324; 2], "the result is subnormal"),
    (&["atan2"], "second", |x| x == [1e-200; 2], "a difference of infinities"),
    (&["log"], "", |x| x[1] == 0.0, "the logarithm of the base is infinite"),
    (&["log"], "second", |x| !(1e-100..1e100).contains(&x[0]) || !(1e-100..1e100).contains(&x[1]), "products overflow or underflow"),
    (&["powf"], "", |x| x[1].abs() < 1e-100 && x[1] != 0.0, "`b - 1` is -1"),
    (&["powf"], "first", |x| x[0] == -1.0 && x[1] > 1e15, "`b - 1` is `b`, and as even"),
]

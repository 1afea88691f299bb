"""Makes special_values.csv, the reference of the tests of special values:

    python core/tests/data/special_values.py > core/tests/data/special_values.csv

It needs mpmath. Values and derivatives are computed with 1300 digits and rounded once. Where a formula cannot be evaluated, as at
zeros, at infinities and at the ends of domains, the number is the limit from inside the domain: along several paths if several arguments
are special, and from the side that the sign of a zero tells if the limit is infinite. A number with `~` in front is a convention, as no
limit exists: those of core/src/real/mod.rs and docs/guide/src/conventions.md. An empty field makes no claim.

Columns: function; arguments; value; first derivatives; second derivatives, the upper triangle row by row. In a column numbers are separated by
blanks.
"""
import math
import sys
from itertools import product

from mpmath import inf, mp, mpf, nan

mp.dps = 1300
EXPONENTS = (340, 420, 500)
MAX, TINY, LEAST = sys.float_info.max, sys.float_info.min, 5e-324


class Function:
    """`f` and its derivatives, by closed forms. `inside` says where it is defined; `edges` are special points other than zeros and infinities.
    `convention` gives value or derivatives where there is no limit: a dictionary from `value`, a number of an argument, or a pair of them."""

    def __init__(self, name, arity, f, first, second, inside=None, edges=(), points=None, convention=None):
        self.name, self.arity, self.f = name, arity, f
        # Functions that are conventions as a whole have no formulas.
        self.first = first or [None] * arity
        self.second = second or [None] * (arity * (arity + 1) // 2)
        self.inside = inside or (lambda *_: True)
        self.edges = edges
        self.points = points
        self.convention = convention or (lambda *_: {})


def evaluate(g, x):
    try:
        y = g(*x)
        return y if isinstance(y, mpf) else mpf(y) if isinstance(y, (int, float)) else nan
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def trend(values):
    """The limit of a sequence by its members for the three exponents, or `None`."""
    if any(v is None or mp.isnan(v) for v in values):
        return None
    a, b, c = values
    if any(mp.isinf(v) for v in values):
        return c if mp.isinf(b) and b == c else None
    if abs(c - b) <= mpf(10) ** -60 * abs(c):
        return c
    sign = mp.sign(c)
    if mp.sign(a) != sign or mp.sign(b) != sign:
        return None
    a, b, c = abs(a), abs(b), abs(c)
    # logarithms change like the exponent
    if a > 1.1 * b and b > 1.1 * c:
        return mpf(0)
    if c > 1.1 * b and b > 1.1 * a:
        return sign * inf
    return None


def approaches(f, x):
    """Sequences that lead to `x`: first those by the sides that the signs of zeros tell, then those by other sides."""
    special = [v == 0 or math.isinf(v) or v in f.edges for v in x]
    if not any(special):
        row = [mpf(v) for v in x]
        return [[row] * 3] if f.inside(*row) else [], []
    sides = []
    for v, is_special in zip(x, special):
        if not is_special:
            sides.append([0])
        elif math.isinf(v):
            sides.append([math.copysign(1, v)])
        else:
            first = math.copysign(1, v) if v == 0 else 1
            sides.append([first, -first])
    def sequence(signs, powers):
        rows = []
        for k in EXPONENTS:
            row = []
            for v, s, p in zip(x, signs, powers):
                if s == 0:
                    row.append(mpf(v))
                elif math.isinf(v):
                    row.append(s * mpf(10) ** (k * p))
                else:
                    row.append(mpf(v) + s * mpf(10) ** (-k * p))
            rows.append(row)
        return rows
    powers = list(product([1, 2], repeat=sum(s != [0] for s in sides))) if sum(special) > 1 else [(1,)]
    def spread(p):
        p = iter(p)
        return [next(p) if s != [0] else 0 for s in sides]
    main, other = [], []
    for n, signs in enumerate(product(*sides)):
        for p in powers:
            rows = sequence(signs, spread(p))
            if all(f.inside(*row) for row in rows):
                edge = any(v in f.edges and v != 0 and s for v, s in zip(x, signs))
                (main if n == 0 or edge or not main else other).append(rows)
    return main, other


def limit(f, g, x, is_value):
    main, other = approaches(f, x)
    if not main:
        return nan if is_value else None
    limits = [trend([evaluate(g, row) for row in rows]) for rows in main]
    first = limits[0]
    if first is None or any(l is None or l != first and abs(l - first) > mpf(10) ** -60 * abs(first) for l in limits):
        # A limit at infinity that does not exist is no number in floating point, too.
        return nan if any(map(math.isinf, x)) and is_value else None
    if is_value or mp.isinf(first):
        return first
    for rows in other:
        l = trend([evaluate(g, row) for row in rows])
        if l is None or l != first and abs(l - first) > mpf(10) ** -60 * max(abs(first), mpf(10) ** -400):
            return None
    return first


def text(v):
    if v is None:
        return "?"
    if mp.isnan(v):
        return "nan"
    if mp.isinf(v):
        return "inf" if v > 0 else "-inf"
    if abs(v) >= mpf(2) ** 1024 - mpf(2) ** 970:
        return "inf" if v > 0 else "-inf"
    return repr(float(mp.nstr(v, 25, min_fixed=0, max_fixed=0)) if v else 0.0).replace(".0e", "e").removesuffix(".0")


def rows(f):
    n = f.arity
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    for x in f.points:
        conventions = f.convention(*x)
        def entry(key, g, is_value=False):
            if key in conventions:
                c = conventions[key]
                return "?" if c is None else "~" + text(mpf(c))
            if any(map(math.isnan, x)):
                # A derivative that is the same everywhere does not notice.
                return text(mpf(g.constant)) if hasattr(g, "constant") else "nan"
            return text(limit(f, g, x, is_value))
        value = entry("value", f.f, True)
        first = [entry(i, g) for i, g in enumerate(f.first)]
        second = [entry(p, g) for p, g in zip(pairs, f.second)]
        args = " ".join(repr(v).replace(".0e", "e").removesuffix(".0") for v in x)
        yield ",".join([f.name, args, value, " ".join(first), " ".join(second)])


def constant(c):
    def g(*_):
        return mpf(c)
    g.constant = c
    return g


ZERO, ONE = constant(0), constant(1)
COMMON = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, 10.0, -10.0, TINY, -TINY, LEAST, -LEAST, 1e-200, 1e200, -1e200, MAX, -MAX,
          math.inf, -math.inf, math.nan]
FEW = [0.0, -0.0, 1.0, -1.0, 2.5, -0.5, LEAST, 1e-200, 1e200, MAX, -MAX, math.inf, -math.inf, math.nan]
FUNCTIONS = []


def unary(name, f, d, dd, inside=None, edges=(), more=(), convention=None):
    points = [(x,) for x in COMMON + list(more)]
    FUNCTIONS.append(Function(name, 1, f, [d], [dd], inside, edges, points, convention))


def binary(name, f, first, second, inside=None, edges=(), more=(), convention=None, points=FEW):
    grid = list(product(points, points)) + list(more)
    FUNCTIONS.append(Function(name, 2, f, first, second, inside, edges, grid, convention))


NEAR_ONE = (1 - 2.0**-53, 1 + 2.0**-52, -(1 - 2.0**-53), -(1 + 2.0**-52))
positive = lambda x: x > 0
unary("sqrt", mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x)), lambda x: -1 / (4 * x * mp.sqrt(x)), positive)
cbrt = lambda x: mp.sign(x) * mp.cbrt(abs(x))
unary("cbrt", cbrt, lambda x: 1 / (3 * cbrt(x) ** 2), lambda x: -2 / (9 * x * cbrt(x) ** 2))
unary("recip", lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)
for n in [0, 1, 2, 3, 4, -1, -2, -3]:
    if n in (0, 1):
        unary(f"powi({n})", ONE if n == 0 else lambda x: x, ZERO if n == 0 else ONE, ZERO)
    else:
        unary(f"powi({n})", lambda x, n=n: x**n, lambda x, n=n: n * x ** (n - 1),
              constant(2) if n == 2 else lambda x, n=n: n * (n - 1) * x ** (n - 2))
unary("exp", mp.exp, mp.exp, mp.exp, more=(709.0, 710.0, -745.0, -746.0, 1e-10))
unary("exp2", lambda x: mpf(2) ** x, lambda x: mp.ln2 * mpf(2) ** x, lambda x: mp.ln2**2 * mpf(2) ** x, more=(1023.5, 1024.0, -1074.0, -1076.0))
unary("exp_m1", mp.expm1, mp.exp, mp.exp, more=(709.0, 710.0, -40.0, 1e-10))
unary("ln", mp.log, lambda x: 1 / x, lambda x: -1 / x**2, positive, more=NEAR_ONE)
unary("log2", lambda x: mp.log(x) / mp.ln2, lambda x: 1 / (x * mp.ln2), lambda x: -1 / (x**2 * mp.ln2), positive, more=NEAR_ONE)
unary("log10", lambda x: mp.log(x) / mp.ln10, lambda x: 1 / (x * mp.ln10), lambda x: -1 / (x**2 * mp.ln10), positive, more=NEAR_ONE)
unary("ln_1p", mp.log1p, lambda x: 1 / (1 + x), lambda x: -1 / (1 + x) ** 2, lambda x: x > -1, (-1.0,), NEAR_ONE)
MULTIPLES = (math.pi / 2, math.pi, -math.pi / 2, 1e22, 355.0)
unary("sin", mp.sin, mp.cos, lambda x: -mp.sin(x), more=MULTIPLES)
unary("cos", mp.cos, lambda x: -mp.sin(x), lambda x: -mp.cos(x), more=MULTIPLES)
unary("tan", mp.tan, lambda x: 1 + mp.tan(x) ** 2, lambda x: 2 * mp.tan(x) * (1 + mp.tan(x) ** 2), more=MULTIPLES)
within_one = lambda x: abs(x) < 1
root = lambda x: mp.sqrt((1 - x) * (1 + x))
unary("asin", mp.asin, lambda x: 1 / root(x), lambda x: x / root(x) ** 3, within_one, (1.0, -1.0), NEAR_ONE)
unary("acos", mp.acos, lambda x: -1 / root(x), lambda x: -x / root(x) ** 3, within_one, (1.0, -1.0), NEAR_ONE)
unary("atan", mp.atan, lambda x: 1 / (1 + x**2), lambda x: -2 * x / (1 + x**2) ** 2)
unary("to_degrees", mp.degrees, constant(180 / mp.pi), ZERO)
unary("to_radians", mp.radians, constant(mp.pi / 180), ZERO)
FAR = (20.0, -20.0, 400.0, -400.0, 711.0, -711.0)
sech2 = lambda x: 4 * mp.exp(-2 * abs(x)) / (1 + mp.exp(-2 * abs(x))) ** 2
tanh = lambda x: mp.sign(x) * -mp.expm1(-2 * abs(x)) / (1 + mp.exp(-2 * abs(x)))
unary("sinh", mp.sinh, mp.cosh, mp.sinh, more=FAR)
unary("cosh", mp.cosh, mp.sinh, mp.cosh, more=FAR)
unary("tanh", tanh, sech2, lambda x: -2 * tanh(x) * sech2(x), more=FAR)
unary("asinh", mp.asinh, lambda x: 1 / mp.sqrt(1 + x**2), lambda x: -x / mp.sqrt(1 + x**2) ** 3)
unary("acosh", mp.acosh, lambda x: 1 / mp.sqrt((x - 1) * (x + 1)), lambda x: -x / mp.sqrt((x - 1) * (x + 1)) ** 3, lambda x: x > 1, (1.0,), NEAR_ONE)
unary("atanh", mp.atanh, lambda x: 1 / ((1 - x) * (1 + x)), lambda x: 2 * x / ((1 - x) * (1 + x)) ** 2, within_one, (1.0, -1.0), NEAR_ONE)
kink = lambda *_: {0: 0, (0, 0): None}
unary("abs", abs, mp.sign, lambda x: mpf(0), convention=lambda x: kink() if x == 0 else {})
HALVES = (1.5, -1.5, 2**52 + 1.0)
whole = lambda g: lambda *x: {"value": g(*x), **{i: 0 for i in range(len(x))}, **{(i, j): 0 for i in range(len(x)) for j in range(i, len(x))}}
guarded = lambda g: lambda x: x if math.isnan(x) or math.isinf(x) else g(x)
away = lambda x: float(math.trunc(x)) if abs(x - math.trunc(x)) < 0.5 else math.trunc(x) + math.copysign(1, x)
for name, g in [("floor", guarded(math.floor)), ("ceil", guarded(math.ceil)), ("trunc", guarded(math.trunc)), ("round", guarded(away)),
                ("round_ties_even", guarded(round)), ("signum", lambda x: x if math.isnan(x) else math.copysign(1, x))]:
    unary(name, None, None, None, more=HALVES, convention=whole(g))
unary("fract", None, None, None, more=HALVES, convention=lambda x: {
    "value": math.nan if math.isinf(x) or math.isnan(x) else x - math.trunc(x), 0: 1, (0, 0): 0})
gauss = lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-(x**2))
unary("erf", lambda x: mp.sign(x) - mp.sign(x) * mp.erfc(abs(x)) if abs(x) > 1 else mp.erf(x), gauss, lambda x: -2 * x * gauss(x), more=(5.0, 27.0), convention=lambda x: {"value": math.erf(x)} if math.isinf(x) else {})
unary("erfc", lambda x: mp.erfc(x) if x > -1 else 2 - mp.erfc(-x), lambda x: -gauss(x), lambda x: 2 * x * gauss(x), more=(5.0, 26.0, 27.0), convention=lambda x: {"value": math.erfc(x)} if math.isinf(x) else {})


def poly(n):
    def g(x):
        if abs(x) < mpf(10) ** -200 or abs(x) > mpf(10) ** 100:
            with mp.workdps(60 if abs(x) > 1 else 700):
                return psi(n, x)
        with mp.workdps(60):
            return psi(n, x)
    return g


def psi(n, x):
    if x > 0:
        return mp.loggamma(x) if n == -1 else mp.psi(n, x)
    if mp.isint(x):
        return nan
    if n == -1:
        # ln|gamma| by reflection
        return mp.log(mp.pi / abs(mp.sin(mp.pi * x))) - mp.loggamma(1 - x)
    return mp.psi(n, x)


pole = lambda x: {} if not x <= -0.5 or math.isinf(x) or x != math.trunc(x) else {"value": None, 0: None, (0, 0): None}
below = lambda x: {"value": None, 0: None, (0, 0): None} if x == -math.inf else pole(x)
GAMMA = (1.5, -0.25, -1.5, -2.75, 1.4616321449683622, 170.0)
unary("ln_gamma", poly(-1), poly(0), poly(1), more=GAMMA, convention=below)
unary("digamma", poly(0), poly(1), poly(2), more=GAMMA, convention=below)
unary("polygamma(1)", poly(1), poly(2), poly(3), more=GAMMA, convention=below)
unary("polygamma(2)", poly(2), poly(3), poly(4), more=GAMMA, convention=below)


def power(a, b):
    if a < 0:
        return a ** int(b) if mp.isint(b) and abs(b) < 10**6 else nan if not mp.isint(b) else mp.exp(b * mp.log(-a)) * (-1 if int(b) % 2 else 1)
    return mp.exp(b * mp.log(a))


def powf_convention(a, b):
    if a == 0 and 0 < b < 1e-100:
        return {"value": 0, 0: math.inf, 1: 0, (0, 0): None, (0, 1): None, (1, 1): None}
    if math.isinf(a) and 0 < b < 1e-100:
        return {k: None for k in (0, 1, (0, 0), (0, 1), (1, 1))} | {"value": math.inf}
    if math.isnan(a) and b == 1:
        return {k: None for k in (0, 1, (0, 0), (0, 1), (1, 1))}
    if math.isnan(a) or math.isnan(b):
        if b == 0 or a == 1:
            return {"value": 1, 0: 0 if b == 0 else None, 1: None, (0, 0): None, (0, 1): None, (1, 1): None}
        return {}
    is_whole = not math.isinf(b) and b == math.trunc(b)
    none = {}
    if a < 0 or (a == 0 and math.copysign(1, a) < 0 and is_whole):
        # Along the exponent, powers of negative numbers are not defined.
        none = {1: math.nan if a < 0 and not math.isinf(a) and not math.isinf(b) else None, (0, 1): None, (1, 1): None}
    if b == 0:
        return {"value": 1, 0: 0, (0, 0): 0 if a != 0 else None, **({1: 0, (0, 1): None, (1, 1): None} if a == 0 else {}), **none} | (
            {1: 0} if a == 0 else {})
    if math.isinf(b) or math.isinf(a):
        return {"value": None if a <= 0 or a == 1 else limit_free(a, b), 0: None, 1: None, (0, 0): None, (0, 1): None, (1, 1): None} if (
            a <= 0 or a == 1 or math.isinf(b)) else {k: v for k, v in none.items()}
    if a == 0 and is_whole and b > 0:
        # The slope along the exponent is the limit from positive numbers.
        return {1: 0, (0, 1): None, (1, 1): None} | ({0: 1} if b == 1 else {})
    return none


def limit_free(a, b):
    grows = (a > 1) == (b > 0)
    return math.inf if grows else 0.0


def powf_inside(a, b):
    return a > 0 or (mp.isint(b) and a != 0)


binary("powf", power,
       [lambda a, b: b * power(a, b - 1), lambda a, b: power(a, b) * mp.log(a)],
       [lambda a, b: b * (b - 1) * power(a, b - 2) if b != 1 else mpf(0), lambda a, b: power(a, b - 1) * (1 + b * mp.log(a)),
        lambda a, b: power(a, b) * mp.log(a) ** 2],
       powf_inside, convention=powf_convention, points=[0.0, -0.0, 1.0, -1.0, 2.5, 1e-200, 1e200, MAX, LEAST, math.inf, math.nan],
       more=[(a, b) for a in (0.0, -0.0, 0.5, 2.0, -2.0) for b in (0.5, 1.1, 1.5, 2.0, 2.5, 3.0, 4.0, -0.5, -2.0, 1.0, 0.0)])
norm = lambda a, b: mp.sqrt(a**2 + b**2)
binary("hypot", norm, [lambda a, b: a / norm(a, b), lambda a, b: b / norm(a, b)],
       [lambda a, b: b**2 / norm(a, b) ** 3, lambda a, b: -a * b / norm(a, b) ** 3, lambda a, b: a**2 / norm(a, b) ** 3],
       convention=lambda a, b: {0: 0, 1: 0, (0, 0): None, (0, 1): None, (1, 1): None} if a == b == 0 else (
           {"value": math.inf if math.isinf(a) or math.isinf(b) else math.nan, 0: None, 1: None, (0, 0): None, (0, 1): None, (1, 1): None}
           if math.isinf(a) or math.isinf(b) else {}))
log_in = lambda a, b: a > 0 and b > 0 and b != 1
binary("log", lambda a, b: mp.log(a) / mp.log(b),
       [lambda a, b: 1 / (a * mp.log(b)), lambda a, b: -mp.log(a) / (b * mp.log(b) ** 2)],
       [lambda a, b: -1 / (a**2 * mp.log(b)), lambda a, b: -1 / (a * b * mp.log(b) ** 2),
        lambda a, b: mp.log(a) * (mp.log(b) + 2) / (b**2 * mp.log(b) ** 3)],
       log_in, convention=lambda a, b: {k: None for k in ("value", 0, 1, (0, 0), (0, 1), (1, 1))} if b == 1 or b <= 0 and a <= 0 else {},
       points=[0.0, 1.0, -1.0, 2.5, LEAST, 1e-200, 1e200, MAX, math.inf, math.nan])
square = lambda a, b: a**2 + b**2
binary("atan2", mp.atan2, [lambda a, b: b / square(a, b), lambda a, b: -a / square(a, b)],
       [lambda a, b: -2 * a * b / square(a, b) ** 2, lambda a, b: (a**2 - b**2) / square(a, b) ** 2, lambda a, b: 2 * a * b / square(a, b) ** 2],
       convention=lambda a, b: {"value": math.atan2(a, b), 0: 0, 1: 0, (0, 0): None, (0, 1): None, (1, 1): None} if a == b == 0 else (
           {"value": math.atan2(a, b)} if math.isinf(a) and math.isinf(b) else {}))
binary("midpoint", lambda a, b: (a + b) / 2, [constant(0.5)] * 2, [ZERO] * 3)
binary("copysign", None, None, None, convention=lambda a, b: {
    "value": math.copysign(a, b), 0: 0 if a == 0 else math.nan if math.isnan(a) else math.copysign(1, a) * math.copysign(1, b), 1: 0,
    (0, 0): None if a == 0 or math.isnan(a) else 0, (0, 1): 0 if a != 0 and not math.isnan(a) else None, (1, 1): 0})
FUNCTIONS[-1].points = [(a, b) for a in FEW for b in FEW if not math.isnan(b)]


def extreme(pick):
    def convention(a, b):
        first = math.isnan(b) or (not math.isnan(a) and (a == b or pick(a, b) == a))
        return {"value": None if a == b == 0 else a if first else b, 0: int(first), 1: int(not first), (0, 0): None if a == b else 0,
                (0, 1): None if a == b else 0, (1, 1): None if a == b else 0}
    return convention


binary("max", None, None, None, convention=extreme(max))
binary("min", None, None, None, convention=extreme(min))


def remainder(a, b):
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return {k: None for k in (0, 1, (0, 0), (0, 1), (1, 1))} | {"value": math.nan}
    r = math.fmod(a, b)
    q = (mpf(a) - mpf(r)) / mpf(b) if not math.isinf(b) else mpf(0)
    if r < 0:
        if math.isinf(b):
            return {"value": math.inf} | {k: None for k in (0, 1, (0, 0), (0, 1), (1, 1))}
        r, q = mpf(r) + abs(mpf(b)), q - mp.sign(b)
    return {"value": r, 0: 1, 1: -q, (0, 0): 0, (0, 1): 0, (1, 1): 0}


def quotient(a, b):
    r = remainder(a, b)
    zeros = {k: 0 for k in (0, 1, (0, 0), (0, 1), (1, 1))}
    if r[1] is None:
        return zeros | {"value": None}
    return zeros | {"value": -r[1] if not math.isinf(b) else None}


SMALL = [0.0, 1.0, -1.0, 2.5, -0.5, 7.0, 1e-200, 1e10, math.inf, -math.inf, math.nan]
for name, c in [("rem_euclid", remainder), ("div_euclid", quotient)]:
    binary(name, None, None, None, convention=c, points=SMALL)
    FUNCTIONS[-1].points = [(a, b) for a, b in FUNCTIONS[-1].points if not (abs(a) >= 1e10 and abs(b) < 1)]
TRIPLES = list(product([0.0, -1.0, 2.5, LEAST, MAX, math.inf, math.nan], [0.0, 3.0, -1e-200, MAX, math.inf], [1.0, -0.0, -MAX, -math.inf]))
FUNCTIONS.append(Function("mul_add", 3, lambda a, b, c: a * b + c, [lambda a, b, c: b, lambda a, b, c: a, ONE],
                          [ZERO, ONE, ZERO, ZERO, ZERO, ZERO], points=TRIPLES,
                          convention=lambda a, b, c: {0: b, 1: a} | ({"value": None} if any(map(math.isinf, (a, b, c))) else {})))


def clamped(a, b, c):
    first = not (a < b) and not (a > c)
    value = a if first else b if a < b else c
    tie = None if a in (b, c) else 0
    return {"value": value, 0: int(first), 1: int(a < b), 2: int(a > c)} | {(i, j): tie for i in range(3) for j in range(i, 3)}


FUNCTIONS.append(Function("clamp", 3, None, [None] * 3, [None] * 6, convention=clamped,
                          points=[(a, b, c) for a in FEW for b, c in [(0.0, 1.0), (-1.0, 1.0), (1.0, 1.0), (-math.inf, LEAST), (-MAX, math.inf)]]))
for f in FUNCTIONS:
    for row in rows(f):
        print(row)

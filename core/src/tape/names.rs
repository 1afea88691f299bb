//! Types as people read them.

/// A type name without the paths of modules.
pub(crate) fn short(name: &str) -> String {
    let mut out = String::new();
    for part in name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        out.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    out
}
/// The type of a stored expression as a formula: its operations by name, its variables by kind.
pub(crate) fn formula(name: &str) -> String {
    let (head, arguments) = split(name);
    let each = || arguments.iter().map(|a| formula(a));
    let list = |all: Vec<String>| all.join(", ");
    match (head.rsplit("::").next().unwrap_or(head), &arguments[..]) {
        // .. of kinds that are evaluated by value, by pieces, ..
        (replay, [op, rest @ ..]) if replay.ends_with("Replay") => {
            let rest = rest.iter().map(|a| formula(a)).filter(|a| a != "Nil");
            format!("{}({})", short(op), list(rest.collect()))
        }
        ("TapeLeaf" | "Nothing", [kind]) => short(kind),
        ("TapeConst", [kind]) => format!("constant {}", short(kind)),
        ("TapePart", [kind, part]) => format!("{}[{}]", short(kind), short(part)),
        ("TapeList" | "TapeVariables", _) => format!("[{}, ..]", list(each().collect())),
        ("TapeSelect", _) => format!("select({})", list(each().collect())),
        ("Inputs", _) => format!("inputs {}", list(each().collect())),
        _ => short(name),
    }
}
/// `Head<A, B>` as its head and its arguments.
fn split(name: &str) -> (&str, Vec<&str>) {
    let inner = name.strip_suffix('>').and_then(|n| n.split_once('<'));
    let Some((head, inner)) = inner else {
        return (name, Vec::new());
    };
    let (mut depth, mut start, mut arguments) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                arguments.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => (),
        }
    }
    arguments.push(inner[start..].trim());
    (head, arguments)
}

#[cfg(test)]
mod tests {
    use super::{formula, short};

    #[test]
    fn formulas_read_like_the_expression() {
        let product = "a::Replay<a::op::Mul, a::TapeLeaf<f64>, a::TapeConst<f64>, a::Nil>";
        assert_eq!(formula(product), "Mul(f64, constant f64)");
        let of_arrays = "a::PiecesReplay<a::op::Neg, a::TapeLeaf<b::Array>, a::Nil, a::Nil>";
        assert_eq!(formula(of_arrays), "Neg(Array)");
        let sum = format!(
            "a::Replay<x::Scale<2>, {product}, a::TapeList<a::TapeLeaf<b::Matrix<f64, 3>>>, a::Nil>"
        );
        assert_eq!(
            formula(&sum),
            "Scale<2>(Mul(f64, constant f64), [Matrix<f64, 3>, ..])"
        );
        assert_eq!(
            formula("a::TapePart<b::Array, (usize, usize)>"),
            "Array[(usize, usize)]"
        );
        assert_eq!(short("a::b::C<d::E, [f::G; 2]>"), "C<E, [G; 2]>");
    }
}

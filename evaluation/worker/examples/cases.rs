//! Prints small cases of all objectives, for `evaluation/external/reference.py`.
use evaluation_worker::objectives::{Case, Name};

fn main() {
    let sizes: [&[usize]; 9] = [
        &[3, 4, 6],
        &[2, 3, 5],
        &[2, 5, 4],
        &[8, 3],
        &[8, 3],
        &[5, 4],
        &[3, 4, 9],
        &[3, 4, 9],
        &[11, 6],
    ];
    let cases = Name::ALL.iter().zip(sizes).map(|(&name, sizes)| {
        let Case {
            sizes,
            inputs,
            data,
            ..
        } = Case::random(name, sizes);
        serde_json::json!({ "name": name.name(), "sizes": sizes, "inputs": inputs, "data": data })
    });
    println!("{}", serde_json::Value::Array(cases.collect()));
}

//! Reuse of the memory of values.
use entape_core::{
    expr::Active,
    kind,
    mode::Plain,
    op,
    storage::pool::{bytes, give, release_memory, take},
    tape::Tape,
};

use std::collections::HashSet;

#[kind(
    value = Vec<i32>,
    index = Owned,
    recycle = |x| give(std::mem::take(x)),
    zero = |like| vec![0; like.len()],
    add = |into, from| into.iter_mut().zip(from).for_each(|(x, y)| *x += y),
)]
struct Numbers;

#[op(moves)]
fn next(#[ad_in(r_b)] x: &Numbers) -> &Numbers {
    let mut next = take(x.len());
    next.iter_mut().zip(x).for_each(|(next, x)| *next = x + 1);
    next
}

#[test]
fn memory_is_taken_again() {
    let x = vec![7_u64; 100];
    let place = x.as_ptr();
    give(x);
    let (longer, much_shorter, other) = (take::<u64>(101), take::<u64>(49), take::<i64>(100));
    assert_ne!(longer.as_ptr(), place);
    assert_ne!(much_shorter.as_ptr(), place);
    assert_ne!(other.as_ptr().cast(), place);
    let x = take::<u64>(50);
    assert_eq!((x.as_ptr(), x.len()), (place, 50));
    give(x);
    let x = take::<u64>(100);
    assert_eq!((x.as_ptr(), x.len()), (place, 100));
    assert_eq!(x[50..], [0; 50]);
    give(x);
    release_memory();
    assert_eq!(take::<u64>(100), [0; 100]);
}

#[test]
fn empty_vectors_are_given_and_taken() {
    give(Vec::<u8>::new());
    assert_eq!(take::<u8>(0), [0; 0]);
}

#[test]
fn memory_returned_last_is_taken_first() {
    let all: Vec<Vec<u16>> = (0..1000).map(|_| take(10)).collect();
    let places: Vec<_> = all.iter().map(Vec::as_ptr).collect();
    all.into_iter().for_each(give);
    let taken: Vec<Vec<u16>> = (0..1000).map(|_| take(10)).collect();
    let taken = taken.iter().map(Vec::as_ptr);
    assert!(taken.eq(places.into_iter().rev()));
}

#[test]
fn foreign_memory_that_is_not_reused_does_not_accumulate() {
    for _ in 0..10_000 {
        let x: Vec<f32> = take(30);
        give(x);
        give(vec![1.0_f32; 30]);
    }
    let waiting = (0..10_000).take_while(|_| take::<f32>(30)[0] == 1.0);
    assert!(waiting.count() < 1000);
}
#[test]
fn no_more_blocks_are_pooled_than_were_in_use_at_once() {
    release_memory();
    for _ in 0..10 {
        for length in 1..50 {
            (0..10).for_each(|_| give(vec![1_i16; length]));
        }
    }
    assert!(bytes() < 49 * 3 * 50 * size_of::<i16>());
    let taken: Vec<Vec<i16>> = (0..1000).map(|_| take(300)).collect();
    taken.into_iter().for_each(give);
    assert!(bytes() > 1000 * 300 * size_of::<i16>());
}

#[test]
fn the_last_formula_takes_the_adjoint_by_value() {
    let mut tape = Tape::new();
    let x = tape.input(vec![1, 2]);
    let y = tape.record(|| {
        let y = next(next(next(&x))).eval();
        let twice = sum(&y, next(&x)).eval();
        sum(&twice, &y).eval()
    });
    assert_eq!(*y.get(), [4 + 2 + 4, 5 + 3 + 5]);
    tape.seed(&y, vec![1, 10]).unwrap();
    assert_eq!(tape.sweep().unwrap().wrt(&x).unwrap(), [3, 30]);
}
#[op(moves)]
fn sum(#[ad_in(r_b)] x: &Numbers, #[ad_in(r_b)] y: &Numbers) -> &Numbers {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

#[test]
fn variables_without_a_tape_leave_their_memory() {
    let mut places = HashSet::new();
    for round in 0..5 {
        let mut y = Active::<Numbers, Plain>::passive(vec![round; 700]);
        for _ in 0..20 {
            let z = next(&y).eval();
            y = next(&z).eval();
            places.extend([y.get().as_ptr(), z.get().as_ptr()]);
        }
        assert_eq!(y.into_value(), vec![round + 40; 700]);
    }
    assert!(places.len() < 20, "200 values in {} places", places.len());
}

#[test]
fn a_recording_takes_what_earlier_ones_left() {
    let mut tape = Tape::new();
    let mut before = HashSet::new();
    for round in 0..5 {
        tape.reset();
        let x = tape.input(vec![round; 1000]);
        let mut places = Vec::new();
        let y = tape.record(|| {
            let mut y = next(&x).eval();
            for _ in 0..20 {
                y = next(next(&y)).eval();
                places.push(y.get().as_ptr());
            }
            y
        });
        assert_eq!(*y.get(), vec![round + 41; 1000]);
        let known = places.iter().filter(|p| before.contains(*p)).count();
        assert!(
            round < 2 || known >= 10,
            "{known} of 20 values stand where others stood"
        );
        before.extend(places);
    }
}

#[kind(
    value = Leaving,
    index = Owned,
    recycle = |x| give(std::mem::take(&mut x.0)),
    extent = |x| size_of_val(&x.0[..]),
    bytes = |x| size_of_val(&x.0[..]),
    fetch = |x| drop(take::<u32>(x.0.len())),
    zero = |like| Leaving(vec![0; like.0.len()]),
    add = |into, from| into.0.iter_mut().zip(&from.0).for_each(|(x, y)| *x += y),
)]
struct Leaves;
#[derive(Clone, PartialEq, Debug)]
struct Leaving(Vec<u32>);
impl Drop for Leaving {
    fn drop(&mut self) {
        give(std::mem::take(&mut self.0));
        give(vec![1_u32; 3]);
    }
}
#[op]
fn of_length(#[ad_in(f64::from(r_b.0[0]))] x: f64, #[ad_passive] length: u32) -> Leaves {
    Leaving(vec![x as u32; length as usize])
}

#[test]
fn drops_of_pooled_values_may_use_the_pool() {
    let mut tape = Tape::new();
    for _ in 0..3 {
        tape.reset();
        let x = tape.input(2.0);
        let values: Vec<_> = tape.record(|| {
            let lengths = (1..200).chain([7; 1000]);
            lengths.map(|n| of_length(&x, n).eval()).collect()
        });
        assert!(values.iter().all(|v| v.get().0.iter().all(|n| *n == 2)));
        tape.seed(&values[0], Leaving(vec![5])).unwrap();
        assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(5.0));
    }
    for _ in 0..2000 {
        tape.reset();
        let x = tape.input(2.0);
        drop(tape.record(|| of_length(&x, 7).eval()));
    }
    drop(tape);
    release_memory();
    release_memory();
    assert_eq!(take::<u32>(3), [0; 3]);
}

//! A full tape: lost statements are reported, and the rest is correct.
use crate::support::{Array, ArrayOps, refuses};
use entape_core::{
    expr::{Active, list_of},
    kind::List,
    mode::{Recording, Reuse, Taped},
    op,
    real::Reals,
    tape::{Builder, Error, Tape},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

struct Stingy;
thread_local! { static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) }; }
fn refused(layout: Layout) -> bool {
    LARGEST
        .try_with(|l| layout.size() > l.get())
        .unwrap_or(false)
}
#[global_allocator]
static ALLOCATOR: Stingy = Stingy;
// SAFETY: everything is forwarded to the system allocator, or refused with a null pointer, as the trait permits.
unsafe impl GlobalAlloc for Stingy {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refused(layout) {
            return std::ptr::null_mut();
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        unsafe { System.realloc(at, layout, size) }
    }
}

fn full<M: Recording>(mut tape: Tape<M>, is: impl Fn(&Error) -> bool, stop: impl Fn()) {
    let x = tape.input(1.0);
    let mut v: Active<Array, M> = tape.input_as(vec![1.0, 2.0]);
    let (kept, early) = tape.record(|| {
        let early = (&v * &x).eval();
        ((&x * &x + early.total()).eval(), early)
    });
    stop();
    let start = tape.position();
    let (last, n) = tape.record(|| {
        let (mut y, mut last, mut n) = ((&x * 1.0).eval(), None, 0_u32);
        for i in 0..100_000_u32 {
            y.update(|y| y * 1.0 + &x);
            if i < 10 {
                last = Some(y.clone());
                n = i;
            }
            v[0] += &x;
        }
        let lost = (&y * 2.0).eval();
        assert_eq!(*lost.get(), 2.0 * 100_001.0, "the program goes on");
        assert!(matches!(lost.clone(), l if l.is_active()));
        let mut z = (&x * &lost).eval();
        z += v.total();
        (z, n).0.get();
        (last.expect("an early one"), n)
    });
    assert_eq!(v.get()[0], 100_001.0);
    let error = tape.full().cloned().expect("a full tape");
    assert!(is(&error), "{error}");
    let lost = tape.record(|| {
        let mut y = (&x * 1.0).eval();
        for _ in 0..100_000 {
            y += &x;
        }
        y
    });
    assert_eq!(tape.gradient(&lost).err(), Some(error.clone()));
    assert!(tape.gradient(&kept).unwrap().wrt(&lost).is_err());
    let _ = (&last, n);
    let g = tape.gradient(&kept).unwrap();
    assert_eq!(g.wrt(&x), Ok(2.0 + 3.0));
    tape.seed(&early, vec![1.0, 1.0]).unwrap();
    assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(3.0));
    if tape.seed(&last, 1.0).is_ok() {
        assert_eq!(tape.sweep().unwrap().wrt(&x), Ok(f64::from(n) + 2.0));
    }
    assert!(tape.seed(&v, vec![1.0, 1.0]).is_err());
    LARGEST.set(usize::MAX);
    tape.reset_to(&start).unwrap();
    assert_eq!(tape.full(), None);
    let y = tape.record(|| (&kept * &x + early.total()).eval());
    // (x² + 3 x) x + 3 x
    assert_eq!(tape.gradient(&y).unwrap().wrt(&x), Ok(3.0 + 6.0 + 3.0));
    assert!(matches!(
        tape.gradient(&lost).err(),
        Some(Error::NotRecorded { .. })
    ));
    tape.record(|| assert_eq!(*(&lost * 2.0).eval().get(), 200_002.0));
}
#[test]
fn a_tape_stops_at_its_memory_limit() {
    fn limited<M: Recording>(chunk: usize) {
        let builder = Tape::<M>::builder().chunk_bytes(chunk);
        let tape = builder.memory_limit(300_000).build().unwrap();
        full(tape, |e| *e == Error::MemoryLimit { limit: 300_000 }, || ());
        let message = Error::MemoryLimit { limit: 300_000 }.to_string();
        assert!(
            message.contains("300000 bytes") && message.contains("reset_to"),
            "{message}"
        );
    }
    for chunk in [100, 1 << 12] {
        limited::<Taped>(chunk);
        limited::<Reuse>(chunk);
    }
}
#[test]
fn a_tape_stops_if_the_system_has_no_memory() {
    fn stingy<M: Recording>(chunk: usize) {
        let tape = Tape::<M>::builder().chunk_bytes(chunk).build().unwrap();
        full(
            tape,
            |e| matches!(e, Error::OutOfMemory { .. }),
            || LARGEST.set(64),
        );
        LARGEST.set(usize::MAX);
    }
    for chunk in [100, 1 << 9] {
        stingy::<Taped>(chunk);
        stingy::<Reuse>(chunk);
    }
}
#[test]
fn a_full_tape_has_memory_for_its_adjoints() {
    for limit in [60_000, 300_000, 5_000_000] {
        let mut tape: Tape = Tape::builder().memory_limit(limit).build().unwrap();
        let x = tape.input(1.0);
        let mut last = x;
        while tape.full().is_none() {
            let kept = last;
            last = tape.record(|| {
                let mut y = kept;
                for _ in 0..100 {
                    y = (y * 0.5 + x).eval();
                }
                y
            });
            if tape.full().is_some() {
                last = kept;
                break;
            }
        }
        assert_eq!(tape.full(), Some(&Error::MemoryLimit { limit }));
        let before = tape.statistics().allocated_bytes;
        assert!(before > limit / 4, "{before} of {limit}");
        assert_eq!(tape.gradient(&last).unwrap().wrt(&x), Ok(2.0));
        let after = tape.statistics().allocated_bytes;
        // A staging buffer, and the primal values, which may just have doubled.
        let most = limit + limit * 3 / 10 + 40_000;
        assert!(after <= most, "{after} of {limit}");
    }
}
#[test]
fn inputs_of_a_full_tape_are_errors() {
    let mut tape: Tape = Tape::builder().memory_limit(40_000).build().unwrap();
    let full = Error::MemoryLimit { limit: 40_000 };
    let x = tape.input(3.0);
    let failed = (0..100_000).find_map(|_| tape.try_input::<f64>(1.0).err());
    assert_eq!(failed, Some(full.clone()));
    assert_eq!(tape.try_input::<f64>(1.0).err(), Some(full));
    assert_eq!(tape.gradient(&x).unwrap().wrt(&x), Ok(1.0));
    refuses(
        file!(),
        &["no input", "memory limit of 40000 bytes"],
        || tape.input(1.0),
    );
}
#[test]
fn many_values_at_once_respect_the_limit() {
    #[op]
    fn again(#[ad_in(r_b.clone())] x: List<f64>) -> List<f64> {
        x.clone()
    }
    fn program<M: Recording>() {
        let limit = 1 << 20;
        let mut tape = Tape::<M>::builder().memory_limit(limit).build().unwrap();
        let full = Error::MemoryLimit { limit };
        let many = tape.try_inputs::<f64>(vec![1.0; 1_000_000]);
        assert_eq!(many.err(), Some(full.clone()));
        let x: Vec<Active<f64, M>> = tape.inputs([2.0; 10_000]);
        assert!(tape.full().is_none());
        let y = tape.record(|| x.norm_squared().eval());
        assert_eq!(tape.gradient(&y).unwrap().wrt(&x[9_999]), Ok(4.0));
        let results = tape.record(|| {
            let x = x.iter().cycle().take(60_000);
            again(list_of(x)).split()
        });
        assert_eq!(tape.full(), Some(&full));
        assert_eq!(tape.gradient(&results[0]).err(), Some(full));
        assert!(tape.statistics().allocated_bytes <= limit);
    }
    program::<Taped>();
    program::<Reuse>();
}
#[test]
fn variables_that_a_full_tape_lost_are_errors() {
    let limit = 40_000;
    let mut tape: Tape = Tape::builder().memory_limit(limit).build().unwrap();
    let x = tape.input(3.0);
    let mut lost = x;
    while tape.full().is_none() {
        lost = tape.record(|| (lost * 0.5 + x).eval());
    }
    lost = tape.record(|| (lost * 0.5).eval());
    let full = Error::MemoryLimit { limit };
    let kept = tape.record(|| (x * x).eval());
    assert_eq!(tape.gradient(&lost).err(), Some(full.clone()));
    assert_eq!(tape.gradient(&kept).err(), Some(full.clone()));
    let gradient = tape.gradient(&x).unwrap();
    assert_eq!(
        (gradient.wrt(&x), gradient.wrt(&lost)),
        (Ok(1.0), Err(full))
    );
}
#[test]
fn preallocated_memory_is_used() {
    let record = |builder: Builder| {
        let mut tape = builder.build().unwrap();
        tape.register::<f32>();
        let (x, s) = (tape.input(0.5), tape.input_as::<f32>(1.5));
        LARGEST.set(10_000);
        let (y, square) = tape.record(|| {
            let mut y = x;
            for _ in 0..50_000 {
                y = (y * x + 1.0).eval();
            }
            (y, (s * s).eval())
        });
        LARGEST.set(usize::MAX);
        assert_eq!(y, 2.0);
        if let Some(full) = tape.full() {
            return Err(full.clone());
        }
        assert_eq!(tape.gradient(&square)?.wrt(&s), Ok(3.0));
        // the derivative of 1 / (1 - x)
        tape.gradient(&y)?.wrt(&x)
    };
    let refused = record(Tape::builder().preallocate_reals(60_000));
    assert!(matches!(refused, Err(Error::OutOfMemory { .. })));
    assert_eq!(
        record(
            Tape::builder()
                .preallocate(1 << 20)
                .preallocate_reals(60_000)
        ),
        Ok(4.0)
    );
}
#[test]
fn preallocating_more_memory_than_exists_is_an_error() {
    let refused = |builder: Builder| match builder.build() {
        Err(Error::OutOfMemory { .. }) => (),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a tape with all memory there is"),
    };
    for bytes in [usize::MAX, usize::MAX / 2, isize::MAX as usize - 1] {
        refused(Tape::builder().preallocate(bytes));
        refused(Tape::builder().preallocate_reals(bytes));
        refused(Tape::builder().huge_pages(false).preallocate_reals(bytes));
        let mut tape: Tape = Tape::builder().chunk_bytes(bytes).build().unwrap();
        let input = tape.try_input::<f64>(1.0);
        assert!(matches!(input, Err(Error::OutOfMemory { .. })));
    }
}

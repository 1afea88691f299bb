//! Stored states, in memory and in a temporary file.
use super::{error::Error, program::Values};
use entape_core::{
    expr::Active,
    kind::{Kind, Memory, Val},
    mode::AnyMode,
    structure::{FlatStructure, ReadLeaves, UnitLeaves, VariableLeaves},
};
use std::{
    borrow::Cow,
    convert::Infallible,
    fmt::{Debug, Display},
    io::{self, Read, Seek, SeekFrom, Write},
    marker::PhantomData,
    path::Path,
};

pub(super) struct ValueBytes<M>(pub(super) usize, pub(super) PhantomData<M>);
impl<M: AnyMode> ReadLeaves for ValueBytes<M> {
    type From = VariableLeaves<M>;
    type To = UnitLeaves;
    type Fail = Infallible;
    fn leaf<K: Kind>(&mut self, variable: &Active<K, M>) -> Result<(), Infallible> {
        self.0 += size_of::<Val<K>>() + K::Memory::bytes(variable.get());
        Ok(())
    }
}

/// A file, or in tests a medium that fails.
pub(super) trait Medium: Read + Write + Seek {}
impl<T: Read + Write + Seek> Medium for T {}

/// A file of states of equal size, which the operating system removes.
struct Spill {
    medium: Box<dyn Medium>,
    numbers: Vec<f64>,
}
impl Spill {
    fn seek(&mut self, place: usize) -> io::Result<()> {
        let bytes = place as u64 * size_of_val(&self.numbers[..]) as u64;
        self.medium.seek(SeekFrom::Start(bytes)).map(drop)
    }
    fn write(&mut self, place: usize) -> io::Result<()> {
        self.seek(place)?;
        self.medium.write_all(bytemuck::cast_slice(&self.numbers))?;
        self.medium.flush()
    }
    fn read(&mut self, place: usize) -> io::Result<()> {
        self.seek(place)?;
        self.medium
            .read_exact(bytemuck::cast_slice_mut(&mut self.numbers))
    }
}

/// The states in slots: the first one and the last ones in memory; those in between, which are restored least often, in
/// the file.
pub(super) struct States<S: FlatStructure> {
    initial: Values<S>,
    length: usize,
    memory: Vec<Option<Values<S>>>,
    in_file: usize,
    spill: Option<Spill>,
}
impl<S: FlatStructure> States<S> {
    pub(super) fn new(initial: Values<S>) -> Self {
        let mut numbers = Vec::new();
        S::coordinates(&initial, &mut numbers);
        States {
            initial,
            length: numbers.len(),
            memory: Vec::new(),
            in_file: 0,
            spill: None,
        }
    }
    pub(super) fn bytes_in_file(&self) -> usize {
        self.length * size_of::<f64>()
    }
    pub(super) fn initial(&self) -> &Values<S> {
        &self.initial
    }
    pub(super) fn spill_in<F: Display + Debug>(
        &mut self,
        folder: &Path,
        states: usize,
    ) -> Result<(), Error<F>> {
        let doing = "making it";
        let file = tempfile::tempfile_in(folder).map_err(|source| Error::File { doing, source })?;
        self.spill_to(Box::new(file), states);
        Ok(())
    }
    pub(super) fn spill_to(&mut self, medium: Box<dyn Medium>, states: usize) {
        let numbers = vec![0.0; self.length];
        self.in_file = states;
        self.spill = Some(Spill { medium, numbers });
    }
    pub(super) fn store<F: Display + Debug>(
        &mut self,
        slot: usize,
        at: usize,
        values: Values<S>,
    ) -> Result<(), Error<F>> {
        match &mut self.spill {
            Some(spill) if slot <= self.in_file => {
                spill.numbers.clear();
                S::coordinates(&values, &mut spill.numbers);
                let (expected, found) = (self.length, spill.numbers.len());
                if found != expected {
                    spill.numbers.resize(expected, 0.0);
                    let number = at;
                    return Err(Error::ShapeChanged {
                        number,
                        expected,
                        found,
                    });
                }
                let doing = "writing a state";
                spill
                    .write(slot - 1)
                    .map_err(|source| Error::File { doing, source })
            }
            _ => {
                let place = slot - 1 - self.in_file;
                if self.memory.len() <= place {
                    self.memory.resize_with(place + 1, || None);
                }
                self.memory[place] = Some(values);
                Ok(())
            }
        }
    }
    pub(super) fn get<F: Display + Debug>(
        &mut self,
        slot: usize,
    ) -> Result<Cow<'_, Values<S>>, Error<F>> {
        if slot == 0 {
            return Ok(Cow::Borrowed(&self.initial));
        }
        match &mut self.spill {
            Some(spill) if slot <= self.in_file => {
                let doing = "reading a state";
                spill
                    .read(slot - 1)
                    .map_err(|source| Error::File { doing, source })?;
                let values = S::from_coordinates(&self.initial, &mut &spill.numbers[..]);
                Ok(Cow::Owned(values))
            }
            _ => {
                let values = self.memory[slot - 1 - self.in_file].as_ref();
                Ok(Cow::Borrowed(values.expect("the state was stored")))
            }
        }
    }
    pub(super) fn free(&mut self, slot: usize) {
        if slot > self.in_file {
            self.memory[slot - 1 - self.in_file] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, States};
    use entape_drivers::{ArrayShape, ListShape};
    use std::{convert::Infallible, fs::File, io::Cursor};

    type Result<T> = std::result::Result<T, Error<Infallible>>;

    #[test]
    fn states_come_back_from_memory_and_file_bit_by_bit() -> Result<()> {
        let mut states =
            States::<(ListShape<f64>, ArrayShape<f32, 2>)>::new((vec![0.1, -0.0], [1.5, 2.5]));
        states.spill_to(Box::new(Cursor::new(Vec::new())), 2);
        let state = |i: usize| {
            (
                vec![0.3 / i as f64, f64::MIN_POSITIVE / 8.0],
                [0.1 * i as f32, f32::INFINITY],
            )
        };
        for slot in [2, 3, 1, 4] {
            states.store(slot, slot, state(slot))?;
        }
        states.free(2);
        states.store(2, 7, state(7))?;
        for (slot, i) in [(1, 1), (2, 7), (3, 3), (4, 4)] {
            assert_eq!(*states.get(slot)?, state(i));
        }
        assert_eq!(states.get(0)?.0, [0.1, -0.0]);
        assert_eq!(states.memory.len(), 2);
        Ok(())
    }
    #[test]
    fn a_state_of_another_shape_cannot_go_to_the_file() {
        let mut states = States::<ListShape<f64>>::new(vec![1.0; 3]);
        states.spill_to(Box::new(Cursor::new(Vec::new())), 1);
        let error = states
            .store::<Infallible>(1, 5, vec![1.0; 4])
            .expect_err("another shape");
        assert!(matches!(
            error,
            Error::ShapeChanged {
                number: 5,
                expected: 3,
                found: 4
            }
        ));
        assert!(states.store::<Infallible>(2, 5, vec![1.0; 4]).is_ok());
    }
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_file_system_is_an_error() {
        // Every write fails.
        let full = File::options()
            .read(true)
            .write(true)
            .open("/dev/full")
            .expect("a device of Linux");
        let mut states = States::<ListShape<f64>>::new(vec![1.0; 3]);
        states.spill_to(Box::new(full), 1);
        let error = states
            .store::<Infallible>(1, 5, vec![2.0; 3])
            .expect_err("no space");
        let message = error.to_string();
        assert!(
            message.starts_with("the temporary file of states failed (writing a state)"),
            "{message}"
        );
        assert!(
            matches!(error, Error::File { source, .. } if source.kind() == std::io::ErrorKind::StorageFull)
        );
    }
}

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
};

/// The message of the panic, which is reported for a line of a file `faults.rs`.
pub(crate) fn message(f: impl FnOnce()) -> String {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    let place = Arc::new(Mutex::new(String::new()));
    let (hook, to) = (std::panic::take_hook(), place.clone());
    let here = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == here {
            let file = info.location().map(|l| l.file().to_owned());
            *to.lock().expect("a string") = file.unwrap_or_default();
        }
    }));
    let panic = catch_unwind(AssertUnwindSafe(f));
    std::panic::set_hook(hook);
    let file = place.lock().expect("a string").clone();
    assert!(file.ends_with("faults.rs"), "reported at {file}");
    let panic = panic.expect_err("misuse");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => (*other.downcast::<&str>().expect("a message")).to_string(),
    }
}

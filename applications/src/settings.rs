use crate::Outcome;
use lexopt::Arg;
use std::{error::Error, path::PathBuf, process::exit, str::FromStr};

pub struct Settings {
    values: Vec<(&'static str, String)>,
    output: PathBuf,
}
impl Settings {
    /// Reads the command line of the program `name`. Each of the `known` settings is a name, its description, and its
    /// default.
    pub fn read(name: &str, about: &str, known: &[[&'static str; 3]]) -> Outcome<Self> {
        let mut output = PathBuf::from(format!("{name}.svg"));
        let mut values: Vec<_> = known
            .iter()
            .map(|&[name, _, default]| (name, default.to_owned()))
            .collect();
        let mut line = lexopt::Parser::from_env();
        while let Some(argument) = line.next()? {
            match argument {
                Arg::Short('h') | Arg::Long("help") => {
                    println!("{about}\n\nusage: {name} [options]");
                    for [name, about, default] in known {
                        println!("{:<24}{about} ({default})", format!("  --{name} VALUE"));
                    }
                    println!("  --output FILE         the picture ({name}.svg)");
                    println!("  --help                this text");
                    exit(0);
                }
                Arg::Short('o') | Arg::Long("output") => output = line.value()?.into(),
                Arg::Long(given) => {
                    let Some(i) = values.iter().position(|(name, _)| *name == given) else {
                        return Err(argument.unexpected().into());
                    };
                    values[i].1 = line.value()?.into_string().map_err(lexopt::Error::from)?;
                }
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(Settings { values, output })
    }
    #[track_caller]
    pub fn get<T: FromStr<Err: Error>>(&self, name: &str) -> Outcome<T> {
        let Some((_, value)) = self.values.iter().find(|(known, _)| *known == name) else {
            panic!("no setting `{name}` was declared");
        };
        let parsed = value.parse();
        parsed.map_err(|error| format!("--{name} {value}: {error}").into())
    }
    pub fn output(&self) -> &PathBuf {
        &self.output
    }
}

//! A run: its sections one after the other, each with a file of results.
use crate::{
    Outcome,
    arguments::{Arguments, Section},
    conditions::Conditions,
    external,
    goals::{self, Goal},
    kinds, mixture, objectives, peers,
    plan::Extent,
    process::Limits,
    programs, results,
    scaling::{self, Scaled},
    users,
};
use serde::Serialize;
use std::{fs, path::Path};

pub(crate) struct Run {
    pub(crate) conditions: Conditions,
    pub(crate) rows: Vec<results::Row>,
    pub(crate) scaling: Vec<Scaled>,
    pub(crate) kinds: Vec<Goal>,
    pub(crate) users: Vec<users::Row>,
    pub(crate) mixture: Vec<mixture::Row>,
    pub(crate) objectives: Vec<objectives::Row>,
}
impl Run {
    pub(crate) fn measure(arguments: &Arguments) -> Outcome<Self> {
        fs::create_dir_all(&arguments.out)?;
        let extent = Extent::of(arguments);
        let before = Conditions::look(arguments);
        let limits = Limits {
            bytes: before.budget,
            time: before.time(),
        };
        let mut others = peers::starters(&arguments.peers)?;
        if arguments.external {
            others.extend(external::starters()?);
        }
        let rows = section(arguments, Section::Programs, "results.csv", || {
            programs::measure(arguments, limits, &others)
        })?;
        let scaling = section(arguments, Section::Scaling, "scaling.csv", || {
            scaling::measure(extent, limits.bytes)
        })?;
        let kinds = section(arguments, Section::Kinds, "kinds.csv", || {
            kinds::measure(extent)
        })?;
        let users = section(arguments, Section::Users, "users.csv", || {
            users::measure(extent)
        })?;
        let mixture = section(arguments, Section::Mixture, "mixture.csv", || {
            mixture::measure(extent, limits, &others)
        })?;
        let objectives = section(arguments, Section::Objectives, "objectives.csv", || {
            objectives::measure(arguments, limits, &others)
        })?;
        let conditions = Conditions::look(arguments);
        conditions.write(&arguments.out.join("run.json"))?;
        Ok(Run {
            conditions,
            rows,
            scaling,
            kinds,
            users,
            mixture,
            objectives,
        })
    }
    /// Reads the files of a folder; those that are missing are empty.
    pub(crate) fn read(folder: &Path, arguments: &Arguments) -> Self {
        let file = |name| folder.join(name);
        Run {
            conditions: Conditions::read(&file("run.json"))
                .unwrap_or_else(|_| Conditions::look(arguments)),
            rows: results::read(&file("results.csv")).unwrap_or_default(),
            scaling: results::read(&file("scaling.csv")).unwrap_or_default(),
            kinds: results::read(&file("kinds.csv")).unwrap_or_default(),
            users: results::read(&file("users.csv")).unwrap_or_default(),
            mixture: results::read(&file("mixture.csv")).unwrap_or_default(),
            objectives: results::read(&file("objectives.csv")).unwrap_or_default(),
        }
    }
    pub(crate) fn goals(&self) -> Vec<Goal> {
        let mut goals = goals::of_run(&self.rows, &self.scaling);
        goals.extend(self.kinds.iter().cloned());
        goals
    }
}
fn section<R: Serialize>(
    arguments: &Arguments,
    section: Section,
    file: &str,
    measure: impl FnOnce() -> Outcome<Vec<R>>,
) -> Outcome<Vec<R>> {
    if !arguments.has(section) {
        return Ok(Vec::new());
    }
    println!("{section:?}");
    let rows = measure()?;
    results::write(&arguments.out.join(file), &rows)?;
    Ok(rows)
}

//! x
mod collective;
mod communicator;
mod message;
mod pattern;
mod pending;
mod point_to_point;
mod run;
mod statement;
mod transfer;

pub use self::{
    collective::{Operation, product},
    communicator::Communicator,
    point_to_point::Source,
    run::run,
    statement::{Communication, ListOf, Request},
};

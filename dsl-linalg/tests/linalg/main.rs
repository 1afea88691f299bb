//! Tests of the linear algebra DSL.
mod kinds;
mod places;
mod reference;
mod rules;
mod storage;

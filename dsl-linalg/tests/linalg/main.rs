//! Tests of the linear algebra DSL.
mod places;
mod reference;
mod rules;
mod storage;

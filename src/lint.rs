//! Checks that look at everything at once, after everything is compiled.
//!
//! In: the objects of a run, the compiled workloads, the targets that are discovered. Out: findings. What a phase notices by
//! itself it reports by itself; here is what no phase needs to know, and only `promgen lint` asks for. A family is a file:
//! its rules, and the function that raises them. Changes nothing, and prints nothing.

use rayon::prelude::*;

use crate::cluster::Cluster;
use crate::diag::{Rule, Sink};
use crate::discovery::Discovery;
use crate::document::Document;
use crate::options::Options;
use crate::output::Workload;
use crate::source::Sources;

/// What there is to look at.
#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "the first families are on their way")]
pub(crate) struct Model<'a> {
    /// What the user asks for.
    pub(crate) options: &'a Options,
    /// All objects.
    pub(crate) cluster: &'a Cluster,
    /// The documents, by their number.
    pub(crate) documents: &'a [Document<'a>],
    /// The texts that they stand in.
    pub(crate) sources: &'a Sources,
    /// The compiled workloads.
    pub(crate) workloads: &'a [Workload],
    /// What targets are discovered from.
    pub(crate) discovery: &'a Discovery,
}

/// Rules that are checked together.
#[derive(Debug)]
pub(crate) struct Family {
    /// Its rules.
    pub(crate) rules: &'static [&'static Rule],
    /// Raises them.
    pub(crate) check: fn(&Model<'_>, &mut Sink),
}

/// All families: the only place where they are listed.
static FAMILIES: &[&Family] = &[];

/// The rules of all families.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.rules.iter().copied())
}

/// Checks everything. Findings come in the order of families, whatever the number of threads.
pub(crate) fn check(model: &Model<'_>, sink: &mut Sink) {
    let checked: Vec<Sink> = FAMILIES
        .par_iter()
        .map(|family| {
            let mut sink = Sink::default();
            (family.check)(model, &mut sink);
            sink
        })
        .collect();
    checked.into_iter().for_each(|findings| sink.append(findings));
}

//! Policies: rules of the user's own, in CEL, over what is compiled.
//!
//! In: files of policies, and a compiled environment. Out: [`UserPolicies`], which judge what they are about: each [`PolicyVerdict`] is that
//! it holds, that it is broken, or that nobody knows; findings are those of a rule with the code `policy/NAME`.

pub mod facts;
mod file;
mod judge;
mod matching;
mod message;
mod policy;
mod program;
mod subject;
mod tested;
mod verdict;
mod world;

#[cfg(test)]
mod tests;

pub use file::{INVALID_POLICY, RULES, SCHEMA};
pub use judge::{JudgedCounts, PolicyJudgement, PolicyJudgements, PolicyScope};
pub use policy::{UserPolicies, UserPolicy};
pub use tested::{PolicyTest, PolicyTests};
pub use verdict::PolicyVerdict;

//! The Common Expression Language: expressions over values that keep their places, some of which nobody knows.
//!
//! In: a text, and a value for each name in it. Out: a value, an error with its place in the text, or that the result is unknown. The
//! language is that of cel-go as Kubernetes sets it up. Where the types of the names are declared, [`CelExpression::check`] finds what
//! is wrong before there are values; nothing has to be checked. It differs where that would surprise: maps are visited in the
//! order of their keys, what holds an unknown value is not equal to anything, and everything costs fuel, so that no expression of a
//! stranger takes longer than its reader allows.
//!
//! ```
//! use promgen_cel::{CelExpression, CelOutcome, CelType, CelValue};
//!
//! let expression = CelExpression::parse("self.replicas > 1 || self.name == 'x'").expect("an expression");
//! assert_eq!(expression.variables().collect::<Vec<_>>(), ["self"]);
//! let object = serde_json::json!({"replicas": 2});
//! let mut fuel = 1_000;
//! let outcome = expression.evaluate(&[CelValue::Json(&object)], &mut fuel);
//! assert!(matches!(outcome, CelOutcome::Value(CelValue::Bool(true))));
//!
//! let faults = expression.check(&|_| Some(CelType::map(&CelType::Text, &CelType::Bool))).expect_err("no bool is more than 1");
//! assert_eq!((faults[0].message.as_str(), faults[0].span.range()), ("`>` needs a bool, found an int", 16..17));
//!
//! let fault = CelExpression::parse("self.replicas >").expect_err("no expression");
//! assert_eq!((fault.message.as_str(), fault.span.range()), ("expected an expression, found the end", 15..15));
//! ```

mod arithmetic;
mod check;
mod evaluate;
mod fault;
mod functions;
mod parse;
mod token;
mod tree;
mod value;

pub use check::{CelField, CelObjectType, CelType, CelTypePart};
pub use evaluate::{CelExpression, CelOutcome};
pub use fault::{CelError, CelFault, CelSpan};
pub use value::{CelObject, CelOpenMap, CelText, CelValue};

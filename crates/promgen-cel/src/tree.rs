//! The syntax tree of an expression. Each part has its place, and names are numbers: nothing is looked up by name when it is evaluated.

use std::sync::Arc;

use crate::arithmetic::CelOperator;
use crate::fault::CelSpan;
use crate::functions::{CelFunction, CelPattern};
use crate::value::{CelText, CelValue};

/// A part of an expression.
#[derive(Debug)]
pub(crate) struct CelNode {
    pub(crate) kind: CelKind,
    pub(crate) span: CelSpan,
    /// How many parts stand in each other: each takes stack.
    pub(crate) height: usize,
}

/// What a part is.
#[derive(Debug)]
pub(crate) enum CelKind {
    Constant(CelConstant),
    /// A value that the caller gives.
    Slot(usize),
    /// A variable of a macro, counted from the outermost one.
    Local(usize),
    /// The field, and whether it may lack.
    Field(Box<CelNode>, CelName, bool),
    Index(Box<(CelNode, CelNode)>, bool),
    Has(Box<CelNode>, CelName),
    /// The items, and whether each is one that may lack.
    List(Vec<(CelNode, bool)>),
    Map(Vec<(CelNode, CelNode, bool)>),
    Not(Box<CelNode>),
    Negative(Box<CelNode>),
    /// The condition, what holds if it is true, and what if it is not.
    Choice(Box<[CelNode; 3]>),
    /// `||`, which is decided by true, or `&&`, which is decided by false.
    Logic(bool, Vec<CelNode>),
    Binary(CelOperator, Box<(CelNode, CelNode)>),
    Call(Box<CelCall>),
    Fold(Box<CelFold>),
}

/// The name of a field, and its place.
#[derive(Debug)]
pub(crate) struct CelName {
    pub(crate) text: Box<str>,
    pub(crate) span: CelSpan,
}

/// A constant.
#[derive(Debug)]
pub(crate) enum CelConstant {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Box<str>),
    Bytes(Arc<[u8]>),
    Type(&'static str),
}

impl CelConstant {
    pub(crate) fn value(&self) -> CelValue<'_> {
        match self {
            Self::Null => CelValue::Null,
            Self::Bool(value) => CelValue::Bool(*value),
            Self::Int(value) => CelValue::Int(*value),
            Self::Uint(value) => CelValue::Uint(*value),
            Self::Double(value) => CelValue::Double(*value),
            Self::Text(text) => CelValue::Text(CelText::Borrowed(text)),
            Self::Bytes(bytes) => CelValue::Bytes(Arc::clone(bytes)),
            Self::Type(name) => CelValue::Type(name),
        }
    }
}

/// A function and its arguments; the first one is the value that it belongs to, if there is one.
#[derive(Debug)]
pub(crate) struct CelCall {
    pub(crate) function: CelFunction,
    pub(crate) arguments: Vec<CelNode>,
    /// The pattern, if it is a constant.
    pub(crate) pattern: Option<CelPattern>,
}

/// A macro that visits the items of a value.
#[derive(Debug)]
pub(crate) struct CelFold {
    pub(crate) name: CelFoldName,
    pub(crate) of: CelNode,
    /// Whether it has variables for the key and the value, rather than one.
    pub(crate) has_two: bool,
    /// The condition of those that are visited, and what is made of them.
    pub(crate) filter: Option<CelNode>,
    pub(crate) body: CelNode,
}

/// What a macro makes of the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CelFoldName {
    All,
    Exists,
    ExistsOne,
    Filter,
    /// `map` and `transformList`.
    List,
    /// `transformMap`: the values of the keys.
    Values,
    /// `transformMapEntry`: maps that become one.
    Entries,
    OptMap,
    OptFlatMap,
}

impl CelKind {
    /// The parts of a part.
    pub(crate) fn children(&self) -> Vec<&CelNode> {
        match self {
            Self::Constant(_) | Self::Slot(_) | Self::Local(_) => Vec::new(),
            Self::Field(of, ..) | Self::Has(of, _) | Self::Not(of) | Self::Negative(of) => {
                vec![of]
            }
            Self::Index(two, _) | Self::Binary(_, two) => vec![&two.0, &two.1],
            Self::List(items) => items.iter().map(|(item, _)| item).collect(),
            Self::Map(entries) => entries
                .iter()
                .flat_map(|(key, value, _)| [key, value])
                .collect(),
            Self::Choice(parts) => parts.iter().collect(),
            Self::Logic(_, parts) => parts.iter().collect(),
            Self::Call(call) => call.arguments.iter().collect(),
            Self::Fold(fold) => [&fold.of, &fold.body]
                .into_iter()
                .chain(&fold.filter)
                .collect(),
        }
    }
}

//! What operators and functions take and give, in the order in which cel-go tries it.

use crate::arithmetic::CelOperator;
use crate::functions::CelFunction;

/// A type that an operator or a function takes or gives; `A` and `B` stand for one type each.
#[derive(Clone, Copy, Debug)]
pub(super) enum CelForm {
    Dyn,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Duration,
    Type,
    A,
    B,
    List(&'static Self),
    Map,
    Optional(&'static Self),
}

use CelForm::{A, B, Bool, Bytes, Double, Duration, Dyn, Int, Text, Type, Uint};

/// What is taken, and what is given.
pub(super) type CelOverload = (&'static [CelForm], CelForm);

const LIST: CelForm = CelForm::List(&A);
/// A map from `A` to `B`.
const MAP: CelForm = CelForm::Map;
const TEXTS: CelForm = CelForm::List(&Text);
const OPTIONAL: CelForm = CelForm::Optional(&A);

pub(super) const NOT: &[CelOverload] = &[(&[Bool], Bool)];
pub(super) const NEGATIVE: &[CelOverload] = &[(&[Double], Double), (&[Int], Int)];
pub(super) const CHOICE: &[CelOverload] = &[(&[Bool, A, A], A)];
pub(super) const INDEX: &[CelOverload] = &[
    (&[LIST, Int], A),
    (&[MAP, A], B),
    (&[CelForm::Optional(&LIST), Int], OPTIONAL),
    (&[CelForm::Optional(&MAP), A], CelForm::Optional(&B)),
];
pub(super) const OPTIONAL_INDEX: &[CelOverload] = &[
    (&[LIST, Int], OPTIONAL),
    (&[CelForm::Optional(&LIST), Int], OPTIONAL),
    (&[MAP, A], CelForm::Optional(&B)),
    (&[CelForm::Optional(&MAP), A], CelForm::Optional(&B)),
];
pub(super) const PLUS: &[CelOverload] = &[
    (&[Bytes, Bytes], Bytes),
    (&[Double, Double], Double),
    (&[Duration, Duration], Duration),
    (&[Int, Int], Int),
    (&[LIST, LIST], LIST),
    (&[Text, Text], Text),
    (&[Uint, Uint], Uint),
];
/// Adds an entry to a map.
pub(super) const INSERT: &[CelOverload] = &[(&[MAP, A, B], MAP)];
/// Adds the entries of a map to a map.
pub(super) const INSERT_ALL: &[CelOverload] = &[(&[MAP, MAP], MAP)];

/// The overloads of an operator.
pub(super) const fn operator(of: CelOperator) -> &'static [CelOverload] {
    match of {
        CelOperator::Equal | CelOperator::NotEqual => &[(&[A, A], Bool)],
        CelOperator::Less | CelOperator::AtMost | CelOperator::More | CelOperator::AtLeast => &[
            (&[Bool, Bool], Bool),
            (&[Int, Int], Bool),
            (&[Int, Double], Bool),
            (&[Int, Uint], Bool),
            (&[Uint, Uint], Bool),
            (&[Uint, Double], Bool),
            (&[Uint, Int], Bool),
            (&[Double, Double], Bool),
            (&[Double, Int], Bool),
            (&[Double, Uint], Bool),
            (&[Text, Text], Bool),
            (&[Bytes, Bytes], Bool),
            (&[Duration, Duration], Bool),
        ],
        CelOperator::In => &[(&[A, LIST], Bool), (&[A, MAP], Bool)],
        CelOperator::Plus => PLUS,
        CelOperator::Minus => &[
            (&[Double, Double], Double),
            (&[Duration, Duration], Duration),
            (&[Int, Int], Int),
            (&[Uint, Uint], Uint),
        ],
        CelOperator::Times | CelOperator::Over => &[
            (&[Double, Double], Double),
            (&[Int, Int], Int),
            (&[Uint, Uint], Uint),
        ],
        CelOperator::Modulo => &[(&[Int, Int], Int), (&[Uint, Uint], Uint)],
    }
}

/// The overloads of a function; the first argument is the value that it belongs to.
pub(super) const fn function(of: CelFunction) -> &'static [CelOverload] {
    match of {
        CelFunction::CharAt => &[(&[Text, Int], Text)],
        CelFunction::Contains | CelFunction::EndsWith | CelFunction::StartsWith => {
            &[(&[Text, Text], Bool)]
        }
        CelFunction::Dyn => &[(&[A], Dyn)],
        CelFunction::Find => &[(&[Text, Text], Text)],
        CelFunction::FindAll | CelFunction::Split => {
            &[(&[Text, Text], TEXTS), (&[Text, Text, Int], TEXTS)]
        }
        CelFunction::Format => &[(&[Text, CelForm::List(&Dyn)], Text)],
        CelFunction::Get(_) => &[(&[Duration], Int)],
        CelFunction::HasValue => &[(&[OPTIONAL], Bool)],
        CelFunction::IndexOf | CelFunction::LastIndexOf => &[
            (&[Text, Text], Int),
            (&[Text, Text, Int], Int),
            (&[LIST, A], Int),
        ],
        CelFunction::IsSorted => &[
            (&[CelForm::List(&Int)], Bool),
            (&[CelForm::List(&Uint)], Bool),
            (&[CelForm::List(&Double)], Bool),
            (&[CelForm::List(&Bool)], Bool),
            (&[CelForm::List(&Duration)], Bool),
            (&[TEXTS], Bool),
            (&[CelForm::List(&Bytes)], Bool),
        ],
        CelFunction::Join => &[(&[TEXTS], Text), (&[TEXTS, Text], Text)],
        CelFunction::LowerAscii
        | CelFunction::UpperAscii
        | CelFunction::Trim
        | CelFunction::Reverse
        | CelFunction::Quote => &[(&[Text], Text)],
        CelFunction::Matches => &[(&[Text, Text], Bool)],
        CelFunction::Max | CelFunction::Min => &[
            (&[CelForm::List(&Int)], Int),
            (&[CelForm::List(&Uint)], Uint),
            (&[CelForm::List(&Double)], Double),
            (&[CelForm::List(&Bool)], Bool),
            (&[CelForm::List(&Duration)], Duration),
            (&[TEXTS], Text),
            (&[CelForm::List(&Bytes)], Bytes),
        ],
        CelFunction::Or => &[(&[OPTIONAL, OPTIONAL], OPTIONAL)],
        CelFunction::OrValue => &[(&[OPTIONAL, A], A)],
        CelFunction::OptionalNone => &[(&[], OPTIONAL)],
        CelFunction::OptionalOf | CelFunction::OptionalOfNonZero => &[(&[A], OPTIONAL)],
        CelFunction::Replace => &[
            (&[Text, Text, Text], Text),
            (&[Text, Text, Text, Int], Text),
        ],
        CelFunction::Size => &[
            (&[Bytes], Int),
            (&[LIST], Int),
            (&[MAP], Int),
            (&[Text], Int),
        ],
        CelFunction::Substring => &[(&[Text, Int], Text), (&[Text, Int, Int], Text)],
        CelFunction::Sum => &[
            (&[CelForm::List(&Int)], Int),
            (&[CelForm::List(&Uint)], Uint),
            (&[CelForm::List(&Double)], Double),
            (&[CelForm::List(&Duration)], Duration),
        ],
        CelFunction::Type => &[(&[A], Type)],
        CelFunction::Value => &[(&[OPTIONAL], A)],
        _ => conversion(of),
    }
}

/// The overloads of a function that makes a value of another type.
const fn conversion(of: CelFunction) -> &'static [CelOverload] {
    match of {
        CelFunction::Bool => &[(&[Bool], Bool), (&[Text], Bool)],
        CelFunction::Bytes => &[(&[Bytes], Bytes), (&[Text], Bytes)],
        CelFunction::Double => &[
            (&[Double], Double),
            (&[Int], Double),
            (&[Text], Double),
            (&[Uint], Double),
        ],
        CelFunction::Duration => &[
            (&[Duration], Duration),
            (&[Int], Duration),
            (&[Text], Duration),
        ],
        CelFunction::Int => &[
            (&[Int], Int),
            (&[Double], Int),
            (&[Duration], Int),
            (&[Text], Int),
            (&[Uint], Int),
        ],
        CelFunction::String => &[
            (&[Text], Text),
            (&[Bool], Text),
            (&[Bytes], Text),
            (&[Double], Text),
            (&[Duration], Text),
            (&[Int], Text),
            (&[Uint], Text),
        ],
        CelFunction::Uint => &[
            (&[Uint], Uint),
            (&[Double], Uint),
            (&[Int], Uint),
            (&[Text], Uint),
        ],
        // There are no timestamps.
        _ => &[],
    }
}

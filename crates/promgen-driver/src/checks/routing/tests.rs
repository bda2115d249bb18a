//! The family about routing, case by case.

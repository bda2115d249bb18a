//! stub
use crate::lower::{Ctx, workload::Facts};
use crate::options::Assume;
use crate::select::Selection;
pub(crate) fn status(
    _: &Ctx<'_>,
    _: &Facts<'_>,
    _: Option<&Selection<'_>>,
    _: Option<&str>,
    _: Assume,
) -> crate::yaml::Value {
    crate::yaml::Value::Null
}

//! stub
use crate::api::meta::ObjectMeta;
use crate::lower::Ctx;
use crate::output::*;
pub(crate) struct Facts<'a> {
    pub(crate) kind: WorkloadKind,
    pub(crate) metadata: &'a ObjectMeta,
    pub(crate) layout: Layout,
}
pub(crate) fn objects(_: &Ctx<'_>, _: &Facts<'_>) -> Result<Vec<Object>, String> {
    Ok(vec![])
}
pub(crate) fn rule_config_maps(cx: &Ctx<'_>) -> Vec<String> {
    (0..3).map(|i| format!("prometheus-{}-rulefiles-{i}", cx.name)).collect()
}

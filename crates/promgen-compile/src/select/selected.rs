//! The selected resources of a workload, as the output reports them.

use crate::output::{RefusalReason, SelectedKind, SelectedResource};
use crate::select::admit::rule::SelectedRules;
use crate::select::{PickedResources, Selection};
use promgen_resources::api::Resource;
use promgen_text::parallel;

impl<T: Resource + Sync + Send> PickedResources<'_, T> {
    /// The verdict on every selected resource.
    pub fn selected_kind(&self) -> SelectedKind {
        let resource =
            |(object, refusal): &(&crate::cluster::Object<T>, Option<Box<RefusalReason>>)| {
                SelectedResource {
                    namespace: object
                        .value
                        .metadata()
                        .namespace
                        .clone()
                        .unwrap_or_default(),
                    name: object.value.metadata().name.clone(),
                    generation: object.value.metadata().generation.unwrap_or_default(),
                    refusal: refusal.clone(),
                }
            };
        SelectedKind {
            api_version: T::API_VERSION,
            kind: T::KIND,
            resources: parallel::map(&self.0, 256, resource),
        }
    }
}

impl SelectedRules<'_> {
    /// The verdict on every selected rule.
    pub fn selected_kind(&self) -> SelectedKind {
        self.picked.selected_kind()
    }
}

impl Selection<'_> {
    /// The verdict on every selected resource. Only servers select rules.
    pub fn selected_kinds(&self, is_server: bool) -> Vec<SelectedKind> {
        let mut kinds = vec![
            self.pod_monitors.selected_kind(),
            self.probes.selected_kind(),
            self.scrape_configs.selected_kind(),
            self.service_monitors.selected_kind(),
        ];
        if is_server {
            // By kind: PrometheusRules stand between Probes and ScrapeConfigs.
            kinds.insert(2, self.rules.selected_kind());
        }
        kinds
    }
}

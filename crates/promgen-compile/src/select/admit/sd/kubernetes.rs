//! Checks of discovery by Kubernetes objects.

use crate::prometheus::labels::text;
use crate::select::admit::sd::{BASIC_FIRST, field, parts};
use crate::select::admit::{Admission, Check, Refusal, Within};
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::api::scraping::scrape_config::platform::{
    K8sSelectorConfig, KubernetesRole, KubernetesSdConfig,
};
use promgen_resources::gates;
use promgen_resources::http_config::Client;
use promgen_text::route::Path;

/// Objects of Kubernetes. Operator: `validateKubernetesSDConfigs`.
pub(super) fn kubernetes(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("kubernetesSDConfigs");
    for (index, config) in spec.kubernetes_sd_configs.iter().flatten().enumerate() {
        let path = list.index(index);
        client(cx, &path, config).within(&format!("[{index}]"))?;
        let selectors = path.key("selectors");
        // The space in front of the colon is the operator's.
        roles(&selectors, config).within(&format!("[{index}] "))?;
        for (i, selector) in config.selectors.iter().flatten().enumerate() {
            parses(&selectors.index(i), selector).within(&format!("[{index}]"))?;
        }
    }
    Ok(())
}

fn client(cx: &mut Admission<'_>, path: &Path<'_>, config: &KubernetesSdConfig) -> Check {
    parts(cx, path, &Client::from(&config.client), BASIC_FIRST)?;
    let slices = config.role == KubernetesRole::EndpointSlice;
    field(cx, &path.key("role"), slices, &gates::SD_ENDPOINT_SLICE, "EndpointSlice role")?;
    let own = config.namespaces.as_ref().and_then(|n| n.own_namespace).unwrap_or(false);
    if config.api_server.is_some() && own {
        let message = "cannot use 'apiServer' and 'namespaces.ownNamespace' simultaneously";
        return Err(Refusal::new(&path.key("namespaces"), message));
    }
    Ok(())
}

/// Selectors are of roles that the discovery looks at.
fn roles(path: &Path<'_>, config: &KubernetesSdConfig) -> Check {
    let allowed = allowed(config.role);
    let wrong = config.selectors.iter().flatten().position(|s| !allowed.contains(&s.role));
    let Some(index) = wrong else { return Ok(()) };
    let names: Vec<_> = allowed.iter().map(|role| role.as_str().to_lowercase()).collect();
    let message = format!("{} role supports only {} selectors", config.role.as_str(), names.join(", "));
    let path = path.index(index);
    Err(Refusal::new(&path.key("role"), message))
}

const fn allowed(role: KubernetesRole) -> &'static [KubernetesRole] {
    use KubernetesRole::{EndpointSlice, Endpoints, Ingress, Node, Pod, Service};
    match role {
        Pod => &[Pod],
        Service => &[Service],
        EndpointSlice => &[Pod, Service, EndpointSlice],
        Endpoints => &[Pod, Service, Endpoints],
        Node => &[Node],
        Ingress => &[Ingress],
    }
}

fn parses(path: &Path<'_>, selector: &K8sSelectorConfig) -> Check {
    if let Some(field) = &selector.field {
        text::check_fields(field).map_err(|message| Refusal::new(&path.key("field"), message))?;
    }
    if let Some(label) = &selector.label {
        text::check_labels(label).map_err(|message| Refusal::new(&path.key("label"), message))?;
    }
    Ok(())
}

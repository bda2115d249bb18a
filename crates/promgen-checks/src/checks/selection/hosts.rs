//! Addresses of Services in the input that have no such port.

use promgen_model::model::World;
use promgen_model::servers::ServerSpec;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds addresses in a Probe, in `staticConfigs` of a ScrapeConfig and in `remoteWrite` that name a Service in the input by
    /// its host name in the cluster, with a port that the Service does not have.
    ///
    /// ## Why is this bad?
    /// Nothing answers there: probes and scrapes fail, samples are not sent.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: site, namespace: shop}
    /// spec:
    ///   prober: {url: "blackbox.shop.svc:9115"}
    ///   targets: {staticConfig: {static: ["https://shop.example.org"]}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: blackbox, namespace: shop}
    /// spec:
    ///   selector: {app: blackbox}
    ///   ports: [{name: http, port: 19115}]
    /// ```
    /// Use instead: a port of the Service.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: site, namespace: shop}
    /// spec:
    ///   prober: {url: "blackbox.shop.svc:19115"}
    ///   targets: {staticConfig: {static: ["https://shop.example.org"]}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: blackbox, namespace: shop}
    /// spec:
    ///   selector: {app: blackbox}
    ///   ports: [{name: http, port: 19115}]
    /// ```
    UNSERVED_PORT = "PG140" "unserved-port" Warning: "an address of a Service that has no such port";
}

/// Checks the addresses of probes, static targets and remote writes.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let cluster = model.cluster();

    for probe in cluster.probes.values() {
        if let Some(prober) = &probe.value.spec.prober {
            let at = || At::spec(probe.doc).key("prober").key("url");
            address(model, &prober.url, at, sink);
        }
    }
    for config in cluster.scrape_configs.values() {
        for (list, statics) in config
            .value
            .spec
            .static_configs
            .iter()
            .flatten()
            .enumerate()
        {
            for (index, target) in statics.targets.iter().enumerate() {
                let at = || {
                    At::spec(config.doc)
                        .key("staticConfigs")
                        .index(list)
                        .key("targets")
                        .index(index)
                };
                address(model, target, at, sink);
            }
        }
    }
    for server in ServerSpec::all(cluster) {
        for (index, remote) in server.common.remote_write.iter().flatten().enumerate() {
            let at = || server.spec().key("remoteWrite").index(index).key("url");
            address(model, &remote.url, at, sink);
        }
    }
}

fn address(model: &World<'_>, text: &str, at: impl Fn() -> At, sink: &mut Sink) {
    let Some((name, namespace, port)) = host(text) else {
        return;
    };
    let key = format!("{namespace}/{name}");
    let Some(service) = model.cluster().services.get(key.as_str()) else {
        return;
    };
    let spec = &service.value.spec;
    // A headless Service is the address of its pods, which may have any port.
    let is_headless = spec.cluster_ip == "None" || spec.r#type == "ExternalName";
    let ports: Vec<i64> = spec.ports.iter().map(|port| i64::from(port.port)).collect();
    if is_headless || ports.is_empty() || ports.contains(&port) {
        return;
    }
    let message = format!("Service {namespace}/{name} has no port {port}");
    let found = Diagnostic::new(&UNSERVED_PORT, at(), message)
        .related(At::spec(service.doc).key("ports"), "its ports");
    let texts: Vec<String> = ports.iter().map(ToString::to_string).collect();
    let near = suggest::closest(&port.to_string(), texts.iter().map(String::as_str));
    sink.report(match (near, &texts[..]) {
        (Some(near), _) => found.help(format!("did you mean {near}?")),
        (None, _) => found.help(format!("it has {}", texts.join(", "))),
    });
}

/// Name and namespace of the Service, and the port, of a host name in the cluster: `name.namespace.svc:9115`. `None` for any
/// other address.
pub(super) fn host(text: &str) -> Option<(&str, &str, i64)> {
    let bare = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (host, port) = bare.split('/').next()?.rsplit_once(':')?;
    let mut parts = host.split('.');
    let (name, namespace) = (parts.next()?, parts.next()?);
    let is_of_cluster = matches!(
        parts.collect::<Vec<_>>()[..],
        ["svc"] | ["svc", "cluster", "local"]
    );
    Some((name, namespace, port.parse().ok()?)).filter(|_| is_of_cluster)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_host_names_of_the_cluster_name_a_service() {
        assert_eq!(host("http://a.b.svc:80/x"), Some(("a", "b", 80)));
        assert_eq!(host("a.b.svc.cluster.local:80"), Some(("a", "b", 80)));
        for other in [
            "a.b:80",
            "a.b.svc",
            "a.b.svc:http",
            "a.b.svc.example.org:80",
            "10.0.0.1:80",
        ] {
            assert_eq!(host(other), None, "{other}");
        }
    }
}

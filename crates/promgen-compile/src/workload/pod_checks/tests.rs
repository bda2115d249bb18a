//! Rules for pods, each with what Kubernetes 1.37 says.

use super::{PodFault, faults, place};
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::{Value, read};

/// A StatefulSet whose pod has this specification.
fn set(pod: &str) -> Value {
    let text =
        format!("{{kind: StatefulSet, spec: {{template: {{metadata: {{}}, spec: {pod}}}}}}}");
    let node = read::read(FileId::new(0), &text, &mut Sink::default())
        .remove(0)
        .root;
    node.to_value()
}

/// The faults of such a StatefulSet.
fn of_pod(pod: &str) -> Vec<String> {
    faults(&set(pod))
        .iter()
        .map(|PodFault { route, why }| format!("{route}: {why}"))
        .collect()
}

#[test]
fn a_mount_needs_a_volume_and_a_path_of_its_own() {
    let pod = |mounts: &str| {
        of_pod(&format!(
            "{{volumes: [{{name: a, emptyDir: {{}}}}], containers: [{{name: c, image: i, volumeMounts: [{mounts}]}}]}}"
        ))
    };
    assert_eq!(
        pod("{name: a, mountPath: /a}, {name: a, mountPath: /b}"),
        [""; 0]
    );
    let at = "spec.template.spec.containers[0].volumeMounts";
    assert_eq!(
        pod("{name: b, mountPath: /a}"),
        [format!("{at}[0].name: Not found: \"b\"")]
    );
    let twice = "{name: a, mountPath: /a}, {name: a, mountPath: /a}";
    assert_eq!(
        pod(twice),
        [format!(
            "{at}[1].mountPath: Invalid value: \"/a\": must be unique"
        )]
    );
}

#[test]
fn a_container_without_an_image_may_mean_one_that_has_it() {
    let help = |pod: &str| {
        let set = set(pod);
        let faults = faults(&set);
        let helps = faults.iter().map(|fault| place::maker(&set, fault));
        helps.collect::<Vec<_>>()
    };
    let meant = |name: &str| Some(format!("did you mean the container `{name}`?"));
    let pod = |name: &str| {
        format!(
            "{{containers: [{{name: prometheus, image: i}}, {{name: config-reloader, image: j}}, {{name: {name}}}]}}"
        )
    };
    assert_eq!(help(&pod("promethues")), [meant("prometheus")]);
    assert_eq!(help(&pod("config-reloder")), [meant("config-reloader")]);
    assert_eq!(help(&pod("proxy")), [None]);
    assert_eq!(help(&pod("proxies, image: k")), []);
}

#[test]
fn requests_are_at_most_the_limits() {
    let pod = |resources: &str| {
        of_pod(&format!(
            "{{containers: [{{name: c, image: i, resources: {resources}}}]}}"
        ))
    };
    assert_eq!(
        pod("{requests: {memory: 2Gi, cpu: 1500m}, limits: {memory: 2048Mi, cpu: 1.5}}"),
        [""; 0]
    );
    let said = pod("{requests: {memory: 4Gi}, limits: {memory: 2Gi}}");
    let why = "Invalid value: \"4Gi\": must be less than or equal to memory limit of 2Gi";
    assert_eq!(
        said,
        [format!(
            "spec.template.spec.containers[0].resources.requests.memory: {why}"
        )]
    );
}

#[test]
fn tolerations_fit_their_operator() {
    let one = |toleration: &str| {
        of_pod(&format!(
            "{{containers: [{{name: c, image: i}}], tolerations: [{toleration}]}}"
        ))
        .len()
    };
    for good in [
        "{key: a, value: b}",
        "{operator: Exists}",
        "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 1}",
    ] {
        assert_eq!(one(good), 0, "{good}");
    }
    for bad in [
        "{value: b}",
        "{key: a, operator: Exists, value: b}",
        "{key: a, effect: Never}",
        "{key: a, tolerationSeconds: 1}",
    ] {
        assert_eq!(one(bad), 1, "{bad}");
    }
}

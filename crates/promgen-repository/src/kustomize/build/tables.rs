//! What Kustomize knows of the kinds of Kubernetes: where labels, annotations, names and namespaces stand.
//!
//! The rows are those of Kustomize 5.7.

use crate::kustomize::images::PATHS;
use crate::kustomize::spec::{FieldSpec, Gvk};

/// Fields of which one kind of object is named.
#[derive(Clone, Debug)]
pub(super) struct BackReference {
    /// The kind that is named.
    pub(super) target: Gvk,
    /// The fields.
    pub(super) fields: Vec<FieldSpec>,
}

/// A field that is only changed where it is.
fn present(group: &str, version: &str, kind: &str, path: &str) -> FieldSpec {
    FieldSpec {
        of: Gvk::new(group, version, kind),
        path: path.to_owned(),
        create: false,
    }
}

/// A field that is made where it is absent.
fn created(group: &str, version: &str, kind: &str, path: &str) -> FieldSpec {
    FieldSpec {
        create: true,
        ..present(group, version, kind, path)
    }
}

/// `metadata.labels` of every object.
pub(super) fn metadata_labels() -> FieldSpec {
    created("", "", "", "metadata/labels")
}

/// Labels of the pods and claims that an object makes.
pub(super) fn template_labels() -> Vec<FieldSpec> {
    let mut specs = vec![created(
        "",
        "v1",
        "ReplicationController",
        "spec/template/metadata/labels",
    )];
    for kind in ["Deployment", "ReplicaSet", "DaemonSet"] {
        specs.push(created("", "", kind, "spec/template/metadata/labels"));
    }
    specs.extend([
        created("apps", "", "StatefulSet", "spec/template/metadata/labels"),
        created(
            "apps",
            "",
            "StatefulSet",
            "spec/volumeClaimTemplates[]/metadata/labels",
        ),
        created("batch", "", "Job", "spec/template/metadata/labels"),
        created("batch", "", "CronJob", "spec/jobTemplate/metadata/labels"),
        created(
            "batch",
            "",
            "CronJob",
            "spec/jobTemplate/spec/template/metadata/labels",
        ),
    ]);
    specs
}

/// Selectors by label.
fn selectors() -> Vec<FieldSpec> {
    let mut specs = vec![
        created("", "v1", "Service", "spec/selector"),
        created("", "v1", "ReplicationController", "spec/selector"),
        created("", "", "Deployment", "spec/selector/matchLabels"),
        created("", "", "ReplicaSet", "spec/selector/matchLabels"),
        created("", "", "DaemonSet", "spec/selector/matchLabels"),
        created("apps", "", "StatefulSet", "spec/selector/matchLabels"),
        present("batch", "", "Job", "spec/selector/matchLabels"),
        present(
            "batch",
            "",
            "CronJob",
            "spec/jobTemplate/spec/selector/matchLabels",
        ),
        present(
            "policy",
            "",
            "PodDisruptionBudget",
            "spec/selector/matchLabels",
        ),
    ];
    for path in [
        "spec/podSelector",
        "spec/ingress/from/podSelector",
        "spec/egress/to/podSelector",
    ] {
        specs.push(present(
            "networking.k8s.io",
            "",
            "NetworkPolicy",
            &format!("{path}/matchLabels"),
        ));
    }
    for kind in ["Deployment", "StatefulSet"] {
        for affinity in ["podAffinity", "podAntiAffinity"] {
            for term in [
                "preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm",
                "requiredDuringSchedulingIgnoredDuringExecution",
            ] {
                let path = format!(
                    "spec/template/spec/affinity/{affinity}/{term}/labelSelector/matchLabels"
                );
                specs.push(present("apps", "", kind, &path));
            }
        }
        let path = "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels";
        specs.push(present("apps", "", kind, path));
    }
    specs
}

/// The place where `commonLabels` go.
pub(super) fn common_labels() -> Vec<FieldSpec> {
    let mut specs = selectors();
    specs.push(metadata_labels());
    specs.extend(template_labels());
    specs
}

/// The place of images.
pub(super) fn images() -> Vec<FieldSpec> {
    PATHS
        .iter()
        .map(|path| created("", "", "", &path.join("/")))
        .collect()
}

/// The place where `commonAnnotations` go.
pub(super) fn common_annotations() -> Vec<FieldSpec> {
    let path = "spec/template/metadata/annotations";
    let mut specs = vec![
        created("", "", "", "metadata/annotations"),
        created("", "v1", "ReplicationController", path),
    ];
    specs.extend(
        ["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"]
            .map(|kind| created("", "", kind, path)),
    );
    specs.extend([
        created("batch", "", "Job", path),
        created(
            "batch",
            "",
            "CronJob",
            "spec/jobTemplate/metadata/annotations",
        ),
        created(
            "batch",
            "",
            "CronJob",
            "spec/jobTemplate/spec/template/metadata/annotations",
        ),
    ]);
    specs
}

/// Namespaces in other places than `metadata.namespace` and `subjects`.
pub(super) fn namespaces() -> Vec<FieldSpec> {
    let conversion = "spec/conversion/webhook/clientConfig/service/namespace";
    vec![
        created("", "", "Namespace", "metadata/name"),
        created(
            "apiregistration.k8s.io",
            "",
            "APIService",
            "spec/service/namespace",
        ),
        present(
            "apiextensions.k8s.io",
            "",
            "CustomResourceDefinition",
            conversion,
        ),
    ]
}

/// Kinds whose pods are described at a path: group, version, kind, path.
type PodPaths = (&'static str, &'static str, &'static str);

const TEMPLATE: &str = "spec/template/spec";
const JOB_TEMPLATE: &str = "spec/jobTemplate/spec/template/spec";

/// Kinds that name ConfigMaps and Secrets in their pods.
const CONTENT_PODS: [PodPaths; 8] = [
    ("v1", "Pod", "spec"),
    ("", "PodTemplate", "template/spec"),
    ("", "Deployment", TEMPLATE),
    ("", "ReplicaSet", TEMPLATE),
    ("", "DaemonSet", TEMPLATE),
    ("", "StatefulSet", TEMPLATE),
    ("", "Job", TEMPLATE),
    ("", "CronJob", JOB_TEMPLATE),
];

/// Kinds that name other objects in their pods.
const OTHER_PODS: [PodPaths; 7] = [
    ("", "Pod", "spec"),
    ("", "StatefulSet", TEMPLATE),
    ("", "Deployment", TEMPLATE),
    ("", "ReplicationController", TEMPLATE),
    ("", "CronJob", JOB_TEMPLATE),
    ("", "Job", TEMPLATE),
    ("", "DaemonSet", TEMPLATE),
];

fn in_pods(pods: &[PodPaths], paths: &[&str]) -> Vec<FieldSpec> {
    let each = |(version, kind, base): &PodPaths| {
        paths
            .iter()
            .map(|path| present("", version, kind, &format!("{base}/{path}")))
            .collect::<Vec<_>>()
    };
    pods.iter().flat_map(each).collect()
}

/// Other fields: group, kind, path.
fn fields(rows: &[(&str, &str, &str)]) -> Vec<FieldSpec> {
    rows.iter()
        .map(|(group, kind, path)| present(group, "", kind, path))
        .collect()
}

fn config_maps() -> Vec<FieldSpec> {
    let mut specs = in_pods(
        &CONTENT_PODS,
        &[
            "volumes/configMap/name",
            "containers/env/valueFrom/configMapKeyRef/name",
            "initContainers/env/valueFrom/configMapKeyRef/name",
            "containers/envFrom/configMapRef/name",
            "initContainers/envFrom/configMapRef/name",
            "volumes/projected/sources/configMap/name",
        ],
    );
    specs.extend(fields(&[
        ("", "Node", "spec/configSource/configMap"),
        ("", "Role", "rules/resourceNames"),
        ("", "ClusterRole", "rules/resourceNames"),
        (
            "",
            "Ingress",
            "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap",
        ),
    ]));
    specs
}

fn secrets() -> Vec<FieldSpec> {
    let mut specs = in_pods(
        &CONTENT_PODS,
        &[
            "volumes/secret/secretName",
            "containers/env/valueFrom/secretKeyRef/name",
            "initContainers/env/valueFrom/secretKeyRef/name",
            "containers/envFrom/secretRef/name",
            "initContainers/envFrom/secretRef/name",
            "imagePullSecrets/name",
            "volumes/projected/sources/secret/name",
        ],
    );
    specs.extend(fields(&[
        ("", "Ingress", "spec/tls/secretName"),
        (
            "",
            "Ingress",
            "metadata/annotations/ingress.kubernetes.io\\/auth-secret",
        ),
        (
            "",
            "Ingress",
            "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret",
        ),
        (
            "",
            "Ingress",
            "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret",
        ),
        ("", "ServiceAccount", "imagePullSecrets/name"),
        ("", "StorageClass", "parameters/secretName"),
        ("", "StorageClass", "parameters/adminSecretName"),
        ("", "StorageClass", "parameters/userSecretName"),
        ("", "StorageClass", "parameters/secretRef"),
        ("", "Role", "rules/resourceNames"),
        ("", "ClusterRole", "rules/resourceNames"),
        ("", "PersistentVolume", "spec/azureFile/secretName"),
    ]));
    let path = "spec/template/spec/containers/env/valueFrom/secretKeyRef/name";
    specs.push(present("serving.knative.dev", "v1", "Service", path));
    specs
}

fn services() -> Vec<FieldSpec> {
    fields(&[
        ("apps", "StatefulSet", "spec/serviceName"),
        ("", "Ingress", "spec/rules/http/paths/backend/serviceName"),
        ("", "Ingress", "spec/backend/serviceName"),
        ("", "Ingress", "spec/rules/http/paths/backend/service/name"),
        ("", "Ingress", "spec/defaultBackend/service/name"),
        ("apiregistration.k8s.io", "APIService", "spec/service/name"),
        (
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration",
            "webhooks/clientConfig/service",
        ),
        (
            "admissionregistration.k8s.io",
            "MutatingWebhookConfiguration",
            "webhooks/clientConfig/service",
        ),
    ])
}

const RBAC: &str = "rbac.authorization.k8s.io";

fn service_accounts() -> Vec<FieldSpec> {
    let mut specs = fields(&[
        (RBAC, "RoleBinding", "subjects"),
        (RBAC, "ClusterRoleBinding", "subjects"),
    ]);
    specs.extend(in_pods(&OTHER_PODS, &["serviceAccountName"]));
    specs
}

/// Which fields name objects of which kinds.
pub(super) fn name_references() -> Vec<BackReference> {
    let of = |group: &str, version: &str, kind: &str, fields: Vec<FieldSpec>| BackReference {
        target: Gvk::new(group, version, kind),
        fields,
    };
    let scaled = || fields(&[("", "HorizontalPodAutoscaler", "spec/scaleTargetRef/name")]);
    let roles = [
        (RBAC, "RoleBinding", "roleRef/name"),
        (RBAC, "ClusterRoleBinding", "roleRef/name"),
    ];
    let admission = "admissionregistration.k8s.io";
    vec![
        of("", "", "Deployment", scaled()),
        of("", "", "ReplicationController", scaled()),
        of("", "", "ReplicaSet", scaled()),
        of("", "", "StatefulSet", scaled()),
        of("", "v1", "ConfigMap", config_maps()),
        of("", "v1", "Secret", secrets()),
        of("", "v1", "Service", services()),
        of(RBAC, "", "Role", fields(&roles[..1])),
        of(RBAC, "", "ClusterRole", fields(&roles)),
        of("", "v1", "ServiceAccount", service_accounts()),
        of(
            "",
            "v1",
            "PersistentVolumeClaim",
            in_pods(&OTHER_PODS, &["volumes/persistentVolumeClaim/claimName"]),
        ),
        of(
            "",
            "v1",
            "PersistentVolume",
            fields(&[
                ("", "PersistentVolumeClaim", "spec/volumeName"),
                ("", "ClusterRole", "rules/resourceNames"),
            ]),
        ),
        of(
            "storage.k8s.io",
            "v1",
            "StorageClass",
            fields(&[
                ("", "PersistentVolume", "spec/storageClassName"),
                ("", "PersistentVolumeClaim", "spec/storageClassName"),
                (
                    "",
                    "StatefulSet",
                    "spec/volumeClaimTemplates/spec/storageClassName",
                ),
            ]),
        ),
        of(
            "scheduling.k8s.io",
            "v1",
            "PriorityClass",
            in_pods(&OTHER_PODS, &["priorityClassName"]),
        ),
        // As Kustomize has it; no object is of that group.
        of(
            "networking.k8s.io/v1",
            "v1",
            "IngressClass",
            fields(&[("", "Ingress", "spec/ingressClassName")]),
        ),
        of(
            admission,
            "",
            "ValidatingAdmissionPolicy",
            fields(&[(
                admission,
                "ValidatingAdmissionPolicyBinding",
                "spec/policyName",
            )]),
        ),
    ]
}

/// Texts in which variables are replaced.
pub(super) fn var_references() -> Vec<FieldSpec> {
    let mut paths = Vec::new();
    for containers in ["containers", "initContainers"] {
        for field in ["args", "command", "env/value", "volumeMounts/mountPath"] {
            paths.push(format!("{containers}/{field}"));
        }
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let with_pods = |(_, kind, _): &&PodPaths| !matches!(*kind, "PodTemplate");
    let pods: Vec<PodPaths> = CONTENT_PODS
        .iter()
        .filter(with_pods)
        .map(|(_, kind, base)| ("", *kind, *base))
        .collect();
    let mut specs = in_pods(&pods, &paths);
    let with_volumes: Vec<PodPaths> = pods
        .into_iter()
        .filter(|(_, kind, _)| !matches!(*kind, "CronJob" | "StatefulSet"))
        .collect();
    specs.extend(in_pods(&with_volumes, &["volumes/nfs/server"]));
    specs.extend(fields(&[
        // As Kustomize has it, without `spec` before `volumes`.
        (
            "",
            "CronJob",
            "spec/jobTemplate/spec/template/volumes/nfs/server",
        ),
        ("", "Deployment", "spec/template/metadata/annotations"),
        ("", "Ingress", "spec/rules/host"),
        ("", "Ingress", "spec/tls/hosts"),
        ("", "Ingress", "spec/tls/secretName"),
        ("", "Service", "spec/ports/port"),
        ("", "Service", "spec/ports/targetPort"),
        (
            "",
            "StatefulSet",
            "spec/volumeClaimTemplates/spec/nfs/server",
        ),
        ("", "PersistentVolume", "spec/nfs/server"),
        ("", "", "metadata/labels"),
        ("", "", "metadata/annotations"),
    ]));
    specs
}

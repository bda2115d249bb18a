//! Which lists of the Kubernetes API merge by keys: the patch strategies of Kubernetes 1.21, which are those that
//! Kustomize has built in. Lists that are not here are replaced as a whole, and so are all lists of other kinds.

/// The fields of a type below which a list merges.
#[derive(Debug)]
pub(super) struct MergeType(&'static [(&'static str, MergeField)]);

/// How a field merges.
#[derive(Clone, Copy, Debug)]
pub(super) enum MergeField {
    /// A map, whose fields merge by themselves.
    Map(&'static MergeType),
    /// A list of maps that these keys identify.
    List(&'static [&'static str], &'static MergeType),
    /// A list of scalars without repetitions.
    Set,
}

impl MergeType {
    /// How a field of this type merges. `None`: maps by key, lists not at all.
    pub(super) fn field(&self, key: &str) -> Option<MergeField> {
        self.0
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, field)| *field)
    }
}

/// The type of an object, by its apiVersion and kind.
pub(super) fn type_of(api_version: &str, kind: &str) -> Option<&'static MergeType> {
    let has = |words: &str, wanted: &str| words.split(' ').any(|word| word == wanted);
    let is_it = |row: &&MergeRow| has(row.1, kind) && has(row.0, api_version);
    KINDS.iter().find(is_it).map(|row| row.2)
}

/// Versions, kinds in each of them, and their type.
type MergeRow = (&'static str, &'static str, &'static MergeType);

static KINDS: &[MergeRow] = &[
    (
        "apps/v1",
        "DaemonSet Deployment ReplicaSet StatefulSet",
        &WORKLOAD,
    ),
    ("v1", "ReplicationController", &WORKLOAD),
    ("batch/v1", "Job", &WORKLOAD),
    ("batch/v1 batch/v1beta1", "CronJob", &CRON_JOB),
    ("v1", "Pod", &POD),
    ("v1", "PodTemplate", &POD_TEMPLATE_OBJECT),
    ("v1", "Service", &SERVICE),
    ("v1", "ServiceAccount", &SERVICE_ACCOUNT),
    ("v1", "Node", &NODE),
    ("v1", "ComponentStatus", &COMPONENT_STATUS),
    ("v1", "Namespace PersistentVolumeClaim", &WITH_CONDITIONS),
    (
        "policy/v1 policy/v1beta1",
        "PodDisruptionBudget",
        &WITH_CONDITIONS,
    ),
    (
        "apiregistration.k8s.io/v1 apiregistration.k8s.io/v1beta1",
        "APIService",
        &WITH_CONDITIONS,
    ),
    (
        "admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1beta1",
        "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
        &WEBHOOKS,
    ),
    (
        "storage.k8s.io/v1 storage.k8s.io/v1beta1",
        "CSINode",
        &CSI_NODE,
    ),
    (
        "kustomize.config.k8s.io/v1beta1",
        "Kustomization",
        &KUSTOMIZATION,
    ),
    // All that merges in the others are the finalizers and owners of their metadata.
    (
        "v1",
        "Binding ConfigMap Endpoints Event LimitRange PersistentVolume ResourceQuota Secret",
        &OBJECT,
    ),
    (
        "apiextensions.k8s.io/v1 apiextensions.k8s.io/v1beta1",
        "CustomResourceDefinition",
        &OBJECT,
    ),
    ("apps/v1", "ControllerRevision", &OBJECT),
    ("authentication.k8s.io/v1", "TokenRequest", &OBJECT),
    (
        "authentication.k8s.io/v1 authentication.k8s.io/v1beta1",
        "TokenReview",
        &OBJECT,
    ),
    (
        "authorization.k8s.io/v1 authorization.k8s.io/v1beta1",
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
        &OBJECT,
    ),
    (
        "autoscaling/v1 autoscaling/v2beta1 autoscaling/v2beta2",
        "HorizontalPodAutoscaler",
        &OBJECT,
    ),
    ("autoscaling/v1", "Scale", &OBJECT),
    (
        "certificates.k8s.io/v1 certificates.k8s.io/v1beta1",
        "CertificateSigningRequest",
        &OBJECT,
    ),
    (
        "coordination.k8s.io/v1 coordination.k8s.io/v1beta1",
        "Lease",
        &OBJECT,
    ),
    (
        "discovery.k8s.io/v1 discovery.k8s.io/v1beta1",
        "EndpointSlice",
        &OBJECT,
    ),
    ("events.k8s.io/v1 events.k8s.io/v1beta1", "Event", &OBJECT),
    (
        "extensions/v1beta1 networking.k8s.io/v1 networking.k8s.io/v1beta1",
        "Ingress",
        &OBJECT,
    ),
    (
        "networking.k8s.io/v1 networking.k8s.io/v1beta1",
        "IngressClass",
        &OBJECT,
    ),
    ("networking.k8s.io/v1", "NetworkPolicy", &OBJECT),
    (
        "flowcontrol.apiserver.k8s.io/v1beta1",
        "FlowSchema PriorityLevelConfiguration",
        &OBJECT,
    ),
    (
        "node.k8s.io/v1 node.k8s.io/v1beta1",
        "RuntimeClass",
        &OBJECT,
    ),
    ("policy/v1beta1", "Eviction PodSecurityPolicy", &OBJECT),
    (
        "rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1beta1",
        "ClusterRole ClusterRoleBinding Role RoleBinding",
        &OBJECT,
    ),
    (
        "scheduling.k8s.io/v1 scheduling.k8s.io/v1beta1",
        "PriorityClass",
        &OBJECT,
    ),
    (
        "storage.k8s.io/v1 storage.k8s.io/v1beta1",
        "CSIDriver StorageClass VolumeAttachment",
        &OBJECT,
    ),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacity", &OBJECT),
];

static PLAIN: MergeType = MergeType(&[]);
/// Lists of maps without lists that merge, by what identifies an item.
const NAMED: MergeField = MergeField::List(&["name"], &PLAIN);
const TYPED: MergeField = MergeField::List(&["type"], &PLAIN);
static METADATA: MergeType = MergeType(&[
    ("finalizers", MergeField::Set),
    ("ownerReferences", MergeField::List(&["uid"], &PLAIN)),
]);
const META: (&str, MergeField) = ("metadata", MergeField::Map(&METADATA));
static OBJECT: MergeType = MergeType(&[META]);

static CONDITIONS: MergeType = MergeType(&[("conditions", TYPED)]);
static WITH_CONDITIONS: MergeType = MergeType(&[META, ("status", MergeField::Map(&CONDITIONS))]);
static COMPONENT_STATUS: MergeType = MergeType(&[META, ("conditions", TYPED)]);

static CONTAINER: MergeType = MergeType(&[
    ("env", NAMED),
    (
        "ports",
        MergeField::List(&["containerPort", "protocol"], &PLAIN),
    ),
    ("volumeDevices", MergeField::List(&["devicePath"], &PLAIN)),
    ("volumeMounts", MergeField::List(&["mountPath"], &PLAIN)),
]);
static EPHEMERAL_CONTAINER: MergeType = MergeType(&[
    ("env", NAMED),
    ("volumeDevices", MergeField::List(&["devicePath"], &PLAIN)),
    ("volumeMounts", MergeField::List(&["mountPath"], &PLAIN)),
]);
static VOLUME: MergeType = MergeType(&[("ephemeral", MergeField::Map(&EPHEMERAL_VOLUME))]);
static EPHEMERAL_VOLUME: MergeType =
    MergeType(&[("volumeClaimTemplate", MergeField::Map(&OBJECT))]);
static POD_SPEC: MergeType = MergeType(&[
    ("containers", MergeField::List(&["name"], &CONTAINER)),
    (
        "ephemeralContainers",
        MergeField::List(&["name"], &EPHEMERAL_CONTAINER),
    ),
    ("hostAliases", MergeField::List(&["ip"], &PLAIN)),
    ("imagePullSecrets", NAMED),
    ("initContainers", MergeField::List(&["name"], &CONTAINER)),
    (
        "topologySpreadConstraints",
        MergeField::List(&["topologyKey", "whenUnsatisfiable"], &PLAIN),
    ),
    ("volumes", MergeField::List(&["name"], &VOLUME)),
]);
static POD_STATUS: MergeType = MergeType(&[
    ("conditions", TYPED),
    ("podIPs", MergeField::List(&["ip"], &PLAIN)),
]);
static POD: MergeType = MergeType(&[
    META,
    ("spec", MergeField::Map(&POD_SPEC)),
    ("status", MergeField::Map(&POD_STATUS)),
]);
static POD_TEMPLATE: MergeType = MergeType(&[META, ("spec", MergeField::Map(&POD_SPEC))]);
static POD_TEMPLATE_OBJECT: MergeType =
    MergeType(&[META, ("template", MergeField::Map(&POD_TEMPLATE))]);

static WORKLOAD_SPEC: MergeType = MergeType(&[("template", MergeField::Map(&POD_TEMPLATE))]);
static WORKLOAD: MergeType = MergeType(&[
    META,
    ("spec", MergeField::Map(&WORKLOAD_SPEC)),
    ("status", MergeField::Map(&CONDITIONS)),
]);
static JOB_TEMPLATE: MergeType = MergeType(&[META, ("spec", MergeField::Map(&WORKLOAD_SPEC))]);
static CRON_JOB_SPEC: MergeType = MergeType(&[("jobTemplate", MergeField::Map(&JOB_TEMPLATE))]);
static CRON_JOB: MergeType = MergeType(&[META, ("spec", MergeField::Map(&CRON_JOB_SPEC))]);

static SERVICE_SPEC: MergeType =
    MergeType(&[("ports", MergeField::List(&["port", "protocol"], &PLAIN))]);
static SERVICE: MergeType = MergeType(&[
    META,
    ("spec", MergeField::Map(&SERVICE_SPEC)),
    ("status", MergeField::Map(&CONDITIONS)),
]);
static SERVICE_ACCOUNT: MergeType = MergeType(&[META, ("secrets", NAMED)]);
static NODE_SPEC: MergeType = MergeType(&[("podCIDRs", MergeField::Set)]);
static NODE_STATUS: MergeType = MergeType(&[("addresses", TYPED), ("conditions", TYPED)]);
static NODE: MergeType = MergeType(&[
    META,
    ("spec", MergeField::Map(&NODE_SPEC)),
    ("status", MergeField::Map(&NODE_STATUS)),
]);

static WEBHOOKS: MergeType = MergeType(&[META, ("webhooks", NAMED)]);
static CSI_NODE_SPEC: MergeType = MergeType(&[("drivers", NAMED)]);
static CSI_NODE: MergeType = MergeType(&[META, ("spec", MergeField::Map(&CSI_NODE_SPEC))]);
static KUSTOMIZATION: MergeType =
    MergeType(&[("configMapGenerator", NAMED), ("secretGenerator", NAMED)]);

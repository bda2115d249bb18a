//! Which lists of the Kubernetes API merge by keys: the patch strategies of Kubernetes 1.21, which are those that
//! Kustomize has built in. Lists that are not here are replaced as a whole, and so are all lists of other kinds.

use promgen_text::yaml::Node;

/// The fields of a type below which a list merges.
#[derive(Debug)]
pub(super) struct Type(&'static [(&'static str, Field)]);

/// How a field merges.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    /// A map, whose fields merge by themselves.
    Map(&'static Type),
    /// A list of maps that these keys identify.
    List(&'static [&'static str], &'static Type),
    /// A list of scalars without repetitions.
    Set,
}

impl Type {
    /// How a field of this type merges. `None`: maps by key, lists not at all.
    pub(super) fn field(&self, key: &str) -> Option<Field> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, field)| *field)
    }
}

/// The type of an object, by its apiVersion and kind.
pub(super) fn type_of(node: &Node) -> Option<&'static Type> {
    let text = |key| node.get(key).and_then(Node::as_str);
    let (api_version, kind) = (text("apiVersion")?, text("kind")?);
    let is_it = |row: &&Row| row.1.contains(&kind) && row.0.contains(&api_version);
    KINDS.iter().find(is_it).map(|row| row.2)
}

/// Versions, kinds in each of them, and their type.
type Row = (&'static [&'static str], &'static [&'static str], &'static Type);

static KINDS: &[Row] = &[
    (&["apps/v1"], &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"], &WORKLOAD),
    (&["v1"], &["ReplicationController"], &WORKLOAD),
    (&["batch/v1"], &["Job"], &WORKLOAD),
    (&["batch/v1", "batch/v1beta1"], &["CronJob"], &CRON_JOB),
    (&["v1"], &["Pod"], &POD),
    (&["v1"], &["PodTemplate"], &POD_TEMPLATE_OBJECT),
    (&["v1"], &["Service"], &SERVICE),
    (&["v1"], &["ServiceAccount"], &SERVICE_ACCOUNT),
    (&["v1"], &["Node"], &NODE),
    (&["v1"], &["ComponentStatus"], &COMPONENT_STATUS),
    (&["v1"], &["Namespace", "PersistentVolumeClaim"], &WITH_CONDITIONS),
    (&["policy/v1", "policy/v1beta1"], &["PodDisruptionBudget"], &WITH_CONDITIONS),
    (&["apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1beta1"], &["APIService"], &WITH_CONDITIONS),
    (
        &["admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1beta1"],
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        &WEBHOOKS,
    ),
    (&["storage.k8s.io/v1", "storage.k8s.io/v1beta1"], &["CSINode"], &CSI_NODE),
    (&["kustomize.config.k8s.io/v1beta1"], &["Kustomization"], &KUSTOMIZATION),
    // All that merges in the others are the finalizers and owners of their metadata.
    (
        &["v1"],
        &["Binding", "ConfigMap", "Endpoints", "Event", "LimitRange", "PersistentVolume", "ResourceQuota", "Secret"],
        &OBJECT,
    ),
    (&["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"], &["CustomResourceDefinition"], &OBJECT),
    (&["apps/v1"], &["ControllerRevision"], &OBJECT),
    (&["authentication.k8s.io/v1"], &["TokenRequest"], &OBJECT),
    (&["authentication.k8s.io/v1", "authentication.k8s.io/v1beta1"], &["TokenReview"], &OBJECT),
    (
        &["authorization.k8s.io/v1", "authorization.k8s.io/v1beta1"],
        &["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"],
        &OBJECT,
    ),
    (&["autoscaling/v1", "autoscaling/v2beta1", "autoscaling/v2beta2"], &["HorizontalPodAutoscaler"], &OBJECT),
    (&["autoscaling/v1"], &["Scale"], &OBJECT),
    (&["certificates.k8s.io/v1", "certificates.k8s.io/v1beta1"], &["CertificateSigningRequest"], &OBJECT),
    (&["coordination.k8s.io/v1", "coordination.k8s.io/v1beta1"], &["Lease"], &OBJECT),
    (&["discovery.k8s.io/v1", "discovery.k8s.io/v1beta1"], &["EndpointSlice"], &OBJECT),
    (&["events.k8s.io/v1", "events.k8s.io/v1beta1"], &["Event"], &OBJECT),
    (&["extensions/v1beta1", "networking.k8s.io/v1", "networking.k8s.io/v1beta1"], &["Ingress"], &OBJECT),
    (&["networking.k8s.io/v1", "networking.k8s.io/v1beta1"], &["IngressClass"], &OBJECT),
    (&["networking.k8s.io/v1"], &["NetworkPolicy"], &OBJECT),
    (&["flowcontrol.apiserver.k8s.io/v1beta1"], &["FlowSchema", "PriorityLevelConfiguration"], &OBJECT),
    (&["node.k8s.io/v1", "node.k8s.io/v1beta1"], &["RuntimeClass"], &OBJECT),
    (&["policy/v1beta1"], &["Eviction", "PodSecurityPolicy"], &OBJECT),
    (
        &["rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1beta1"],
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
        &OBJECT,
    ),
    (&["scheduling.k8s.io/v1", "scheduling.k8s.io/v1beta1"], &["PriorityClass"], &OBJECT),
    (&["storage.k8s.io/v1", "storage.k8s.io/v1beta1"], &["CSIDriver", "StorageClass", "VolumeAttachment"], &OBJECT),
    (&["storage.k8s.io/v1beta1"], &["CSIStorageCapacity"], &OBJECT),
];

static PLAIN: Type = Type(&[]);
static METADATA: Type = Type(&[("finalizers", Field::Set), ("ownerReferences", Field::List(&["uid"], &PLAIN))]);
const META: (&str, Field) = ("metadata", Field::Map(&METADATA));
static OBJECT: Type = Type(&[META]);

static CONDITIONS: Type = Type(&[("conditions", Field::List(&["type"], &PLAIN))]);
static WITH_CONDITIONS: Type = Type(&[META, ("status", Field::Map(&CONDITIONS))]);
static COMPONENT_STATUS: Type = Type(&[META, ("conditions", Field::List(&["type"], &PLAIN))]);

static CONTAINER: Type = Type(&[
    ("env", Field::List(&["name"], &PLAIN)),
    ("ports", Field::List(&["containerPort", "protocol"], &PLAIN)),
    ("volumeDevices", Field::List(&["devicePath"], &PLAIN)),
    ("volumeMounts", Field::List(&["mountPath"], &PLAIN)),
]);
static EPHEMERAL_CONTAINER: Type = Type(&[
    ("env", Field::List(&["name"], &PLAIN)),
    ("volumeDevices", Field::List(&["devicePath"], &PLAIN)),
    ("volumeMounts", Field::List(&["mountPath"], &PLAIN)),
]);
static VOLUME: Type = Type(&[("ephemeral", Field::Map(&EPHEMERAL_VOLUME))]);
static EPHEMERAL_VOLUME: Type = Type(&[("volumeClaimTemplate", Field::Map(&OBJECT))]);
static POD_SPEC: Type = Type(&[
    ("containers", Field::List(&["name"], &CONTAINER)),
    ("ephemeralContainers", Field::List(&["name"], &EPHEMERAL_CONTAINER)),
    ("hostAliases", Field::List(&["ip"], &PLAIN)),
    ("imagePullSecrets", Field::List(&["name"], &PLAIN)),
    ("initContainers", Field::List(&["name"], &CONTAINER)),
    ("topologySpreadConstraints", Field::List(&["topologyKey", "whenUnsatisfiable"], &PLAIN)),
    ("volumes", Field::List(&["name"], &VOLUME)),
]);
static POD_STATUS: Type =
    Type(&[("conditions", Field::List(&["type"], &PLAIN)), ("podIPs", Field::List(&["ip"], &PLAIN))]);
static POD: Type = Type(&[META, ("spec", Field::Map(&POD_SPEC)), ("status", Field::Map(&POD_STATUS))]);
static POD_TEMPLATE: Type = Type(&[META, ("spec", Field::Map(&POD_SPEC))]);
static POD_TEMPLATE_OBJECT: Type = Type(&[META, ("template", Field::Map(&POD_TEMPLATE))]);

static WORKLOAD_SPEC: Type = Type(&[("template", Field::Map(&POD_TEMPLATE))]);
static WORKLOAD: Type = Type(&[META, ("spec", Field::Map(&WORKLOAD_SPEC)), ("status", Field::Map(&CONDITIONS))]);
static JOB_TEMPLATE: Type = Type(&[META, ("spec", Field::Map(&WORKLOAD_SPEC))]);
static CRON_JOB_SPEC: Type = Type(&[("jobTemplate", Field::Map(&JOB_TEMPLATE))]);
static CRON_JOB: Type = Type(&[META, ("spec", Field::Map(&CRON_JOB_SPEC))]);

static SERVICE_SPEC: Type = Type(&[("ports", Field::List(&["port", "protocol"], &PLAIN))]);
static SERVICE: Type = Type(&[META, ("spec", Field::Map(&SERVICE_SPEC)), ("status", Field::Map(&CONDITIONS))]);
static SERVICE_ACCOUNT: Type = Type(&[META, ("secrets", Field::List(&["name"], &PLAIN))]);
static NODE_SPEC: Type = Type(&[("podCIDRs", Field::Set)]);
static NODE_STATUS: Type =
    Type(&[("addresses", Field::List(&["type"], &PLAIN)), ("conditions", Field::List(&["type"], &PLAIN))]);
static NODE: Type = Type(&[META, ("spec", Field::Map(&NODE_SPEC)), ("status", Field::Map(&NODE_STATUS))]);

static WEBHOOKS: Type = Type(&[META, ("webhooks", Field::List(&["name"], &PLAIN))]);
static CSI_NODE_SPEC: Type = Type(&[("drivers", Field::List(&["name"], &PLAIN))]);
static CSI_NODE: Type = Type(&[META, ("spec", Field::Map(&CSI_NODE_SPEC))]);
static KUSTOMIZATION: Type = Type(&[
    ("configMapGenerator", Field::List(&["name"], &PLAIN)),
    ("secretGenerator", Field::List(&["name"], &PLAIN)),
]);

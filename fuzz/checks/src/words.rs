//! Words that mean something to promgen, for mutations.

use std::sync::LazyLock;

use promgen::schema;
use serde_json::Value;

/// The names of all fields of the resources, from their schemas, and of those of kustomizations and settings.
pub(crate) static FIELDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut names: Vec<String> = OTHER_FIELDS.iter().map(|name| (*name).to_owned()).collect();
    for kind in schema::kinds() {
        collect(&schema::schema(kind).unwrap_or_default(), &mut names);
    }
    names.sort();
    names.dedup();
    names
});

fn collect(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                names.extend(properties.keys().cloned());
            }
            map.values().for_each(|value| collect(value, names));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Fields that no schema has.
const OTHER_FIELDS: &[&str] = &[
    "$patch", "$setElementOrder/containers", "$deleteFromPrimitiveList/args", "$retainKeys", "<<", "annotations", "assume",
    "baseline", "bases", "behavior", "buildMetadata", "commonAnnotations", "commonLabels", "components", "configMapGenerator",
    "configurations", "crds", "create", "data", "default-prometheus-version", "delimiter", "disableNameSuffixHash", "env",
    "envs", "exclude", "expect", "fail-on", "feature-gates", "fieldPath", "fieldPaths", "fields", "fieldSpecs", "files",
    "finalizers", "from", "functionConfig", "generatorOptions", "generators", "helmCharts", "ignore", "images", "immutable",
    "includeSelectors", "includeTemplates", "index", "items", "labels", "levels", "literals", "metadata", "namePrefix",
    "nameSuffix", "namespace", "newName", "newTag", "objref", "op", "openapi", "options", "patch", "patches",
    "patchesJson6902", "patchesStrategicMerge", "path", "per-path-ignores", "postBuild", "replacements", "replicas",
    "resources", "results", "secretGenerator", "select", "sortOptions", "source", "spec", "status", "stringData",
    "substitute", "substituteFrom", "target", "targets", "tests", "transformers", "type", "validators", "value", "vars",
];

/// Values at the edge of what is allowed, and beyond.
pub(crate) const VALUES: &[&str] = &[
    "", "~", "null", "true", "yes", "0", "-1", "1", "3", "100000", "2147483648", "9223372036854775807", "18446744073709551615",
    "1e400", ".nan", ".inf", "0x1F", "017", "1_000", "2026-11-23", "2026-11-23T01:02:03Z", "30s", "0s", "1h30m", "1y", "1.5Gi",
    "500m", "1e3", "9E", "v2.45.0", "v3.5.0", "v3", "main", "shop", "cart", "default", "a/b", "a.b/c", "../x", "./base", "/abs",
    "https://example.com/x?ref=v1", "kustomization.yaml", "*", "**", "[]", "{}", "$(SHARD)", "$(SHARDS)", "$(INZONE_SHARD)",
    "$(TOPOLOGY_ZONE)", "$(A.B)", "${X}", "${X:=y}", "{{ .Values.x }}", "{{ $value }}", "{{", "$1", "${1}_x", "(.*)", "(.+);",
    "a|b|c", "(?i)x+", "(a{1000}){1000}", "[", "(?P<n>x)", "replace", "keep", "hashmod", "labelmap", "labeldrop", "lowercase",
    "keepequal", "__address__", "__tmp_hash", "__meta_kubernetes_pod_name", "up == 0", "sum by (a) (rate(x[5m])) / 2",
    "absent(up)", "x offset -1w @ end()", "merge", "delete", "replace", "add", "remove", "test", "/spec/0/-", "metadata.name",
    "spec.template.spec.containers.[name=a].image", "a=b", "a in (b,c)", "!x", "team", "\u{feff}", "\u{2028}", "\u{202e}x", "é",
    "\u{1f600}", "\u{0}", "\u{85}", "\t", "a\nb\n", "  x  ", "- a", "a: b", "# c", "&a", "*a", "!!str x", "'", "\"", "%", "@",
    "aGVsbG8=", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "monitoring.coreos.com/v1", "v1", "Prometheus",
    "Secret", "ConfigMap", "ServiceMonitor", "PodMonitor", "PrometheusRule", "AlertmanagerConfig", "Kustomization", "List",
];

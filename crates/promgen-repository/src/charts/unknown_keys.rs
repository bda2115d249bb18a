//! Values that the chart does not know.

use promgen_text::diag::Diagnostic;
use promgen_text::suggest::closest;
use promgen_text::yaml::Node;

use super::rules::UNKNOWN_VALUE;
use super::stack;

/// The maps of values whose keys are all known.
const MAPS: [&[&str]; 3] =
    [&["prometheus", "prometheusSpec"], &["alertmanager", "alertmanagerSpec"], &["thanosRuler", "thanosRulerSpec"]];

/// Reports the keys that no version of the chart knows.
pub(super) fn report(values: &Node, version: &str, found: &mut Vec<Diagnostic>) {
    for path in MAPS {
        let Some(map) = values.find(path) else { continue };
        let known = stack::keys(path);
        for entry in map.entries().iter().filter(|entry| !known.contains(&&*entry.key)) {
            let message = format!("the chart has no value `{}.{}`", path.join("."), entry.key);
            let diagnostic = Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message);
            let hint = match closest(&entry.key, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("kube-prometheus-stack {version} ignores it"),
            };
            found.push(diagnostic.help(hint));
        }
    }
}

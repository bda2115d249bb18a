//! Diagnostics in the formats of terminals, pipelines and people.

pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod text;
pub mod xml;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;

    #[test]
    fn a_policy_is_shown_by_its_code() {
        let (mut found, sources) = sample::findings();
        let mut finding = found.swap_remove(1);
        finding.rule = sample::policy("x");
        let found = [finding];
        let shown = |write: fn(&[_], &_, &mut dyn std::io::Write) -> std::io::Result<()>| {
            let mut out = Vec::new();
            write(&found, &sources, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(shown(github::write).contains(",title=policy/x::shard 9 is idle"));
        assert!(shown(junit::write).contains("<testcase name=\"policy/x at 2:11\" "));
        assert!(shown(markdown::write).contains(" | policy/x | "));
        let gitlab = shown(gitlab::write);
        assert!(gitlab.contains("\"policy/x: shard 9 is idle"), "{gitlab}");
        let gitlab: serde_json::Value = serde_json::from_str(&gitlab).unwrap();
        assert_eq!(gitlab[0]["check_name"], "policy/x");
        let json: serde_json::Value = serde_json::from_str(&shown(json::write)).unwrap();
        let keys = ["code", "rule"].map(|key| json["findings"][0][key].as_str());
        assert_eq!(keys, [Some("policy/x"), Some("x")]);
        let text = text::render(&found[0], &sources, text::Style::default());
        assert!(
            text.starts_with("warning[policy/x]: shard 9 is idle"),
            "{text}"
        );
    }
}

//! A newer table of facts, which a user gives to a promgen that is older.

use promgen_text::source::Input;
use promgen_text::version::Version;
use serde_json::json;

use super::{Definitions, VERSION_ANNOTATION};
use crate::facts::types::FactKind;
use crate::facts::{CodeRow, FactTable};
use crate::release;

/// What a given table says of releases that are newer than those which promgen knows.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenFacts {
    /// The releases, the oldest first, with the versions of Prometheus, Alertmanager and Thanos that each deploys.
    releases: Vec<(Version, [String; 3])>,
    /// The custom resources of the newest one.
    pub(super) definitions: Definitions,
}

impl GivenFacts {
    /// Reads a table.
    ///
    /// # Errors
    /// Which line is wrong, and why.
    pub fn read(text: &str) -> Result<Self, String> {
        let FactTable { code, types, .. } = FactTable::read(text)?;
        let rows = code.iter().filter(|row| row.noun == "release");
        let mut releases: Vec<_> = rows.filter_map(defaults).collect();
        releases.sort_unstable();
        let (newest, _) = releases.last().ok_or("there is no release in the table")?;
        let annotations = json!({ VERSION_ANNOTATION: newest.to_string() });
        let definition = |kind: &FactKind<'_>| {
            let (group, version) = kind.api_version.split_once('/')?;
            let schema = json!({ "openAPIV3Schema": types.schema(kind.name)? });
            let definition = json!({
                "kind": "CustomResourceDefinition",
                "metadata": { "annotations": annotations },
                "spec": {
                    "group": group,
                    "names": { "kind": kind.name },
                    "versions": [{ "name": version, "schema": schema }],
                },
            });
            Some(Input::new("facts", definition.to_string()))
        };
        let inputs: Vec<Input> = types.kinds.iter().filter_map(definition).collect();
        Ok(Self {
            definitions: Definitions::read(&inputs)?,
            releases,
        })
    }

    /// The versions of Prometheus, Alertmanager and Thanos that a release deploys which promgen does not know.
    #[must_use]
    pub fn defaults(&self, operator: &Version) -> Option<&[String; 3]> {
        let row = self
            .releases
            .iter()
            .rfind(|(version, _)| release::is_newer(version) && version <= operator)?;
        Some(&row.1)
    }
}

/// A release, with the versions of Prometheus, Alertmanager and Thanos that it deploys.
fn defaults(row: &CodeRow<'_>) -> Option<(Version, [String; 3])> {
    let mut versions = row.value.split(' ').map(str::to_owned);
    let defaults = [versions.next()?, versions.next()?, versions.next()?];
    Some((Version::parse(row.name)?, defaults))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::WHOLE;

    #[test]
    fn a_newer_table_has_newer_defaults_and_types() {
        let newer = WHOLE.replace(
            "\nfeature ",
            "\nrelease v0.97.0 2027-01-01 v3.17.0 v0.36.0 v0.43.0 read\nfeature ",
        );
        let facts = GivenFacts::read(&newer).unwrap();
        let of = |version: &str| {
            facts
                .defaults(&Version::parse(version).unwrap())
                .map(|versions| versions.join(" "))
        };
        assert_eq!(of("v0.97.3").as_deref(), Some("v3.17.0 v0.36.0 v0.43.0"));
        assert_eq!([of("v0.96.0"), of("v0.94.1")], [None, None]);
        assert_eq!(facts.definitions.release(), Version::parse("v0.97.0"));
        assert!(GivenFacts::read("promgen facts 1\n").is_err() && GivenFacts::read("").is_err());
    }
}

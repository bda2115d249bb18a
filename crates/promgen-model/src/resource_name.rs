//! Names of the operator's resources, as users and answers write them.
//!
//! In: `KIND/NAMESPACE/NAME`, or a candidate. Out: a [`ResourceName`].

use std::fmt;

use promgen_compile::cluster::Candidate;
use promgen_resources::api::Kind;
use promgen_text::suggest;

/// The name of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceName {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for ResourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.kind.as_str(), self.namespace, self.name)
    }
}

impl ResourceName {
    /// Returns whether it is the name of a resource.
    pub fn is(&self, candidate: &Candidate<'_>) -> bool {
        candidate.kind == self.kind
            && candidate.namespace() == self.namespace
            && candidate.metadata.name == self.name
    }

    /// The name of a resource.
    pub fn of(candidate: &Candidate<'_>) -> Self {
        Self {
            kind: candidate.kind,
            namespace: candidate.namespace().to_owned(),
            name: candidate.metadata.name.to_string(),
        }
    }

    /// Reads `KIND/NAMESPACE/NAME`, the kind in any case.
    ///
    /// # Errors
    /// The expected form.
    ///
    /// ```
    /// use promgen_model::resource_name::ResourceName;
    ///
    /// let name = ResourceName::parse("servicemonitor/shop/cart").expect("a valid name");
    /// assert_eq!(name.to_string(), "ServiceMonitor/shop/cart");
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/');
        let (Some(kind), Some(namespace), Some(name), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(
                "expected KIND/NAMESPACE/NAME, such as servicemonitor/shop/cart".to_owned(),
            );
        };
        let known = Kind::of_word(kind).filter(|known| Kind::OF_OPERATOR.contains(known));
        let kind = known.ok_or_else(|| {
            let kinds = || Kind::OF_OPERATOR.iter().map(|kind| kind.as_str());
            let initials = |known: &str| {
                known
                    .chars()
                    .filter(char::is_ascii_uppercase)
                    .collect::<String>()
            };
            let abbreviated = || {
                kinds().find(|known| known.len() > 1 && initials(known).eq_ignore_ascii_case(kind))
            };
            let meant = suggest::closest(kind, kinds()).or_else(abbreviated);
            let meant = meant.map(|meant| format!("; did you mean {meant}?"));
            let meant = meant.unwrap_or_else(|| {
                format!(
                    "; expected one of: {}",
                    kinds().collect::<Vec<_>>().join(", ")
                )
            });
            format!("unknown kind \"{kind}\"{meant}")
        })?;
        Ok(Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        })
    }
}

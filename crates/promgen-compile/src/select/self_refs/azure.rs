//! Tokens of Azure for remote write.

use crate::select::admit::{Check, Refusal, Refuse};
use promgen_resources::api::auth::AzureAd;
use promgen_resources::gates::{self, Gate, Versions};
use promgen_resources::http_config::filled;
use promgen_text::route::Path;

/// Exactly one way to authenticate, and one that the target knows. Operator: `validateRemoteWriteSpec`.
pub(super) fn valid(versions: &Versions, path: &Path<'_>, azure: &AzureAd) -> Check {
    one_way(path, azure)?;
    let needs = |gate: &Gate, key: &'static str| {
        let since = &gate.since;
        let refusal = || {
            Refusal::new(
                &path.key(key),
                format!("azureAD.{key} requires Prometheus >= v{since}"),
            )
        };
        if versions.has(gate) {
            Ok(())
        } else {
            Err(refusal())
        }
    };
    let uuid = |key: &'static str, field: &'static str, id: &str, what: &str| {
        let refusal = || {
            Refusal::new(
                &path.key(key).key(field),
                format!("the provided Azure {what} {field} is invalid"),
            )
        };
        if is_uuid(id) { Ok(()) } else { Err(refusal()) }
    };
    if let Some(identity) = &azure.managed_identity
        && filled(identity.client_id.as_deref()).is_none()
        && !versions.has(&gates::AZURE_SYSTEM_IDENTITY)
    {
        let (since, version) = (&gates::AZURE_SYSTEM_IDENTITY.since, &versions.prometheus);
        // The misspelling is the operator's.
        let message = format!(
            "managedIdentidy: clientId is required with Prometheus < {since}, current = {version}"
        );
        return path.key("managedIdentity").refuse(message);
    }
    if let Some(oauth) = &azure.oauth {
        // Older operators do not compare the version.
        if versions.has(&gates::AZURE_OAUTH_CHECK) {
            needs(&gates::AZURE_OAUTH, "oauth")?;
        }
        uuid("oauth", "clientId", &oauth.client_id, "OAuth")?;
    }
    if azure.sdk.is_some() {
        needs(&gates::AZURE_SDK, "sdk")?;
    }
    if let Some(workload) = &azure.workload_identity {
        needs(&gates::AZURE_WORKLOAD_IDENTITY, "workloadIdentity")?;
        uuid(
            "workloadIdentity",
            "clientId",
            &workload.client_id,
            "Workload Identity",
        )?;
        uuid(
            "workloadIdentity",
            "tenantId",
            &workload.tenant_id,
            "Workload Identity",
        )?;
    }
    Ok(())
}

/// Checks that there is exactly one way to authenticate.
fn one_way(path: &Path<'_>, azure: &AzureAd) -> Check {
    let identity = (
        "managedIdentity",
        "Azure Managed Identity",
        azure.managed_identity.is_some(),
    );
    let oauth = ("oauth", "Azure OAuth", azure.oauth.is_some());
    let sdk = ("sdk", "Azure SDK", azure.sdk.is_some());
    let workload = (
        "workloadIdentity",
        "Azure Workload Identity",
        azure.workload_identity.is_some(),
    );
    if [identity, oauth, sdk, workload]
        .iter()
        .all(|(_, _, set)| !set)
    {
        let message = "must provide Azure Managed Identity, Azure OAuth, Azure SDK, or Azure Workload Identity in the Azure AD config";
        return path.refuse(message);
    }
    let pairs =
        // The operator compares them in this order, and the first pair is the message.
        [(identity, oauth), (oauth, sdk), (identity, sdk), (identity, workload), (oauth, workload), (sdk, workload)];
    for ((_, one, has_one), (key, other, has_other)) in pairs {
        if has_one && has_other {
            let message = format!("cannot provide both {one} and {other} in the Azure AD config");
            return path.key(key).refuse(message);
        }
    }
    Ok(())
}

/// Returns whether a text is a UUID in one of the forms that the operator's library accepts: plain, prefixed with
/// `urn:uuid:`, in braces (or between any two characters), or without dashes. Go: `uuid.Parse` of
/// github.com/google/uuid.
fn is_uuid(text: &str) -> bool {
    let hex = |text: &[u8]| text.iter().all(u8::is_ascii_hexdigit);
    let dashed = |text: &[u8]| {
        let is_dash = |i: usize| matches!(i, 8 | 13 | 18 | 23);
        text.iter().enumerate().all(|(i, b)| {
            if is_dash(i) {
                *b == b'-'
            } else {
                b.is_ascii_hexdigit()
            }
        })
    };
    let bytes = text.as_bytes();
    match bytes.len() {
        32 => hex(bytes),
        36 => dashed(bytes),
        // The library does not look at the first and the last character.
        38 => dashed(&bytes[1..37]),
        45 => bytes[..9].eq_ignore_ascii_case(b"urn:uuid:") && dashed(&bytes[9..]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_read_in_four_forms() {
        let plain = "00000000-a12b-3cd4-e56f-000000000000";
        let forms = [
            plain.to_owned(),
            format!("{{{plain}}}"),
            format!("URN:UUID:{plain}"),
            plain.replace('-', ""),
        ];
        assert!(forms.iter().all(|form| is_uuid(form)));
        for bad in [
            "",
            "x",
            "00000000-a12b-3cd4-e56f-00000000000g",
            "00000000a12b-3cd4-e56f-0000-00000000",
        ] {
            assert!(!is_uuid(bad), "{bad}");
        }
    }
}

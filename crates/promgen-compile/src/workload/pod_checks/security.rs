//! Users and privileges.

use std::collections::BTreeSet;

use super::{PodFaults, integer, items, known_text, text};
use promgen_text::route::Path;
use promgen_text::yaml::Value;

/// The highest user or group.
const MAX_ID: i64 = i32::MAX as i64;

fn id(value: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    if let Some(id) = integer(value).filter(|id| !(0..=MAX_ID).contains(id)) {
        out.invalid_number(at, id, "must be between 0 and 2147483647, inclusive");
    }
}

/// Checks what holds for all containers of a pod.
pub(super) fn pod(context: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    let Some(context) = context else { return };
    for key in ["fsGroup", "runAsUser", "runAsGroup"] {
        id(context.get(key), &at.key(key), out);
    }
    for (index, group) in items(context.get("supplementalGroups")).iter().enumerate() {
        let at = at.key("supplementalGroups");
        id(Some(group), &at.index(index), out);
    }
    let mut names = BTreeSet::new();
    for (index, sysctl) in items(context.get("sysctls")).iter().enumerate() {
        let at = at.key("sysctls");
        let at = at.index(index);
        match known_text(sysctl, "name") {
            None => out.required(&at.key("name"), ""),
            Some(name) if !is_sysctl(name) => {
                out.invalid(&at.key("name"), name, "it is no name of a sysctl")
            }
            Some(name) if !names.insert(name) => out.duplicate(&at.key("name"), name),
            Some(_) => {}
        }
    }
    for (key, supported) in [
        ("fsGroupChangePolicy", &["Always", "OnRootMismatch"][..]),
        ("supplementalGroupsPolicy", &["Merge", "Strict"]),
        ("seLinuxChangePolicy", &["MountOption", "Recursive"]),
    ] {
        out.one_of(&at.key(key), context.get(key), supported);
    }
    profiles(context, at, out);
}

fn is_sysctl(name: &str) -> bool {
    let is_part = |part: &str| {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let ends = part.bytes().next().is_some_and(fits) && part.bytes().last().is_some_and(fits);
        ends && part.bytes().all(|b| fits(b) || matches!(b, b'-' | b'_'))
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_part)
}

/// Checks what holds for one container.
pub(super) fn container(context: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    let Some(context) = context else { return };
    id(context.get("runAsUser"), &at.key("runAsUser"), out);
    id(context.get("runAsGroup"), &at.key("runAsGroup"), out);
    out.one_of(
        &at.key("procMount"),
        context.get("procMount"),
        &["Default", "Unmasked"],
    );
    if known_text(context, "procMount") == Some("Unmasked") {
        out.invalid(
            &at.key("procMount"),
            "Unmasked",
            "`hostUsers` must be false to use `Unmasked`",
        );
    }
    if context.get("allowPrivilegeEscalation") == Some(&Value::Bool(false)) {
        if context.get("privileged") == Some(&Value::Bool(true)) {
            out.push(
                at,
                "Invalid value: cannot set `allowPrivilegeEscalation` to false and `privileged` to true".to_owned(),
            );
        }
        let added = context
            .get("capabilities")
            .map_or(&[][..], |capabilities| items(capabilities.get("add")));
        if added
            .iter()
            .any(|name| name.as_str() == Some("CAP_SYS_ADMIN"))
        {
            let why = "Invalid value: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
            out.push(at, why.to_owned());
        }
    }
    profiles(context, at, out);
}

/// Checks the profiles of seccomp and AppArmor.
fn profiles(context: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for key in ["seccompProfile", "appArmorProfile"] {
        let Some(profile) = context.get(key).filter(|profile| **profile != Value::Null) else {
            continue;
        };
        let at = at.key(key);
        let of_local = at.key("localhostProfile");
        out.one_of(
            &at.key("type"),
            profile.get("type"),
            &["Localhost", "RuntimeDefault", "Unconfined"],
        );
        let local = profile
            .get("localhostProfile")
            .filter(|local| **local != Value::Null);
        match (known_text(profile, "type"), local) {
            (Some("Localhost"), None) => {
                out.required(&of_local, "must be set when the type is Localhost")
            }
            (Some("Localhost"), Some(Value::Str(path))) if key == "seccompProfile" => {
                text::descending(path, &of_local, out);
            }
            (Some("Localhost"), _) | (_, None) => {}
            (_, Some(_)) => {
                out.invalid(
                    &of_local,
                    local.and_then(Value::as_str).unwrap_or_default(),
                    "can only be set when the type is Localhost",
                );
            }
        }
    }
}

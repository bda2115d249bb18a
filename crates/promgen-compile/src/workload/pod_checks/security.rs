//! Users and privileges.

use std::collections::BTreeSet;

use super::field::PodField;
use super::text;

/// The highest user or group.
const MAX_ID: i64 = i32::MAX as i64;

fn id(id: &PodField<'_, '_>) {
    id.number(
        |id| (0..=MAX_ID).contains(&id),
        "must be between 0 and 2147483647, inclusive",
    );
}

/// Checks what holds for all containers of a pod.
pub(super) fn pod(context: &PodField<'_, '_>) {
    for key in ["fsGroup", "runAsUser", "runAsGroup"] {
        id(&context.get(key));
    }
    context.each("supplementalGroups", id);
    let mut names = BTreeSet::new();
    context.each("sysctls", |sysctl| {
        let of_name = sysctl.get("name");
        match of_name.known_text() {
            None => of_name.required(),
            Some(name) if !is_sysctl(name) => of_name.invalid(name, "it is no name of a sysctl"),
            Some(name) if !names.insert(name) => of_name.duplicate(name),
            Some(_) => {}
        }
    });
    for (key, supported) in [
        ("fsGroupChangePolicy", &["Always", "OnRootMismatch"]),
        ("supplementalGroupsPolicy", &["Merge", "Strict"]),
        ("seLinuxChangePolicy", &["MountOption", "Recursive"]),
    ] {
        context.get(key).one_of(supported);
    }
    profiles(context);
}

fn is_sysctl(name: &str) -> bool {
    let is_part = |part: &str| {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        text::has_ends(part, fits) && part.bytes().all(|b| fits(b) || matches!(b, b'-' | b'_'))
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_part)
}

/// Checks what holds for one container.
pub(super) fn container(context: &PodField<'_, '_>) {
    id(&context.get("runAsUser"));
    id(&context.get("runAsGroup"));
    let mount = context.get("procMount");
    mount.one_of(&["Default", "Unmasked"]);
    if mount.known_text() == Some("Unmasked") {
        mount.invalid("Unmasked", "`hostUsers` must be false to use `Unmasked`");
    }
    if context.get("allowPrivilegeEscalation").is(false) {
        if context.get("privileged").is(true) {
            context.fault("Invalid value: cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
        let capabilities = context.get("capabilities");
        let mut added = capabilities.get("add").items().iter();
        if added.any(|name| name.as_str() == Some("CAP_SYS_ADMIN")) {
            context.fault(
                "Invalid value: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
            );
        }
    }
    profiles(context);
}

/// Checks the profiles of seccomp and AppArmor.
fn profiles(context: &PodField<'_, '_>) {
    for key in ["seccompProfile", "appArmorProfile"] {
        let profile = context.get(key);
        if !profile.is_set() {
            continue;
        }
        let (kind, local) = (profile.get("type"), profile.get("localhostProfile"));
        kind.one_of(&["Localhost", "RuntimeDefault", "Unconfined"]);
        match (kind.known_text() == Some("Localhost"), local.is_set()) {
            (true, false) => local.required_as("must be set when the type is Localhost"),
            (true, true) if key == "seccompProfile" => text::descending(&local),
            (true, true) | (false, false) => {}
            (false, true) => {
                local.invalid(local.text(), "can only be set when the type is Localhost")
            }
        }
    }
}

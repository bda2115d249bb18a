//! The files in `editors/` name what the program and the extension have.

use std::process::Command;

use regex::Regex;
use serde_json::Value;

use crate::support::root;

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn each_editor_starts_a_command_that_there_is() {
    let help = Command::new(env!("CARGO_BIN_EXE_promgen"))
        .args(["lsp", "--help"])
        .output()
        .unwrap();
    assert!(help.status.success(), "{help:?}");
    for (path, start) in [
        (
            "editors/helix/languages.toml",
            "command = \"promgen\"\nargs = [\"lsp\"]",
        ),
        (
            "editors/intellij/template.json",
            "\"default\": \"promgen lsp\"",
        ),
        ("editors/neovim/lsp.lua", "cmd = { \"promgen\", \"lsp\" }"),
        (
            "editors/neovim/promgen.lua",
            "cmd = { vim.g.promgen or \"promgen\", \"lsp\" }",
        ),
        ("editors/vscode/extension.js", "args: [\"lsp\"]"),
        ("editors/zed/src/lib.rs", "args: vec![\"lsp\".to_owned()]"),
    ] {
        assert!(
            text(path).contains(start),
            "{path} does not start `promgen lsp`"
        );
    }
}

#[test]
fn the_extension_of_vs_code_has_the_commands_and_settings_that_it_names() {
    let manifest: Value = serde_json::from_str(&text("editors/vscode/package.json")).unwrap();
    let (contributed, program) = (
        &manifest["contributes"],
        text("editors/vscode/extension.js"),
    );
    let mut known = vec!["promgen.yaml".to_owned()];
    for command in contributed["commands"].as_array().unwrap() {
        let name = command["command"].as_str().unwrap();
        assert!(
            program.contains(&format!("registerCommand(\"{name}\"")),
            "nobody registers {name}"
        );
        known.push(name.to_owned());
    }
    for name in contributed["configuration"]["properties"]
        .as_object()
        .unwrap()
        .keys()
    {
        let short = name.strip_prefix("promgen.").unwrap();
        // The client itself reads the setting about its messages.
        let is_read =
            short == "trace.server" || program.contains(&format!("settings.get(\"{short}\")"));
        assert!(is_read, "nobody reads {name}");
        known.push(name.clone());
    }
    let named = Regex::new(r#"[`"](promgen\.[a-z.]+)[`"]"#).unwrap();
    for path in [
        "docs/editors.md",
        "editors/vscode/README.md",
        "editors/vscode/extension.js",
    ] {
        for found in named.captures_iter(&text(path)) {
            assert!(
                known.contains(&found[1].to_owned()),
                "{path} names {}",
                &found[1]
            );
        }
    }
}

/// What `.ci/lsp` checks of `program.js` holds only if nobody starts another one.
#[test]
fn the_extension_of_vs_code_starts_no_program_of_a_stranger() {
    let manifest: Value = serde_json::from_str(&text("editors/vscode/package.json")).unwrap();
    assert_eq!(
        manifest["capabilities"]["untrustedWorkspaces"]["supported"],
        false
    );
    // Settings of a workspace do not count.
    assert_eq!(
        manifest["contributes"]["configuration"]["properties"]["promgen.path"]["scope"],
        "machine"
    );
    let program = text("editors/vscode/extension.js");
    assert!(program.contains("if (!workspace.isTrusted) return;"));
    assert!(program.contains("const command = locate(settings.get(\"path\"), folders);"));
    assert_eq!(program.matches("new LanguageClient(").count(), 1);
    assert!(program.contains("const server = { command, args: [\"lsp\"]"));
}

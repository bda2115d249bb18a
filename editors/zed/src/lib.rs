//! The extension of Zed: it starts `promgen lsp` for YAML.

use zed_extension_api::{
    register_extension, settings::LspSettings, Command, Extension, LanguageServerId, Result,
    Worktree,
};

struct Promgen;

impl Extension for Promgen {
    fn new() -> Self {
        Self
    }

    /// The path from `lsp.promgen.binary.path` of the settings, or else the program in `PATH`.
    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let path = settings
            .and_then(|binary| binary.path)
            .or_else(|| worktree.which("promgen"));
        let command =
            path.ok_or("promgen is not in PATH: install it, or set `lsp.promgen.binary.path`")?;
        Ok(Command {
            command,
            args: vec!["lsp".to_owned()],
            env: worktree.shell_env(),
        })
    }
}

register_extension!(Promgen);

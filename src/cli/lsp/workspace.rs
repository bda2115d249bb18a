//! The workspace of a client: the files that `lint` reads in its folder, open buffers on top, and what was found in them.

use std::collections::BTreeMap;
use std::io::{empty, sink};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser as _;
use serde_json::Value;

use crate::cli::args::{Cli, Command, LintArgs};
use crate::cli::check::lint;
use crate::cli::fs::{self, ReadManifests};
use crate::cli::lsp::enter;
use crate::cli::lsp::place::{path_of, uri_of};
use crate::cli::{Failure, Io, Terminal, Verbosity};
use promgen_answers::explain::brief;
use promgen_compile::output::Output;
use promgen_editor::about::Briefs;
use promgen_editor::lookup::Lookup;
use promgen_text::source::{FileBytes, Input};

/// What explanations tell of resources in the editor.
const BRIEFS: Briefs = Briefs {
    of_resource: brief::lines,
    of_selector: brief::selected,
};

/// A document that the client has open: its text may differ from that on the disk.
struct Buffer {
    /// As the client writes it.
    uri: String,
    text: String,
}

/// The files, the buffers and the findings.
pub(super) struct EditorWorkspace {
    folder: PathBuf,
    args: LintArgs,
    manifests: ReadManifests,
    buffers: BTreeMap<PathBuf, Buffer>,
    /// The findings, with the texts that they point into.
    pub(super) output: Output,
    /// Answers about the same texts. `None` before the first check.
    lookup: Option<Lookup>,
    /// The findings and answers before the last check.
    outdated: Option<(Output, Option<Lookup>)>,
}

impl EditorWorkspace {
    /// Enters the folder that the client names. Nothing of it is read yet.
    pub(super) fn of(params: &Value) -> Result<Self, Failure> {
        let named = params["workspaceFolders"][0]["uri"]
            .as_str()
            .or_else(|| params["rootUri"].as_str());
        let folder = named.and_then(path_of);
        folder.as_deref().map_or(Ok(()), enter)?;
        let folder = folder.unwrap_or_else(|| fs::absolute(Path::new(".")));
        let cli = Cli::try_parse_from(["promgen", "lint"]).map_err(Failure::Usage)?;
        let Command::Lint(args) = cli.command else {
            return Err(Failure::message("`lint` is another command"));
        };
        let (manifests, buffers, output) =
            (ReadManifests::default(), BTreeMap::new(), Output::default());
        Ok(Self {
            folder,
            args: *args,
            manifests,
            buffers,
            output,
            lookup: None,
            outdated: None,
        })
    }

    /// Reads the files that have changed. What was read before stays if that fails.
    pub(super) fn read(&mut self) -> Result<(), Failure> {
        let terminal = Terminal {
            verbosity: Verbosity::Quiet,
            ..Terminal::default()
        };
        let (stdin, stdout, stderr) = (&mut empty(), &mut sink(), &mut sink());
        self.manifests = lint::read(
            &self.args,
            &self.manifests,
            &mut Io {
                stdin,
                stdout,
                stderr,
                terminal,
            },
        )?;
        Ok(())
    }

    /// Takes the text of an open document.
    pub(super) fn open(&mut self, uri: &str, text: &str) {
        if let Some(path) = path_of(uri) {
            self.buffers.insert(
                path,
                Buffer {
                    uri: uri.to_owned(),
                    text: text.to_owned(),
                },
            );
        }
    }

    /// Returns whether a file was read before, and the client has it open.
    pub(super) fn holds(&self, uri: &str) -> bool {
        let is_open = path_of(uri).is_some_and(|path| self.buffers.contains_key(&path));
        is_open && self.name(uri).is_some()
    }

    /// Forgets the text of a document that is no longer open.
    pub(super) fn close(&mut self, uri: &str) {
        if let Some(path) = path_of(uri) {
            self.buffers.remove(&path);
        }
    }

    /// Checks everything again.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        // What is compiled of the texts before is not needed beside what is compiled now.
        self.lookup.iter_mut().for_each(Lookup::forget);
        let earlier = self
            .lookup
            .as_ref()
            .map(|lookup| Arc::clone(lookup.project()));
        let on_disk = self.take_buffers();
        let checked = lint::with_project(&self.args, &self.manifests.inputs, earlier.as_deref());
        self.restore(on_disk);
        let (output, project) = checked?;
        let lookup = Lookup::after(&project, BRIEFS, self.lookup.as_ref());
        let before = (
            mem::replace(&mut self.output, output),
            self.lookup.replace(lookup),
        );
        self.outdated = Some(before);
        Ok(())
    }

    /// Puts the buffers in the places of the files. A file that `lint` leaves out is left out here too. Returns the texts on the
    /// disk.
    fn take_buffers(&mut self) -> Vec<(usize, FileBytes)> {
        let Self {
            folder,
            manifests: ReadManifests { inputs, files, .. },
            buffers,
            ..
        } = self;
        let with_buffer = |(index, (input, file)): (usize, (&mut Input, &Option<PathBuf>))| {
            let buffer = file
                .as_ref()
                .and_then(|file| buffers.get(&folder.join(file)));
            let buffer = buffer.filter(|_| input.unread.is_none())?;
            Some((
                index,
                mem::replace(&mut input.bytes, buffer.text.clone().into()),
            ))
        };
        inputs
            .iter_mut()
            .zip(files.iter())
            .enumerate()
            .filter_map(with_buffer)
            .collect()
    }

    /// Puts the texts on the disk back.
    fn restore(&mut self, on_disk: Vec<(usize, FileBytes)>) {
        for (index, bytes) in on_disk {
            self.manifests.inputs[index].bytes = bytes;
        }
    }

    /// Frees the findings and answers before the last check, which takes a while in a big repository.
    pub(super) fn forget_outdated(&mut self) {
        self.outdated = None;
    }

    /// Makes room for the next answer.
    pub(super) fn make_room(&mut self) {
        self.lookup.iter_mut().for_each(Lookup::forget_some);
    }

    /// Answers about the texts of the last check.
    pub(super) const fn lookup(&self) -> Option<&Lookup> {
        self.lookup.as_ref()
    }

    /// The text of a file as the client has it.
    pub(super) fn text(&self, uri: &str) -> Option<&str> {
        let buffer = self
            .buffers
            .get(&path_of(uri)?)
            .map(|buffer| buffer.text.as_str());
        buffer.or_else(|| {
            let name = self.name(uri)?;
            self.output
                .sources
                .files()
                .find(|(_, file)| file.name == name)
                .map(|(_, file)| &*file.text)
        })
    }

    /// The URI of a file by its name in findings.
    pub(super) fn uri(&self, name: &str) -> String {
        let path = self.folder.join(name);
        self.buffers
            .get(&path)
            .map_or_else(|| uri_of(&path), |buffer| buffer.uri.clone())
    }

    /// The name in findings of a file by its URI.
    pub(super) fn name(&self, uri: &str) -> Option<&str> {
        let path = path_of(uri)?;
        let mut files = self
            .output
            .sources
            .files()
            .map(|(_, file)| file.name.as_str());
        files.find(|name| self.folder.join(name) == path)
    }
}

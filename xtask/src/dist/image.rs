//! The image, as a layout of the Open Container Initiative: from nothing, one layer per architecture, run by nobody in particular.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::archive::{self, Entry};
use super::contents::Contents;
use super::table::{DESCRIPTION, Platform, REPOSITORY, VERSION};

/// Numeric, so that `runAsNonRoot` of Kubernetes accepts it.
const USER: &str = "65532:65532";
/// [`archive::MADE`], as the configuration has it.
const MADE: &str = "1980-01-01T00:00:00Z";

/// The files of the layout so far.
#[derive(Debug, Default)]
pub(crate) struct Image {
    blobs: Vec<Entry>,
    /// What the index says of each architecture.
    manifests: Vec<Value>,
}

impl Image {
    /// Adds an architecture.
    pub(crate) fn add(
        &mut self,
        platform: &Platform,
        contents: &Contents<'_>,
    ) -> Result<(), String> {
        let documents = [&contents.licence, &contents.notices, &contents.sbom];
        let folders = [
            "usr/",
            "usr/bin/",
            "usr/share/",
            "usr/share/doc/",
            "usr/share/doc/promgen/",
            "work/",
        ];
        let mut entries: Vec<_> = folders
            .into_iter()
            .map(|folder| Entry::new(folder, ""))
            .collect();
        entries.push(contents.program.at("usr/bin/promgen"));
        entries.extend(
            documents.map(|entry| entry.at(format!("usr/share/doc/promgen/{}", entry.path))),
        );
        let layer = archive::tar(&entries)?;
        let config = json!({
            "architecture": platform.arch,
            "os": platform.os,
            "created": MADE,
            "config": {
                "User": USER,
                "Entrypoint": ["/usr/bin/promgen"],
                "Env": ["PATH=/usr/bin"],
                "WorkingDir": "/work",
                "Labels": labels(),
            },
            "rootfs": {"type": "layers", "diff_ids": [digest(&layer)]},
            "history": [{"created": MADE, "created_by": "cargo xtask dist"}],
        });
        let layer = self.blob(
            "application/vnd.oci.image.layer.v1.tar+gzip",
            archive::gzip(&layer)?,
        );
        let config = self.blob(
            "application/vnd.oci.image.config.v1+json",
            config.to_string().into(),
        );
        let kind = "application/vnd.oci.image.manifest.v1+json";
        let manifest = json!({"schemaVersion": 2, "mediaType": kind, "config": config, "layers": [layer], "annotations": labels()});
        let mut manifest = self.blob(kind, manifest.to_string().into());
        manifest["platform"] = json!({"architecture": platform.arch, "os": platform.os});
        self.manifests.push(manifest);
        Ok(())
    }

    /// The layout as a tar archive, which `skopeo copy oci-archive:…` takes.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, String> {
        let kind = "application/vnd.oci.image.index.v1+json";
        let index = json!({"schemaVersion": 2, "mediaType": kind, "manifests": self.manifests, "annotations": labels()});
        let mut index = self.blob(kind, index.to_string().into());
        index["annotations"] = json!({"org.opencontainers.image.ref.name": VERSION});
        let index = json!({"schemaVersion": 2, "mediaType": kind, "manifests": [index]});
        self.blobs.push(Entry::new("index.json", index.to_string()));
        self.blobs.push(Entry::new(
            "oci-layout",
            json!({"imageLayoutVersion": "1.0.0"}).to_string(),
        ));
        self.blobs
            .extend(["blobs/", "blobs/sha256/"].map(|folder| Entry::new(folder, "")));
        archive::tar(&self.blobs)
    }

    /// Keeps a file, and describes it.
    fn blob(&mut self, kind: &str, bytes: Vec<u8>) -> Value {
        let (digest, size) = (digest(&bytes), bytes.len());
        self.blobs.push(Entry::new(
            format!("blobs/{}", digest.replace(':', "/")),
            bytes,
        ));
        json!({"mediaType": kind, "digest": digest, "size": size})
    }
}

fn labels() -> Value {
    json!({
        "org.opencontainers.image.description": DESCRIPTION,
        "org.opencontainers.image.documentation": format!("{REPOSITORY}/blob/main/docs/pipelines.md"),
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.source": REPOSITORY,
        "org.opencontainers.image.title": "promgen",
        "org.opencontainers.image.version": VERSION,
    })
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", sum(bytes))
}

/// The SHA-256 of bytes, as `sha256sum` prints it.
pub(crate) fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            _ = write!(text, "{byte:02x}");
            text
        })
}

//! Packs a release: every package, manifest and list of the table, from the programs that the compiler made.
//!
//! In: one program per platform. Out: a folder of packages with `SHA256SUMS`, and the folder `manifests` in it. The same programs
//! give the same bytes, wherever and whenever they are packed.

mod archive;
mod contents;
mod image;
mod linked;
mod linux;
mod manifests;
mod npm;
mod table;
#[cfg(test)]
mod tests;
mod wheel;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::{Outcome, files};
use contents::{Contents, Manuals};
use image::Image;
use table::{Format, PLATFORMS, Platform};

/// What is packed, and where to.
struct Order<'a> {
    out: PathBuf,
    programs: BTreeMap<&'static str, &'a Path>,
}

impl<'a> Order<'a> {
    /// Reads the arguments.
    fn read(arguments: &[&'a str]) -> Result<Self, String> {
        let mut order = Self {
            out: files::root().join("target/packages"),
            programs: BTreeMap::new(),
        };
        let (mut arguments, mut has_stand_ins) = (arguments.iter(), false);
        while let Some(argument) = arguments.next() {
            match *argument {
                "--stand-ins" => has_stand_ins = true,
                "--out" => order.out = arguments.next().ok_or("--out has no folder")?.into(),
                given => {
                    let (target, program) = given
                        .split_once('=')
                        .ok_or_else(|| format!("{given} is not TARGET=PROGRAM"))?;
                    let platform = Platform::of(target)
                        .ok_or_else(|| format!("the table has no platform {target}"))?;
                    order.programs.insert(platform.target, Path::new(program));
                }
            }
        }
        match PLATFORMS
            .iter()
            .find(|platform| !order.programs.contains_key(platform.target))
        {
            Some(platform) if !has_stand_ins => {
                Err(format!("there is no program for {}", platform.target))
            }
            _ => Ok(order),
        }
    }

    /// The program of a platform. Without one, a text is in its place: packages and manifests of all platforms can be checked
    /// where only one program is there.
    fn program(&self, platform: &Platform) -> Result<Vec<u8>, String> {
        match self.programs.get(platform.target) {
            Some(program) => files::read_bytes(program),
            None => Ok(format!("This stands for the program of {}.\n", platform.target).into()),
        }
    }
}

/// The checksums of the packages so far, by their files.
#[derive(Debug, Default)]
struct Made(BTreeMap<String, String>);

impl Made {
    /// Writes a package.
    fn write(&mut self, out: &Path, name: &str, bytes: &[u8]) -> Outcome {
        files::write_bytes(&out.join(name), bytes)?;
        self.0.insert(name.to_owned(), image::sum(bytes));
        Ok(())
    }

    /// The checksum of a package.
    fn sum(&self, name: &str) -> Result<String, String> {
        self.0
            .get(name)
            .cloned()
            .ok_or_else(|| format!("{name} has not been made"))
    }

    /// What `sha256sum --check` reads.
    fn lines(&self) -> String {
        self.0.iter().fold(String::new(), |mut lines, (name, sum)| {
            _ = writeln!(lines, "{sum}  {name}");
            lines
        })
    }
}

/// `cargo xtask dist`.
pub(crate) fn command(arguments: &[&str]) -> Outcome {
    let order = Order::read(arguments)?;
    let nfpm = std::env::var_os("NFPM")
        .ok_or("NFPM names no program: it makes the packages of Debian and RPM")?;
    files::clear(&order.out)?;
    let here = PLATFORMS.iter().find(|platform| platform.is_here());
    let here = here.and_then(|platform| order.programs.get(platform.target));
    let manuals =
        Manuals::of(here.ok_or("no program runs here: manual pages come from one that does")?)?;
    let (mut made, mut image) = (Made::default(), Image::default());
    for platform in PLATFORMS {
        let contents = Contents::of(platform, order.program(platform)?, &manuals)?;
        made.write(
            &order.out,
            &format!("{}.cdx.json", platform.stem()),
            &contents.sbom.bytes,
        )?;
        for format in platform.formats {
            let bytes = match format {
                Format::TarGz => archive::tar_gz(&contents.all())?,
                Format::Zip => archive::zip(&contents.all())?,
                Format::Wheel => wheel::wheel(platform, &contents)?,
                Format::Npm => npm::of_platform(platform, &contents)?,
                Format::Deb | Format::Rpm => {
                    linux::package(Path::new(&nfpm), platform, &contents, *format)?
                }
                Format::Image => {
                    image.add(platform, &contents)?;
                    continue;
                }
            };
            made.write(&order.out, &platform.file(*format), &bytes)?;
        }
    }
    finish(&order, made, image)
}

/// Writes what is for several platforms.
fn finish(order: &Order<'_>, mut made: Made, image: Image) -> Outcome {
    made.write(&order.out, "promgen-image.tar", &image.finish()?)?;
    let read = |path: &str, name: &str| {
        files::read(&files::root().join(path)).map(|text| archive::Entry::new(name, text))
    };
    // Helm looks for a folder with the name of the plugin, and takes that from the name of the archive.
    let plugin = read(
        "integrations/helm/plugin/plugin.yaml",
        "promgen/plugin.yaml",
    )?;
    made.write(
        &order.out,
        &table::helm_plugin(),
        &archive::tar_gz(&[plugin])?,
    )?;
    let launcher = npm::launcher(read("LICENSE", "LICENSE")?, contents::readme()?)?;
    made.write(
        &order.out,
        &format!("{}-{}.tgz", table::NPM, table::VERSION),
        &launcher,
    )?;
    for manifest in manifests::filled(&made)? {
        let path = order.out.join("manifests").join(&manifest.path);
        files::write_bytes(&path, &manifest.bytes)?;
        files::permit(&path, manifest.mode())?;
    }
    files::write(&order.out.join("SHA256SUMS"), &made.lines())?;
    println!("{} packages in {}", made.0.len(), order.out.display());
    Ok(())
}

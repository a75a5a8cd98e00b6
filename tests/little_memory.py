"""Reading a small file in a process with little address space."""

import subprocess
import sys
import zipfile
from pathlib import Path

READ = """
import sys
from pathlib import Path
from harness.engine.system.kernel import limit_address_space
{imports}

path = Path(sys.argv[1])
limit_address_space(12 * 2**20)
{read}
"""


def require_little_memory(imports: str, read: str, folder: Path) -> None:
    """Require that the statement `read` succeeds on a small file: ``path`` and standard input."""
    path = folder / "puzzles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("puzzles.txt", "1...........2...\n" * 9)
    command = [sys.executable, "-c", READ.format(imports=imports, read=read), str(path)]
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as cat:
        subprocess.run(command, stdin=cat.stdout, check=True)

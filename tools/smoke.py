"""Does an installed threesil work? It proves, refutes, reads a file and checks what it wrote.

Usage: smoke.py, where threesil is installed
"""

import subprocess
import sys
import tempfile

COMMANDS = (
    (["--version"], 0),
    (["prove", "x * T(y,x) = y * x", "--format", "json", "--out", "proof.json"], 0),
    (["check", "proof.json"], 0),
    (["prove", "x * y = y * x", "--format", "json", "--out", "model.json"], 1),
    (["check", "model.json"], 0),
    (["theories", "--example"], 0),
    (["data", "list"], 0),
)


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        for words, code in COMMANDS:
            command = [sys.executable, "-m", "threesil", *words]
            done = subprocess.run(command, cwd=place, capture_output=True, text=True)
            print("threesil", *words, "->", done.returncode)
            if done.returncode != code:
                print(done.stdout, done.stderr, f"expected {code}", sep="\n")
                return 1
    print("it works")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The type stub of the native module says what the module has."""

from pathlib import Path

from nanobind.stubgen import StubGen

import threesil
from threesil import _native


def test_the_stub_is_current() -> None:
    generator = StubGen(module=_native)
    generator.put(_native)
    stub = Path(threesil.__file__).parent / "_native.pyi"
    assert generator.get() == stub.read_text(), "run: make stub"

"""JSON from files: what is doubtful is refused, with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threesil.errors import InputError
from threesil.files import limits
from threesil.files.json_text import JsonText, NotJson, is_count, json_lines, json_value, read_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-limits.INTEGER, limits.INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=20,
)
REFUSED = {
    "": "Expecting value",
    "[1": "Expecting ',' delimiter",
    "1 2": "expected nothing behind the value",
    '{"a": 1, "b": 2, "a": 3}': "the key 'a' occurs twice",
    '[{"x": {"y": 1, "y": 1}}]': "the key 'y' occurs twice",
    "[NaN]": "NaN is not a number of JSON",
    "[-Infinity]": "-Infinity is not a number of JSON",
    "1e400": "a number is too large",
    "[-1.5E+999]": "a number is too large",
    "9" * 19: "a number is too large",
    "-" + "9" * 5000: "a number is too large",
    '["\\ud83d"]': "half a pair of surrogates in a text",
    '{"\\uDE00": 1}': "half a pair of surrogates in a text",
    "[" * 101 + "]" * 101: "brackets nested too deep: at most 100",
    '{"a":' * 101 + "0" + "}" * 101: "brackets nested too deep: at most 100",
    "[" * 100_000: "brackets nested too deep: at most 100",
    "\ufeff1": "Expecting value",
    "'x'": "Expecting value",
    '["a\0b"]': "Invalid control character",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_what_is_doubtful_is_refused(text: str) -> None:
    with pytest.raises(NotJson) as caught:
        json_value(text)
    assert REFUSED[text] in str(caught.value)
    assert 0 <= caught.value.offset <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        str(limits.INTEGER),
        str(-limits.INTEGER),
        "1e300",
        "1e-400",
        '"\\ud83d\\ude00"',
        "[" * 100 + "]" * 100,
        json.dumps(["[" * 1000, "9" * 30, "1e999", "\\ud800"]),
        " \t\r\n1\n",
    ],
)
def test_what_is_at_the_limits_is_read(text: str) -> None:
    assert json_value(text) == json.loads(text)


@given(VALUES)
def test_values_are_what_was_written(value: object) -> None:
    assert json_value(json.dumps(value)) == value
    assert json_value(json.dumps(value, ensure_ascii=False, indent=1)) == value


@given(st.text('[]{}":,0123456789eE+-. \\uabdNinfyt\n', max_size=60))
def test_nothing_but_not_json_is_raised(text: str) -> None:
    try:
        json_value(text)
    except NotJson as error:
        assert str(error)


def test_values_one_after_the_other() -> None:
    text = JsonText('{"a": 1}\n[2] 3')
    value, end = text.value(0)
    assert (value, text.skip(end)) == ({"a": 1}, 9)
    assert text.value(9) == ([2], 12)


@pytest.mark.parametrize("value", [True, False, -1, 1.0, "1", None, 10**30])
def test_counts(value: object) -> None:
    assert is_count(0) and is_count(5, 5) and not is_count(6, 5)
    assert not is_count(value)


def test_a_file_says_where_it_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1,\r\n "b": }\r\n')
    with pytest.raises(InputError, match=r"file.json:2: not JSON: Expecting value"):
        read_json(path)
    path.write_bytes(b'\xef\xbb\xbf{"a": 1,\r\n "b": 2}\r\n')
    assert read_json(path) == {"a": 1, "b": 2}
    with pytest.raises(InputError, match="too large"):
        read_json(path, 10)
    path.write_bytes(b'{"a": 1}\n\n{"b": "\xff"}\n')
    with pytest.raises(InputError, match=r"file.json:3: not UTF-8"):
        list(json_lines(path))
    path.write_bytes(b'{"a": 1}\n[2]\n')
    with pytest.raises(InputError, match=r"file.json:2: not a JSON object: expected an object"):
        list(json_lines(path))

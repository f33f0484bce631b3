"""Whatever the input, only the format's own errors are raised, and the work stays proportional to the size."""

import json
import os
import random
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from compliance.contentfile import PackageUnreadable, check_content, check_package, read_package
from compliance.contentfile.style import check_style
from tests.contentfile.make_vectors import PNG, Package, course, entry, every_block, zipped
from tests.contentfile.test_schemas import broken
from tests.contentfile.test_vectors import VECTORS

GOOD = json.dumps(course(*every_block())).encode()
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()) | st.just("id"), inner, max_size=4)
    ),
    max_leaves=12,
)


def codes(data: bytes | dict[str, Any]) -> set[str]:
    return {fault.code.value for fault in check_content(data).faults}


@given(st.binary(max_size=300))
def test_any_bytes_are_reported_and_never_raise(data: bytes) -> None:
    assert not check_content(data).ok


@hypothesis_settings(max_examples=60)
@given(JSON_VALUES)
def test_any_json_is_reported_and_never_raises(value: Any) -> None:
    data = json.dumps({"schema": "svc.content/2", "lessons": [value], "x": value}).encode("utf-8", "surrogatepass")
    assert not check_content(data).ok
    assert not check_content({"schema": "svc.content/2", "lessons": [value], "x": value}).ok


def test_good_files_with_a_few_bytes_changed_never_raise() -> None:
    chance = random.Random(4)
    for _ in range(400):
        data = bytearray(GOOD)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 3)] = bytes(chance.choices(b'{}[]",:\\0\x00\xff\xed\xa0\x80u<', k=2))
        for fault in check_content(bytes(data)).faults:
            assert fault.message


@given(st.text(st.sampled_from("{}()[]@:;,.<>+~*#!\\/'\"-abc 0%&|\n\0\ud800é"), max_size=60))
def test_any_style_is_reported_and_never_raises(css: str) -> None:
    check_style(css)


def test_changed_zips_never_raise(tmp_path: Path) -> None:
    chance = random.Random(5)
    good = zipped(Package().files())
    path = tmp_path / "package.zip"
    for _ in range(250):
        data = bytearray(good)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(bytes(data[: chance.randint(len(data) // 2, len(data))] if chance.random() < 0.2 else data))
        check_package(path)


@pytest.mark.parametrize("kind", [[], [None], {}, 1, None])
def test_a_media_kind_that_is_no_string_is_reported(tmp_path: Path, kind: Any) -> None:
    package = Package()
    package.manifest["media"][0]["kind"] = kind
    faults = check_package(package.write(tmp_path / "package")).faults
    assert [(fault.code.value, fault.pointer) for fault in faults] == [("unknown_value", "/media/0/kind")]


def test_packages_with_any_part_broken_never_raise(tmp_path: Path) -> None:
    chance = random.Random(6)
    path = tmp_path / "package.zip"
    for _ in range(250):
        package = Package(*every_block())
        for part in chance.sample(("manifest", "content", "words"), chance.randint(1, 2)):
            setattr(package, part, broken(getattr(package, part), chance))
        path.write_bytes(zipped(package.files()))
        checked = check_package(path)
        if checked.ok:
            assert read_package(checked).lessons
            assert checked.package_sha256


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[" * 3_000_000, "too_deep"),
        (b'{"a":' * 600_000, "too_deep"),
        (b'{"a":' + b"[" * 900 + b"]" * 900 + b"}", "too_deep"),
        (b'{"$schema":' + b"[" * 400_000 + b"]" * 400_000 + b"}", "too_deep"),
        (b'"' + b'\\"' * 400_000, "invalid_json"),
        (b"[" + b"0," * 400_000 + b"0]", "wrong_type"),
        (b'{"lessons": [' + b"0," * 400_000 + b"0]}", "wrong_type"),
        (b'{"a": ' + b"9" * 3_000_000 + b"}", "unknown_key"),
        (b"{" + b",".join(b'"a%d":0' % number for number in range(50_000)) + b"}", "unknown_key"),
        (b"{" + b",".join(b'"a":0' for _ in range(60_000)) + b"}", "duplicate_key"),
        ("{}".encode("utf-16"), "not_utf8"),
        ("{}".encode("utf-16-le"), "not_utf8"),
        ("{}{}".encode("utf-32-be"), "not_utf8"),
        (b'{"a": "\xed\xa0\x80"}', "not_utf8"),
        (b'\xef\xbb\xbf{}', "byte_order_mark"),
        (b'{"lessons": 1e' + b"9" * 3_000_000 + b"}", "wrong_type"),
        (b'{"lessons": 1.' + b"9" * 3_000_000 + b"}", "wrong_type"),
        (b'{"a": NaN}', "invalid_json"),
        (b'{"NaN": -Infinity}', "invalid_json"),
        (b"{}\x00", "nul_character"),
        (b'{"a\\u0000": 1}', "nul_character"),
        (b'{"a": "\\udc00\\ud800"}', "lone_surrogate"),
        (b'{"a": "\x7f"}', "control_character"),
        ('{"a": "\x85"}'.encode(), "control_character"),
        (b"", "invalid_json"),
        (b"{} {}", "invalid_json"),
        (b'{"a": "tab\there"}', "invalid_json"),
    ],
)  # fmt: skip
def test_hostile_files_get_their_code_in_processor_time_in_proportion(data: bytes, expected: str) -> None:
    started = time.process_time()
    assert expected in codes(data)
    # The format promises one second per megabyte; processor time grows somewhat when others use the same cores.
    assert time.process_time() - started < 5 * max(1.0, len(data) / 1_000_000)


def test_a_hundred_megabytes_are_refused_unread() -> None:
    started = time.process_time()
    assert codes(b" " * (100 * 1024 * 1024)) == {"too_large"}
    assert time.process_time() - started < 5


@pytest.mark.parametrize("left_out", ["$schema", "lessons"])
def test_a_key_written_twice_is_found_after_many_in_a_value_that_is_left_out(left_out: str) -> None:
    many = b"[" + b",".join([b'{"a":0,"a":0}'] * 1_100) + b"]"
    lessons = json.dumps(json.loads(GOOD)["lessons"]).encode()
    content = b'"schema":"svc.content/2","lessons":' + lessons
    assert check_content(b'{"$schema":' + many + b"," + content + b"}").ok
    twice = b'{"lessons":[],"' + left_out.encode() + b'":' + many + b"," + content + b"}"
    assert codes(twice) == {"duplicate_key"}


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert "lone_surrogate" not in codes(b'{"$schema": "\\ud83d\\ude00"}')


def test_values_that_no_json_parser_makes_are_reported() -> None:
    cycle: dict[str, Any] = {}
    cycle["lessons"] = [cycle]
    assert codes(cycle) == {"too_deep"}
    shared: Any = []
    for _ in range(40):
        shared = [shared] * 10
    assert codes({"schema": "svc.content/2", "lessons": shared}) == {"too_large"}
    assert codes({1: 2}) == {"wrong_type"}  # type: ignore[dict-item]
    assert "wrong_type" in codes({"schema": "svc.content/2", "lessons": ({},)})


def test_a_thousand_faults_below_a_long_key_stay_small() -> None:
    data = b'{"' + b"k" * 2_000_000 + b'": [' + b'"\\u0001",' * 5_000 + b"0]}"
    faults = check_content(data).faults
    assert len(faults) == 1_000
    assert all(len(fault.pointer) < 300 for fault in faults)


def test_a_style_bomb_is_refused_at_a_bounded_price() -> None:
    for css in ("(" * 32_000, "1 " * 16_000, "a,b{}" * 6_400):
        started = time.process_time()
        check_style(css)
        assert time.process_time() - started < 5


class TestFolders:
    """Hostile folders."""

    def test_links_devices_and_odd_names_are_reported_and_not_followed(self, tmp_path: Path) -> None:
        folder = Package().write(tmp_path / "package")
        (folder / "media" / "link.png").symlink_to("/etc/passwd")
        (folder / "linked").symlink_to("/etc")
        os.mkfifo(folder / "pipe")
        (folder / "media" / "PLAN.png").write_bytes(PNG)
        (folder / "media" / "a\\b").write_bytes(b"")
        faults = check_package(folder).faults
        assert sorted(fault.code.value for fault in faults) == [
            "link_in_package", "link_in_package", "name_collision", "special_file", "unsafe_path",
        ]  # fmt: skip

    def test_a_manifest_that_is_a_link_is_not_read(self, tmp_path: Path) -> None:
        folder = Package().write(tmp_path / "package")
        (folder / "manifest.json").rename(tmp_path / "elsewhere.json")
        (folder / "manifest.json").symlink_to(tmp_path / "elsewhere.json")
        found = {fault.code.value for fault in check_package(folder).faults}
        assert found == {"link_in_package", "missing_file"}

    @pytest.mark.parametrize(
        "name", ["../secret.png", "/etc/passwd", "media//plan.png", "C:plan.png", "media/./plan.png"]
    )
    def test_a_manifest_cannot_name_a_file_outside(self, tmp_path: Path, name: str) -> None:
        package = Package()
        package.manifest["media"][0]["file"] = name
        faults = check_package(package.write(tmp_path / "package")).faults
        assert [(fault.code.value, fault.pointer) for fault in faults] == [("unsafe_path", "/media/0/file")]

    def test_a_name_that_is_not_utf8_is_reported_in_a_form_that_can_be_written(self, tmp_path: Path) -> None:
        folder = Package().write(tmp_path / "package")
        (folder / os.fsdecode(b"plan-\xff.png")).write_bytes(PNG)
        faults = check_package(folder).faults
        assert [(fault.code.value, fault.file) for fault in faults] == [("unsafe_path", "plan-?.png")]

    def test_what_cannot_be_read_is_an_error_of_its_own(self, tmp_path: Path) -> None:
        for path in (tmp_path / "nothing", Path("/dev/null"), Path("a\0b")):
            with pytest.raises(PackageUnreadable):
                check_package(path)

    def test_an_empty_folder_lacks_a_manifest(self, tmp_path: Path) -> None:
        faults = check_package(tmp_path).faults
        assert [fault.code.value for fault in faults] == ["missing_file"]


class TestZips:
    """Hostile zips."""

    @pytest.mark.parametrize(
        "name", ["../manifest.json", "/etc/passwd", "a/../../b", "..\\b", "a:b", "a\0b", "a/" + "b" * 300]
    )
    def test_names_that_leave_the_package_are_refused(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "package.zip"
        info = entry("placeholder")
        info.filename = name
        path.write_bytes(zipped(Package().files(), (info, b"x")))
        assert "unsafe_path" in {fault.code.value for fault in check_package(path).faults}
        assert sorted(item.name for item in tmp_path.iterdir()) == ["package.zip"]

    def test_a_bomb_in_the_content_is_refused_by_its_size(self, tmp_path: Path) -> None:
        path = tmp_path / "package.zip"
        files = Package().files() | {"content.json": b"[" * 80_000_000}
        path.write_bytes(zipped(files))
        assert path.stat().st_size < 100_000
        started = time.process_time()
        assert {fault.code.value for fault in check_package(path).faults} == {"zip_bomb"}
        assert time.process_time() - started < 5

    def test_the_same_name_twice_is_a_collision(self, tmp_path: Path) -> None:
        path = tmp_path / "package.zip"
        with pytest.warns(UserWarning, match="Duplicate name"):
            path.write_bytes(zipped(Package().files(), (entry("content.json"), b"{}")))
        assert "name_collision" in {fault.code.value for fault in check_package(path).faults}

    def test_a_flipped_byte_is_found_by_the_checksum(self, tmp_path: Path) -> None:
        path = tmp_path / "package.zip"
        data = bytearray(zipped(Package().files()))
        path.write_bytes(data)
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo("media/plan.png")
        data[info.header_offset + 30 + len("media/plan.png") + 20] ^= 0xFF
        path.write_bytes(data)
        assert {fault.code.value for fault in check_package(path).faults} == {"invalid_zip"}

    def test_a_file_shorter_than_the_zip_declares_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "package.zip"
        package = Package()
        package.manifest["media"][0]["bytes"] = len(PNG) + 5_000
        data = bytearray(zipped(package.files()))
        name = data.rindex(b"media/plan.png")  # its entry in the directory: the last place where it is
        data[name - 22 : name - 18] = (len(PNG) + 5_000).to_bytes(4, "little")
        path.write_bytes(data)
        assert {fault.code.value for fault in check_package(path).faults} == {"invalid_zip"}


@pytest.mark.parametrize("path", [path for path in VECTORS if path.suffix == ".json"], ids=lambda path: path.stem)
def test_a_content_file_is_no_package(path: Path) -> None:
    assert {fault.code.value for fault in check_package(path).faults} == {"invalid_zip"}

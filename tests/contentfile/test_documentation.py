"""docs/content-format.md lists every fault code and every block type, and states the true limits."""

import re
from pathlib import Path

from compliance.contentfile import FaultCode, limits
from compliance.contentfile.content import BLOCKS

TEXT = (Path(__file__).parent.parent.parent / "docs" / "content-format.md").read_text()


def test_the_table_of_fault_codes_is_the_enum_in_order_with_its_severities() -> None:
    rows = re.findall(r"^\| `([a-z0-9_]+)` \| (error|warning) \| \S.*\.? \|$", TEXT, re.MULTILINE)
    assert rows == [(code.value, code.severity.value) for code in FaultCode]


def test_every_block_type_is_described() -> None:
    rows = "\n".join(line for line in TEXT.splitlines() if line.startswith("| `"))
    assert [kind for kind in BLOCKS if f"`{kind}`" not in rows] == []


def test_the_limits_are_stated_as_they_hold() -> None:
    stated = " ".join(TEXT.split())
    for limit in (
        f"up to {limits.JSON_BYTES // 2**20} MiB, {limits.JSON_DEPTH} levels deep",
        f"a style of up to {limits.STYLE_BYTES:,} bytes",
        f"up to {limits.UNUSUAL_STYLE_BYTES_IN_ALL:,} bytes of different styles",
        f"up to {limits.PACKAGE_FILES:,} files",
        f"{limits.PACKAGE_BYTES // 2**20} MiB unpacked ({limits.ZIP_BYTES // 2**20} MiB as a zip)",
        f"{limits.MEDIA_BYTES // 2**20} MiB a media file, {limits.LANGUAGES} languages",
    ):
        assert limit in stated

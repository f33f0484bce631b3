"""Every fault code has one vector, and each vector yields only its code."""

from pathlib import Path

import pytest

from compliance.contentfile import Checked, CheckedPackage, FaultCode, Severity, check_content, check_package

FOLDER = Path(__file__).parent.parent / "vectors" / "content"
VECTORS = sorted(path for path in FOLDER.iterdir() if path.is_file())
GOOD = sorted((FOLDER / "good").iterdir())


def check(path: Path) -> Checked | CheckedPackage:
    return check_package(path) if path.suffix == ".zip" else check_content(path.read_bytes())


def test_every_fault_code_has_exactly_one_vector() -> None:
    assert sorted(path.stem for path in VECTORS) == sorted(code.value for code in FaultCode)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_vector_yields_its_code_and_no_other(path: Path) -> None:
    checked = check(path)
    assert {fault.code.value for fault in checked.faults} == {path.stem}
    assert checked.ok == (FaultCode(path.stem).severity is Severity.WARNING)
    assert checked.fault_count == len(checked.faults)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_a_fault_says_what_to_do_in_one_sentence_and_where(path: Path) -> None:
    for fault in check(path).faults:
        assert fault.message[0].isupper() or not fault.message[0].isalpha()
        assert fault.message.endswith((".", "?"))
        assert fault.pointer == "" or fault.pointer.startswith("/")
        if fault.pointer:
            assert fault.line is not None
            assert fault.offset is not None


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_good_files_have_no_faults(path: Path) -> None:
    assert check(path).faults == ()
    assert check(path).ok

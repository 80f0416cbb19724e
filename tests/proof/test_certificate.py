"""Certificates are made by the kernel only, do not change, and are told from forged ones."""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path

import pytest

import symattn
import symattn.proof
from symattn.language.builder import AxisDecl, Builder
from symattn.program.program import Program
from symattn.proof.certificate import Certificate, Statement, genuine
from symattn.proof.evidence import PROVED_ALL_SIZES, Counterexample, Evidence
from symattn.proof.kernel import prove_equal


def program() -> Program:
    b = Builder()
    b.give("x", [AxisDecl("n", "n")])
    b.define("left", "2 * x")
    b.define("right", "2 * x")
    return b.program()


def test_a_certificate_says_what_was_proved() -> None:
    found = prove_equal(program(), "left", "right")
    assert genuine(found)
    assert found.statement.text() == "left == right"
    assert found.evidence.text() == "PROVED all sizes"


def test_nobody_else_makes_one() -> None:
    statement = Statement(program(), "left", "right")
    with pytest.raises(TypeError, match="only the proof kernel"):
        Certificate(object(), statement, Evidence(PROVED_ALL_SIZES))
    forged = object.__new__(Certificate)
    assert not genuine(forged)
    assert not genuine("left == right")


def test_a_subclass_is_no_certificate() -> None:
    found = prove_equal(program(), "left", "right")

    class Looser(Certificate):
        def __init__(self) -> None:
            pass

    assert not genuine(Looser())
    assert genuine(found)


def test_it_does_not_change_and_is_not_written_out() -> None:
    found = prove_equal(program(), "left", "right")
    with pytest.raises(AttributeError):
        found.statement = None  # type: ignore[misc,assignment]
    with pytest.raises(AttributeError):
        found._hypotheses = ("1 == 1",)
    with pytest.raises(AttributeError):
        del found._facts
    with pytest.raises(TypeError, match="prove it again"):
        pickle.dumps(found)
    assert copy.copy(found) is found
    assert copy.deepcopy(found) is found


def test_a_kind_that_does_not_exist_is_no_evidence() -> None:
    with pytest.raises(ValueError, match="no kind"):
        Evidence("certain")


def test_evidence_is_told_apart_in_text_and_json() -> None:
    point = Counterexample((("n", 2),), (("x[0]", "3/2"), ("x[1]", "1")), (0,), "1.5", "3")
    assert point.text() == "n=2; x[0]=3/2, x[1]=1: 1.5 against 3 at entry (0,)"
    assert point.text(1) == "n=2; x[0]=3/2, … (2 values): 1.5 against 3 at entry (0,)"
    rejected = Evidence("rejected", counterexample=point)
    assert rejected.text().startswith("REJECTED n=2; x[0]=3/2")
    assert rejected.to_json()["counterexample"] == point.text()
    assert Evidence("proved-at-sizes", ((("n", 3), ("d", 2)),)).text() == "PROVED at n=3, d=2"
    assert Evidence("sampled", points=4).text() == "SAMPLED 4 points"
    assert Evidence("undecided", reason="time").to_json() == {"kind": "undecided", "reason": "time"}


# -- who may make one -------------------------------------------------------------------------------------------------
MAKERS = {
    "kernel", "known", "inequalities", "extremes", "limits", "induction", "independence", "instance", "supposition",
}  # fmt: skip


def reaching(source: str) -> bool:
    """Does this source name what makes certificates?"""
    names = {"mint", "_KEY", "_MADE"}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and names & {alias.name for alias in node.names}:
            return True
        if isinstance(node, ast.Attribute) and node.attr in names:
            return True
    return False


def test_only_the_files_of_the_kernel_make_certificates() -> None:
    root = Path(symattn.__file__).parent
    found = {path for path in root.rglob("*.py") if reaching(path.read_text(encoding="utf-8"))}
    assert {path.stem for path in found} == MAKERS
    assert {path.parent.name for path in found} == {"proof"}
    documented = symattn.proof.__doc__ or ""
    assert all(f"{name}.py" in documented for name in MAKERS)


def test_the_reading_of_sources_sees_every_way_in() -> None:
    assert reaching("from symattn.proof.certificate import mint")
    assert reaching("import symattn.proof.certificate as c\nc.mint(None, None)")
    assert reaching("from symattn.proof import certificate\ncertificate._KEY")
    assert not reaching("from symattn.proof.certificate import Certificate")

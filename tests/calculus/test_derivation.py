"""Derivations as files: what is written, what is refused, and every way in which a file can lie about a proof."""

from __future__ import annotations

import copy
import json
import sys
from functools import cache
from subprocess import run
from typing import Any

import pytest

from symattn.calculus.catalogue import theorem, topics
from symattn.calculus.chain import Chain
from symattn.calculus.derivation import Derivation
from symattn.calculus.derivation_file import MAX_CHARACTERS, from_data, from_json, to_data, to_json
from symattn.calculus.derive import derive
from symattn.calculus.recheck import Recheck, recheck
from symattn.calculus.rules import RULES
from symattn.errors import DerivationError, SymattnError
from symattn.proof.evidence import StepRejected

HEAVY = ("sympy", "numpy", "flint", "mpmath", "ml_dtypes")


@cache
def data(topic: str) -> dict[str, Any]:
    return to_data(derived(topic))


@cache
def derived(topic: str) -> Derivation:
    return derive("attention", "W_Q") if topic == "attention" else theorem(topic).derive()


def changed(topic: str, change: Any) -> Recheck:
    copied = copy.deepcopy(data(topic))
    change(copied)
    assert copied != data(topic)
    return recheck(from_data(copied))


def rejected(topic: str, change: Any, step: int, says: str) -> Recheck:
    found = changed(topic, change)
    assert not found.right
    (finding,) = found.findings
    assert finding.step == step, finding
    assert says in finding.text(), finding.text()
    return found


# -- the file -----------------------------------------------------------------------------------------------------------
def test_the_schema_and_its_keys():
    found = json.loads(to_json(derived("softmax-rows"), "es"))
    assert list(found) == ["schema", "topic", "statement", "hypotheses", "definitions", "steps", "result"]
    assert found["schema"] == "symattn-derivation/1"
    assert found["definitions"][0] == {"name": "S", "meaning": "S(n, m)"}
    assert all(list(step) == ["rule", "before", "after", "why", "evidence"] for step in found["steps"])
    assert found["steps"][0]["evidence"]["kind"] == "proved-all-sizes"
    assert found["steps"][0]["why"] == derived("softmax-rows").steps[0].why.es
    assert found["result"] == found["steps"][-1]["after"]


def test_reading_gives_back_what_was_written():
    for topic in ("softmax-rows", "attention"):
        read = from_json(to_json(derived(topic)))
        assert (read.statement, read.hypotheses, read.definitions, read.result) == (
            derived(topic).statement, derived(topic).hypotheses, derived(topic).definitions, derived(topic).result,
        )  # fmt: skip
        assert to_data(recheck(read).derivation) == data(topic)


def test_evidence_in_a_file_is_a_claim_and_not_believed():
    def forge(d: dict[str, Any]) -> None:
        for step in d["steps"]:
            step["evidence"] = {"kind": "admitted", "reason": "trust me"}

    found = changed("softmax-rows", forge)
    assert found.right
    assert all(s.evidence.kind == "proved-all-sizes" for s in found.derivation.steps)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "ends too early"),
        ('{"schema": "symattn-derivation/1", "topic"', "ends too early"),
        ("[1]", "a list, not a derivation"),
        ("not json", "is no JSON"),
        ('{"schema": "symattn-derivation/2"}', "from a newer symattn"),
        ('{"schema": "symattn-derivation/99999"}', "from a newer symattn"),
        ('{"schema": "symattn-report/1"}', 'does not say "schema"'),
        ('{"schema": "symattn-derivation/one"}', "unknown schema"),
        ('{"schema": "symattn-derivation/1"}', 'has no "topic"'),
        ('{"schema": NaN}', "is no number"),
        ('{"schema": "symattn-derivation/1", "schema": "symattn-derivation/1"}', "stands twice"),
        ("[" * 100_000, "ends too early"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "does not say"),
        ("x" * (MAX_CHARACTERS + 1), "more than"),
    ],
)
def test_files_that_are_none(text: str, says: str):
    with pytest.raises(DerivationError) as caught:
        from_json(text)
    assert says in caught.value.message or "nests too deeply" in caught.value.message
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.update(steps=[]), "no steps"),
        (lambda d: d.update(steps={}), "not a list"),
        (lambda d: d.update(extra=1), "unknown key 'extra'"),
        (lambda d: d.pop("result"), 'has no "result"'),
        (lambda d: d["steps"][0].pop("why"), 'step 1 has no "why"'),
        (lambda d: d["steps"][1].update(before=3), '"before" of step 2 is a number'),
        (lambda d: d["steps"][1].update(evidence={"kind": "sure"}), "of no known kind"),
        (lambda d: d["definitions"].append("E"), "definition 5 is text"),
        (lambda d: d["hypotheses"].append(None), "hypothesis 3 is null"),
        (lambda d: d.update(topic="x" * 60_000), "more than"),
        (lambda d: d.update(steps=d["steps"] * 2_000), "more than"),
    ],
)
def test_files_of_another_shape(change: Any, says: str):
    copied = copy.deepcopy(data("softmax-rows"))
    change(copied)
    with pytest.raises(DerivationError) as caught:
        from_data(copied)
    assert says in caught.value.message


def test_truncated_anywhere_is_one_clear_message():
    text = to_json(derived("softmax-rows"))
    for length in range(0, len(text) - 3, 37):
        with pytest.raises(DerivationError):
            from_json(text[:length])


# -- lies about a proof -------------------------------------------------------------------------------------------------
def test_a_tampered_step_is_rejected_with_a_counterexample():
    found = rejected("softmax-shift", lambda d: d["steps"][1].update(after="exp(S) * exp(2 * c) / sum(exp(S) * exp(c))"), 2, "is false")
    assert found.findings[0].evidence.counterexample is not None
    assert "against" in found.findings[0].message


def test_a_missing_step():
    rejected("softmax-rows", lambda d: d["steps"].pop(1), 2, "does not begin where the step above it ends")
    rejected("softmax-rows", lambda d: d["steps"].pop(0), 1, "does not begin with the left side")
    rejected("softmax-rows", lambda d: d["steps"].pop(), 4, "before the right side")


def test_a_repeated_or_moved_step():
    rejected("softmax-rows", lambda d: d["steps"].insert(2, d["steps"][1]), 3, "does not begin where")

    def swap(d: dict[str, Any]) -> None:
        d["steps"][1], d["steps"][2] = d["steps"][2], d["steps"][1]

    rejected("softmax-rows", swap, 2, "does not begin where")


def test_a_step_after_the_statement_is_reached():
    def add(d: dict[str, Any]) -> None:
        d["steps"].append({**d["steps"][-1], "before": "2", "after": "1"})

    rejected("lse-gradient", add, len(data("lse-gradient")["steps"]) + 1, "reached before this step")


def test_a_step_that_changes_nothing():
    def idle(d: dict[str, Any]) -> None:
        d["steps"].insert(1, {**d["steps"][0], "before": d["steps"][0]["after"], "rule": "rearrange"})

    rejected("softmax-rows", idle, 2, "changes nothing")


def test_a_wrong_or_unknown_rule():
    rejected("softmax-rows", lambda d: d["steps"][1].update(rule="distribute"), 2, 'not "distribute" but "rearrange"')
    rejected("softmax-rows", lambda d: d["steps"][1].update(rule="magic"), 2, "there is no rule")
    rejected("softmax-rows", lambda d: d["steps"][0].update(rule="definition: Z"), 1, "putting in Z does not lead")
    rejected("softmax-rows", lambda d: d["steps"][0].update(rule="definition"), 1, "names what it unfolds")
    rejected("softmax-jacobian", lambda d: d["steps"][12].update(rule="using: sum(p) == 2"), 13, "is false")


def test_a_dropped_hypothesis():
    for topic in topics():
        for at, hypothesis in enumerate(data(topic)["hypotheses"]):
            found = changed(topic, lambda d, k=at: d["hypotheses"].pop(k))
            assert not found.right, (topic, hypothesis)


def test_a_forged_statement_or_result():
    rejected("softmax-rows", lambda d: d.update(result="2"), len(data("softmax-rows")["steps"]), "does not end with the result")
    rejected("softmax-shift", lambda d: d.update(statement="softmax(S + c) == softmax(S + c + c)"), 5, "before the right side")
    rejected("softmax-shift", lambda d: d.update(statement="softmax(S) == softmax(S)"), 1, "does not begin with the left side")
    rejected("softmax-shift", lambda d: d.update(statement="softmax(S + c) < softmax(S)"), 5, "the statement says <")
    rejected("softmax-shift", lambda d: d.update(statement=""), 0, "says nothing")
    rejected("softmax-shift", lambda d: d.update(statement="softmax(S +"), 0, "statement")


def test_a_changed_definition():
    def half(d: dict[str, Any]) -> None:
        next(x for x in d["definitions"] if x["name"] == "Z")["meaning"] = "2 * sum(E)"

    assert not changed("softmax-rows", half).right
    rejected("softmax-rows", lambda d: d["definitions"][0].update(meaning="S("), 0, 'definition of "S"')
    rejected("softmax-rows", lambda d: d["definitions"].pop(0), 0, "there is no value")


# -- gradients ----------------------------------------------------------------------------------------------------------
def test_a_gradient_that_leaves_out_a_reader_or_a_value():
    statement = data("attention")["statement"]
    head, _, rest = statement.partition(": ")
    clauses = rest.split("; ")

    def without(d: dict[str, Any]) -> None:
        d["statement"] = f"{head}: {'; '.join(clauses[1:])}"
        d["steps"] = [s for s in d["steps"] if "P_dot" not in s["before"]]

    rejected("attention", without, 0, 'the relation of the gradient by "P" is missing')

    def other_head(d: dict[str, Any]) -> None:
        d["statement"] = statement.replace("by W_Q:", "by W_Q, W_K:")

    rejected("attention", other_head, 0, 'the relation of the gradient by "K" is missing')


def test_a_gradient_with_a_tied_direction():
    def tie(d: dict[str, Any]) -> None:
        next(x for x in d["definitions"] if x["name"] == "S_dot")["meaning"] = "S"

    rejected("attention", tie, 0, '"S_dot" is no given')


def test_a_wrong_gradient_is_rejected_at_its_line():
    def double(d: dict[str, Any]) -> None:
        for step in d["steps"]:
            for key in ("before", "after"):
                step[key] = step[key].replace("dP - sum(dP * P, axis=1)", "dP - 2 * sum(dP * P, axis=1)")
        for definition in d["definitions"]:
            definition["meaning"] = definition["meaning"].replace("dP - sum(dP * P, axis=1)", "dP - 2 * sum(dP * P, axis=1)")
        d["statement"] = d["statement"].replace("dP - sum(dP * P, axis=1)", "dP - 2 * sum(dP * P, axis=1)")
        d["result"] = d["result"].replace("dP - sum(dP * P, axis=1)", "dP - 2 * sum(dP * P, axis=1)")

    found = changed("attention", double)
    assert not found.right
    assert found.findings[0].evidence.counterexample is not None


# -- chains -------------------------------------------------------------------------------------------------------------
def chain() -> Chain:
    made = Chain("t", "t", "t")
    made.given("a", "n")
    made.given("b", "n")
    made.define("c", "a + b")
    return made


def test_a_false_step_raises_where_it_is_written():
    made = chain()
    made.start("sum(a * c)")
    with pytest.raises(StepRejected, match=r"step 1 of t, sum\(a \* c\) to sum\(a \* b\).*counterexample"):
        made.step("rearrange", "sum(a * b)", "", "")


def test_a_true_step_under_another_rule_names_the_right_one():
    made = chain()
    made.start("sum(a * c)")
    with pytest.raises(StepRejected) as caught:
        made.step("collect", "sum(c * a)", "", "")
    assert caught.value.next_move == 'write the rule "rearrange"'
    with pytest.raises(StepRejected, match="holds without what it says it uses"):
        made.step("using: sum(a) == sum(a * 1)", "sum(c * a)", "", "")


def test_names_are_opaque_until_they_are_unfolded():
    made = chain()
    made.start("sum(c) - sum(a)")
    with pytest.raises(SymattnError, match="is false"):
        made.step("collect", "sum(b)", "", "")
    made.step("definition: c", "sum(a + b) - sum(a)", "", "")
    made.step("collect", "sum(b)", "", "")
    assert made.done("sum(c) - sum(a) == sum(b)").statement == "sum(c) - sum(a) == sum(b)"


def test_a_chain_must_come_to_its_statement():
    made = chain()
    made.start("c")
    made.step("definition: c", "a + b", "", "")
    with pytest.raises(DerivationError, match=r'say "c == a \+ b", not "c == b \+ a"'):
        made.done("c == b + a")
    with pytest.raises(DerivationError, match="no steps"):
        chain().done()
    made = chain()
    with pytest.raises(DerivationError, match="start from"):
        made.step("rearrange", "a", "", "")
    made.start("a")
    with pytest.raises(DerivationError, match="goes nowhere"):
        made.start("b")


def test_the_rules_are_told_apart():
    """A step of the catalogue under any other rule that takes no argument is refused."""
    plain = [name for name in RULES if name not in ("definition", "function", "using", "supposing")]
    tried = 0
    for topic in ("softmax-jacobian", "softmax-variance", "backward-scores", "lse-gradient"):
        for at, step in enumerate(data(topic)["steps"]):
            if step["rule"] in plain:
                other = plain[(plain.index(step["rule"]) + at + 1) % len(plain)]
                if other != step["rule"]:
                    found = changed(topic, lambda d, k=at, r=other: d["steps"][k].update(rule=r))
                    assert not found.right, (topic, at, other)
                    tried += 1
    assert tried >= 15


# -- what is loaded -----------------------------------------------------------------------------------------------------
def test_text_for_symbolic_sizes_loads_nothing_heavy():
    code = (
        "import sys; from symattn.cli.main import run\n"
        "assert run(['derive', 'attention', '--wrt', 'W_Q,X']) == 0\n"
        "assert run(['derive', 'softmax-jacobian', '--notation', 'matrix', '--lang', 'es']) == 0\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip().endswith("[]")


def test_in_python_a_gradient_is_a_program_and_symbols():
    import symattn

    found = symattn.derive("softmax(Q @ K.T / sqrt(d_k)) @ V", wrt="Q,K", shape="Q=n,d_k K=m,d_k V=m,d_v")
    assert [d.name for d in found.definitions if d.name in ("S", "P", "O")] == ["S", "P", "O"]
    assert set(found.answers) == {"Q", "K"}
    feeds = {"Q": [[1]], "K": [[1], [2]], "V": [[1], [3]], "dO": [[1]]}
    values = found.program.evaluate(feeds, numbers="exact")
    assert values["dQ"].shape == (1, 1)
    assert "begin{aligned}" in found.latex()
    assert found.latex("es", "matrix") != found.latex()
    assert found.symbolic(n=1, m=2, d_k=1, d_v=1)["dQ"].shape == (1, 1)
    program, stages = found.written
    assert all(stage in program.by_name for stage in stages.values())

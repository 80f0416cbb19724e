"""Every theorem of the catalogue: proved steps, an exact example, a rejected twin, a file that re-checks, a page in every form."""

from __future__ import annotations

from functools import cache

import pytest

from symattn.calculus.catalogue import GROUPS, theorem, topics, twin, worked
from symattn.calculus.derivation import Derivation
from symattn.calculus.derivation_file import from_json, to_json
from symattn.calculus.recheck import recheck
from symattn.calculus.statement import read_statement
from symattn.errors import DerivationError
from symattn.proof.certificate import genuine
from symattn.render.html import to_html
from symattn.render.latex import to_latex
from symattn.render.markdown import to_markdown
from symattn.render.terminal import to_text
from symattn.sheets.derivation_page import derivation_page


@cache
def derived(topic: str) -> Derivation:
    return theorem(topic).derive()


@pytest.mark.parametrize("topic", topics())
def test_every_step_is_proved_by_the_kernel(topic: str):
    found = derived(topic)
    assert found.topic == topic
    assert theorem(topic).GROUP in GROUPS
    assert found.title == theorem(topic).TITLE
    assert found.title.es != found.title.en
    for step in found.steps:
        assert genuine(step.certificate)
        assert step.certificate is not None
        assert step.evidence == step.certificate.evidence
        assert step.why.es
        assert step.why.en


@pytest.mark.parametrize("topic", topics())
def test_the_example_holds_in_exact_numbers(topic: str):
    for line in worked(topic):
        assert line.left
        assert len(line.left) == len(line.right)
    assert len(worked(topic)) == len(read_statement(derived(topic).statement).clauses)


@pytest.mark.parametrize("topic", topics())
def test_the_false_twin_is_rejected_with_a_counterexample(topic: str):
    rejection = twin(topic)
    assert rejection.counterexample is not None
    assert rejection.counterexample.left != rejection.counterexample.right


@pytest.mark.parametrize("topic", topics())
def test_the_file_rechecks(topic: str):
    found = recheck(from_json(to_json(derived(topic))))
    assert found.findings == ()
    assert [s.evidence.kind for s in found.derivation.steps] == [s.evidence.kind for s in derived(topic).steps]


@pytest.mark.parametrize("topic", topics())
@pytest.mark.parametrize("notation", ["index", "matrix"])
@pytest.mark.parametrize("lang", ["es", "en"])
def test_every_form_of_the_page(topic: str, lang: str, notation: str):
    page = derivation_page(derived(topic), lang, notation=notation)
    for write in (to_latex, to_html, to_markdown, to_text):
        assert str(len(derived(topic).steps)) in write(page)


def test_an_unknown_topic_names_the_nearest():
    with pytest.raises(DerivationError) as caught:
        theorem("softmax-row")
    assert "softmax-rows" in caught.value.next_move

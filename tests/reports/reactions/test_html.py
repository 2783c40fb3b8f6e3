"""The page on reactions; no network is asked."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.reports.markup import parsed, payload
from unnerve.core.errors import OutputRefused
from unnerve.core.facts import ReactionWords
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.measure.reactions.taylor import Taylor
from unnerve.reports.parts.palette import light
from unnerve.reports.parts.plotly import library
from unnerve.reports.reactions.html import reactions_html, write_reactions_report
from unnerve.reports.reactions.text import reactions_text
from unnerve.studies.react.feature_plane import FeaturePlane, PlaneGroup
from unnerve.studies.react.result import Reacted, Reactions

DATE = datetime(2025, 11, 15, 12, 30)


def test_the_page_is_complete_and_stands_alone(found: Reactions) -> None:
    html = reactions_html(found, "unnerve react it", date=DATE)
    tags = parsed(html)
    assert html.count(library()) == 1
    assert [tag for tag, attrs in tags.tags if attrs.get("src") or tag in ("iframe", "object")] == []
    assert all((attrs.get("href") or "#")[0] == "#" or tag == "link" for tag, attrs in tags.tags)
    assert "unnerve react it" in tags.text
    said = " ".join(" ".join(tags.text).split())
    assert "44 % of the neurons are sensitive; to noise of the same size, 2 %" in said.replace(" ;", ";")
    assert "Means over 10 pairs" in said
    assert "Errors stand out most in dense: 50 % against 0 %." in said
    assert "The noise made 1 of them fail too." in said
    assert "Two methods share 33.3 % of their 2 strongest neurons on average; by chance it would be 25 %." in said
    assert "Nothing was found by random." in said
    assert "2025-11-15 12:30" in said


def test_charts_show_layers_neurons_and_overlap(found: Reactions) -> None:
    charts = payload(reactions_html(found, "it"))["charts"]
    bars = {trace["name"]: trace for trace in charts["layers"][0]["data"] if trace["type"] == "bar"}
    assert bars["pgd"]["x"] == ["conv", "dense"]
    assert bars["pgd"]["y"] == pytest.approx([0.4, 0.5])
    marks = [trace for trace in charts["layers"][0]["data"] if trace["type"] == "scatter"]
    assert [trace["y"] for trace in marks] == [pytest.approx([1 / 30, 0]), [0, 0]]
    assert [trace["showlegend"] for trace in marks] == [True, False]
    first = charts["neurons"][0]["data"][0]
    assert first["z"][1][:2] == [3, 3]
    assert first["z"][1][-1] == 0
    assert first["text"][0][0] == "conv 0"
    assert first["text"][0][-1] == "conv 1"
    assert charts["overlap"]["data"][0]["z"] == [[1, pytest.approx(1 / 3)], [pytest.approx(1 / 3), 1]]


def test_tables_name_the_strongest_and_mark_what_all_share(found: Reactions) -> None:
    html = reactions_html(found, "it")
    marked = [attrs for tag, attrs in parsed(html).tags if tag == "td" and attrs.get("class") == "marked"]
    assert len(marked) == 2, "conv 0, once for each method"
    text = " ".join(" ".join(parsed(html).text).split())
    assert "1 dense 3" not in text
    assert "dense 0" in text


def test_one_method_has_no_overlap(found: Reactions) -> None:
    alone = replace(found, methods={"pgd": found.methods["pgd"]}, nothing=())
    html = reactions_html(alone, "it")
    assert payload(html)["charts"]["overlap"] is None
    assert "Do methods excite the same neurons?" not in html
    assert "Shared among" not in reactions_text(alone)


def test_many_layers_have_a_chart_for_each_method(found: Reactions) -> None:
    layers = tuple(Layer(f"layer {number}", number, 1) for number in range(50))
    values = torch.linspace(-1, 1, 50, dtype=torch.float64)
    one = Reacted(1, values, (values > 0).double(), values, values * 0, 0)
    more = Reacted(4, values, 4 * (values > 0.5).double(), values, (values > 0).double(), 0)
    methods = {"pgd": one, "tour": more}
    many = replace(
        found, neurons=NeuronMap(layers, "all"), methods=methods, reaction={"name": "taylor"}, words=Taylor().words
    )
    html = reactions_html(many, "it")
    charts, tags = payload(html)["charts"], parsed(html)
    assert [[trace["name"] for trace in chart["data"]] for chart in charts["layers"]] == [
        ["noise of the same size", "errors"]
    ] * 2
    assert charts["layers"][0]["data"][1]["y"] == [0] * 25 + [1] * 25
    assert charts["layers"][1]["data"][0]["y"] == [0] * 25 + [0.25] * 25
    assert len({tuple(chart["layout"]["yaxis"]["range"]) for chart in charts["layers"]}) == 1, "one scale for all"
    assert [attrs["id"] for _, attrs in tags.tags if (attrs.get("id") or "").startswith("layers")][1:] == [
        "layers",
        "layers-1",
    ]
    assert charts["neurons"][0]["data"][0]["zmin"] < 0 < charts["neurons"][0]["data"][0]["zmax"]
    assert charts["neurons"][0]["data"][0]["y"][0] == "1 layer 0 (1)"
    said = " ".join(" ".join(tags.text).split())
    assert "To errors of tour , 26 % of the neurons are to blame" in said, "of the method with most pairs"
    assert "layer 7" not in reactions_text(many)


def test_hostile_names_are_text(found: Reactions, hostile: tuple[str, ...]) -> None:
    layers = tuple(Layer(name, place, 1) for place, name in enumerate((*hostile, "a", "b")))
    bad = replace(
        found,
        model=hostile[0],
        campaign=hostile[1],
        neurons=NeuronMap(layers, hostile[2]),
        methods={hostile[place]: one for place, one in enumerate(found.methods.values())},
        nothing=hostile[2:],
    )
    html = reactions_html(bad, hostile[1]).replace(library(), "")
    assert not any("onerror" in attrs for _, attrs in parsed(html).tags)
    assert html.lower().count("<script") == html.lower().count("</script>") == 4
    assert "\x1b" not in html
    assert all(character == "\n" or character.isprintable() for character in reactions_text(bad, hostile[2]))


def test_it_is_written_whole_or_not_at_all(found: Reactions, tmp_path: Path) -> None:
    write_reactions_report(found, tmp_path / "a.html", "it")
    assert "Which layers react?" in (tmp_path / "a.html").read_text()
    with pytest.raises(OutputRefused, match="cannot write"):
        write_reactions_report(found, tmp_path / "no" / "a.html", "it")


def test_seeds_and_errors_are_drawn_in_the_last_hidden_layer(found: Reactions) -> None:
    assert payload(reactions_html(found, "it"))["charts"]["plane"] is None
    points = np.array([[0.0, 0.0], [1.0, 1.0]])
    seeds = PlaneGroup(points, (0, 1), (0, 1), ("a", "b"))
    plane = FeaturePlane(
        "dense", seeds, {"pgd": PlaneGroup(points, (0, 1), (1, 0), ("a", "b"))}, {"pgd": 0.5}, ("cat",)
    )
    html = reactions_html(replace(found, plane=plane), "it")
    chart = payload(html)["charts"]["plane"]
    drawn, legend = chart["data"][:2], chart["data"][2:]
    assert [trace["name"] for trace in drawn] == ["seeds", "pgd"]
    assert [(trace["name"], trace["marker"]["color"]) for trace in legend] == [
        (one, light("soft")) for one in ("seeds", "pgd")
    ]
    names = [(one["text"], one["x"]) for one in chart["layout"]["annotations"]]
    assert names == [("<b>cat</b>", 0), ("<b>1</b>", 1), ("\u2192 <b>cat</b>", 1), ("\u2192 <b>1</b>", 0)]
    assert drawn[1]["customdata"] == [["cat", "1"], ["1", "cat"]]
    assert "Nearest to a seed of the class that the model answers are 50 % of pgd." in " ".join(parsed(html).text)


def test_a_reaction_of_ones_own_is_described_by_its_words_or_plainly(found: Reactions) -> None:
    plain = replace(found, reaction={"name": "mine.py:Mine"}, words=ReactionWords())
    said = " ".join(" ".join(parsed(reactions_html(plain, "it")).text).split())
    assert "of the neurons are above the threshold; to noise" in said.replace(" ;", ";")
    assert "exceeds 0.5 units of its own" in said
    assert "Sensitivity" not in said
    own = replace(plain, words=ReactionWords("awake", "volts", "Wakefulness", "How far from rest."))
    said = " ".join(" ".join(parsed(reactions_html(own, "it")).text).split())
    assert all(words in said for words in ("of the neurons are awake", "0.5 volts", "Wakefulness"))

"""The plane of the last hidden layer: seeds by class, errors by method."""

import numpy as np
import plotly.graph_objects as go

from unnerve.core.data.class_names import class_called
from unnerve.reports.parts.palette import CLASSES, light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.react.feature_plane import FeaturePlane, PlaneGroup

__all__ = ["plane_chart"]

_MARKS = ("x", "diamond-open", "triangle-up-open", "square-open", "cross-open", "star-open")


def plane_chart(plane: FeaturePlane | None) -> Chart | None:
    """Draw seeds and errors, coloured by class (ten colours in turn), with names beside classes and answers."""
    if plane is None:
        return None
    figure = go.Figure(layout=layout(height=560))
    known = sorted({one for group in (plane.seeds, *plane.methods.values()) for one in (*group.labels, *group.answers)})
    names = {one: label(class_called(plane.classes, one), 18) for one in known}
    _add(figure, plane.seeds, "seeds", "circle", plane.seeds.labels, "class %{customdata[0]}", names)
    shapes = {"seeds": "circle"}
    for place, (method, group) in enumerate(plane.methods.items()):
        said = "class %{customdata[0]}, answered %{customdata[1]}"
        shown = label(method, 40)
        shapes[shown] = _MARKS[place % len(_MARKS)]
        _add(figure, group, shown, shapes[shown], group.answers, said, names)
    # Last, so that the places of the other traces are those of their groups.
    for shown, symbol in shapes.items():
        _explain(figure, shown, symbol)
    _name_classes(figure, plane, names)
    # t-SNE's coordinates have no unit; only what lies near what means anything.
    figure.update_xaxes(showticklabels=False, showgrid=False, showline=False, title_text="")
    figure.update_yaxes(showticklabels=False, showgrid=False, showline=False, title_text="", scaleanchor="x")
    figure.update_layout(showlegend=True, meta={"thin_names": True})
    return plotly_json(figure)


def _add(
    figure: go.Figure,
    group: PlaneGroup,
    name: str,
    symbol: str,
    classes: tuple[int, ...],
    said: str,
    names: dict[int, str],
) -> None:
    colours = [light(CLASSES[one % len(CLASSES)]) for one in classes]
    small = symbol == "circle"
    figure.add_scatter(
        x=group.points[:, 0].tolist(),
        y=group.points[:, 1].tolist(),
        mode="markers",
        name=name,
        legendgroup=name,
        showlegend=False,
        marker={"symbol": symbol, "size": 6 if small else 9, "color": colours, "opacity": 0.55 if small else 0.95},
        customdata=[[names[one] for one in pair] for pair in zip(group.labels, group.answers, strict=True)],
        hovertemplate=f"{name}: {said}<extra></extra>",
    )


def _explain(figure: go.Figure, name: str, symbol: str) -> None:
    """Add a line to the legend without a class's colour: it explains the shape alone."""
    marker = {"symbol": symbol, "size": 9, "color": light("soft")}
    figure.add_scatter(x=[None], y=[None], mode="markers", name=name, legendgroup=name, marker=marker)


def _name_classes(figure: go.Figure, plane: FeaturePlane, names: dict[int, str]) -> None:
    """Name classes amid their seeds and answers, with an arrow, amid the errors; the page drops names that collide."""
    errors = list(plane.methods.values())
    answered = [one for group in errors for one in group.answers]
    told = [
        (f"{sign}<b>{names[one]}</b>", points[np.equal(classes, one)])
        for sign, classes, points in (
            ("", plane.seeds.labels, plane.seeds.points),
            ("\u2192 ", answered, np.concatenate([np.empty((0, 2)), *(group.points for group in errors)])),
        )
        for one in sorted(set(classes))
    ]
    # Those of most points first: they are the ones that stay.
    for text, points in sorted(told, key=lambda one: -len(one[1])):
        # On a point of its own: amid two clusters there may be nothing, or another class.
        far = np.square(points - points.mean(axis=0)).sum(axis=1)
        _name(figure, points[far.argmin()], text)


def _name(figure: go.Figure, place: np.ndarray, text: str) -> None:
    x, y = place.tolist()
    figure.add_annotation(
        x=x,
        y=y,
        text=text,
        showarrow=False,
        font={"size": 15, "color": light("ink")},
        # Marks lie everywhere: without a ground of its own a name is hard to read.
        bgcolor=light("card"),
        bordercolor=light("line"),
        borderpad=2,
        opacity=0.85,
    )

"""The plane of the last hidden layer: seeds by class, errors by method."""

import plotly.graph_objects as go

from unnerve.core.data.class_names import class_called
from unnerve.reports.parts.palette import LINES, light
from unnerve.reports.parts.plotly import Chart, label, layout, plotly_json
from unnerve.studies.react.feature_plane import FeaturePlane, PlaneGroup

__all__ = ["plane_chart"]

_MARKS = ("x", "diamond-open", "triangle-up-open", "square-open", "cross-open", "star-open")


def plane_chart(plane: FeaturePlane | None) -> Chart | None:
    """Draw seeds and errors, coloured by class (six colours in turn, and its name beside the seeds' middle)."""
    if plane is None:
        return None
    figure = go.Figure(layout=layout(height=560))
    known = sorted({one for group in (plane.seeds, *plane.methods.values()) for one in (*group.labels, *group.answers)})
    names = {one: label(class_called(plane.classes, one), 18) for one in known}
    _add(figure, plane.seeds, "seeds", "circle", plane.seeds.labels, "class %{customdata[0]}", names)
    for place, (method, group) in enumerate(plane.methods.items()):
        said = "class %{customdata[0]}, answered %{customdata[1]}"
        _add(figure, group, label(method, 40), _MARKS[place % len(_MARKS)], group.answers, said, names)
    for one in sorted(set(plane.seeds.labels)):
        rows = [row for row, known in enumerate(plane.seeds.labels) if known == one]
        x, y = plane.seeds.points[rows].mean(axis=0).tolist()
        figure.add_annotation(
            x=x,
            y=y,
            text=f"<b>{names[one]}</b>",
            showarrow=False,
            font={"size": 15, "color": light("ink")},
            # Marks lie everywhere: without a ground of its own a name is hard to read.
            bgcolor=light("card"),
            bordercolor=light("line"),
            borderpad=2,
            opacity=0.85,
        )
    # t-SNE's coordinates have no unit; only what lies near what means anything.
    figure.update_xaxes(showticklabels=False, showgrid=False, showline=False, title_text="")
    figure.update_yaxes(showticklabels=False, showgrid=False, showline=False, title_text="", scaleanchor="x")
    figure.update_layout(showlegend=True)
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
    colours = [light(LINES[one % len(LINES)][0]) for one in classes]
    small = symbol == "circle"
    figure.add_scatter(
        x=group.points[:, 0].tolist(),
        y=group.points[:, 1].tolist(),
        mode="markers",
        name=name,
        marker={"symbol": symbol, "size": 6 if small else 9, "color": colours, "opacity": 0.55 if small else 0.95},
        customdata=[[names[one] for one in pair] for pair in zip(group.labels, group.answers, strict=True)],
        hovertemplate=f"{name}: {said}<extra></extra>",
    )

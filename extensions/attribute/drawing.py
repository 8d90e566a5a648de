"""An app's own graph as SVG: nodes in layers from start to end, agents coloured by value."""

from collections.abc import Mapping
from html import escape

from shapley_coop.extensions.attribute.result import Drawn

WIDTH, GAP, HEIGHT, LAYER, MARGIN = 132, 24, 40, 92, 18
LEAST_WIDTH = 680
"""The least width of a drawing: a page would enlarge a narrower drawing too much."""

GOOD, BAD = "24, 119, 76", "189, 52, 41"
"""The colours of a value above and below 0, as red, green, blue."""


def drawing(graph: Drawn, values: Mapping[str, float] | None) -> str:
    """Return a drawing of the app's graph as SVG.

    Args:
        graph: the app's nodes and edges.
        values: agent → value, for the colours; None for a drawing without values.
    """
    place, width, height = _places(graph)
    largest = max((abs(x) for x in (values or {}).values()), default=0.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="The app\'s graph, agents coloured by value" font-family="system-ui, '
        f'sans-serif" font-size="13" fill="currentColor">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>',
        *(_edge(place[e["from"]], place[e["to"]], e["conditional"]) for e in graph.edges),
        *(_node(name, place[name], (values or {}).get(name), largest) for name in graph.nodes),
        "</svg>",
    ]
    return "".join(parts)


def _places(graph: Drawn) -> tuple[dict[str, tuple[float, float]], int, int]:
    """Return the centre of each node, and the width and height of the drawing."""
    layers = _layers(graph)
    widest = max(map(len, layers))
    width = max(LEAST_WIDTH, MARGIN * 2 + widest * WIDTH + (widest - 1) * GAP + 60)
    place = {}
    for depth, layer in enumerate(layers):
        span = len(layer) * WIDTH + (len(layer) - 1) * GAP
        for k, name in enumerate(layer):
            x = (width - span) / 2 + k * (WIDTH + GAP) + WIDTH / 2
            place[name] = (x, MARGIN + HEIGHT / 2 + depth * LAYER)
    return place, width, MARGIN * 2 + HEIGHT + (len(layers) - 1) * LAYER


def _layers(graph: Drawn) -> list[list[str]]:
    """Return the nodes in layers by distance from the start; the end has the last layer."""
    nodes, edges = graph.nodes, [(edge["from"], edge["to"]) for edge in graph.edges]
    depth = {nodes[0]: 0}
    front = [nodes[0]]
    while front:
        reached = [b for a, b in edges if a in front and b not in depth]
        front = list(dict.fromkeys(reached))
        depth |= dict.fromkeys(front, max(depth.values()) + 1)
    last = max(depth.values())
    for name in nodes:
        if name not in depth:
            depth[name] = last
    if "__end__" in depth:
        others = [d for name, d in depth.items() if name != "__end__"]
        depth["__end__"] = max(others) + 1
    found: dict[int, list[str]] = {}
    for name in nodes:
        found.setdefault(depth[name], []).append(name)
    return [found[d] for d in sorted(found)]


def _edge(start: tuple[float, float], end: tuple[float, float], conditional: bool) -> str:
    """Return an edge as SVG: a line if it leads down, else a curve on the right side."""
    dashed = ' stroke-dasharray="5 4"' if conditional else ""
    (x1, y1), (x2, y2) = start, end
    if y2 > y1:
        path = f"M{x1:.0f} {y1 + HEIGHT / 2:.0f}L{x2:.0f} {y2 - HEIGHT / 2 - 2:.0f}"
    else:
        right1, right2, bow = x1 + WIDTH / 2, x2 + WIDTH / 2 + 2, max(x1, x2) + WIDTH / 2 + 44
        path = f"M{right1:.0f} {y1:.0f}C{bow:.0f} {y1:.0f} {bow:.0f} {y2:.0f} {right2:.0f} {y2:.0f}"
    look = 'fill="none" stroke="currentColor" stroke-width="1.3" marker-end="url(#tip)"'
    return f'<path d="{path}" {look}{dashed}/>'


def _node(name: str, at: tuple[float, float], value: float | None, largest: float) -> str:
    x, y = at
    shown = {"__start__": "start", "__end__": "end"}.get(name, name)
    colour = GOOD if (value or 0) >= 0 else BAD
    part = 0.12 + 0.5 * abs(value) / largest if value is not None else 0
    fill = f"rgba({colour}, {part:.2f})" if value is not None else "transparent"
    told = f"{shown}: {value:.4g}" if value is not None else shown
    box = (
        f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" '
        f'height="{HEIGHT}" rx="7" fill="{fill}" stroke="currentColor" '
        f'stroke-width="{1.6 if value is not None else 0.7}"/>'
    )
    place = f'x="{x:.0f}" y="{y:.0f}" text-anchor="middle" dy="0.35em"'
    words = f"<text {place}>{escape(_short(told))}</text>"
    return f"<g><title>{escape(told)}</title>{box}{words}</g>"


def _short(text: str) -> str:
    return text if len(text) <= 18 else text[:17] + "…"

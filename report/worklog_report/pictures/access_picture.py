"""The access picture: which lane touches which address in which request, as SVG.

A map of the input shows where the first requests of the first warps fall; below it each line's
first request is a strip of the sectors that it moves, filled where a lane asked for something.
Lanes have colours that run from 0 to 31, so a warp's order in memory shows as the direction of the
colours.
"""

from collections.abc import Iterable

from ..results.annotations import Annotation, Line, Request
from . import svg
from .svg import short

_WIDTH = 480
_MARGIN = 14
_SECTOR_BYTES = 32
_WARP_SIZE = 32

_MAP_WIDTH = _WIDTH - 2 * _MARGIN
_ROW_HEIGHT = 5
_STRIP_HEIGHT = 20
_SECTOR_WIDTH = 11.0
_SECTOR_GAP_NEXT = 0.7  # between neighbouring sectors
_SECTOR_GAP = 3.0  # between others
_MOST_STRIPS = 8
_CODE_CHARACTERS = 66


def lane_colour(lane: int) -> str:
    """From blue for lane 0 to orange for lane 31, ever lighter; legible on white and on black."""
    part = lane / (_WARP_SIZE - 1)
    return f"hsl({228 + 165 * part:.0f} {62 + 20 * part:.0f}% {50 + 10 * part:.0f}%)"


def render(annotation: Annotation, sources: dict[str, str], standalone: bool) -> str:
    """The picture as an <svg> element; `standalone`: as a file of its own, with its colours."""
    drawing = _Drawing()
    _draw_map(drawing, annotation)
    _draw_strips(drawing, annotation, sources)
    _draw_legend(drawing)
    key = f"access-{annotation.unit.replace('/', '-')}"
    # A page has margins of its own; above and below, the words' ascenders and descenders remain.
    left, top = (0, 0) if standalone else (_MARGIN, _MARGIN / 2)
    view = (left, top, _WIDTH - 2 * left, drawing.height - 2 * top)
    words = _title(annotation), described(annotation)
    return svg.picture(key, *words, view, drawing.content, standalone)


def _title(annotation: Annotation) -> str:
    return f"Which lane of {annotation.unit} touches which address"


def _size(rows: int, cols: int) -> str:
    return f"{'1 row' if rows == 1 else f'{rows} rows'} of {cols} columns"


def described(annotation: Annotation) -> str:
    """The picture in words."""
    trace = annotation.trace
    sentences = [f"{_size(trace.rows, trace.cols)}, in blocks of one warp."]
    sentences += [
        f"Line {place_of(request, annotation)}: {_cost(request)}." for request in _shown(annotation)
    ]
    return " ".join(sentences)


def place_of(place: Line | Request, annotation: Annotation) -> str:
    """The line, with its file if that is not the kernel's own."""
    number = place.number if isinstance(place, Line) else place.line
    return str(number) if place.file == annotation.file else f"{place.file}:{number}"


def _shown(annotation: Annotation) -> list[Request]:
    """Of the first warp of each launch the first request of each line to global memory."""
    first: dict[tuple, Request] = {}
    for request in annotation.trace.requests:
        if request.is_global and request.block == 0 and request.warp == 0:
            first.setdefault((request.launch, request.file, request.line, request.kind), request)
    return list(first.values())


def _name_of(request: Request) -> str:
    """ "load 1 of 128": a warp makes 128 there, of which the picture has the first."""
    return request.kind.split()[1] + ("" if request.of == 1 else f" 1 of {request.of}")


def _used_bytes(request: Request) -> int:
    """Distinct bytes that the lanes ask for: several may ask for the same."""
    return len({lane[1:] for lane in request.lanes}) * request.bytes


def _cost(request: Request) -> str:
    lanes = len(request.lanes)
    moved = request.sectors * _SECTOR_BYTES
    used = f"{100 * _used_bytes(request) / moved:.3g}"
    return (
        f"{_name_of(request)}, {lanes} lane{'s' if lanes > 1 else ''} × {request.bytes} bytes → "
        f"{request.sectors} sector{'s' if request.sectors > 1 else ''}, {used} % used"
    )


class _Drawing:
    """SVG from top to bottom. Boxes of one fill become one path: there are hundreds of them."""

    def __init__(self):
        self.height = float(_MARGIN)
        self._boxes: dict[str, str] = {}  # path data by the path's attributes
        self._texts = ""

    def box(self, x: float, y: float, width: float, height: float, fill: str):
        path = f"M{short(x)} {short(y)}h{short(width)}v{short(height)}h{short(-width)}z"
        self._boxes[fill] = self._boxes.get(fill, "") + path

    def words(self, x: float, text: str, fill="var(--ink)", size=12.0):
        self._texts += svg.text(x, self.height, text, fill=fill, font_size=f"{size:g}")

    def code(self, x: float, text: str):
        attributes = {"class_": "code", "fill": "var(--ink)", "font_size": "10.5"}
        self._texts += svg.text(x, self.height, text, **attributes)

    @property
    def content(self) -> str:
        """What is grey, the lanes on it, and the words above all."""
        boxes = sorted(self._boxes.items(), key=lambda box: not box[0].startswith("var("))
        paths = [f'<path fill="{fill}" d="{path}"/>\n' for fill, path in boxes]
        return "".join(paths) + self._texts


def _draw_map(drawing: _Drawing, annotation: Annotation) -> None:
    """The input, a stripe for each row, and on it the first requests that load it."""
    trace = annotation.trace
    at_line = next((request for request in _loads_of_input(annotation)), None)
    if at_line is None:
        return
    requests = [
        request
        for request in _loads_of_input(annotation)
        if (request.launch, request.line) == (at_line.launch, at_line.line)
    ]
    array = trace.arrays[at_line.lanes[0].array]
    row_bytes = array.bytes // trace.rows
    warps = len({(request.block, request.warp) for request in requests})
    each = max(request.number for request in requests)
    drawing.height += 10
    size = _size(trace.rows, row_bytes // array.element_bytes)
    drawing.words(_MARGIN, f"{array.name}: {size}", size=13)
    drawing.height += 16
    what = f"the first {'request' if each == 1 else f'{each} requests'} of line {at_line.line}, by "
    what += f"the first {'warp' if warps == 1 else f'{warps} warps'}"
    drawing.words(_MARGIN, what, "var(--muted)")
    drawing.height += 9
    top = drawing.height
    for row in range(trace.rows):
        drawing.box(_MARGIN, top + row * _ROW_HEIGHT, _MAP_WIDTH, _ROW_HEIGHT - 1, "var(--grid)")
    scale = _MAP_WIDTH / row_bytes
    for request in requests:
        for lane in request.lanes:
            row, column = divmod(lane.offset, row_bytes)
            drawing.box(
                _MARGIN + column * scale,
                top + row * _ROW_HEIGHT,
                request.bytes * scale,
                _ROW_HEIGHT - 1,
                lane_colour(lane.number),
            )
    drawing.height = top + trace.rows * _ROW_HEIGHT + 22


def _loads_of_input(annotation: Annotation) -> Iterable[Request]:
    """Of the logits; of a backward pass and of attention, which have none, those of the gradients
    or of the queries."""
    names = {array.name for array in annotation.trace.arrays}
    shown = next((name for name in ("logits", "queries") if name in names), "gradients")
    for request in annotation.trace.requests:
        array = annotation.trace.arrays[request.lanes[0].array]
        if request.kind in ("global load", "asynchronous copy") and array.name == shown:
            yield request


def _draw_strips(drawing: _Drawing, annotation: Annotation, sources: dict[str, str]) -> None:
    requests = _shown(annotation)
    drawing.words(_MARGIN, "What a request moves, and what of it is used", size=13)
    drawing.height += 16
    what = "a box is a sector of 32 bytes; apart where they are apart in memory"
    drawing.words(_MARGIN, what, "var(--muted)")
    drawing.height += 10
    for request in requests[:_MOST_STRIPS]:
        _draw_strip(drawing, request, annotation, sources)
    if len(requests) > _MOST_STRIPS:
        drawing.height += 16
        drawing.words(_MARGIN, f"and {len(requests) - _MOST_STRIPS} more lines", "var(--muted)")
    drawing.height += 14


def _draw_strip(
    drawing: _Drawing, request: Request, annotation: Annotation, sources: dict[str, str]
) -> None:
    """A line of the source, the sectors of its first request, and what they cost."""
    drawing.height += 18
    drawing.code(_MARGIN, _shortened(f"{place_of(request, annotation)}: {_code(request, sources)}"))
    top = drawing.height + 6
    x, before = float(_MARGIN), None
    for place in sorted({(lane.array, lane.offset // _SECTOR_BYTES) for lane in request.lanes}):
        if before is not None:
            is_next = place == (before[0], before[1] + 1)
            x += _SECTOR_WIDTH + (_SECTOR_GAP_NEXT if is_next else _SECTOR_GAP)
        _draw_sector(drawing, request, place, x, top)
        before = place
    drawing.height = top + _STRIP_HEIGHT + 15
    name = annotation.trace.arrays[request.lanes[0].array].name
    drawing.words(_MARGIN, f"{name}: {_cost(request)}", "var(--muted)")
    drawing.height += 4


def _draw_sector(
    drawing: _Drawing, request: Request, place: tuple[int, int], x: float, top: float
) -> None:
    drawing.box(x, top, _SECTOR_WIDTH, _STRIP_HEIGHT, "var(--rule)")
    scale = _SECTOR_WIDTH / _SECTOR_BYTES
    for lane in request.lanes:
        if (lane.array, lane.offset // _SECTOR_BYTES) == place:
            begin = x + lane.offset % _SECTOR_BYTES * scale
            drawing.box(begin, top, request.bytes * scale, _STRIP_HEIGHT, lane_colour(lane.number))


def _code(request: Request, sources: dict[str, str]) -> str:
    lines = sources.get(request.file, "").splitlines()
    return lines[request.line - 1].strip() if request.line <= len(lines) else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _CODE_CHARACTERS else text[: _CODE_CHARACTERS - 1] + "…"


def _draw_legend(drawing: _Drawing) -> None:
    drawing.height += 12
    drawing.words(_MARGIN, "lane 0", "var(--muted)")
    left, width = _MARGIN + 46.0, 8.0
    for lane in range(_WARP_SIZE):
        drawing.box(left + lane * width, drawing.height - 10, width, 12, lane_colour(lane))
    drawing.words(left + _WARP_SIZE * width + 6, "lane 31", "var(--muted)")
    drawing.height += _MARGIN

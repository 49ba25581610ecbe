"""A small writer of SVG scatter and line charts with logarithmic or plain axes, readable on light
and dark ground.
"""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 50
# Chosen to differ in lightness as well as in hue, and to stand out from white and from near-black.
COLOURS = ["#2f7ed8", "#e07b00", "#1a9850", "#c0399f", "#8c6d31", "#d73027", "#5e7f8c", "#7b5fd0"]
STYLE = """
text { font: 12px sans-serif; fill: #222 } .title { font-weight: bold; font-size: 14px }
.axis { stroke: #555 } .grid { stroke: #ddd } .ground { fill: #fff }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .axis { stroke: #aaa } .grid { stroke: #3a3a3a } .ground { fill: #161616 }
}
"""


@dataclass
class Series:
    """Points of one colour; `line` joins them."""

    name: str
    points: list
    line: bool = False


class Axis:
    """Places values between two pixels and says where the ticks are."""

    def __init__(self, values, begin, end, logarithmic):
        self.log = logarithmic
        values = [math.log10(v) for v in values] if logarithmic else list(values)
        low, high = min(values), max(values)
        margin = (high - low) * 0.06 or 0.1
        self.low, self.high, self.begin, self.end = low - margin, high + margin, begin, end

    def at(self, value):
        value = math.log10(value) if self.log else value
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self):
        return self._log_ticks() if self.log else self._plain_ticks()

    def _log_ticks(self):
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        few = self.high - self.low < 3
        marks = [m * 10.0**d for d in decades for m in ((1, 2, 5) if few else (1,))]
        return [m for m in marks if self.low <= math.log10(m) <= self.high]

    def _plain_ticks(self):
        raw = (self.high - self.low) / 5
        power = 10 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step) + 1)]


def chart(title, x_name, y_name, series, log_x=True, log_y=True):
    """The chart as SVG text. Series without points are left out; without any, the chart says so."""
    series = [s for s in series if s.points]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    parts = [head, f"<title>{escape(title)}</title><style>{STYLE}</style>"]
    parts.append(f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>')
    parts.append(f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>')
    if not series:
        parts.append(f'<text x="{LEFT}" y="{HEIGHT / 2}">nothing was measured</text></svg>')
        return "\n".join(parts)
    x = Axis([p[0] for s in series for p in s.points], LEFT, WIDTH - RIGHT, log_x)
    y = Axis([p[1] for s in series for p in s.points], HEIGHT - BOTTOM, TOP, log_y)
    parts += _frame(x, y, x_name, y_name)
    for number, one in enumerate(series):
        parts += _drawn(one, COLOURS[number % len(COLOURS)], number, x, y)
    return "\n".join([*parts, "</svg>"])


def _frame(x, y, x_name, y_name):
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for tick in x.ticks():
        at = x.at(tick)
        parts.append(f'<line class="grid" x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{bottom}"/>')
        parts.append(
            f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{short(tick)}</text>'
        )
    for tick in y.ticks():
        at = y.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}"/>')
        parts.append(
            f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{short(tick)}</text>'
        )
    parts.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{bottom}H{right}"/>')
    parts.append(
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 12}" text-anchor="middle">'
        f"{escape(x_name)}</text>"
    )
    middle = (TOP + bottom) / 2
    parts.append(
        f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_name)}</text>"
    )
    return parts


def _drawn(one, colour, number, x, y):
    places = [(x.at(a), y.at(b)) for a, b in one.points]
    parts = []
    if one.line and len(places) > 1:
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
    parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4.5" fill="{colour}"/>' for a, b in places]
    line = TOP + 14 + 20 * number
    parts.append(f'<circle cx="{WIDTH - RIGHT + 18}" cy="{line - 4}" r="4.5" fill="{colour}"/>')
    parts.append(f'<text x="{WIDTH - RIGHT + 30}" y="{line}">{escape(one.name)}</text>')
    return parts


def short(value):
    """A tick as people write it: 2M, 500k, 0.05."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:.3g}"

"""Charts of curves as SVG, for the figures of examples and benchmarks.

    write(path, [Chart("Height", Axis("t in s", 0, 2), Axis("mm", 0, 5), [Curve([(0, 1), (2, 4)], "#2a78d6", "ball")])])
"""
import math
from dataclasses import dataclass, field

LEFT, TOP, BOTTOM, RIGHT = 78, 34, 46, 20  # px around a panel
LEGEND_WIDTH = 250  # px, of a legend beside the panels


@dataclass
class Axis:
    label: str
    low: float
    high: float
    log: bool = False
    ticks: list = None  # values; round ones unless given
    words: callable = "{:.6g}".format  # of a tick

    @staticmethod
    def around(label, values, **options):
        """An axis that holds all values, with a margin."""
        low, high = min(values), max(values)
        margin = 0.05 * (high - low) or 1.0
        return Axis(label, low - margin, high + margin, **options)

    def place(self, value):
        """0 at the low end, 1 at the high one."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def tick_values(self):
        if self.ticks is not None:
            return self.ticks
        if self.log:
            return [10.0**k for k in range(math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9) + 1)]
        return round_numbers(self.low, self.high)


@dataclass
class Curve:
    points: list  # of (x, y)
    color: str
    name: str = ""  # in the legend; curves of one name share a line there
    dashed: bool = False
    marks: bool = False  # a dot at each point

    def stroke(self, width):
        dash = ' stroke-dasharray="2 4"' if self.dashed else ""
        return f'stroke="{self.color}" stroke-width="{width}"{dash}'


@dataclass
class Chart:
    title: str
    x: Axis
    y: Axis
    curves: list
    x_rules: list = field(default_factory=list)  # values at which a dashed line stands
    y_rules: list = field(default_factory=list)
    width: int = 640  # px
    height: int = 300

    def lines(self):
        x = lambda value: LEFT + self.width * self.x.place(value)
        y = lambda value: TOP + self.height * (1 - self.y.place(value))
        out = [f'<text x="{LEFT}" y="{TOP - 12}">{self.title}</text>',
               f'<rect x="{LEFT}" y="{TOP}" width="{self.width}" height="{self.height}" stroke="#999"/>']
        for v in self.y.tick_values():
            out.append(f'<path d="M{LEFT} {y(v):.1f}h{self.width}" stroke="#ddd"/>'
                       f'<text x="{LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{self.y.words(v)}</text>')
        for v in self.x.tick_values():
            out.append(f'<text x="{x(v):.1f}" y="{TOP + self.height + 18}" text-anchor="middle">{self.x.words(v)}</text>')
        out += [f'<path d="M{x(v):.1f} {TOP}v{self.height}" stroke="#999" stroke-dasharray="4 4"/>'
                for v in self.x_rules if self.x.low < v < self.x.high]
        out += [f'<path d="M{LEFT} {y(v):.1f}h{self.width}" stroke="#999" stroke-dasharray="4 4"/>'
                for v in self.y_rules if self.y.low < v < self.y.high]
        out.append(f'<text x="{LEFT + self.width}" y="{TOP + self.height + 36}" text-anchor="end">{self.x.label}</text>'
                   f'<text transform="translate(16 {TOP + self.height / 2}) rotate(-90)" text-anchor="middle">{self.y.label}</text>')
        for curve in self.curves:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in thinned([(x(a), y(b)) for a, b in curve.points]))
            out.append(f'<polyline points="{path}" {curve.stroke(1.6)}/>')
            if curve.marks:
                out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="2.5" fill="{curve.color}"/>' for a, b in curve.points]
        return out


def thinned(points, reach=0.2):
    """The points that a line needs to pass within `reach` (px) of all of them (Douglas and Peucker 1973)."""
    if len(points) < 3:
        return points
    kept, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        length = math.hypot(bx - ax, by - ay)
        def distance(k):
            x, y = points[k][0] - ax, points[k][1] - ay
            return abs((bx - ax) * y - (by - ay) * x) / length if length > 0 else math.hypot(x, y)
        far = max(range(first + 1, last), key=distance, default=None)
        if far is not None and distance(far) > reach:
            kept.add(far)
            spans += [(first, far), (far, last)]
    return [points[k] for k in sorted(kept)]


def round_numbers(low, high):
    """Round numbers between low and high, three to six."""
    step = 10.0 ** math.floor(math.log10((high - low) / 6))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (factor * step) <= 6)
    slack = 1e-9 * (high - low)
    return [k * step for k in range(math.ceil((low - slack) / step), math.floor((high + slack) / step) + 1)]


def write(path, charts, columns=1, legend_beside=False):
    """Panels of one size row by row; one legend of all curves, below or beside them."""
    named = {curve.name: curve for chart in charts for curve in chart.curves if curve.name}
    across, down = LEFT + charts[0].width + RIGHT, TOP + charts[0].height + BOTTOM
    bottom = -(-len(charts) // columns) * down
    width, height = columns * across, bottom
    if legend_beside:
        spots = [(width, TOP + 8 + 18 * k) for k in range(len(named))]
        width += LEGEND_WIDTH
    else:
        pitch = 44 + 8 * max(map(len, named), default=0)
        per_row = max(1, (width - LEFT) // pitch)
        spots = [(LEFT + pitch * (k % per_row), bottom + 14 + 20 * (k // per_row)) for k in range(len(named))]
        height += 34 + 20 * ((len(named) - 1) // per_row) if named else 0
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" fill="none" font-size="13"'
           ' font-family="Inter, sans-serif">', "<style>text{fill:#333}</style>",
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for k, chart in enumerate(charts):
        out += [f'<g transform="translate({k % columns * across} {k // columns * down})">', *chart.lines(), "</g>"]
    for (name, curve), (x, y) in zip(named.items(), spots):
        out.append(f'<path d="M{x} {y}h28" {curve.stroke(3)}/><text x="{x + 34}" y="{y + 5}">{name}</text>')
    path.write_text("\n".join(out + ["</svg>"]) + "\n")
    print(path)

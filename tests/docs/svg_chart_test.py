"""tools/svg_chart.py: a thinned curve stays beside its points and keeps its ends; curves without points are drawn too."""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from svg_chart import Axis, Chart, Curve, thinned


class SvgChart(unittest.TestCase):
    def test_few_points_are_kept(self):
        for points in ([], [(1, 2)], [(1, 2), (3, 4)]):
            self.assertEqual(thinned(points), points)

    def test_a_line_needs_its_ends_and_a_wave_its_crests(self):
        self.assertEqual(thinned([(k, 2 * k) for k in range(100)]), [(0, 0), (99, 198)])
        wave = [(k / 10, 50 * math.sin(k / 50)) for k in range(2000)]
        kept = thinned(wave)
        self.assertLess(len(kept), len(wave) / 10)
        self.assertAlmostEqual(max(y for _, y in kept), 50, delta=0.2)
        self.assertEqual((kept[0], kept[-1]), (wave[0], wave[-1]))

    def test_a_curve_without_points_is_drawn(self):
        chart = Chart("title", Axis("x", 0, 1), Axis("y", 0, 1), [Curve([], "#000", "none")])
        self.assertIn('points=""', "".join(chart.lines()))


if __name__ == "__main__":
    unittest.main()

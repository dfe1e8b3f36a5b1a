// Charts of a report are made when they come into sight: a run with a hundred probes opens as fast as one with three.
import { element } from "../dom";
import { CurveChart, type CurveOptions } from "../curve_chart";
import { Chart, type ChartOptions } from "../plots";

export const chartHeight = 210;
export const figureHeight = 300;
const ahead = "600px"; // below the window

export class ChartGrid {
  private readonly made: { setTime(now: number): void }[] = [];
  private readonly waiting = new Map<Element, () => void>();
  private readonly watch = new IntersectionObserver((entries) => entries.forEach((e) => e.isIntersecting && this.make(e.target)), { rootMargin: ahead });
  private time = NaN;

  constructor() {
    addEventListener("beforeprint", () => [...this.waiting.keys()].forEach((node) => this.make(node)));
  }

  private make(place: Element): void {
    this.waiting.get(place)?.();
    this.waiting.delete(place);
    this.watch.unobserve(place);
  }

  private put(make: () => { node: HTMLElement; setTime?(now: number): void }): HTMLElement {
    const place = element("div", { class: "place" });
    this.waiting.set(place, () => {
      const plot = make();
      place.replaceChildren(plot.node);
      if (!plot.setTime) return;
      const linked = plot as { setTime(now: number): void };
      linked.setTime(this.time);
      this.made.push(linked);
    });
    this.watch.observe(place);
    return place;
  }

  add(options: ChartOptions, data: () => [ArrayLike<number>, ArrayLike<number | null | undefined>[]]): HTMLElement {
    return this.put(() => {
      const chart = new Chart({ size: { width: 440, height: chartHeight, figure: false }, ...options });
      chart.setData(...data());
      return options.x ? { node: chart.node } : chart; // over time: linked to the clip
    });
  }

  addCurves(options: Omit<CurveOptions, "height">): HTMLElement {
    return this.put(() => new CurveChart({ height: figureHeight, ...options }));
  }

  setTime(time: number): void {
    this.time = time;
    for (const chart of this.made) chart.setTime(time);
  }
}

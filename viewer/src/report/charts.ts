// Charts of a report are made when they come into sight: a run with a hundred probes opens as fast as one with three.
import { element } from "../dom";
import { Chart, type ChartOptions } from "../plots";

export const chartHeight = 210;
const ahead = "600px"; // below the window

export class ChartGrid {
  private readonly made: Chart[] = [];
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

  add(options: ChartOptions, data: () => [ArrayLike<number>, ArrayLike<number | null | undefined>[]]): HTMLElement {
    const place = element("div", { class: "place" });
    this.waiting.set(place, () => {
      const chart = new Chart({ size: { width: 440, height: chartHeight, figure: false }, ...options });
      place.replaceChildren(chart.node);
      chart.setData(...data());
      if (!options.x) {
        chart.setTime(this.time);
        this.made.push(chart);
      }
    });
    this.watch.observe(place);
    return place;
  }

  setTime(time: number): void {
    this.time = time;
    for (const chart of this.made) chart.setTime(time);
  }
}

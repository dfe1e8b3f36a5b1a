// The viewer of one run: picture, transport, settings, picked body, plots.
import { BodyPanel, trackPoints } from "./body_panel";
import type { ColourName } from "./colours";
import { button, element } from "./dom";
import { FileFault, type Frame } from "./frame";
import { FrameStore } from "./frame_store";
import { numberText, withPrefix } from "./numbers";
import { Player, speeds } from "./player";
import { ProbePlots } from "./plots";
import { bodyPose, type RunScene } from "./run_scene";
import type { RunSource, Summary } from "./run_source";
import { Stage } from "./stage";
import type { Vector } from "./vectors";
import { presets } from "./views";

const pollRunning = 1000, pollResting = 5000; // ms between looks at a run that goes on, or that could be resumed

export function faultText(fault: unknown): string {
  return fault instanceof FileFault ? fault.message : `The page failed: ${fault instanceof Error ? fault.message : String(fault)}`;
}

// Frames spread over the run, for ranges of colours and the size of the picture.
function sampleNumbers(count: number): number[] {
  return [...new Set([0, Math.floor((count - 1) / 2), count - 1])];
}

export class App {
  readonly node = element("div", { class: "viewer" });
  readonly stage: Stage;
  readonly player: Player;
  readonly panel: BodyPanel;
  private readonly plots: ProbePlots;
  private readonly slider = element("input", { type: "range", id: "time", min: 0, value: 0, "aria-label": "time" });
  private readonly clock = element("output", { class: "clock", for: "time" });
  private readonly playButton: HTMLButtonElement;
  private readonly follow = element("input", { type: "checkbox", id: "follow" });
  private readonly followBox = element("label", { class: "check", hidden: true }, this.follow, "follow");
  private readonly chains = element("input", { type: "checkbox", id: "contacts" });
  private readonly keepTrack = element("input", { type: "checkbox", id: "track" });
  private readonly legend = element("div", { class: "legend" });
  private readonly fault = element("p", { class: "fault", role: "alert", hidden: true });
  private readonly status = element("span", { class: "status" });
  private readonly plotsPanel: HTMLDetailsElement;
  private timer = 0;

  private constructor(readonly source: RunSource, readonly scene: RunScene, readonly store: FrameStore, frames: Frame[], private summary: Summary | null) {
    this.stage = new Stage(scene, frames);
    this.player = new Player(store);
    this.plots = new ProbePlots((time) => void this.player.seek(time));
    this.panel = new BodyPanel(scene, () => this.summary?.time_step ?? 0, (time) => void this.player.seek(time));
    this.playButton = button("Play", "▶", () => this.player.toggle(), { class: "play" });
    this.plotsPanel = element("details", { open: true }, element("summary", {}, "Plots"), this.plots.node);
    this.build();
    this.connect();
  }

  // Throws FileFault when the run has no frames that can be read.
  static async open(source: RunSource): Promise<App> {
    const store = new FrameStore(source);
    const [scene] = await Promise.all([source.scene(), store.refresh()]);
    if (store.count === 0) throw new FileFault("The run has no frames yet. This page looks again every few seconds.");
    const frames = await Promise.all(sampleNumbers(store.count).map((n) => store.get(n)));
    const app = new App(source, scene, store, frames, await source.summary());
    void app.poll();
    await app.player.go(0);
    return app;
  }

  private build(): void {
    const { stage, player } = this;
    const step = (label: string, text: string, by: () => number) => button(label, text, () => void player.step(by()));
    const speed = element("select", { id: "speed", "aria-label": "speed of play" }, ...speeds.map((s) => element("option", { value: s, selected: s === player.speed }, `${s} ×`)));
    speed.addEventListener("change", () => (player.speed = Number(speed.value)));
    const transport = element(
      "div",
      { class: "transport", role: "group", "aria-label": "time" },
      step("First frame", "|◀", () => -1e9),
      step("One frame back", "◁", () => -1),
      this.playButton,
      step("One frame on", "▷", () => 1),
      step("Last frame", "▶|", () => 1e9),
      this.slider,
      this.clock,
      speed,
      this.followBox,
    );
    const side = element("aside", { class: "side", "aria-label": "settings, picked body and plots" }, this.viewSettings(), this.bodySettings(), this.plotsPanel);
    stage.node.append(this.legend, this.status, this.fault);
    this.node.append(element("section", { class: "left", "aria-label": "picture" }, stage.node, transport), side);
  }

  private viewSettings(): HTMLElement {
    const { stage, scene } = this, { picture } = stage;
    const colour = element("select", { id: "colour" }, ...picture.colours.names.map((name) => element("option", { value: name }, name)));
    colour.addEventListener("change", () => {
      picture.setColour(colour.value as ColourName);
      this.showLegend();
      stage.redraw();
    });
    this.chains.addEventListener("change", () => {
      picture.setChains(this.chains.checked);
      this.showLegend();
      stage.redraw();
    });
    const rows: (HTMLElement | null)[] = [
      element("div", { class: "row" }, element("label", { for: "colour" }, "Colour by"), colour),
      element("label", { class: "check" }, this.chains, "contacts and force chains"),
      this.sectionSettings(),
    ];
    if (!scene.planar) {
      const ortho = element("input", { type: "checkbox", id: "orthographic" });
      ortho.addEventListener("change", () => stage.project(ortho.checked));
      rows.push(element("label", { class: "check" }, ortho, "orthographic"));
    }
    const views = scene.planar ? ["corner"] : Object.keys(presets);
    const buttons = views.map((name) => button(`View: ${scene.planar ? "whole scene" : presets[name].label}`, scene.planar ? "Whole scene" : presets[name].label, () => stage.look(name)));
    rows.push(element("div", { class: "row", role: "group", "aria-label": "camera" }, ...buttons));
    return element("details", { open: true }, element("summary", {}, "View"), ...rows);
  }

  private sectionSettings(): HTMLElement {
    const { picture } = this.stage, { low, high } = picture.bounds;
    const axes = this.scene.planar ? ["x", "y"] : ["x", "y", "z"];
    const axis = element("select", { id: "section" }, element("option", { value: "" }, "none"), ...axes.map((a) => element("option", { value: a }, `across ${a}`)));
    const place = element("input", { type: "range", min: 0, max: 1000, value: 500, disabled: true, "aria-label": "place of the section" });
    const apply = () => {
      const k = axes.indexOf(axis.value), part = Number(place.value) / 1000;
      place.disabled = k < 0;
      if (k < 0) picture.setSection(null, 0);
      else {
        const normal: Vector = [0, 0, 0];
        // the half nearer to the eye is cut away
        const toward = this.stage.eye.camera.position.toArray()[k] >= picture.bounds.center[k] ? 1 : -1;
        normal[k] = toward;
        picture.setSection(normal, toward * (low[k] + part * (high[k] - low[k])));
      }
      this.stage.redraw();
    };
    axis.addEventListener("change", apply);
    place.addEventListener("input", apply);
    return element("div", { class: "row" }, element("label", { for: "section" }, "Section"), axis, place);
  }

  private bodySettings(): HTMLElement {
    const { panel, stage } = this;
    panel.search.addEventListener("change", () => {
      const found = panel.find(panel.search.value);
      if (found < 0 && panel.search.value.trim()) this.say(`There is no body '${panel.search.value.trim()}'.`);
      this.pick(found);
    });
    this.keepTrack.addEventListener("change", () => this.showTrack());
    const centre = button("Centre the body", "Centre", () => {
      if (panel.body >= 0) stage.centre(bodyPose(stage.picture.frame, panel.body).position);
    });
    return element("details", { open: true }, element("summary", {}, "Body"), panel.node, element("div", { class: "row" }, element("label", { class: "check" }, this.keepTrack, "track"), centre));
  }

  private connect(): void {
    const { player, stage } = this;
    player.onFrame = (frame, number) => this.showFrame(frame, number);
    player.onFault = (fault) => this.say(faultText(fault));
    player.onState = () => {
      this.playButton.textContent = player.playing ? "❚❚" : "▶";
      this.playButton.setAttribute("aria-label", player.playing ? "Pause" : "Play");
      this.follow.checked = player.following;
    };
    this.slider.addEventListener("input", () => void player.seek(this.store.entries[Number(this.slider.value)].time));
    this.follow.addEventListener("change", () => {
      player.following = this.follow.checked;
      player.pause();
      if (player.following) void player.go(this.store.count - 1);
    });
    stage.onPick = (body) => this.pick(body);
    this.keys = this.keys.bind(this);
    document.addEventListener("keydown", this.keys);
    this.showLegend();
    this.showRange();
  }

  // What a field takes itself stays with the field.
  private keys(event: KeyboardEvent): void {
    const at = event.target as HTMLElement;
    if (at.closest("input[type=text], select") || event.ctrlKey || event.altKey || event.metaKey) return;
    const { player } = this, far = event.shiftKey ? 10 : 1, onSlider = at === this.slider;
    const names = Object.keys(presets);
    const actions: Record<string, () => void> = {
      " ": () => player.toggle(),
      ArrowRight: () => void player.step(far),
      ArrowLeft: () => void player.step(-far),
      Home: () => void player.step(-1e9),
      End: () => void player.step(1e9),
      c: () => this.chains.click(),
      Escape: () => this.pick(-1),
      ...Object.fromEntries(names.map((name, i) => [String(i + 1), () => this.stage.look(this.scene.planar ? "corner" : name)])),
    };
    const action = actions[event.key];
    if (!action || (event.key === " " && at.closest("button, summary, input[type=checkbox]")) || (onSlider && event.key !== " ")) return;
    event.preventDefault();
    action();
  }

  private showFrame(frame: Frame, number: number): void {
    this.fault.hidden = true;
    this.stage.show(frame);
    this.slider.value = String(number);
    const text = `t = ${frame.time.toFixed(this.decimals())} s`;
    this.slider.setAttribute("aria-valuetext", text);
    this.clock.textContent = text;
    this.panel.show(frame);
    if (this.chains.checked) this.showLegend();
    if (this.plotsPanel.open) this.plots.setTime(frame.time);
  }

  // Digits that tell two frames apart.
  private decimals(): number {
    const { entries } = this.store;
    const gap = entries.length > 1 ? (entries[entries.length - 1].time - entries[0].time) / (entries.length - 1) : 0.01;
    return Math.min(7, Math.max(2, 1 - Math.floor(Math.log10(gap || 0.01))));
  }

  private showRange(): void {
    this.slider.max = String(Math.max(0, this.store.count - 1));
  }

  private showLegend(): void {
    const { picture } = this.stage, { title, low, high, gradient, groups } = picture.colours.legend(picture.colour, (x, unit) => withPrefix(x, unit));
    const parts: Node[] = [];
    if (gradient) parts.push(element("span", {}, title), element("b", {}, low ?? ""), element("u", { style: `background: ${gradient}` }), element("b", {}, high ?? ""));
    for (const group of groups ?? []) parts.push(element("span", {}, element("i", { style: `background: ${group.colour}` }), group.name));
    if (picture.chains.mesh.visible) {
      const h = this.summary?.time_step ?? 0, strongest = picture.chains.strongest;
      parts.push(element("span", {}, element("i", { style: "background: var(--force)" }), `strongest contact ${h > 0 ? withPrefix(strongest / h, "N") : `${numberText(strongest)} N s`}`));
    }
    this.legend.replaceChildren(...parts);
  }

  pick(body: number): void {
    const { panel, stage } = this;
    if (panel.body >= 0 && body !== panel.body && !this.keepTrack.checked) stage.picture.setTrack(panel.body, new Float32Array(0));
    if (body < 0) panel.clear();
    else panel.body = body;
    stage.picture.setPicked(body);
    panel.search.value = body < 0 ? "" : this.scene.nameOf(body);
    panel.show(stage.picture.frame);
    stage.redraw();
    if (body >= 0) void this.loadTrack(body);
  }

  private async loadTrack(body: number): Promise<void> {
    try {
      const track = await this.source.track(body);
      if (this.panel.body !== body) return;
      this.panel.showTrack(this.store.entries.map((e) => e.time), track);
      this.panel.show(this.stage.picture.frame);
      this.showTrack();
    } catch (fault) {
      this.say(faultText(fault));
    }
  }

  private showTrack(): void {
    const { body, track } = this.panel;
    if (body < 0) return;
    this.stage.picture.setTrack(body, this.keepTrack.checked && track ? trackPoints(track) : new Float32Array(0));
    this.stage.redraw();
  }

  say(text: string): void {
    this.fault.textContent = text;
    this.fault.hidden = false;
  }

  private showStatus(): void {
    const status = this.summary?.status ?? "running";
    const failed = (this.summary?.checks ?? []).filter((c) => !c.pass).length;
    this.status.textContent = status === "done" ? (failed ? `done, ${failed} checks failed` : "") : status;
    this.followBox.hidden = status === "done" || status === "failed";
  }

  // Looks at the files of a run that may still grow.
  private async poll(): Promise<void> {
    try {
      const series = await this.source.series();
      this.summary = (await this.source.summary()) ?? this.summary;
      this.plots.update(series, this.summary?.units ?? {});
      this.plots.setTime(this.stage.picture.frame.time);
      const change = await this.store.refresh();
      if (change !== "same") this.showRange();
      if (change === "anew") await this.player.go(0);
      else if (change === "more" && this.player.following) await this.player.go(this.store.count - 1);
    } catch (fault) {
      this.say(faultText(fault));
    }
    this.showStatus();
    const status = this.summary?.status ?? "running";
    if (status === "done" || status === "failed") return;
    this.timer = window.setTimeout(() => void this.poll(), status === "running" ? pollRunning : pollResting);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.player.pause();
    document.removeEventListener("keydown", this.keys);
    this.stage.dispose();
    this.node.remove();
  }
}

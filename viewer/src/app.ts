// The viewer of one run: picture, transport, settings, picked body, plots.
import { BodyPanel, trackPoints } from "./body_panel";
import { button, element } from "./dom";
import { FileFault, type Frame } from "./frame";
import { FrameStore } from "./frame_store";
import { Player } from "./player";
import { ProbePlots } from "./probe_plots";
import { bodyPose, type RunScene } from "./run_scene";
import type { RunSource, Summary } from "./run_source";
import { Stage } from "./stage";
import { Transport } from "./transport";
import { isFieldKey, ViewSettings } from "./view_settings";

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
  private readonly transport: Transport;
  private readonly settings: ViewSettings;
  private readonly follow = element("input", { type: "checkbox", id: "follow" });
  private readonly followBox = element("label", { class: "check", hidden: true }, this.follow, "follow");
  private readonly keepTrack = element("input", { type: "checkbox", id: "track" });
  private readonly fault = element("p", { class: "fault", role: "alert", hidden: true });
  private readonly status = element("span", { class: "status" });
  private readonly plotsPanel: HTMLDetailsElement;
  private timer = 0;

  private constructor(readonly source: RunSource, readonly scene: RunScene, readonly store: FrameStore, frames: Frame[], private summary: Summary | null) {
    this.stage = new Stage(scene, frames);
    this.player = new Player(store);
    this.plots = new ProbePlots((time) => void this.player.seek(time));
    this.panel = new BodyPanel(scene, () => this.summary?.time_step ?? 0, (time) => void this.player.seek(time));
    this.transport = new Transport(this.player, store);
    this.settings = new ViewSettings(this.stage, () => this.summary?.time_step ?? 0);
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
    const { stage } = this;
    this.transport.node.append(this.followBox);
    const side = element("aside", { class: "side", "aria-label": "settings, picked body and plots" }, this.viewRows(), this.bodySettings(), this.plotsPanel);
    stage.node.append(this.settings.legend, this.status, this.fault);
    this.node.append(element("section", { class: "left", "aria-label": "picture" }, stage.node, this.transport.node), side);
  }

  private viewRows(): HTMLElement {
    const { settings } = this;
    const rows = [settings.colourRow(), settings.chainsCheck(), settings.sectionRow(), settings.projectionCheck(), settings.cameraRow()];
    return element("details", { open: true }, element("summary", {}, "View"), ...rows);
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
      this.transport.showState();
      this.follow.checked = player.following;
    };
    this.follow.addEventListener("change", () => {
      player.following = this.follow.checked;
      player.pause();
      if (player.following) void player.go(this.store.count - 1);
    });
    stage.onPick = (body) => this.pick(body);
    this.keys = this.keys.bind(this);
    document.addEventListener("keydown", this.keys);
  }

  private keys(event: KeyboardEvent): void {
    if (isFieldKey(event)) return;
    const action = event.key === "Escape" ? () => this.pick(-1) : (this.transport.keyAction(event) ?? this.settings.keyAction(event));
    if (!action) return;
    event.preventDefault();
    action();
  }

  private showFrame(frame: Frame, number: number): void {
    this.fault.hidden = true;
    this.stage.show(frame);
    this.transport.showFrame(frame, number);
    this.settings.showFrame();
    this.panel.show(frame);
    if (this.plotsPanel.open) this.plots.setTime(frame.time);
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
      if (change !== "same") this.transport.showRange();
      if (change !== "same" && this.panel.body >= 0) void this.loadTrack(this.panel.body);
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

// The clip of a report: pictures of its first, middle and last frame, and the player.
import { element } from "../dom";
import { speedOf, type Frame } from "../frame";
import { FrameStore } from "../frame_store";
import { numberText, withPrefix } from "../numbers";
import { Player } from "../player";
import { bodyPose } from "../run_scene";
import { Stage } from "../stage";
import { onThemeChange } from "../theme";
import { Transport } from "../transport";
import { isFieldKey, ViewSettings } from "../view_settings";
import { Eye, presets } from "../views";
import { ClipRun } from "./clip_run";
import type { PackedClip } from "./data";

const sampleCount = 9; // frames that tell the ranges of colours and the size of the picture
const thumbWidth = 420; // pixels of a small picture

export class Clip {
  readonly node = element("div", { class: "clip" });
  readonly stage: Stage;
  readonly player: Player;
  onTime: (time: number) => void = () => undefined;
  private readonly transport: Transport;
  private readonly settings: ViewSettings;
  private readonly picked = element("p", { class: "picked", role: "status" }, "");
  private readonly thumbs: { canvas: HTMLCanvasElement; number: number }[] = [];
  private body = -1;
  private aspect = 1.6; // width over height

  private constructor(private readonly store: FrameStore, private readonly samples: Frame[], stage: Stage, timeStep: number) {
    this.stage = stage;
    this.player = new Player(store);
    this.transport = new Transport(this.player, store);
    this.settings = new ViewSettings(stage, () => timeStep);
    this.build();
    this.connect();
  }

  static async open(packed: PackedClip, timeStep: number): Promise<Clip> {
    const run = await ClipRun.unpack(packed), store = new FrameStore(run);
    const [scene] = await Promise.all([run.scene(), store.refresh()]);
    const last = store.count - 1;
    const numbers = [...new Set(Array.from({ length: sampleCount }, (_, i) => Math.round((i * last) / (sampleCount - 1))))];
    const samples = await Promise.all(numbers.map((n) => store.get(n)));
    const clip = new Clip(store, samples, new Stage(scene, samples, true), timeStep);
    await clip.drawThumbs();
    await clip.player.go(last);
    return clip;
  }

  private build(): void {
    const { stage, settings } = this, planar = stage.picture.scene.planar;
    const { low, high } = stage.picture.bounds;
    const shape = planar ? (high[0] - low[0]) / (high[1] - low[1]) : this.aspect;
    this.aspect = Math.min(2.6, Math.max(1.25, shape));
    stage.node.style.aspectRatio = String(this.aspect);
    stage.node.append(settings.legend);
    const hasContacts = this.samples.some((f) => f.contactStrength.length > 0);
    const tools = element("div", { class: "tools" }, settings.colourRow(), hasContacts ? settings.chainsCheck() : null, settings.cameraRow());
    const frame = element("div", { class: "frame" }, stage.node, this.transport.node, tools);
    const turn = planar ? "Drag to move" : "Drag to turn, right button or two fingers to move";
    this.node.append(this.thumbRow(), frame, this.picked, element("p", { class: "note" }, `${turn}, click and wheel or pinch to zoom, double click to go back; a click on a body names it.`));
    if (this.store.count < 2) this.transport.node.hidden = true;
  }

  private thumbRow(): HTMLElement {
    const last = this.store.count - 1, numbers = [...new Set([0, last >> 1, last])];
    const row = element("div", { class: "thumbs" });
    for (const number of numbers) {
      const time = this.store.entries[number].time, name = number === 0 ? "first" : number === last ? "last" : "middle";
      const canvas = element("canvas", {});
      const button = element("button", { type: "button" }, canvas, element("span", {}, `${name} frame, t = ${numberText(time, 4)} s`));
      button.addEventListener("click", () => void this.player.seek(time));
      this.thumbs.push({ canvas, number });
      row.append(button);
    }
    return row;
  }

  // Small pictures by the same painter, one after the other, before the large one.
  private async drawThumbs(): Promise<void> {
    const { picture } = this.stage, height = Math.round(thumbWidth / this.aspect);
    const shown = picture.frame, eye = new Eye(picture.scene, picture.bounds);
    picture.resize(thumbWidth, height, 1);
    eye.resize(thumbWidth, height);
    eye.look(presets.corner);
    for (const { canvas, number } of this.thumbs) {
      canvas.width = thumbWidth;
      canvas.height = height;
      picture.show(await this.store.get(number));
      picture.draw(eye);
      canvas.getContext("2d")!.drawImage(this.stage.canvas, 0, 0, thumbWidth, height);
    }
    picture.show(shown);
    this.stage.resize();
  }

  private connect(): void {
    const { player, stage } = this;
    player.onFrame = (frame, number) => {
      stage.show(frame);
      this.transport.showFrame(frame, number);
      this.settings.showFrame();
      this.showPicked();
      this.onTime(frame.time);
    };
    player.onState = () => this.transport.showState();
    player.onFault = (fault) => {
      throw fault;
    };
    stage.onPick = (body) => {
      this.body = body;
      stage.picture.setPicked(body);
      this.showPicked();
      stage.redraw();
    };
    this.node.addEventListener("keydown", (event) => {
      if (isFieldKey(event)) return;
      const action = event.key === "Escape" ? () => stage.onPick(-1) : (this.transport.keyAction(event) ?? this.settings.keyAction(event));
      if (!action) return;
      event.preventDefault();
      action();
    });
    onThemeChange(() => void this.drawThumbs());
  }

  private showPicked(): void {
    const { picture } = this.stage, { frame, scene } = picture;
    if (this.body < 0) {
      this.picked.textContent = "";
      return;
    }
    const position = bodyPose(frame, this.body).position.slice(0, scene.planar ? 2 : 3);
    this.picked.textContent = `${scene.nameOf(this.body)}: at ${position.map((x) => numberText(x, 3)).join(", ")} m, speed ${withPrefix(speedOf(frame, this.body), "m/s")}`;
  }
}

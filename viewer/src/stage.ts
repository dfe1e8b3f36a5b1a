// The picture on the page: the canvas, the hand on it, and a new drawing only when something changed.
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { element } from "./dom";
import type { Frame } from "./frame";
import { Picture } from "./picture";
import type { RunScene } from "./run_scene";
import { onThemeChange } from "./theme";
import type { Vector } from "./vectors";
import { Eye, presets } from "./views";

// CSS pixels that a hand may tremble in a click, and a finger in a tap.
const clickReach = 4, tapReach = 12;

export class Stage {
  readonly canvas = element("canvas", { class: "picture", tabindex: "0", role: "img" });
  readonly node = element("div", { class: "stage" }, this.canvas);
  readonly picture: Picture;
  readonly eye: Eye;
  drawn = 0; // pictures so far
  onPick: (body: number) => void = () => undefined;
  private controls: OrbitControls;
  private pending = 0;
  private preset: string | null = "corner"; // until the hand moves the eye: a picture of another size is fitted anew

  // `inPage`: the page scrolls, and the wheel is the page's until the picture has been clicked.
  constructor(scene: RunScene, frames: Frame[], inPage = false) {
    this.canvas.setAttribute("aria-label", `Picture of ${scene.file.name}. Drag to ${scene.planar ? "move" : "turn"}, ${inPage ? "click and " : ""}wheel to zoom, click a body to see its values.`);
    this.picture = new Picture(this.canvas, scene, frames);
    this.eye = new Eye(scene, this.picture.bounds);
    this.controls = this.newControls();
    new ResizeObserver(() => this.resize()).observe(this.node);
    this.listen();
    if (inPage) this.node.addEventListener("wheel", (event) => document.activeElement !== this.canvas && event.stopPropagation(), { capture: true });
  }

  private newControls(): OrbitControls {
    const controls = new OrbitControls(this.eye.camera, this.canvas);
    controls.enableRotate = !this.picture.scene.planar;
    controls.screenSpacePanning = true;
    controls.zoomToCursor = true;
    if (this.picture.scene.planar) Object.assign(controls, { mouseButtons: { LEFT: 2, MIDDLE: 1, RIGHT: 2 }, touches: { ONE: 1, TWO: 2 } });
    controls.target.copy(this.eye.target);
    controls.addEventListener("start", () => (this.preset = null));
    controls.addEventListener("change", () => {
      this.eye.target.copy(controls.target);
      this.redraw();
    });
    controls.update();
    return controls;
  }

  private listen(): void {
    let down: [number, number] | null = null;
    // a second finger makes it a pinch, whatever the first one does
    this.canvas.addEventListener("pointerdown", (event) => (down = event.isPrimary ? [event.clientX, event.clientY] : null));
    this.canvas.addEventListener("pointerup", (event) => {
      const reach = event.pointerType === "touch" ? tapReach : clickReach;
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > reach || event.button !== 0) return;
      const box = this.canvas.getBoundingClientRect();
      this.onPick(this.picture.pick(this.eye, event.clientX - box.left, event.clientY - box.top));
      this.redraw();
    });
    this.canvas.addEventListener("dblclick", () => this.look("corner"));
    onThemeChange(() => {
      this.picture.restyle();
      this.redraw();
    });
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (width < 8 || height < 8) return;
    this.picture.resize(width, height, Math.min(2, devicePixelRatio));
    this.eye.resize(width, height);
    if (this.preset) this.look(this.preset);
    this.redraw();
  }

  // Takes over a pose of the eye that was set without the hand.
  private settle(): void {
    this.controls.dispose();
    this.controls = this.newControls();
    this.redraw();
  }

  look(preset: string): void {
    this.preset = preset;
    this.eye.look(presets[preset]);
    this.settle();
  }

  project(orthographic: boolean): void {
    this.preset = null;
    this.eye.project(orthographic);
    this.settle();
  }

  centre(point: Vector): void {
    this.preset = null;
    this.eye.centre(point);
    this.settle();
  }

  show(frame: Frame): void {
    this.picture.show(frame);
    this.redraw();
  }

  redraw(): void {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.picture.draw(this.eye);
      this.drawn++;
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    this.controls.dispose();
    this.picture.renderer.dispose();
    this.node.remove();
  }
}

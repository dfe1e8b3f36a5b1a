// How a picture is shown: colours with their legend, contacts, section, projection, camera.
import type { ColourName } from "./colours";
import { button, element } from "./dom";
import { numberText, withPrefix } from "./numbers";
import type { Stage } from "./stage";
import type { Vector } from "./vectors";
import { presets } from "./views";

export class ViewSettings {
  readonly colour: HTMLSelectElement;
  readonly chains = element("input", { type: "checkbox", id: "contacts" });
  readonly legend = element("div", { class: "legend" });

  // `timeStep`: s, with which impulses become forces; 0 when it is not known.
  constructor(private readonly stage: Stage, private readonly timeStep: () => number) {
    const { picture } = stage;
    this.colour = element("select", { id: "colour" }, ...picture.colours.names.map((name) => element("option", { value: name }, name)));
    this.colour.addEventListener("change", () => {
      picture.setColour(this.colour.value as ColourName);
      this.showLegend();
      stage.redraw();
    });
    this.chains.addEventListener("change", () => {
      picture.setChains(this.chains.checked);
      this.showLegend();
      stage.redraw();
    });
    this.showLegend();
  }

  get planar(): boolean {
    return this.stage.picture.scene.planar;
  }

  colourRow(): HTMLElement | null {
    if (this.stage.picture.colours.names.length < 2) return null;
    return element("div", { class: "row" }, element("label", { for: "colour" }, "Colour by"), this.colour);
  }

  chainsCheck(): HTMLElement {
    return element("label", { class: "check" }, this.chains, "contacts and force chains");
  }

  projectionCheck(): HTMLElement | null {
    if (this.planar) return null;
    const ortho = element("input", { type: "checkbox", id: "orthographic" });
    ortho.addEventListener("change", () => this.stage.project(ortho.checked));
    return element("label", { class: "check" }, ortho, "orthographic");
  }

  cameraRow(): HTMLElement {
    const buttons = this.planar
      ? [button("View: whole scene", "Whole scene", () => this.stage.look("corner"))]
      : Object.entries(presets).map(([name, { label }]) => button(`View: ${label}`, label, () => this.stage.look(name)));
    return element("div", { class: "row", role: "group", "aria-label": "camera" }, ...buttons);
  }

  sectionRow(): HTMLElement {
    const { picture } = this.stage, { low, high } = picture.bounds;
    const axes = this.planar ? ["x", "y"] : ["x", "y", "z"];
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

  // After a new frame: the strongest contact is another.
  showFrame(): void {
    if (this.chains.checked) this.showLegend();
  }

  private showLegend(): void {
    const { picture } = this.stage, { title, low, high, gradient, groups } = picture.colours.legend(picture.colour, (x, unit) => withPrefix(x, unit));
    const parts: Node[] = [];
    if (gradient) parts.push(element("span", {}, title), element("b", {}, low ?? ""), element("u", { style: `background: ${gradient}` }), element("b", {}, high ?? ""));
    for (const group of groups ?? []) parts.push(element("span", {}, element("i", { style: `background: ${group.colour}` }), group.name));
    if (picture.chains.mesh.visible) {
      const h = this.timeStep(), strongest = picture.chains.strongest;
      parts.push(element("span", {}, element("i", { style: "background: var(--force)" }), `strongest contact ${h > 0 ? withPrefix(strongest / h, "N") : `${numberText(strongest)} N s`}`));
    }
    this.legend.replaceChildren(...parts);
  }

  // What keys do to the view; null: not one of ours.
  keyAction(event: KeyboardEvent): (() => void) | null {
    if (event.key === "c") return () => this.chains.click();
    const preset = Object.keys(presets)[Number(event.key) - 1];
    return preset ? () => this.stage.look(this.planar ? "corner" : preset) : null;
  }
}

// Keys that a field takes itself stay with the field.
export function isFieldKey(event: KeyboardEvent): boolean {
  return (event.target as HTMLElement).closest("input[type=text], select") !== null || event.ctrlKey || event.altKey || event.metaKey;
}

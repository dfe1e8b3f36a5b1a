// Where the eye is: directions, presets, and the distance from which a box fills the picture.
import * as THREE from "three";
import type { Bounds } from "./bounds";
import type { RunScene } from "./run_scene";
import { add, cross, dot, minus, scaled, unit, type Vector } from "./vectors";

export interface Direction {
  yaw: number; // rad, about the world's up
  pitch: number; // rad, above the horizon
}

export const presets: Record<string, Direction & { label: string }> = {
  corner: { label: "Corner", yaw: 0.55, pitch: 0.32 },
  front: { label: "Front", yaw: 0, pitch: 0 },
  side: { label: "Side", yaw: Math.PI / 2, pitch: 0 },
  top: { label: "Top", yaw: 0, pitch: 0.4999 * Math.PI },
};

const fieldOfView = 30; // degrees, small: near and far grains should look alike in size
const margin = 1.06; // of the picture around the box

interface Axes {
  right: Vector;
  above: Vector;
  toward: Vector; // from the scene to the eye
}

export function axesOf(scene: RunScene, { yaw, pitch }: Direction): Axes {
  if (scene.planar) return { right: [1, 0, 0], above: [0, 1, 0], toward: [0, 0, 1] };
  const up = scene.up;
  // "north" is y where up is z, else z
  const north = Math.abs(up[2]) > 0.9 ? unit(cross(up, [1, 0, 0])) : unit(cross(cross(up, [0, 0, 1]), up));
  const east = cross(north, up);
  const back = add(scaled(north, -Math.cos(yaw)), scaled(east, Math.sin(yaw)));
  const toward = unit(add(scaled(back, Math.cos(pitch)), scaled(up, Math.sin(pitch))));
  const right = unit(cross(up, back));
  return { right, above: cross(toward, right), toward };
}

// From above, over the left shoulder of who looks from the corner. Fixed in the world: shadows move with bodies only.
export function lightDirection(scene: RunScene): Vector {
  const { right, toward } = axesOf(scene, presets.corner);
  return unit(add(scene.up, add(scaled(right, -0.45), scaled(toward, 0.4))));
}

export class Eye {
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  readonly target = new THREE.Vector3();
  private aspect = 1;
  private halfHeight = 1; // m, of what an orthographic camera shows at zoom 1

  constructor(private readonly scene: RunScene, private bounds: Bounds, orthographic = scene.planar) {
    this.camera = this.newCamera(orthographic);
    this.look(presets.corner);
  }

  get orthographic(): boolean {
    return this.camera instanceof THREE.OrthographicCamera;
  }

  private newCamera(orthographic: boolean) {
    const camera = orthographic ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(fieldOfView);
    camera.up.set(...((this.scene.planar ? [0, 1, 0] : this.scene.up) as Vector));
    return camera;
  }

  // The same direction and size with the other projection.
  project(orthographic: boolean): void {
    if (orthographic === this.orthographic) return;
    const toward = this.camera.position.clone().sub(this.target);
    const tangent = Math.tan((fieldOfView * Math.PI) / 360);
    const half = this.camera instanceof THREE.OrthographicCamera ? this.halfHeight / this.camera.zoom : toward.length() * tangent;
    this.camera = this.newCamera(orthographic);
    this.camera.position.copy(this.target).addScaledVector(toward.normalize(), half / tangent);
    this.halfHeight = half;
    this.camera.lookAt(this.target);
    this.refresh();
  }

  // Looks at the middle of the box so that all of it is seen; zoom 2 shows half of it.
  look(direction: Direction, zoom = 1, bounds = this.bounds): void {
    this.bounds = bounds;
    const { right, above, toward } = axesOf(this.scene, direction);
    const tangent = Math.tan((fieldOfView * Math.PI) / 360);
    const corners = Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? bounds.high[k] : bounds.low[k])) as Vector);
    // the box is rarely centred on the screen when seen from a corner: look at the middle of its outline
    const span = (axis: Vector) => {
      const values = corners.map((c) => dot(axis, minus(c, bounds.center)));
      return [Math.min(...values), Math.max(...values)];
    };
    const [x0, x1] = span(right), [y0, y1] = span(above);
    const middle = add(bounds.center, add(scaled(right, (x0 + x1) / 2), scaled(above, (y0 + y1) / 2)));
    let distance = 0;
    for (const c of corners) {
      const d = minus(c, middle);
      distance = Math.max(distance, dot(toward, d) + (margin * Math.max(Math.abs(dot(above, d)), Math.abs(dot(right, d)) / this.aspect)) / tangent);
    }
    this.halfHeight = (margin * Math.max(y1 - y0, (x1 - x0) / this.aspect)) / 2;
    if (this.orthographic) distance = Math.max(this.halfHeight / tangent, 4 * bounds.reach);
    this.target.set(...middle);
    this.camera.position.set(...add(middle, scaled(toward, this.orthographic ? distance : distance / zoom)));
    this.camera.zoom = this.orthographic ? zoom : 1;
    this.camera.lookAt(this.target);
    this.refresh();
  }

  // Brings a point into the middle without turning.
  centre(point: Vector): void {
    const shift = new THREE.Vector3(...point).sub(this.target);
    this.target.add(shift);
    this.camera.position.add(shift);
  }

  resize(width: number, height: number): void {
    this.aspect = width / Math.max(1, height);
    this.refresh();
  }

  // Clipping planes and frustum, before every picture.
  refresh(): void {
    const distance = this.camera.position.distanceTo(this.target);
    this.camera.near = Math.max(0.02 * distance, distance - 5 * this.bounds.reach);
    this.camera.far = distance + 8 * this.bounds.reach;
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.top = this.halfHeight;
      this.camera.bottom = -this.halfHeight;
      this.camera.right = this.halfHeight * this.aspect;
      this.camera.left = -this.camera.right;
    } else {
      this.camera.aspect = this.aspect;
    }
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  // Pixels per metre at unit distance from the eye, or anywhere when orthographic.
  pixelsPerMetre(height: number): number {
    if (this.camera instanceof THREE.OrthographicCamera) return (height * this.camera.zoom) / (2 * this.halfHeight);
    return height / (2 * Math.tan((fieldOfView * Math.PI) / 360));
  }
}

// Contacts as segments from the centre of each grain to the contact point, as wide as the force is large.
import * as THREE from "three";
import type { Frame } from "./frame";
import type { RunScene } from "./run_scene";
import { ribbonFragment, ribbonVertex } from "./shaders";

// Weaker contacts than this part of the full width would be thinner than a hair, and in space hide the strong ones.
const weakestPart = 0.02;
// A few contacts far above the rest (a tine on a stone) must not turn all others into hairs: full width from here on.
const fullWidthQuantile = 0.995;

export class ForceChains {
  readonly mesh: THREE.Mesh;
  readonly material: THREE.ShaderMaterial;
  strongest = 0; // N s, of the frame shown
  private geometry = new THREE.InstancedBufferGeometry();
  private room = 0;

  constructor(private readonly scene: RunScene, section: THREE.IUniform) {
    this.material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: ribbonVertex,
      fragmentShader: ribbonFragment,
      uniforms: { viewport: { value: new THREE.Vector2(1, 1) }, widest: { value: 8 }, lineColour: { value: new THREE.Color() }, section },
      transparent: true,
      depthTest: false,
      depthWrite: false,
      side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  private reserve(count: number): void {
    if (count <= this.room) return;
    this.room = Math.max(256, 2 * count);
    this.geometry.dispose();
    this.geometry = new THREE.InstancedBufferGeometry();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0]), 3));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    for (const [name, size] of [["from", 4], ["to", 3]] as const) {
      const attribute = new THREE.InstancedBufferAttribute(new Float32Array(size * this.room), size);
      attribute.setUsage(THREE.DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    }
    this.mesh.geometry = this.geometry;
  }

  // Returns the bytes that go to the graphics card.
  show(frame: Frame): number {
    const strength = frame.contactStrength, contacts = strength.length;
    const sorted = Float32Array.from(strength).sort();
    this.strongest = contacts ? sorted[contacts - 1] : 0;
    const full = contacts ? sorted[Math.floor((contacts - 1) * fullWidthQuantile)] || this.strongest : 0;
    this.reserve(2 * contacts);
    const from = this.geometry.getAttribute("from") as THREE.InstancedBufferAttribute | undefined;
    const to = this.geometry.getAttribute("to") as THREE.InstancedBufferAttribute | undefined;
    let count = 0;
    if (from && to && full > 0) {
      const fromArray = from.array as Float32Array, toArray = to.array as Float32Array;
      for (let i = 0; i < contacts; i++) {
        const part = Math.min(1, strength[i] / full);
        if (part < weakestPart) continue;
        for (const body of [frame.contactA[i], frame.contactB[i]]) {
          if (body < 0 || body >= this.scene.dynamicCount) continue;
          for (let k = 0; k < 3; k++) {
            fromArray[4 * count + k] = frame.position[3 * body + k];
            toArray[3 * count + k] = frame.contactPosition[3 * i + k];
          }
          fromArray[4 * count++ + 3] = part;
        }
      }
      for (const attribute of [from, to]) {
        attribute.clearUpdateRanges();
        attribute.addUpdateRange(0, count * attribute.itemSize);
        attribute.needsUpdate = true;
      }
    }
    this.geometry.instanceCount = count;
    return 28 * count;
  }
}

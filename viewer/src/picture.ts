// The picture of a frame: batches of bodies, walls, force chains and tracks, drawn by three.js. Knows nothing of the
// page around it, so that the viewer, pictures and clips share it.
import * as THREE from "three";
import { ballGeometry, edgeGeometry, solidGeometry, wallGeometry } from "./batches";
import { boundsOf, type Bounds } from "./bounds";
import { BodyColours, type ColourName } from "./colours";
import { ForceChains } from "./force_chains";
import type { Frame } from "./frame";
import type { RunScene } from "./run_scene";
import * as shaders from "./shaders";
import { cssRgb } from "./theme";
import { dot, type Vector } from "./vectors";
import { lightDirection, type Eye } from "./views";
import { wallsOf } from "./walls";

// Colours are given as the screen shows them; nothing here mixes light in linear space.
THREE.ColorManagement.enabled = false;

const shadowSize = 2048;

export interface DrawCounts {
  drawCalls: number; // of bodies, walls, chains and tracks in the last picture, one per family
  shadowCalls: number; // in the last shadow map, which is drawn once per frame, not once per picture
  triangles: number;
  uploads: number; // textures and buffers sent since the start
  uploadBytes: number;
}

export class Picture {
  readonly renderer: THREE.WebGLRenderer;
  readonly colours: BodyColours;
  readonly chains: ForceChains;
  readonly counts: DrawCounts = { drawCalls: 0, shadowCalls: 0, triangles: 0, uploads: 0, uploadBytes: 0 };
  bounds: Bounds;
  colour: ColourName;
  frame: Frame;

  private readonly bodies = new THREE.Scene();
  private readonly overlay = new THREE.Scene();
  private readonly poses: THREE.DataTexture;
  private readonly colourTexture: THREE.DataTexture;
  private readonly uniforms: Record<string, THREE.IUniform>;
  private readonly families: THREE.Mesh[] = [];
  private readonly walls: THREE.Object3D[] = [];
  private readonly tracks = new Map<number, THREE.Line>();
  private readonly depthMaterials: THREE.ShaderMaterial[] = []; // as families
  private readonly pickMaterials: THREE.ShaderMaterial[] = []; // as families
  private readonly lineMaterials: THREE.ShaderMaterial[] = [];
  private readonly shadowTarget: THREE.WebGLRenderTarget;
  private readonly shadowCamera = new THREE.OrthographicCamera();
  private readonly target: THREE.WebGLRenderTarget;
  private readonly pickTarget = new THREE.WebGLRenderTarget(1, 1);
  private readonly screen: { scene: THREE.Scene; material: THREE.ShaderMaterial };
  private shadowStale = true;
  private grain = 1; // m

  constructor(canvas: HTMLCanvasElement, readonly scene: RunScene, frames: Frame[]) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, premultipliedAlpha: false, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.renderer.info.autoReset = false;
    this.frame = frames[0];
    this.bounds = boundsOf(scene, frames);
    this.colours = new BodyColours(scene);
    this.colours.widenSpeeds(frames);
    this.colour = this.colours.names[0];

    const texture = (bytes: Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>, texels: number, type: THREE.TextureDataType) => {
      const t = new THREE.DataTexture(bytes, shaders.poseRow, texels / shaders.poseRow, THREE.RGBAFormat, type);
      t.magFilter = t.minFilter = THREE.NearestFilter;
      return t;
    };
    const rows = (texels: number) => Math.max(1, Math.ceil(texels / shaders.poseRow)) * shaders.poseRow;
    const poseTexels = rows(2 * scene.bodyCount), colourTexels = rows(scene.bodyCount);
    this.poses = texture(new Float32Array(4 * poseTexels), poseTexels, THREE.FloatType);
    this.colourTexture = texture(new Uint8Array(4 * colourTexels), colourTexels, THREE.UnsignedByteType);

    this.shadowTarget = new THREE.WebGLRenderTarget(shadowSize, shadowSize, { depthTexture: new THREE.DepthTexture(shadowSize, shadowSize, THREE.UnsignedIntType) });
    this.target = new THREE.WebGLRenderTarget(4, 4, { samples: 4, depthTexture: new THREE.DepthTexture(4, 4, THREE.UnsignedIntType) });
    const colour = () => ({ value: new THREE.Color() });
    this.uniforms = {
      poses: { value: this.poses },
      colours: { value: this.colourTexture },
      picked: { value: -1 },
      section: { value: new THREE.Vector4(0, 0, 0, 0) },
      toLight: { value: new THREE.Vector3(...lightDirection(scene)) },
      up: { value: new THREE.Vector3(...scene.up) },
      paper: colour(),
      accent: colour(),
      outlineColour: colour(),
      hatchColour: colour(),
      wallColour: colour(),
      fade: { value: 0 },
      unlit: { value: scene.planar ? 1 : 0 },
      shadowMatrix: { value: new THREE.Matrix4() },
      shadowMap: { value: this.shadowTarget.depthTexture },
      shadowTexel: { value: 1 / shadowSize },
      pixelRatio: { value: 1 },
    };
    this.chains = new ForceChains(scene, this.uniforms.section);
    this.overlay.add(this.chains.mesh);
    this.screen = this.makeScreen();
    this.build();
    this.restyle();
    this.show(this.frame);
  }

  private makeScreen() {
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: shaders.screenVertex,
      fragmentShader: shaders.screenFragment,
      depthTest: false,
      depthWrite: false,
      uniforms: {
        picture: { value: this.target.texture },
        depth: { value: this.target.depthTexture },
        pixel: { value: new THREE.Vector2() },
        nearPlane: { value: 0 },
        farPlane: { value: 1 },
        orthographic: { value: 0 },
        grain: { value: 1 },
        grainPixels: { value: 1 },
      },
    });
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const mesh = new THREE.Mesh(geometry, material), scene = new THREE.Scene();
    mesh.frustumCulled = false;
    scene.add(mesh);
    return { scene, material };
  }

  private material(fragment: string, more: Partial<THREE.ShaderMaterialParameters> & { balls?: boolean; extra?: Record<string, THREE.IUniform> } = {}) {
    const { balls, extra, ...rest } = more;
    const flat = this.scene.planar ? { depthTest: false, depthWrite: false } : {};
    return new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: shaders.bodyVertex,
      fragmentShader: fragment,
      uniforms: { ...this.uniforms, ...extra },
      defines: balls ? { BALLS: 1 } : {},
      side: THREE.DoubleSide,
      ...flat,
      ...rest,
    });
  }

  private build(): void {
    const { scene } = this;
    const median = (values: Float32Array) => values.slice().sort()[values.length >> 1];
    this.grain = scene.dynamicCount ? median(scene.size.subarray(0, scene.dynamicCount)) : this.bounds.reach / 20;
    const walls = wallsOf(scene, this.frame, this.bounds);
    const wall = wallGeometry(walls);
    if (wall) {
      const material = scene.planar ? this.material(shaders.hatchFragment) : this.material(shaders.bodyFragment, { side: THREE.FrontSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, extra: { backdrop: { value: 1 } } });
      this.addMesh(wall, material, this.walls);
    }
    for (const balls of [false, true]) {
      const geometry = balls ? ballGeometry(scene) : solidGeometry(scene, this.bounds);
      if (!geometry) continue;
      this.addMesh(geometry, this.material(shaders.bodyFragment, { balls, extra: { backdrop: { value: 0 } } }), this.families);
      this.depthMaterials.push(this.material(shaders.depthFragment, { balls }));
      this.pickMaterials.push(this.material(shaders.pickFragment, { balls }));
    }
    const edges = edgeGeometry(walls);
    if (edges) {
      const material = new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: shaders.edgeVertex,
        fragmentShader: shaders.plainFragment,
        uniforms: { ...this.uniforms, lineColour: { value: new THREE.Color() }, opacity: { value: scene.planar ? 0.9 : 0.45 } },
        transparent: true,
        depthTest: !scene.planar,
        depthWrite: false,
      });
      this.lineMaterials.push(material);
      const lines = new THREE.LineSegments(edges, material);
      lines.frustumCulled = false;
      this.bodies.add(lines);
      this.walls.push(lines);
    }
  }

  private addMesh(geometry: THREE.BufferGeometry, material: THREE.ShaderMaterial, list: THREE.Object3D[]): void {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.bodies.children.length;
    this.bodies.add(mesh);
    list.push(mesh);
  }

  // Colours of the page, after a change between dark and light too.
  restyle(): void {
    const set = (name: string, css: string) => this.uniforms[name].value.setRGB(...cssRgb(css));
    set("paper", "--paper");
    set("accent", "--accent");
    set("outlineColour", "--outline");
    set("hatchColour", "--hatch");
    set("wallColour", "--wall-solid");
    for (const material of this.lineMaterials) material.uniforms.lineColour.value.setRGB(...cssRgb("--wall-line"));
    this.chains.material.uniforms.lineColour.value.setRGB(...cssRgb("--force"));
    for (const line of this.tracks.values()) (line.material as THREE.LineBasicMaterial).color.setRGB(...cssRgb("--accent"));
    this.renderer.setClearColor(new THREE.Color().setRGB(...cssRgb("--paper")), 0);
    this.recolour();
  }

  private upload(bytes: number): void {
    this.counts.uploads++;
    this.counts.uploadBytes += bytes;
  }

  // Two uploads per frame: poses and colours; a third with force chains.
  show(frame: Frame): void {
    this.frame = frame;
    const poses = this.poses.image.data as unknown as Float32Array, p = frame.position, q = frame.rotation;
    for (let body = 0, at = 0; body < this.scene.bodyCount; body++, at += 8) {
      poses[at] = p[3 * body];
      poses[at + 1] = p[3 * body + 1];
      poses[at + 2] = p[3 * body + 2];
      poses[at + 4] = q[4 * body];
      poses[at + 5] = q[4 * body + 1];
      poses[at + 6] = q[4 * body + 2];
      poses[at + 7] = q[4 * body + 3];
    }
    this.poses.needsUpdate = true;
    this.upload(poses.byteLength);
    this.recolour();
    if (this.chains.mesh.visible) this.upload(this.chains.show(frame));
    this.shadowStale = true;
  }

  recolour(): void {
    const bytes = this.colourTexture.image.data as unknown as Uint8Array;
    this.colours.paint(this.frame, this.colour, bytes);
    this.colourTexture.needsUpdate = true;
    this.upload(bytes.byteLength);
  }

  setColour(name: ColourName): void {
    this.colour = name;
    this.recolour();
  }

  setChains(visible: boolean): void {
    this.chains.mesh.visible = visible;
    this.uniforms.fade.value = visible ? 0.72 : 0;
    if (visible) this.upload(this.chains.show(this.frame));
  }

  // Cuts away what lies beyond `offset` along `normal`; null: nothing.
  setSection(normal: Vector | null, offset: number): void {
    this.uniforms.section.value.set(...(normal ?? [0, 0, 0]), offset);
    this.shadowStale = true;
  }

  setPicked(body: number): void {
    this.uniforms.picked.value = body;
  }

  // The way of a body: 3 numbers per point. Empty: takes it away.
  setTrack(body: number, points: Float32Array): void {
    const old = this.tracks.get(body);
    if (old) {
      this.overlay.remove(old);
      old.geometry.dispose();
      (old.material as THREE.Material).dispose();
      this.tracks.delete(body);
    }
    if (points.length === 0) return;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }));
    (line.material as THREE.LineBasicMaterial).color.setRGB(...cssRgb("--accent"));
    line.frustumCulled = false;
    this.upload(points.byteLength);
    this.tracks.set(body, line);
    this.overlay.add(line);
  }

  // Size in CSS pixels, and the pixels of the screen for each of them.
  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    const size = this.renderer.getDrawingBufferSize(new THREE.Vector2());
    this.target.setSize(size.x, size.y);
    this.uniforms.pixelRatio.value = ratio;
    this.chains.material.uniforms.viewport.value.copy(size);
  }

  draw(eye: Eye): void {
    const { renderer } = this;
    eye.refresh();
    if (this.shadowStale && !this.scene.planar) this.drawShadows();
    renderer.info.reset();
    const height = this.target.height, perMetre = eye.pixelsPerMetre(height);
    const far = eye.camera.position.distanceTo(eye.target);
    this.chains.material.uniforms.widest.value = Math.min(0.06 * height, Math.max(3, (0.7 * this.grain * perMetre) / (eye.orthographic ? 1 : far)));
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(this.bodies, eye.camera);
    renderer.setRenderTarget(null);
    const u = this.screen.material.uniforms;
    u.pixel.value.set(1 / this.target.width, 1 / height);
    u.nearPlane.value = eye.camera.near;
    u.farPlane.value = eye.camera.far;
    u.orthographic.value = eye.orthographic ? 1 : 0;
    u.grain.value = this.grain;
    u.grainPixels.value = 0.8 * this.grain * perMetre;
    renderer.autoClear = true;
    renderer.render(this.screen.scene, eye.camera);
    renderer.autoClear = false;
    if (this.chains.mesh.visible || this.tracks.size > 0) renderer.render(this.overlay, eye.camera);
    renderer.autoClear = true;
    this.counts.drawCalls = renderer.info.render.calls - 1; // less the pass over the screen
    this.counts.triangles = renderer.info.render.triangles;
  }

  // Seen from the light: balls and shapes with faces; walls only receive.
  private drawShadows(): void {
    const { low, high, center } = this.bounds, light = this.uniforms.toLight.value as THREE.Vector3;
    const radius = 0.55 * Math.hypot(...low.map((l, k) => high[k] - l)), camera = this.shadowCamera;
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0, far: 4 * radius });
    camera.position.set(...center).addScaledVector(light, 2 * radius);
    camera.up.set(...(Math.abs(dot(this.scene.up, light.toArray())) > 0.95 ? ([1, 0, 0] as Vector) : this.scene.up));
    camera.lookAt(...center);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.uniforms.shadowMatrix.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    this.renderer.info.reset();
    this.renderFamilies(this.shadowTarget, camera, this.depthMaterials);
    this.counts.shadowCalls = this.renderer.info.render.calls;
    this.shadowStale = false;
  }

  // The bodies alone with other materials: depths for shadows, numbers for picking.
  private renderFamilies(target: THREE.WebGLRenderTarget, camera: THREE.Camera, materials: THREE.ShaderMaterial[]): void {
    const own = this.families.map((mesh) => mesh.material);
    this.families.forEach((mesh, i) => (mesh.material = materials[i]));
    for (const object of this.walls) object.visible = false;
    this.renderer.setRenderTarget(target);
    this.renderer.clear();
    this.renderer.render(this.bodies, camera);
    this.renderer.setRenderTarget(null);
    for (const object of this.walls) object.visible = true;
    this.families.forEach((mesh, i) => (mesh.material = own[i]));
  }

  // The body at a place of the picture in CSS pixels, or -1.
  pick(eye: Eye, x: number, y: number): number {
    const size = this.renderer.getSize(new THREE.Vector2());
    eye.refresh();
    eye.camera.setViewOffset(size.x, size.y, x, y, 1, 1);
    this.renderFamilies(this.pickTarget, eye.camera, this.pickMaterials);
    eye.camera.clearViewOffset();
    const bytes = new Uint8Array(4);
    this.renderer.readRenderTargetPixels(this.pickTarget, 0, 0, 1, 1, bytes);
    return bytes[0] + 256 * bytes[1] + 65536 * bytes[2] + 16777216 * bytes[3] - 1;
  }
}

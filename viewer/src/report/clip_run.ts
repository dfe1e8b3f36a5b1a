// The clip inside a report as a run: all frames unpacked once to quanta, each made into a frame when it is shown.
// src/io/report_clip.hpp gives the layout.
import type { Frame } from "../frame";
import { RunScene, type SceneFile } from "../run_scene";
import type { FrameEntry, FrameSource } from "../run_source";
import type { PackedClip } from "./data";
import { unpackIntegers, unpackText } from "./packed";

const strengthQuanta = 4095;
const quantaPerBody = 3 + 4 + 3, quantaPerContact = 2 + 3 + 1;

// Positions 3 and rotations 4 per body, one component after the other, as they are and no longer as differences.
type FrameQuanta = Int32Array;

export class ClipRun implements FrameSource {
  private constructor(private readonly clip: PackedClip, private readonly file: SceneFile, private readonly quanta: FrameQuanta[]) {}

  static async unpack(clip: PackedClip): Promise<ClipRun> {
    const [scene, ...quanta] = await Promise.all([unpackText(clip.scene), ...clip.frames.map((f) => unpackIntegers(f.data))]);
    quanta.forEach((values, f) => {
      const { contacts } = clip.frames[f];
      if (values.length !== quantaPerBody * clip.bodies + quantaPerContact * contacts) throw new Error(`frame ${f} of the clip is damaged`);
      if (f > 0) for (let i = 0; i < 7 * clip.bodies; i++) values[i] += quanta[f - 1][i];
    });
    return new ClipRun(clip, JSON.parse(scene) as SceneFile, quanta);
  }

  scene(): Promise<RunScene> {
    return Promise.resolve(new RunScene(this.file));
  }

  index(): Promise<FrameEntry[]> {
    // parts of their own: nothing is saved by asking for several frames at once
    return Promise.resolve(this.clip.frames.map((f, i) => ({ time: f.time, step: f.step, part: String(i), offset: 0, size: 4 * this.quanta[i].length })));
  }

  frames(entries: FrameEntry[]): Promise<Frame[]> {
    return Promise.resolve(entries.map((entry) => this.frame(Number(entry.part))));
  }

  private frame(number: number): Frame {
    const { bodies, length, speed, rotation, frames } = this.clip, values = this.quanta[number], packed = frames[number];
    let at = 0;
    // `width` components of all bodies, one after the other, into vectors of that width
    const vectors = (width: number, quantum: number) => {
      const result = new Float32Array(width * bodies);
      for (let k = 0; k < width; k++) for (let i = 0; i < bodies; i++) result[width * i + k] = quantum * values[at++];
      return result;
    };
    const frame = { time: packed.time, step: packed.step, active: packed.active, position: vectors(3, length), rotation: vectors(4, 1 / rotation), velocity: vectors(3, speed), angularVelocity: new Float32Array(0) };
    normalise(frame.rotation);
    return { ...frame, ...this.contacts(number, frame.position, at) };
  }

  private contacts(number: number, position: Float32Array, at: number) {
    const { length, frames } = this.clip, values = this.quanta[number], { contacts: count, strongest } = frames[number];
    const contactA = new Int32Array(count), contactB = new Int32Array(count), contactPosition = new Float32Array(3 * count), contactStrength = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      contactA[i] = (i > 0 ? contactA[i - 1] : 0) + values[at + i];
      contactB[i] = contactA[i] + values[at + count + i];
      const a = contactA[i], grain = a >= 0 && a < this.file.dynamic_count ? a : contactB[i];
      for (let k = 0; k < 3; k++) contactPosition[3 * i + k] = position[3 * grain + k] + length * values[at + (2 + k) * count + i];
      const root = values[at + 5 * count + i] / strengthQuanta;
      contactStrength[i] = strongest * root * root;
    }
    return { contactA, contactB, contactPosition, contactStrength };
  }
}

// Balls have no rotation in a clip: all zeros stand for none.
function normalise(q: Float32Array): void {
  for (let i = 0; i < q.length; i += 4) {
    const size = Math.hypot(q[i], q[i + 1], q[i + 2], q[i + 3]);
    if (size > 0) for (let k = 0; k < 4; k++) q[i + k] /= size;
    else q[i + 3] = 1;
  }
}

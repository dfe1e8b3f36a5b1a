// One frame of a run as it lies in frames/part-*.bin; docs/files.md gives the layout byte by byte.

// A fault of a file, in a sentence for the user.
export class FileFault extends Error {}

export interface Frame {
  time: number; // s
  step: number;
  active: number; // dynamic bodies released so far: the first ones
  position: Float32Array; // 3 per body, m, world
  rotation: Float32Array; // 4 per body: x, y, z, w
  velocity: Float32Array; // 3 per body, m/s
  angularVelocity: Float32Array; // 3 per body, rad/s; empty where it was not kept
  contactPosition: Float32Array; // 3 per contact, m
  contactStrength: Float32Array; // N s over the last step
  contactA: Int32Array;
  contactB: Int32Array;
}

const magic = "GRUSFRM1";
const headerBytes = 40;
const positionWords = 3, rotationWords = 4, velocityWords = 3;
export const wordsPerBody = positionWords + rotationWords + 2 * velocityWords;
const wordsPerContact = 12;

// The arrays are views into `bytes`, not copies. `name` is the file, for the words of a fault.
export function decodeFrame(bytes: ArrayBuffer, name: string): Frame {
  const damaged = (found: string) => new FileFault(`${name}: ${found}. The file is truncated or damaged.`);
  if (bytes.byteLength < headerBytes) throw damaged(`a frame of ${bytes.byteLength} bytes was found`);
  const header = new DataView(bytes);
  const word = String.fromCharCode(...new Uint8Array(bytes, 0, magic.length));
  if (word !== magic) throw damaged("no frame begins where the index names one");
  const bodies = header.getInt32(24, true), contacts = header.getInt32(32, true);
  const wanted = headerBytes + 4 * (wordsPerBody * bodies + wordsPerContact * contacts);
  if (bodies < 0 || contacts < 0 || bytes.byteLength < wanted) {
    throw damaged(`a frame of ${bodies} bodies and ${contacts} contacts needs ${wanted} bytes, ${bytes.byteLength} were found`);
  }
  let at = headerBytes;
  const floats = (count: number) => {
    const view = new Float32Array(bytes, at, count);
    at += 4 * count;
    return view;
  };
  const integers = (count: number) => {
    const view = new Int32Array(bytes, at, count);
    at += 4 * count;
    return view;
  };
  const position = floats(3 * bodies), rotation = floats(4 * bodies);
  const velocity = floats(3 * bodies), angularVelocity = floats(3 * bodies);
  const contactPosition = floats(3 * contacts);
  floats(3 * contacts); // normals: nothing here draws them
  const contactStrength = lengths(floats(3 * contacts));
  floats(contacts); // gaps
  return {
    time: header.getFloat64(8, true),
    step: Number(header.getBigInt64(16, true)),
    active: header.getInt32(28, true),
    position,
    rotation,
    velocity,
    angularVelocity,
    contactPosition,
    contactStrength,
    contactA: integers(contacts),
    contactB: integers(contacts),
  };
}

function lengths(v: Float32Array): Float32Array {
  const result = new Float32Array(v.length / 3);
  for (let i = 0, k = 0; i < result.length; i++, k += 3) result[i] = Math.sqrt(v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]);
  return result;
}

export function speedOf(frame: Frame, body: number): number {
  return Math.hypot(frame.velocity[3 * body], frame.velocity[3 * body + 1], frame.velocity[3 * body + 2]);
}

// Arrays out of packed text: base64, deflate, byte planes; src/io/packed.hpp is the other side.

async function inflated(text: string): Promise<Uint8Array> {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function unpackText(text: string): Promise<string> {
  return new TextDecoder().decode(await inflated(text));
}

export async function unpackIntegers(text: string): Promise<Int32Array> {
  const planes = await inflated(text), count = planes.length / 4, values = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const zigzag = planes[i] | (planes[count + i] << 8) | (planes[2 * count + i] << 16) | (planes[3 * count + i] << 24);
    values[i] = (zigzag >>> 1) ^ -(zigzag & 1);
  }
  return values;
}

export async function unpackReals(text: string): Promise<Float64Array> {
  const planes = await inflated(text), count = planes.length / 8, bytes = new Uint8Array(planes.length);
  for (let k = 0; k < 8; k++) for (let i = 0; i < count; i++) bytes[8 * i + k] = planes[k * count + i];
  return new Float64Array(bytes.buffer);
}

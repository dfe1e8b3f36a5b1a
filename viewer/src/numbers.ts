// Numbers as people read them.

// Four digits unless asked for more; powers of ten as people write them.
export function numberText(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e6) return groupDigits(String(x));
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    const power = String(Number(exponent)).replace(/[-0-9]/g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return (short === "1" ? "" : short === "-1" ? "−" : `${short.replace("-", "−")}·`) + `10${power}`;
  }
  const text = String(Number(x.toPrecision(digits)));
  return text.includes(".") ? text.replace("-", "−") : groupDigits(text);
}

// 12 345, with a narrow space.
function groupDigits(text: string): string {
  return text.replace("-", "−").replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// With the prefix that suits it.
export function withPrefix(x: number, unit: string, digits = 3): string {
  const size = Math.abs(x);
  if (Number.isFinite(x) && x !== 0) {
    for (const [factor, prefix] of [[1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]] as const) {
      if (size >= factor * 0.9999) return `${numberText(x / factor, digits)} ${prefix}${unit}`;
    }
  }
  return `${numberText(x, digits)} ${unit}`;
}

export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 100) return withPrefix(seconds, "s");
  const minutes = seconds / 60;
  return minutes < 100 ? `${numberText(minutes, 3)} min` : `${numberText(minutes / 60, 3)} h`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

// Round values that cover [low, high], about `count` of them.
export function linearTicks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, count), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999)!;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; i++) ticks.push(i * step);
  return ticks;
}

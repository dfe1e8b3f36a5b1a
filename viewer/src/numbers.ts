// Numbers as people read them.

// Four digits unless asked for more; powers of ten as people write them.
export function numberText(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e6) return String(x).replace("-", "−");
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    const power = String(Number(exponent)).replace(/[-0-9]/g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return `${short.replace("-", "−")}·10${power}`;
  }
  return String(Number(x.toPrecision(digits))).replace("-", "−");
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

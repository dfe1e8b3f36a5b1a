"use strict";
// Arrays out of text, numbers into text.

function decode(text, Type) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Type(bytes.buffer);
}

// Four digits unless asked for more; powers of ten as people write them.
function numberText(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e6) return groupDigits(x);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    const power = String(Number(exponent)).replace(/[-0-9]/g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return (short === "1" ? "" : short === "-1" ? "−" : short.replace("-", "−") + "·") + "10" + power;
  }
  const text = String(Number(x.toPrecision(digits)));
  return text.includes(".") ? text.replace("-", "−") : groupDigits(text);
}

function groupDigits(x) {
  return String(x).replace("-", "−").replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// A length or a time with the prefix that suits it.
function withPrefix(x, unit, digits = 3) {
  if (x === null || !Number.isFinite(x) || x === 0) return numberText(x, digits) + " " + unit;
  const prefixes = [[1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const size = Math.abs(x);
  for (const [factor, prefix] of prefixes) {
    if (size >= factor * 0.9999 && (prefix !== "k" || size >= 1e4)) return numberText(x / factor, digits) + " " + prefix + unit;
  }
  return numberText(x, digits) + " " + unit;
}

function durationText(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 100) return withPrefix(seconds, "s");
  const minutes = seconds / 60;
  if (minutes < 100) return numberText(minutes, 3) + " min";
  return numberText(minutes / 60, 3) + " h";
}

// Round values that cover [low, high], about `count` of them.
function linearTicks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, count);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; i++) ticks.push(i * step);
  return ticks;
}

function logTicks(low, high, count) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const ticks = [];
  for (let e = first; e <= last; e += stride) ticks.push(Math.pow(10, e));
  return ticks;
}

// element("div", {class: "x"}, child, "text"): text is always text, never markup.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Sizes a canvas for the screen's pixels and returns its context in CSS pixels.
function sharpContext(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// What the tests of viewer and report share: the browser, clean consoles, pictures, accessibility.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
export const patience = 30_000; // ms; a browser that draws without a graphics card on a loaded machine
const flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });

// Errors and warnings of a page; `fine` are messages that the test provokes.
export function watchErrors(page, fine = /^$/) {
  page.setDefaultTimeout(patience);
  const errors = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !fine.test(message.text()) && !/GPU stall/.test(message.text())) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.stack));
  return errors;
}

// Mean colours of a coarse grid over the canvas, drawn anew: enough to see that a picture changed or has something in it.
export function sample(page, stage) {
  return page.evaluate(async (name) => {
    const stage = eval(name), before = stage.drawn;
    stage.redraw();
    while (stage.drawn === before) await new Promise(requestAnimationFrame);
    const small = document.createElement("canvas");
    small.width = 48;
    small.height = 32;
    const g = small.getContext("2d");
    g.drawImage(document.querySelector("canvas.picture"), 0, 0, 48, 32);
    return Array.from(g.getImageData(0, 0, 48, 32).data);
  }, stage);
}

export const difference = (a, b) => a.reduce((sum, v, i) => sum + Math.abs(v - b[i]), 0) / a.length;

export async function accessibilityFaults(page) {
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(", ")}`);
}

// Compares a PNG with test/reference/NAME.png; UPDATE_REFERENCES=1 writes it anew.
export async function matchesReference(browser, name, png) {
  const reference = new URL(`reference/${name}.png`, import.meta.url);
  if (process.env.UPDATE_REFERENCES) writeFileSync(reference, png);
  const page = await browser.newPage();
  const pixels = (bytes) => page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const g = canvas.getContext("2d");
    g.drawImage(image, 0, 0);
    return [image.width, image.height, ...g.getImageData(0, 0, image.width, image.height).data];
  }, bytes.toString("base64"));
  const [now, then] = await Promise.all([pixels(png), pixels(readFileSync(reference))]);
  await page.close();
  assert.deepEqual(now.slice(0, 2), then.slice(0, 2), "its size");
  // edges of another version of the rasteriser may move by a pixel
  const apart = difference(now.slice(2), then.slice(2));
  assert.ok(apart < 2, `${name}: ${apart} of 255 on average`);
}

// A report in a real browser, from the disk and without a network: as a colleague opens it from an e-mail.
// Environment: GRUS_PROGRAM, GRUS_EXAMPLE_RUN (writes made-up runs), CHROMIUM.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { accessibilityFaults, difference, launch, matchesReference, sample, watchErrors } from "./browser.mjs";

const { GRUS_PROGRAM: grus, GRUS_EXAMPLE_RUN: writeRun } = process.env;
const folder = mkdtempSync(join(tmpdir(), "grus-report-"));
let browser;
const reports = {};

before(async () => {
  for (const kind of ["spatial", "planar"]) {
    const path = join(folder, kind);
    execFileSync(writeRun, [path, kind, kind === "planar" ? "60" : "150", "12"]);
    execFileSync(grus, ["report", path]);
    reports[kind] = join(path, "report.html");
  }
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(kind, options = {}) {
  const context = await browser.newContext({ viewport: { width: 680, height: 640 }, offline: true, ...options });
  const page = await context.newPage(), errors = watchErrors(page), requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(reports[kind]).href);
  await page.waitForFunction(() => window.grusReport?.ready);
  return { page, async close() {
    await context.close();
    assert.deepEqual(errors, [], "the console is clean");
    assert.deepEqual(requests.filter((url) => !/^(file|data|blob):/.test(url)), [], "nothing is asked of a network");
  } };
}

const number = (page) => page.evaluate(() => window.grusReport.clip.player.number);
const stage = "window.grusReport.clip.stage";

test("the clip plays, is scrubbed, picked and coloured", async () => {
  assert.ok(statSync(reports.spatial).size < 1.2e6, "a small run is a small file");
  const { page, close } = await open("spatial");
  const last = await sample(page, stage);
  const small = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.width = 360;
    canvas.height = 225;
    canvas.getContext("2d").drawImage(document.querySelector("canvas.picture"), 0, 0, 360, 225);
    return canvas.toDataURL("image/png").split(",")[1];
  });
  await matchesReference(browser, "report", Buffer.from(small, "base64"));
  assert.equal(await number(page), 11, "a report begins with how it ended");
  await page.getByRole("button", { name: /first frame/ }).click();
  await page.waitForFunction(() => window.grusReport.clip.player.number === 0);
  assert.ok(difference(last, await sample(page, stage)) > 0.5, "the picture moved");
  await page.getByLabel("speed of play").selectOption("10");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForFunction(() => window.grusReport.clip.player.number === 11);
  assert.ok(difference(last, await sample(page, stage)) < 0.05, "the clip ends where it began");
  await page.getByRole("checkbox", { name: /force chains/ }).check();
  assert.ok(difference(last, await sample(page, stage)) > 0.5, "force chains are drawn");
  assert.match(await page.locator(".legend").textContent(), /strongest contact \d/);
  const grain = await page.evaluate(() => {
    const { stage: s } = window.grusReport.clip, { clientWidth: w, clientHeight: h } = s.canvas;
    for (let y = 0.6; y < 0.9; y += 0.05) for (let x = 0.45; x < 0.7; x += 0.05) {
      const body = s.picture.pick(s.eye, x * w, y * h);
      if (body >= 0 && body < 150) return { body, x: x * w, y: y * h };
    }
    return null;
  });
  await page.locator("canvas.picture").click({ position: { x: grain.x, y: grain.y } });
  await page.getByText(new RegExp(`^grains\\[${grain.body}\\]: at .* speed`)).waitFor();
  const { drawCalls } = await page.evaluate(() => window.grusReport.clip.stage.picture.counts);
  assert.ok(drawCalls <= 5, `${drawCalls} draw calls`);
  await close();
});

test("plots answer the pointer and lead the clip", async () => {
  const { page, close } = await open("planar", { bypassCSP: true });
  await page.getByRole("heading", { name: "Probes" }).scrollIntoViewIfNeeded(); // charts are made when they come into sight
  const chart = page.locator(".chart").filter({ hasText: "heap.z" }), plot = chart.locator(".u-over");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  const readout = () => chart.locator("output").first().textContent();
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
  const early = await readout();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 0.5 * box.height);
  assert.notEqual(await readout(), early, "the values are those under the pointer");
  await plot.click({ position: { x: 0.5 * box.width, y: 0.5 * box.height } });
  await page.waitForFunction(() => Math.abs(window.grusReport.clip.player.number - 5.5) <= 1);
  assert.match(await page.getByRole("region", { name: "energy balance" }).innerText(), /work of moving walls[\s\S]*400 mJ[\s\S]*error[\s\S]*100 µJ/);
  assert.match(await page.locator("section", { hasText: "turned over" }).last().innerText(), /4·10⁻⁴ % of the 25.9 J turned over/);
  assert.match(await page.locator("dl.facts").innerText(), /worst of a mechanism, m\/s\s+6·10⁻⁴ \(asked 4\.91·10⁻⁴\)/i);
  await page.getByRole("heading", { name: "Solver" }).scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 400);
  await page.locator(".chart").filter({ hasText: "Residual of mechanisms" }).waitFor();
  const line = page.locator(".chart").filter({ hasText: "Energy" }).getByRole("button").first();
  await line.click();
  assert.equal(await line.getAttribute("aria-pressed"), "false");
  for (const words of ["All 3 checks pass", "Time per stage", "state hash", "example.yaml"]) assert.ok(await page.getByText(words).count(), words);
  assert.deepEqual(await accessibilityFaults(page), []);
  await close();
});

test("a report is accessible in the dark and on a telephone", async () => {
  const { page, close } = await open("spatial", { colorScheme: "dark", viewport: { width: 390, height: 844 }, bypassCSP: true });
  for (let y = 0; y < 8; y++) await page.mouse.wheel(0, 700); // charts are made when they come into sight
  await page.locator(".chart").nth(5).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing sticks out at the side");
  await close();
});

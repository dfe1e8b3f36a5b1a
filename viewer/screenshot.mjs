// A picture of the viewer's page itself, for the manual: node viewer/screenshot.mjs GRUS DIR TIME out.png
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

const [grus, folder, time, output] = process.argv.slice(2);
const server = spawn(grus, ["view", folder, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((resolve) => server.stdout.on("data", (text) => resolve(/http:\S+/.exec(String(text))[0])));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(address);
await page.waitForFunction(() => window.grus.app?.stage.drawn > 0, null, { timeout: 60_000 });
await page.evaluate(async (t) => {
  const { app } = window.grus;
  await app.player.seek(t);
  document.querySelector("h1").textContent = app.scene.file.name; // not the folder of who took it
  const grain = app.stage.picture.pick(app.stage.eye, 0.4 * app.stage.canvas.clientWidth, 0.82 * app.stage.canvas.clientHeight);
  app.pick(grain);
}, Number(time));
await page.waitForFunction(() => window.grus.app.panel.track !== null || window.grus.app.panel.body < 0);
await page.waitForTimeout(1000); // plots draw themselves
await page.screenshot({ path: output });
await browser.close();
server.kill();
console.log(output);

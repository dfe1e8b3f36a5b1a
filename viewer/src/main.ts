// Starts the page: the viewer, or, when the program asked for pictures (grus render), the painter of these.
import "./theme.css";
import "./parts.css";
import "./style.css";
import { App, faultText } from "./app";
import { element } from "./dom";
import { renderPictures } from "./render";
import { HttpRun, listRuns, type RunList } from "./run_source";
import { hasWebGL, stillOf } from "./still_picture";

const retry = 3000; // ms between looks for the first frames of a run that has just begun

interface Probe {
  app: App | null;
  fault: string;
}

// For tests and the curious: `grus.app` is the viewer on the page.
declare global {
  interface Window {
    grus: Probe;
  }
}

function header(list: RunList, open: (name: string) => void): HTMLElement {
  const bar = element("header", { class: "bar" }, element("h1", {}, list.folder));
  if (list.runs.length > 1) {
    const choice = element("select", { id: "run", "aria-label": "run of the study" }, ...list.runs.map((name) => element("option", { value: name }, name || "this folder")));
    choice.addEventListener("change", () => open(choice.value));
    bar.append(choice);
  }
  bar.append(element("span", { class: "version" }, `Grus ${list.version}`));
  return bar;
}

async function start(): Promise<void> {
  const page = document.getElementById("app")!;
  const main = element("main", {});
  let timer = 0;
  const open = async (name: string) => {
    clearTimeout(timer);
    window.grus.app?.dispose();
    window.grus.app = null;
    main.replaceChildren(element("p", { class: "waiting", role: "status" }, "Reading the run …"));
    try {
      if (!hasWebGL()) {
        main.replaceChildren(await stillOf(new HttpRun(name)));
        return;
      }
      const app = await App.open(new HttpRun(name));
      window.grus.app = app;
      window.grus.fault = "";
      main.replaceChildren(app.node);
      document.title = `${app.scene.file.name} – Grus`;
    } catch (fault) {
      window.grus.fault = faultText(fault);
      main.replaceChildren(element("p", { class: "fault large", role: "alert" }, window.grus.fault));
      timer = window.setTimeout(() => void open(name), retry);
    }
  };
  try {
    const list = await listRuns();
    page.replaceChildren(header(list, (name) => void open(name)), main);
    await open(list.runs[0] ?? "");
  } catch (fault) {
    window.grus.fault = faultText(fault);
    page.replaceChildren(element("p", { class: "fault large", role: "alert" }, window.grus.fault));
  }
}

window.grus = { app: null, fault: "" };
const request = new URLSearchParams(location.search);
if (request.has("render")) void renderPictures(request);
else void start();

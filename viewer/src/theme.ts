// Colours that the page's style and the painters share: theme.css names them, light and dark.
export type Rgb = [number, number, number]; // 0 to 1

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

export function onThemeChange(repaint: () => void): void {
  systemIsDark.addEventListener("change", repaint);
}

const cssText = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function cssColour(name: string): string {
  const asked = document.documentElement.dataset.theme;
  const dark = asked ? asked === "dark" : systemIsDark.matches;
  // a custom property is handed out as it was written
  const [light, otherwise] = cssText(name).match(/#[0-9a-f]+/gi)!;
  return dark ? otherwise : light;
}

export const cssFont = (): string => cssText("--sans");

export function rgbOf(hex: string): Rgb {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255) as Rgb;
}

export const cssRgb = (name: string): Rgb => rgbOf(cssColour(name));

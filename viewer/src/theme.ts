// Colours that the page's style and the painters share: theme.css names them, dark and light.
export type Rgb = [number, number, number]; // 0 to 1

export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function rgbOf(hex: string): Rgb {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255) as Rgb;
}

export const cssRgb = (name: string): Rgb => rgbOf(cssColour(name));

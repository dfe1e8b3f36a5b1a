// element("div", {class: "x"}, child, "text"): text is always text, never markup.
type Child = Node | string | null;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string | number | boolean | null> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((c): c is Node | string => c !== null));
  return node;
}

export function button(label: string, text: string, action: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const node = element("button", { type: "button", "aria-label": label, title: label, ...attributes }, text);
  node.addEventListener("click", action);
  return node;
}

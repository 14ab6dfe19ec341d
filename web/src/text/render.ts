// From the text of a model to nodes that are safe to show. KaTeX builds its nodes through the DOM, not as text with
// style attributes, so that the page needs no 'unsafe-inline'.
import DOMPurify from "dompurify";
import katex from "katex";
import { highlight } from "./highlight";
import { toHtml } from "./markdown";

const kAllowed = {
  ALLOWED_TAGS: [
    ..."a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong".split(" "),
    ..."sub sup table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["href", "class", "start"],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const sanitize = (html: string): DocumentFragment =>
  DOMPurify.sanitize(html, { ...kAllowed, RETURN_DOM_FRAGMENT: true });

export interface RenderOptions {
  final: boolean; // false: the block still grows; no colours yet
  copyLabel: string;
  onCopy: (text: string, button: HTMLElement) => void;
}

export function renderBlock(source: string, options: RenderOptions): DocumentFragment {
  const fragment = sanitize(toHtml(source));
  for (const element of fragment.querySelectorAll<HTMLElement>(".math")) renderMath(element);
  for (const link of fragment.querySelectorAll("a")) {
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
  }
  for (const pre of fragment.querySelectorAll("pre")) dressCode(pre, options);
  for (const table of fragment.querySelectorAll("table")) wrap(table, "table-scroll");
  return fragment;
}

function renderMath(element: HTMLElement): void {
  const tex = element.textContent ?? "";
  const displayMode = element.classList.contains("math-display");
  try {
    katex.render(tex, element, { displayMode, throwOnError: true, trust: false, strict: "ignore", maxExpand: 500, maxSize: 40 });
    if (displayMode) element.tabIndex = 0; // wide formulas scroll; the keyboard must reach them
  } catch {
    element.textContent = displayMode ? `\\[${tex}\\]` : `\\(${tex}\\)`; // half a formula, or not TeX at all
    element.classList.add("math-raw");
  }
}

function wrap(element: HTMLElement, name: string): void {
  const outer = document.createElement("div");
  outer.className = name;
  outer.tabIndex = 0;
  element.replaceWith(outer);
  outer.append(element);
}

function dressCode(pre: HTMLPreElement, options: RenderOptions): void {
  const code = pre.querySelector("code");
  if (!code) return;
  const text = code.textContent ?? "";
  const language = /^language-(.+)$/.exec(code.className)?.[1] ?? "";
  const coloured = options.final ? highlight(text, language.toLowerCase()) : null;
  if (coloured !== null) code.replaceChildren(sanitize(coloured));
  pre.tabIndex = 0;
  const figure = document.createElement("div");
  figure.className = "code";
  const bar = document.createElement("div");
  bar.className = "code-bar";
  const name = document.createElement("span");
  name.textContent = language;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = options.copyLabel;
  copy.addEventListener("click", () => options.onCopy(text, copy));
  bar.append(name, copy);
  pre.replaceWith(figure);
  figure.append(bar, pre);
}

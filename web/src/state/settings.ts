// What the person chose, kept in localStorage (small, and at hand before the first paint).
import { effect, signal } from "@preact/signals";
import { setKey } from "../api/client";

export interface Parameters {
  temperature?: number;
  top_p?: number;
  top_k?: number;
  min_p?: number;
  repetition_penalty?: number;
  max_tokens?: number;
  seed?: number;
  system?: string;
  budget?: number; // tokens of thought; 0: off; absent: no limit
}

export interface Settings {
  language: "auto" | "en" | "zh";
  theme: "auto" | "light" | "dark";
  parameters: Parameters;
}

const kSettings = "reckon.settings";
const kApiKey = "reckon.key";

function load(): Settings {
  const settings: Settings = { language: "auto", theme: "auto", parameters: {} };
  try {
    return { ...settings, ...(JSON.parse(localStorage.getItem(kSettings) ?? "{}") as Partial<Settings>) };
  } catch {
    return settings; // storage is off, or what is in it is not ours
  }
}

export const settings = signal<Settings>(load());
export const change = (part: Partial<Settings>): void => {
  settings.value = { ...settings.value, ...part };
};
export const changeParameters = (part: Partial<Parameters>): void => {
  const parameters = { ...settings.value.parameters, ...part };
  for (const name of Object.keys(parameters) as (keyof Parameters)[]) {
    if (parameters[name] === undefined || parameters[name] === "") delete parameters[name];
  }
  change({ parameters });
};

effect(() => {
  const text = JSON.stringify(settings.value);
  try {
    localStorage.setItem(kSettings, text);
  } catch {
    // Full or off: the choice holds while the page is open.
  }
});

effect(() => {
  const theme = settings.value.theme;
  if (typeof document === "undefined") return;
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
});

export const keyNeeded = signal(false);
export function useKey(key: string, remember: boolean): void {
  setKey(key);
  keyNeeded.value = false;
  try {
    sessionStorage.setItem(kApiKey, key);
    if (remember) localStorage.setItem(kApiKey, key);
    else localStorage.removeItem(kApiKey);
  } catch {
    // Asked again after a reload.
  }
}
try {
  setKey(sessionStorage.getItem(kApiKey) ?? localStorage.getItem(kApiKey) ?? "");
} catch {
  // No storage, no key.
}

import { computed } from "@preact/signals";
import { settings } from "../state/settings";
import { en, type Key } from "./en";
import { zh } from "./zh";

export type { Key };

export const language = computed<"en" | "zh">(() => {
  const chosen = settings.value.language;
  if (chosen !== "auto") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
});

export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text = (language.value === "zh" ? zh : en)[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export const number = (value: number): string => Math.round(value).toLocaleString(language.value === "zh" ? "zh-CN" : "en");

export const decimal = (value: number): string => (value < 100 ? value.toFixed(1) : String(Math.round(value)));

export function duration(ms: number): string {
  const zh = language.value === "zh";
  if (ms < 1000) return `${Math.round(ms)} ${zh ? "毫秒" : "ms"}`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} ${zh ? "秒" : "s"}`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.floor(seconds % 60);
  return zh ? `${minutes} 分 ${rest} 秒` : `${minutes} min ${rest} s`;
}

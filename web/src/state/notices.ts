// Short notes at the edge of the screen, and what a screen reader is told.
import { signal } from "@preact/signals";

export interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

export const toasts = signal<readonly Toast[]>([]);
let last = 0;

export function toast(text: string, action?: Toast["action"], ms = 5000): () => void {
  const id = ++last;
  const close = (): void => {
    toasts.value = toasts.value.filter((one) => one.id !== id);
  };
  const run = action?.run;
  const wrapped = action && run ? { label: action.label, run: () => (close(), run()) } : undefined;
  toasts.value = [...toasts.value, { id, text, ...(wrapped ? { action: wrapped } : {}) }];
  setTimeout(close, ms);
  return close;
}

export const announcement = signal("");
let announcedAt = 0;

// Progress at most every 8 s: a reader that speaks all the time cannot be listened to.
export function announce(text: string, urgent = true): void {
  const now = Date.now();
  if (!urgent && now - announcedAt < 8000) return;
  announcedAt = now;
  announcement.value = text;
}

import { signal } from "@preact/signals";

export const drawer = signal(false); // the list of chats on a narrow screen
export const panel = signal<"parameters" | "settings" | null>(null);

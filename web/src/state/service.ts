// Whether the service answers, and which model it runs.
import { signal } from "@preact/signals";
import { ApiError, fetchModel } from "../api/client";
import type { Model } from "../api/types";
import { keyNeeded } from "./settings";

export type ServiceState = "connecting" | "ready" | "loading" | "offline" | "locked";

export const service = signal<ServiceState>("connecting");
export const model = signal<Model | null>(null);

let timer = 0;

export async function connect(): Promise<void> {
  clearTimeout(timer);
  try {
    model.value = await fetchModel();
    service.value = model.value ? "ready" : "loading";
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    service.value = status === 401 || status === 403 ? "locked" : status === 503 ? "loading" : "offline";
    if (status === 401) keyNeeded.value = true;
  }
  // A service that restarts is found again without a reload.
  if (service.value === "loading" || service.value === "offline") timer = window.setTimeout(() => void connect(), 1500);
}

// Files in and out.
import { toJson, toMarkdown } from "../history/transfer";
import { t } from "../i18n";
import { chats, collect, importJson } from "../state/chats";
import { toast } from "../state/notices";
import { download } from "./clipboard";

const safeName = (title: string): string => title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 40) || "chat";

export async function exportChats(ids: readonly string[], format: "json" | "md"): Promise<void> {
  const all = await collect(ids);
  const first = all[0];
  if (!first) return;
  const name = all.length === 1 ? safeName(first.meta.title) : `reckon-${new Date().toISOString().slice(0, 10)}`;
  if (format === "json") return download(`${name}.json`, "application/json", toJson(all));
  const names = { user: t("you"), assistant: t("assistant"), thought: t("thoughtOnly") };
  download(`${name}.md`, "text/markdown", all.map((chat) => toMarkdown(chat, names)).join("\n---\n\n"));
}

export const exportAll = (): Promise<void> => exportChats(chats.value.map((chat) => chat.id), "json");

export async function importFile(file: File): Promise<void> {
  try {
    toast(t("imported", { n: await importJson(await file.text()) }));
  } catch (error) {
    toast(t("importFailed", { why: error instanceof Error ? error.message : String(error) }));
  }
}

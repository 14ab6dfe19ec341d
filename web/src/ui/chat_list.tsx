// The chats by day, with search over titles and texts.
import { signal } from "@preact/signals";
import { memo } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import type { ChatMeta } from "../history/model";
import { t, type Key } from "../i18n";
import { changeMeta, chats, currentId, hideChat, openChat, searchMessages } from "../state/chats";
import { running } from "../state/generation";
import { toast } from "../state/notices";
import { exportChats } from "./transfer_ui";
import { Icon } from "./icons";
import { isPlainEnter } from "./keys";
import { drawer } from "./layout_state";

const renaming = signal<string | null>(null);
const kDay = 86_400_000;
const kUndoMs = 8000;

function group(updated: number): Key {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (updated >= midnight) return "today";
  if (updated >= midnight - kDay) return "yesterday";
  return updated >= midnight - 7 * kDay ? "week" : "earlier";
}

function remove(id: string): void {
  running.value.get(id)?.stop();
  const hidden = hideChat(id);
  toast(t("removed"), { label: t("undo"), run: hidden.restore }, kUndoMs);
  setTimeout(hidden.commit, kUndoMs + 200);
}

function Rename({ chat }: { chat: ChatMeta }) {
  const done = (input: HTMLInputElement): void => {
    if (renaming.value !== chat.id) return;
    renaming.value = null;
    if (input.value.trim()) changeMeta(chat.id, { title: input.value.trim() });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isPlainEnter(event)) done(event.currentTarget as HTMLInputElement);
    else if (event.key === "Escape") renaming.value = null;
  };
  return (
    <input class="rename" ref={(input) => input?.focus()} defaultValue={chat.title} aria-label={t("rename")}
      onKeyDown={onKeyDown} onBlur={(event) => done(event.currentTarget)} />
  );
}

function Menu({ chat }: { chat: ChatMeta }) {
  const act = (run: () => void) => (event: Event): void => {
    (event.currentTarget as HTMLElement).closest("details")?.removeAttribute("open");
    run();
  };
  return (
    <details class="popover row-menu">
      <summary aria-label={`${t("chatMenu")}: ${chat.title}`}>
        <Icon name="more" />
      </summary>
      <div class="popover-body is-menu">
        <button type="button" onClick={act(() => (renaming.value = chat.id))}>{t("rename")}</button>
        <button type="button" onClick={act(() => void exportChats([chat.id], "json"))}>{t("exportJson")}</button>
        <button type="button" onClick={act(() => void exportChats([chat.id], "md"))}>{t("exportMarkdown")}</button>
        <button type="button" class="is-danger" onClick={act(() => remove(chat.id))}>{t("remove")}</button>
      </div>
    </details>
  );
}

const Row = memo(function Row({ chat }: { chat: ChatMeta }) {
  const open = currentId.value === chat.id;
  const busy = running.value.has(chat.id);
  if (renaming.value === chat.id) return <li class="row"><Rename chat={chat} /></li>;
  const show = (): void => {
    drawer.value = false;
    void openChat(chat.id);
  };
  return (
    <li class={`row${open ? " is-open" : ""}`}>
      <button type="button" class="row-title" aria-current={open ? "page" : undefined} onClick={show}>
        {busy ? <span class="busy-dot" aria-hidden="true" /> : null}
        {chat.title}
      </button>
      <Menu chat={chat} />
    </li>
  );
});

export function ChatList() {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (query.trim() === "") return void setFound(null);
    let stale = false;
    const timer = setTimeout(() => void searchMessages(query.trim(), () => stale).then((ids) => !stale && setFound(ids)), 200);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [query]);
  const wanted = query.trim().toLowerCase();
  const shown = chats.value.filter((chat) => wanted === "" || chat.title.toLowerCase().includes(wanted) || found?.has(chat.id));
  const groups = new Map<Key, ChatMeta[]>();
  for (const chat of shown) {
    const name = group(chat.updated);
    groups.set(name, [...(groups.get(name) ?? []), chat]);
  }
  return (
    <>
      <label class="search">
        <Icon name="search" />
        <input id="search" type="search" value={query} placeholder={t("search")} aria-label={t("search")} onInput={(event) => setQuery(event.currentTarget.value)} />
      </label>
      <nav class="chat-list" aria-label={t("menu")} tabIndex={-1}>
        {shown.length === 0 ? <p class="soft list-note">{wanted ? t("searchNone") : t("noChats")}</p> : null}
        {[...groups].map(([name, list]) => (
          <section key={name}>
            <h2>{t(name)}</h2>
            <ul>
              {list.map((chat) => (
                <Row key={chat.id} chat={chat} />
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </>
  );
}

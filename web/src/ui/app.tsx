import { useEffect } from "preact/hooks";
import { language, t } from "../i18n";
import { current, storage } from "../state/chats";
import { stopCurrent } from "../state/generation";
import { announcement, toasts } from "../state/notices";
import { model, service } from "../state/service";
import { keyNeeded } from "../state/settings";
import { Composer, focusComposer } from "./composer";
import { Conversation } from "./conversation";
import { Icon } from "./icons";
import { KeyForm } from "./key_form";
import { drawer, panel } from "./layout_state";
import { Panel } from "./panel";
import { ParametersForm } from "./parameters";
import { SettingsForm } from "./settings_form";
import { newChat, Sidebar } from "./sidebar";
import { exportAll } from "./transfer_ui";

function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const command = event.ctrlKey || event.metaKey;
  const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea");
  if (event.key === "Escape") {
    const open = document.querySelector("details.popover[open]");
    if (open) open.removeAttribute("open");
    else if (drawer.value) drawer.value = false;
    else if (!document.querySelector("dialog[open]")) stopCurrent();
  } else if (command && event.key.toLowerCase() === "k") {
    event.preventDefault();
    drawer.value = true;
    document.getElementById("search")?.focus();
  } else if (command && event.shiftKey && event.key.toLowerCase() === "o") {
    event.preventDefault();
    newChat();
  } else if (event.key === "/" && !typing && !command) {
    event.preventDefault();
    focusComposer();
  }
}

// A menu closes when something else is touched.
function onPointerDown(event: PointerEvent): void {
  for (const open of document.querySelectorAll("details.popover[open]")) {
    if (!open.contains(event.target as Node)) open.removeAttribute("open");
  }
}

function StorageNotice() {
  const state = storage.value;
  if (state === "ok") return null;
  return (
    <div class="banner" role="alert">
      <p>
        <strong>{t(state === "full" ? "fullTitle" : "unavailableTitle")}</strong> {t(state === "full" ? "fullText" : "unavailableText")}
      </p>
      <button type="button" class="pill" onClick={() => void exportAll()}>{t("exportAll")}</button>
    </div>
  );
}

function Head() {
  const title = current.value?.meta.title;
  return (
    <header class="head">
      <button type="button" class="icon-button only-narrow" aria-label={t("menu")} onClick={() => (drawer.value = true)}>
        <Icon name="menu" />
      </button>
      <span class="head-title">{title ?? ""}</span>
      {title && model.value ? <span class={`chip is-${service.value}`}>{model.value.id}</span> : null}
      <button type="button" class="icon-button" title={t("parameters")} aria-label={t("parameters")} onClick={() => (panel.value = "parameters")}>
        <Icon name="sliders" />
      </button>
    </header>
  );
}

const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map((one) => (
      <div class="toast" key={one.id}>
        {one.text}
        {one.action ? <button type="button" onClick={one.action.run}>{one.action.label}</button> : null}
      </div>
    ))}
  </div>
);

export function App() {
  useEffect(() => {
    document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
    document.title = current.value ? `${current.value.meta.title} · Reckon` : "Reckon";
  }, [language.value, current.value?.meta.title]);
  useEffect(() => {
    addEventListener("keydown", onKeyDown);
    addEventListener("pointerdown", onPointerDown);
    return () => {
      removeEventListener("keydown", onKeyDown);
      removeEventListener("pointerdown", onPointerDown);
    };
  }, []);
  const close = (): void => void (panel.value = null);
  return (
    <div class="app">
      <a class="skip" href="#composer">{t("skip")}</a>
      <Sidebar />
      <main class={current.value ? "" : "is-empty"}>
        <Head />
        <StorageNotice />
        <Conversation />
        <Composer />
      </main>
      {panel.value === "parameters" ? <Panel title={t("parameters")} onClose={close}><ParametersForm /></Panel> : null}
      {panel.value === "settings" ? <Panel title={t("settings")} onClose={close}><SettingsForm /></Panel> : null}
      {keyNeeded.value ? <KeyForm /> : null}
      <Toasts />
      <div class="off-screen" aria-live="polite">{announcement.value}</div>
    </div>
  );
}

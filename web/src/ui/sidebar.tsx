import { t } from "../i18n";
import { chats, openChat } from "../state/chats";
import { ChatList } from "./chat_list";
import { focusComposer } from "./composer";
import { Icon, Logo } from "./icons";
import { drawer, panel } from "./layout_state";
import { exportAll, importFile } from "./transfer_ui";

export function newChat(): void {
  drawer.value = false;
  void openChat(null).then(focusComposer);
}

export function Sidebar() {
  const pick = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    const file = input.files?.[0];
    if (file) void importFile(file);
    input.value = ""; // the same file may be chosen again
  };
  return (
    <>
      <aside class={`sidebar${drawer.value ? " is-open" : ""}`} aria-label={t("menu")}>
        <div class="brand">
          <Logo />
          <span>Reckon</span>
          <button type="button" class="icon-button only-narrow" aria-label={t("close")} onClick={() => (drawer.value = false)}>
            <Icon name="close" />
          </button>
        </div>
        <button type="button" class="new-chat" onClick={newChat}>
          <Icon name="plus" />
          {t("newChat")}
        </button>
        <ChatList />
        <div class="sidebar-foot">
          <label class="icon-button" title={t("importChats")}>
            <Icon name="import" />
            <input type="file" class="off-screen" accept="application/json,.json" aria-label={t("importChats")} onChange={pick} />
          </label>
          <button type="button" class="icon-button" title={t("exportAll")} aria-label={t("exportAll")} disabled={chats.value.length === 0} onClick={() => void exportAll()}>
            <Icon name="export" />
          </button>
          <button type="button" class="icon-button is-last" title={t("settings")} aria-label={t("settings")} onClick={() => (panel.value = "settings")}>
            <Icon name="gear" />
          </button>
        </div>
      </aside>
      {drawer.value ? <div class="shade" onClick={() => (drawer.value = false)} /> : null}
    </>
  );
}

// Where the person writes. The text lives in the field, not in the state of the page: a key stroke draws nothing else.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { countTokens } from "../api/client";
import { number, t } from "../i18n";
import { current, currentId, path } from "../state/chats";
import { lastUserMessage, running, send, stopCurrent } from "../state/generation";
import { model, service } from "../state/service";
import { changeParameters, settings } from "../state/settings";
import { Icon } from "./icons";
import { isPlainEnter } from "./keys";
import { editing } from "./message_view";

const draftTokens = signal(0);
const chatTokens = signal(0);
const hasText = signal(false);
const kDebounceMs = 300;

export const focusComposer = (): void => document.getElementById("composer")?.focus();
export const fillComposer = (text: string): void => {
  const field = document.getElementById("composer") as HTMLTextAreaElement | null;
  if (!field) return;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
};

// Tokens that the chat so far takes of the context. The last answer tells; what was imported is counted once.
function useChatTokens(): void {
  const id = currentId.value;
  const shown = path.value;
  useEffect(() => {
    const usage = shown.findLast((one) => one.message.usage)?.message.usage;
    if (usage) {
      // The thought is not sent again.
      chatTokens.value = usage.total_tokens - (usage.completion_tokens_details?.reasoning_tokens ?? 0);
      return;
    }
    chatTokens.value = 0;
    const messages = shown.filter((one) => one.message.content !== "").map(({ message: { role, content } }) => ({ role, content }));
    if (messages.length === 0 || running.value.has(id ?? "")) return;
    const abort = new AbortController();
    countTokens({ messages }, abort.signal).then((n) => (chatTokens.value = n), () => undefined);
    return () => abort.abort();
  }, [id, shown]);
}

let timer = 0;
let counting: AbortController | null = null;
function countDraft(text: string): void {
  clearTimeout(timer);
  counting?.abort();
  if (text === "") return void (draftTokens.value = 0);
  timer = window.setTimeout(() => {
    const abort = new AbortController();
    counting = abort;
    countTokens({ content: text }, abort.signal).then((n) => (draftTokens.value = n), () => undefined);
  }, kDebounceMs);
}

function Gauge() {
  useChatTokens();
  const total = model.value?.contextLength ?? 0;
  if (total === 0) return null;
  const used = chatTokens.value + draftTokens.value;
  if (used === 0) return null;
  const share = used / total;
  const level = share > 1 ? "is-over" : share > 0.85 ? "is-near" : "";
  const text = t("contextOf", { used: number(used), total: number(total) });
  const warning = share > 1 ? t("contextOver", { total: number(total) }) : share > 0.85 ? t("contextNear") : "";
  return (
    <span class={`gauge ${level}`} title={warning || text}>
      <meter min={0} max={total} value={Math.min(used, total)} aria-label={text} />
      <span class="gauge-text" data-testid="gauge">
        {number(used)} / {number(total)}
      </span>
      {warning ? <span class="gauge-warning">{warning}</span> : null}
    </span>
  );
}

const kBudgets = [0, 128, 512, 2048, 8192, undefined] as const;

export function budgetText(budget: number | undefined): string {
  if (budget === 0) return t("thinkOff");
  return budget === undefined ? t("thinkFree") : t("tokens", { n: number(budget) });
}

function Budget() {
  if (model.value && !model.value.reasoning) return null;
  const budget = settings.value.parameters.budget;
  let at = kBudgets.findIndex((one) => one === budget);
  if (at < 0) at = kBudgets.findIndex((one) => one === undefined || one >= (budget ?? 0));
  const onInput = (event: Event): void =>
    changeParameters({ budget: kBudgets[Number((event.currentTarget as HTMLInputElement).value)] });
  return (
    <details class="popover">
      <summary class="pill is-quiet">
        {t("thinkBudget")}
        <span class="soft">{budgetText(budget)}</span>
      </summary>
      <div class="popover-body">
        <label>
          <span class="popover-title">
            {t("thinkBudget")} <output>{budgetText(budget)}</output>
          </span>
          <input type="range" min={0} max={kBudgets.length - 1} step={1} value={at} aria-valuetext={budgetText(budget)} onInput={onInput} data-testid="budget" />
        </label>
        <p>{t("thinkHelp")}</p>
      </div>
    </details>
  );
}

export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  const busy = running.value.has(currentId.value ?? "");
  useEffect(() => {
    if (!matchMedia("(pointer: coarse)").matches) field.current?.focus();
  }, [currentId.value]);
  const submit = (): void => {
    const target = field.current;
    const text = target?.value.trim() ?? "";
    if (!target || text === "" || busy) return;
    send(text, current.value?.meta.id ?? null, path.value.at(-1)?.message.id ?? null);
    target.value = "";
    onInput();
  };
  const onInput = (): void => {
    const target = field.current;
    if (!target) return;
    hasText.value = target.value.trim() !== "";
    countDraft(target.value);
    if (CSS.supports("field-sizing", "content")) return;
    target.style.height = "auto";
    target.style.height = `${target.scrollHeight}px`;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isPlainEnter(event)) {
      event.preventDefault();
      submit();
    } else if (event.key === "ArrowUp" && field.current?.value === "" && !busy) {
      const last = lastUserMessage();
      if (!last) return;
      event.preventDefault();
      editing.value = last.id;
    }
  };
  return (
    <form class="composer" onSubmit={(event) => (event.preventDefault(), submit())}>
      <textarea id="composer" ref={field} class="grow" rows={1} placeholder={t("placeholder")} aria-label={t("message")} onInput={onInput} onKeyDown={onKeyDown} />
      <div class="composer-row">
        <Budget />
        <Gauge />
        {busy ? (
          <button type="button" class="round" aria-label={t("stop")} title={`${t("stop")} (Esc)`} onClick={() => (stopCurrent(), focusComposer())}>
            <Icon name="stop" />
          </button>
        ) : (
          <SendButton />
        )}
      </div>
    </form>
  );
}

function SendButton() {
  return (
    <button type="submit" class="round" aria-label={t("send")} title={`${t("send")} (Enter)`} disabled={!hasText.value || service.value === "loading"}>
      <Icon name="send" />
    </button>
  );
}

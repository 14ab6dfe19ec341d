// One message of the conversation with what can be done to it.
import { signal } from "@preact/signals";
import { memo } from "preact/compat";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Message } from "../history/model";
import { t } from "../i18n";
import { current, selectSibling } from "../state/chats";
import { regenerate, running, send } from "../state/generation";
import { toast } from "../state/notices";
import { copyText } from "./clipboard";
import { Facts, LiveFacts } from "./facts";
import { FailureNote } from "./failure";
import { Icon, type IconName } from "./icons";
import { isPlainEnter } from "./keys";
import { MarkdownView } from "./markdown_view";
import { Thought } from "./thought";

export const editing = signal<string | null>(null); // id of the message

interface Props {
  message: Message;
  index: number;
  siblings: readonly string[];
}

const Action = (props: { icon: IconName; label: string; onClick: () => void; disabled?: boolean }) => (
  <button type="button" class="action" title={props.label} aria-label={props.label} disabled={props.disabled ?? false} onClick={props.onClick}>
    <Icon name={props.icon} />
  </button>
);

function Versions({ message, index, siblings }: Props) {
  if (siblings.length < 2) return null;
  const go = (to: number): void => {
    const meta = current.value?.meta;
    const id = siblings[to];
    if (meta && id !== undefined) selectSibling(meta, message.parent, id);
  };
  return (
    <span class="versions">
      <Action icon="left" label={t("previous")} disabled={index === 0} onClick={() => go(index - 1)} />
      <span aria-label={t("version", { i: index + 1, n: siblings.length })} role="img">
        {index + 1}/{siblings.length}
      </span>
      <Action icon="right" label={t("next")} disabled={index === siblings.length - 1} onClick={() => go(index + 1)} />
    </span>
  );
}

function copy(text: string): void {
  void copyText(text).then((done) => done && toast(t("copied"), undefined, 1500));
}

function Editor({ message }: { message: Message }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(message.content.length, message.content.length);
  }, []);
  const close = (): void => void (editing.value = null);
  const submit = (): void => {
    const text = field.current?.value.trim() ?? "";
    close();
    if (text !== "") send(text, message.chat, message.parent);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.isComposing) {
      event.stopPropagation();
      close();
    } else if (isPlainEnter(event)) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <div class="editor">
      <textarea ref={field} class="grow" aria-label={t("edit")} defaultValue={message.content} onKeyDown={onKeyDown} />
      <div class="editor-actions">
        <button type="button" class="pill" onClick={close}>
          {t("cancel")}
        </button>
        <button type="button" class="pill is-main" onClick={submit}>
          {t("save")}
        </button>
      </div>
    </div>
  );
}

function UserMessage(props: Props) {
  const { message } = props;
  const busy = running.value.has(message.chat);
  if (editing.value === message.id) return <Editor message={message} />;
  return (
    <>
      <div class="bubble">{message.content}</div>
      <div class="actions">
        <Versions {...props} />
        <Action icon="copy" label={t("copy")} onClick={() => copy(message.content)} />
        <Action icon="edit" label={t("edit")} disabled={busy} onClick={() => (editing.value = message.id)} />
      </div>
    </>
  );
}

function endNote(message: Message): string {
  if (message.finishDetail === "repetition") return t("repeated");
  if (message.finish === "length") return t("length");
  if (message.finish === "stopped") return t("stopped");
  if (message.partial) return t("interrupted");
  return message.content.trim() === "" && !message.error ? t("emptyAnswer") : "";
}

function AssistantMessage(props: Props) {
  const { message } = props;
  const job = running.value.get(message.chat);
  const generation = job?.message.id === message.id ? job : undefined;
  const [copied, setCopied] = useState(false);
  const content = generation ? generation.content.value : message.content;
  const note = generation ? "" : endNote(message);
  const again = (): void => regenerate(message);
  return (
    <>
      <Thought message={message} generation={generation} />
      {content !== "" ? <MarkdownView text={content} growing={generation !== undefined} /> : null}
      {note ? <p class="note">{note}</p> : null}
      {message.error && !generation ? <FailureNote failure={message.error} onRetry={again} /> : null}
      {generation ? <LiveFacts progress={generation.progress.value} /> : null}
      {!generation ? (
        <div class="actions is-answer">
          <Versions {...props} />
          {content ? (
            <Action icon="copy" label={copied ? t("copied") : t("copy")} onClick={() => (copy(content), setCopied(true))} />
          ) : null}
          <Action icon="again" label={t("regenerate")} disabled={job !== undefined} onClick={again} />
          <Facts message={message} />
        </div>
      ) : null}
    </>
  );
}

export const MessageView = memo(
  function MessageView(props: Props) {
    const user = props.message.role === "user";
    return (
      <article class={`message ${user ? "from-user" : "from-model"}`} aria-label={user ? t("you") : t("assistant")}>
        {user ? <UserMessage {...props} /> : <AssistantMessage {...props} />}
      </article>
    );
  },
  (a, b) => a.message === b.message && a.index === b.index && a.siblings.join() === b.siblings.join(),
);

// The chain of thought: open while it grows, folded when the answer begins, unless the person decided otherwise.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Message } from "../history/model";
import { duration, number, t } from "../i18n";
import type { Generation } from "../state/generation";
import { Icon } from "./icons";
import { MarkdownView } from "./markdown_view";

interface Props {
  message: Message;
  generation: Generation | undefined;
}

export function Thought({ message, generation }: Props) {
  const text = generation ? generation.reasoning.value : (message.reasoning ?? "");
  const progress = generation?.progress.value;
  const thinking = progress?.phase === "thinking";
  const [chosen, setChosen] = useState<boolean | null>(null);
  const body = useRef<HTMLDivElement>(null);
  const open = chosen ?? thinking;
  useLayoutEffect(() => {
    const element = body.current;
    if (!element) return;
    if (thinking) element.scrollTop = element.scrollHeight;
    element.classList.toggle("is-cut", thinking && element.scrollTop > 0);
  }, [text, thinking]);
  if (text === "") return null;
  const ms = progress ? progress.thinkMs : message.thinkMs;
  const tokens = progress ? progress.nThought : message.thoughtTokens;
  const label = thinking ? t("thinking") : ms ? t("thought", { time: duration(ms) }) : t("thoughtOnly");
  const note = endNote(message);
  return (
    <section class={`thought${thinking ? " is-live" : ""}`} aria-label={t("thoughtOnly")}>
      <div class="thought-head">
        <button type="button" class="thought-toggle" aria-expanded={open} onClick={() => setChosen(!open)}>
          <span class="thought-mark" aria-hidden="true" />
          <span class="thought-label">{label}</span>
          <span class="thought-facts">
            {thinking && ms && ms >= 1000 ? <span>{duration(ms)}</span> : null}
            {tokens ? <span>{t("tokens", { n: number(tokens) })}</span> : null}
          </span>
          <Icon name="down" />
        </button>
        {thinking && generation ? (
          <button type="button" class="pill" title={t("answerNowTip")} disabled={generation.asked.value} onClick={generation.askAnswer}>
            <Icon name="bolt" />
            {t("answerNow")}
          </button>
        ) : null}
      </div>
      {open ? (
        <div class={`thought-body${thinking ? " is-live" : ""}`} ref={body} tabIndex={0} role="region" aria-label={t("thoughtOnly")}>
          <MarkdownView text={text} growing={thinking} />
          {note ? <p class="note">{note}</p> : null}
        </div>
      ) : null}
    </section>
  );
}

function endNote(message: Message): string {
  switch (message.thoughtEnd) {
    case "budget":
      return t("endedBudget");
    case "loop":
      return t("endedLoop");
    case "asked":
      return t("endedAsked");
    default:
      return "";
  }
}

// The messages, and the rule of scrolling: follow the answer as long as the person is at the end, never pull them back.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { currentId, path } from "../state/chats";
import { running } from "../state/generation";
import { Empty } from "./empty";
import { Icon } from "./icons";
import { MessageView } from "./message_view";

const kNearPx = 80;

export function Conversation() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follow = useRef(true);
  const [away, setAway] = useState(false);
  const shown = path.value;
  const id = currentId.value;

  const toEnd = (): void => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    follow.current = true;
    toEnd();
  }, [id, shown.at(-1)?.message.id]);
  useEffect(() => {
    if (!content.current) return;
    const resized = new ResizeObserver(() => follow.current && toEnd());
    resized.observe(content.current);
    return () => resized.disconnect();
  }, [shown.length === 0]);
  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    follow.current = element.scrollHeight - element.scrollTop - element.clientHeight < kNearPx;
    setAway(!follow.current);
  };

  if (shown.length === 0) {
    return (
      <div class="conversation is-empty">
        <Empty />
      </div>
    );
  }
  return (
    <div class="conversation" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label={t("conversation")} aria-busy={running.value.has(id ?? "")}>
      <div class="column" ref={content}>
        {shown.map((one) => (
          <MessageView key={one.message.id} {...one} />
        ))}
      </div>
      {away ? (
        <button type="button" class="to-end" aria-label={t("toEnd")} onClick={() => ((follow.current = true), toEnd())}>
          <Icon name="down" />
        </button>
      ) : null}
    </div>
  );
}

// A sheet at the side: a modal dialog of the browser, which keeps the focus and closes with Escape.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "./icons";

export function Panel(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const onClick = (event: MouseEvent): void => {
    if (event.target === dialog.current) props.onClose(); // the backdrop
  };
  return (
    <dialog ref={dialog} class="panel" aria-label={props.title} onClose={props.onClose} onClick={onClick}>
      <div class="panel-inner">
        <header>
          <h2>{props.title}</h2>
          <button type="button" class="icon-button" aria-label={t("close")} onClick={props.onClose}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}

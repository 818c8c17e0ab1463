import { type ReactNode, useEffect, useId, useRef } from 'react';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A dialog over the page: the browser keeps the focus in it, and gives it back after Escape. The focus begins in what is marked `data-first`. */
export function Dialog({ title, close, wide, children }: DialogProps) {
  const at = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = at.current;
    if (dialog && !dialog.open) dialog.showModal();
    // A browser would give the focus to the button that closes it.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={at}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <header className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={close}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

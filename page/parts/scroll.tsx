import type { ReactNode, Ref } from 'react';

interface ScrollProps {
  readonly label: string;
  readonly className?: string;
  readonly place?: Ref<HTMLElement>;
  readonly children: ReactNode;
}

/** A part that scrolls by itself, such as a wide table. It takes the focus, so that arrow keys move it. */
export function Scroll({ label, className = 'scroll', place, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keys.
    <section ref={place} className={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

import { useEffect, useRef } from 'react';
import calm from '../icon.svg?url';
import wanted from '../icon-needs.svg?url';
import type { Need } from '../link/farm.ts';
import { useHello, useSeen } from '../link/use-farm.ts';
import { notices, notify } from './notices.ts';

/** The tab itself: its title with the number of things that need the person, a dot on its icon, and notifications where they were switched on. */
export function Tab() {
  const needs = useSeen((seen) => seen.needs);
  const open = useSeen(({ standing }) => standing === 'open');
  const hello = useHello();
  const repo = hello?.repo.split('/').at(-1);
  const count = needs.length;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${repo ? `${repo} – ` : ''}furrow`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = count > 0 ? wanted : calm;
  }, [count, repo]);
  useNews(needs, open);
  return null;
}

/** Tells what is new since this tab was opened. */
function useNews(needs: readonly Need[], open: boolean): void {
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (!open) return;
    const fresh = known.current ? needs.filter(({ id }) => !known.current?.has(id)) : [];
    known.current = new Set(needs.map(({ id }) => id));
    if (notices() && (document.hidden || !document.hasFocus())) for (const need of fresh) notify(need);
  }, [needs, open]);
}

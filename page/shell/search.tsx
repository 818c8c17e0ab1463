import { useDeferredValue, useMemo, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { useView } from '../link/use-farm.ts';
import { VIEWS } from '../views.ts';
import { Dialog } from './dialog.tsx';
import { go } from './route.ts';

interface Found {
  readonly id: string;
  readonly what: string;
  readonly text: string;
  readonly view: string;
  readonly rest: string;
}

const MOST = 20;

/** Jumps to a view, an agent or a task by a few letters. */
export function Search({ close }: { readonly close: () => void }) {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const found = useFound(useDeferredValue(words));
  const chosen = found[Math.min(at, found.length - 1)];
  const jump = (one: Found | undefined) => {
    if (!one) return;
    close();
    go(one.view, one.rest);
  };
  return (
    <Dialog title="Search" close={close}>
      <input
        data-first
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={chosen ? `found-${chosen.id}` : undefined}
        aria-label="Search tasks, agents and views"
        placeholder="A task, an agent or a view"
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
          if (step !== 0) {
            event.preventDefault();
            setAt((old) => Math.max(0, Math.min(old + step, found.length - 1)));
          }
          if (event.key === 'Enter') {
            // A dialog that this key opens may have a focused button, which the same key would press.
            event.preventDefault();
            jump(chosen);
          }
        }}
      />
      <div id="found" className="found" role="listbox" aria-label="Found">
        {found.map((one) => (
          <div key={one.id} id={`found-${one.id}`} role="option" tabIndex={-1} aria-selected={one === chosen} onMouseDown={() => jump(one)}>
            <span className="muted">{one.what}</span> {one.text}
          </div>
        ))}
        {found.length === 0 && <p className="muted">Nothing found.</p>}
      </div>
    </Dialog>
  );
}

function useFound(words: string): readonly Found[] {
  const tasks = useView((view) => view.tasks);
  const agents = useView((view) => view.agents);
  const all = useMemo<readonly Found[]>(
    () => [
      ...VIEWS.map(({ name, title }) => ({ id: `v-${name}`, what: 'view', text: title, view: name, rest: '' })),
      ...agents.map(({ name, task }) => ({
        id: `a-${name}`,
        what: 'agent',
        text: visible(task ? `${name} (${task})` : name),
        view: 'agents',
        rest: name,
      })),
      ...tasks.map(({ id, phase, title }) => ({
        id: `t-${phase}-${id}`,
        what: 'task',
        text: visible(`${id} ${title}`),
        view: 'board',
        rest: id,
      })),
    ],
    [tasks, agents],
  );
  return useMemo(() => {
    const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
    return all.filter(({ text, what }) => parts.every((part) => `${what} ${text}`.toLowerCase().includes(part))).slice(0, MOST);
  }, [all, words]);
}

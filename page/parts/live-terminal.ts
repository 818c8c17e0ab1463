import { Terminal } from '@xterm/xterm';
import { type RefObject, useEffect, useState } from 'react';
import type { Item } from '../../src/api/contract.ts';
import { useLink } from '../link/use-farm.ts';
import { useInView } from './in-view.ts';
import { openTerminal, terminalDocument } from './terminal-document.ts';

const SCROLLBACK = 5000;
export const LARGEST = 13;

/** The letters that have come so far. `empty`: it has no letter in it. */
export type Fed = 'nothing' | 'empty' | 'text';

export interface LiveTerminal {
  readonly terminal: Terminal | undefined;
  readonly fed: Fed;
  /** Why nothing comes any more. */
  readonly ended: string;
}

/**
 * The terminal, and while somebody can see it the stream that feeds it: it begins with the whole screen and its past each time. One that has
 * ended is asked for again with the next `attempt`.
 */
export function useLiveTerminal(agent: string, attempt: string, place: RefObject<HTMLDivElement | null>): LiveTerminal {
  const link = useLink();
  const [terminal, setTerminal] = useState<Terminal>();
  const [fed, setFed] = useState<Fed>('nothing');
  const [ended, setEnded] = useState({ why: '', attempt });
  const inView = useInView(place);
  useEffect(() => {
    const made = newTerminal();
    openTerminal(made, place.current!);
    setTerminal(made);
    return () => {
      setTerminal(undefined);
      made.dispose();
    };
  }, [place]);
  const asked = ended.why === '' || ended.attempt === attempt ? ended.attempt : attempt;
  useEffect(() => {
    if (!terminal || !inView) return;
    setFed('nothing');
    setEnded({ why: '', attempt: asked });
    let left = false;
    const stop = link.stream<Item<'screen'>>(
      'screen',
      () => ({ agent, lines: SCROLLBACK }),
      (item) =>
        take(terminal, item, (scroll) => {
          // A terminal takes its letters in a turn of its own, and may be gone by then.
          if (left) return;
          scroll();
          setFed((now) => (now === 'text' || hasText(terminal) ? 'text' : 'empty'));
        }),
      (error) => setEnded({ why: error?.message ?? 'its window is closed', attempt: asked }),
    );
    return () => {
      left = true;
      stop();
    };
  }, [agent, link, terminal, inView, asked]);
  return { terminal, fed, ended: ended.why };
}

function newTerminal(): Terminal {
  const made = new Terminal({
    documentOverride: terminalDocument,
    scrollback: SCROLLBACK,
    disableStdin: true,
    fontSize: LARGEST,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    theme: { background: '#14171a', foreground: '#e3e6e9', scrollbarSliderBackground: '#e3e6e91f' },
    linkHandler: { activate: () => {} },
  });
  // An agent's output sets no links, no clipboard and no title.
  for (const code of [0, 1, 2, 8, 52]) made.parser.registerOscHandler(code, () => true);
  return made;
}

/** `done`: its letters are there, and are to be scrolled to where the reader was. */
function take(terminal: Terminal, item: Item<'screen'>, done: (scroll: () => void) => void): void {
  if ('size' in item) terminal.resize(item.size.cols, item.size.rows);
  else if ('data' in item) terminal.write(item.data, () => done(() => {}));
  else {
    // A reader who scrolled back stays there.
    const { baseY, viewportY } = terminal.buffer.active;
    terminal.reset();
    terminal.write(item.reset, () => done(() => terminal.scrollLines(viewportY - baseY)));
  }
}

function hasText({ buffer: { active } }: Terminal): boolean {
  for (let y = 0; y < active.length; y++) if (active.getLine(y)?.translateToString(true).trim()) return true;
  return false;
}

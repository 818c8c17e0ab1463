import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Item } from '../../src/api/contract.ts';
import '@xterm/xterm/css/xterm.css';
import { useControl, useLink } from '../link/use-farm.ts';
import { say } from '../shell/notes-store.ts';
import { useInView } from './in-view.ts';
import { openTerminal, terminalDocument } from './terminal-document.ts';

const SCROLLBACK = 5000;
const [SMALLEST, LARGEST] = [8, 13];

const bound = (n: number, least: number, most: number) => Math.max(least, Math.min(n, most));

interface Props {
  readonly agent: string;
}

/** The live window of an agent. It takes typing only where the address may, and after the person switched it on. */
export function AgentTerminal({ agent }: Props) {
  const control = useControl();
  const [typing, setTyping] = useState(false);
  const [fits, setFits] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const { terminal, ended } = useScreen(agent, place);
  useTyping(agent, terminal, typing);
  useSize(agent, terminal, place, fits);
  return (
    <div className="terminal">
      <div className="row">
        {control ? (
          <>
            <label className="check">
              <input type="checkbox" checked={typing} onChange={(event) => setTyping(event.target.checked)} /> type into it
            </label>
            <label className="check" title="Resizes the window of the agent to fit here">
              <input type="checkbox" checked={fits} onChange={(event) => setFits(event.target.checked)} /> fit its window
            </label>
          </>
        ) : (
          <span className="muted">This address is read-only: it cannot type.</span>
        )}
        {ended && <span className="warn">{ended}</span>}
      </div>
      {/* For screen readers every line is measured, six layouts a line: only where the focus is. */}
      <section
        ref={place}
        className={typing ? 'screen typing' : 'screen'}
        aria-label={`terminal of ${agent}`}
        onFocus={() => readAloud(terminal, true)}
        onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || readAloud(terminal, false)}
      />
    </div>
  );
}

/** The terminal, and while somebody can see it the stream that feeds it: it begins with the whole screen and its past each time. */
function useScreen(agent: string, place: RefObject<HTMLDivElement | null>) {
  const link = useLink();
  const [terminal, setTerminal] = useState<Terminal>();
  const [ended, setEnded] = useState('');
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
  useEffect(() => {
    if (!terminal || !inView) return;
    setEnded('');
    return link.stream<Item<'screen'>>(
      'screen',
      () => ({ agent, lines: SCROLLBACK }),
      (item) => take(terminal, item),
      (error) => setEnded(error?.message ?? 'The window is closed.'),
    );
  }, [agent, link, terminal, inView]);
  return { terminal, ended };
}

function newTerminal(): Terminal {
  const made = new Terminal({
    documentOverride: terminalDocument,
    scrollback: SCROLLBACK,
    disableStdin: true,
    fontSize: LARGEST,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    theme: { background: '#14171a', foreground: '#e3e6e9' },
    linkHandler: { activate: () => {} },
  });
  // An agent's output sets no links, no clipboard and no title.
  for (const code of [0, 1, 2, 8, 52]) made.parser.registerOscHandler(code, () => true);
  return made;
}

function readAloud(terminal: Terminal | undefined, on: boolean): void {
  if (terminal) terminal.options.screenReaderMode = on;
}

function take(terminal: Terminal, item: Item<'screen'>): void {
  if ('size' in item) terminal.resize(item.size.cols, item.size.rows);
  else if ('data' in item) terminal.write(item.data);
  else {
    // A reader who scrolled back stays there.
    const { baseY, viewportY } = terminal.buffer.active;
    terminal.reset();
    terminal.write(item.reset, () => terminal.scrollLines(viewportY - baseY));
  }
}

function useTyping(agent: string, terminal: Terminal | undefined, typing: boolean): void {
  const link = useLink();
  useEffect(() => {
    if (!terminal || !typing) return;
    terminal.options.disableStdin = false;
    terminal.focus();
    const off = terminal.onData((text) => {
      // One after the other on one connection: the order of keys is kept.
      link.call('typeInto', { agent, text }).catch((error: Error) => say(error.message, error));
    });
    return () => {
      off.dispose();
      terminal.options.disableStdin = true;
    };
  }, [agent, link, terminal, typing]);
}

/** Letters as large as the window of the agent allows here; or, when a person wants that, a window as large as there is place. */
function useSize(agent: string, terminal: Terminal | undefined, place: RefObject<HTMLDivElement | null>, fits: boolean): void {
  const link = useLink();
  useEffect(() => {
    const element = place.current;
    if (!terminal || !element) return;
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    let asked = '';
    const scale = () => {
      const now = terminal.options.fontSize ?? LARGEST;
      const fitting = fits
        ? LARGEST
        : (element.clientWidth / ((terminal.element?.querySelector('.xterm-screen')?.clientWidth ?? 1) / now)) * 0.99;
      const size = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(fitting * 2) / 2));
      if (size !== now) terminal.options.fontSize = size;
      const wanted = fits ? fit.proposeDimensions() : undefined;
      if (!wanted || asked === `${wanted.cols} ${wanted.rows}`) return;
      asked = `${wanted.cols} ${wanted.rows}`;
      const { cols, rows } = wanted;
      link.call('resizeScreen', { agent, cols: bound(cols, 20, 400), rows: bound(rows, 5, 200) }).then(
        ({ resized, why }) => !resized && why && say(why),
        (error: Error) => say(error.message, error),
      );
    };
    const watch = new ResizeObserver(scale);
    watch.observe(element);
    const off = terminal.onResize(scale);
    return () => {
      watch.disconnect();
      off.dispose();
      fit.dispose();
    };
  }, [agent, link, terminal, place, fits]);
}

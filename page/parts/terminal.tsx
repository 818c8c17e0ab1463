import type { Terminal } from '@xterm/xterm';
import { useEffect, useRef } from 'react';
import type { ListedAgent } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import '@xterm/xterm/css/xterm.css';
import { useLink, useSeen } from '../link/use-farm.ts';
import { say } from '../shell/notes-store.ts';
import { type LiveTerminal, useLiveTerminal } from './live-terminal.ts';
import { useSize } from './terminal-size.ts';

interface Props {
  readonly agent: ListedAgent;
  /** Keys go to the agent. */
  readonly typing: boolean;
  /** The window of the agent takes the size that it has here. */
  readonly fits: boolean;
  /** A click that selected nothing. */
  readonly pressed: () => void;
  /** Escape, which the agent gets while keys go there. */
  readonly left: () => void;
}

/** The live window of an agent, and over it what a person must know to read it: nothing is black without a word. */
export function AgentTerminal({ agent, typing, fits, pressed, left }: Props) {
  const { name, attempt, task } = agent;
  const place = useRef<HTMLDivElement>(null);
  const live = useLiveTerminal(name, `${task} ${attempt}`, place);
  const { terminal, fed, ended } = live;
  useTyping(name, terminal, typing);
  const kept = useSize({ agent: name, terminal, place, fits, shown: fed !== 'nothing' && ended === '' });
  const open = useSeen(({ standing }) => standing === 'open');
  const word = open ? wordOver(agent, live) : 'connecting…';
  return (
    <div className="terminal">
      {/* For screen readers every line is measured, six layouts a line: only where the focus is. */}
      <section
        ref={place}
        className={typing ? 'screen typing' : 'screen'}
        aria-label={`terminal of ${visible(name)}`}
        onFocus={() => readAloud(terminal, true)}
        onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || readAloud(terminal, false)}
        onMouseUp={({ button }) => button === 0 && !terminal?.hasSelection() && pressed()}
        onKeyDownCapture={({ key }) => key === 'Escape' && !typing && left()}
      />
      {word !== '' && (
        <p className={fed === 'text' && open ? 'over' : 'over alone'} role="status">
          {visible(word)}
        </p>
      )}
      {kept !== '' && <p className="kept">{visible(kept)}</p>}
    </div>
  );
}

function wordOver({ attempt, state }: ListedAgent, { fed, ended }: LiveTerminal): string {
  if (ended !== '') return attempt === null ? 'attempt ended' : ended;
  if (fed === 'nothing') return 'connecting…';
  if (attempt === null || state === 'dead' || state === 'stopped') return 'attempt ended';
  return fed === 'empty' ? 'nothing printed yet' : '';
}

function readAloud(terminal: Terminal | undefined, on: boolean): void {
  if (terminal) terminal.options.screenReaderMode = on;
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

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The client of a bare loop: one connection to the server, and captures of panes as text that nobody reads. */
export interface BareLoop {
  /** Takes captures of the panes so many times a second, for so long. Resolves with this process' own processor time, in milliseconds. */
  run(panes: readonly string[], perSecond: number, ms: number): Promise<number>;
  panes(): Promise<string[]>;
  end(): void;
}

/** It hears nothing of what panes print, as the daemon's own client: a tmux before 3.7 may die of a client that does. */
export function bareLoop(socket: string): BareLoop {
  const client = spawn('tmux', ['-S', socket, '-C', 'attach-session', '-f', 'no-output,ignore-size'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let seen = '';
  let wake = () => {};
  client.stdout.setEncoding('latin1').on('data', (text: string) => {
    seen += text;
    wake();
  });
  const ask = async (line: string, mark: string) => {
    seen = '';
    client.stdin.write(`${line}\ndisplay-message -p ${mark}\n`);
    while (!seen.includes(`\n${mark}\n`)) await new Promise<void>((resolve) => (wake = resolve));
    return seen;
  };
  return {
    async panes() {
      const listed = await ask("list-panes -a -F 'pane #{pane_index} #{pane_id}'", 'sealed-panes');
      return [...listed.matchAll(/^pane 0 (%\d+)$/gm)].map(([, id]) => id!);
    },
    async run(panes, perSecond, ms) {
      const line = panes.map((id) => `display-message -p -t ${id} '#{cursor_x}' ; capture-pane -p -e -N -t ${id} -S -50`).join(' ; ');
      const before = process.cpuUsage();
      const until = performance.now() + ms;
      for (let turn = 0; performance.now() < until; turn++) {
        const started = performance.now();
        await ask(line, `sealed-${turn}`);
        await sleep(Math.max(0, 1000 / perSecond - (performance.now() - started)));
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    },
    end: () => void client.stdin.end(),
  };
}

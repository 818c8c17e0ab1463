import { expect, it } from 'vitest';
import { inTmux } from '../../src/daemon/show-in-tmux.ts';
import type { People } from '../../src/platform/tmux/people.ts';
import type { View } from '../../src/tell/face/view.ts';

const agent = (name: string, state: string, paused = false) => ({ name, index: 1, state, paused, detail: null, task: null, title: null });
const asks = (name: string | null) => ({ id: '1', kind: 'ask', subject: '4', agent: name, reason: 'why', since: '2026-01-05T14:02:00Z' });
const view = {
  status: { farm: { state: 'running', stopped: null }, tasks: { landed: 5, ready: 7 }, queue: { depth: 2, halted: null, paused: false } },
  queue: { halted: null },
  agents: [agent('ada', 'working'), agent('bob', 'working', true), agent('cy', 'dead'), agent('di', 'limited'), agent('ed', 'working')],
  attention: [asks(null), asks('ed'), asks('ada')],
  ...{ tasks: [], entries: [], landings: [], problems: [], seq: 1 },
} as unknown as View;

const person = { tty: '/dev/pts/1', termname: 'xterm', termtype: '', atHome: true };
const people = (more: Partial<People> = {}): People => ({ clients: [person], columns: 120, rows: 40, nestedPrefix: '', ...more });
const drawn = (more: Partial<People>) => inTmux(view, people(more)).frame ?? '';

it('badges who waits, is dead, limited or paused, and leads to the agent that needs a person most', () => {
  const { badges, next } = inTmux(view, people());
  expect(Object.fromEntries(badges)).toEqual({ ada: 'waits', bob: 'paused', cy: 'dead', di: 'limited', ed: 'waits' });
  expect(next).toBe('ed');
});

it('says what each agent works on', () => {
  const agents = [{ ...agent('ada', 'working'), task: '3', title: `Parse\x1b[31m dates ${'x'.repeat(99)}` }, agent('bob', 'idle')];
  const { tasks } = inTmux({ ...view, agents } as unknown as View, people());
  expect([...tasks.keys()]).toEqual(['ada']);
  expect(tasks.get('ada')).toMatch(/^3 · Parse␛\[31m dates x{56,}…$/);
});

it('leaves half of a narrow line to the windows', () => {
  expect(inTmux(view, people()).status).toBe('5/12 landed · 5 agents · 2 in queue · 3 need you');
  expect(inTmux(view, people({ columns: 80 })).status).toBe('5/12 · 5 agents · 2 queued · 3 need you');
});

it('draws the first window only for whoever sees it, with the prefix that applies there', () => {
  expect(inTmux(view, people({ clients: [{ ...person, atHome: false }] })).frame).toBeUndefined();
  const nested = { clients: [{ ...person, termname: 'tmux-256color' }], nestedPrefix: 'C-b C-b' };
  expect(drawn({})).toContain(' C-b a  answer');
  expect(drawn(nested)).toContain('C-b C-b a  answer');
  expect(drawn({ ...nested, clients: [...nested.clients, person] }), 'two people, and one of them is in no tmux').not.toContain('C-b C-b');
});

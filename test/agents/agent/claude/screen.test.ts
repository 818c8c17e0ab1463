import { describe, expect, it } from 'vitest';
import { screen } from '../../../../src/agents/agent/drivers/claude/screen.ts';
import { recorded } from './support.ts';

const RULE = '─'.repeat(110);
/** A page above the input line, and what stands in that. */
const page = (above: string, typed: string) =>
  `${above}\n\n${RULE}\n❯\u00a0${typed}\n${RULE}\n  ⏵⏵ accept edits on (shift+tab to cycle)\n\n`;

const shows = (name: string, reading: object) => () => expect(screen(recorded(`screen-${name}.txt`))).toEqual(reading);

describe("claude's screen", () => {
  it('idle', shows('idle', { state: 'idle', draft: '' }));
  it('working, with an input line that is drawn all the same', shows('working', { state: 'working', draft: '' }));
  it('a permission dialog', shows('permission', { state: 'waiting', detail: 'permission', draft: undefined }));
  it('a question', shows('question', { state: 'waiting', detail: 'question', draft: undefined }));
  it('the trust dialog', shows('trust', { state: 'waiting', detail: 'trust', draft: undefined }));
  it('nobody logged in', shows('login', { state: 'idle', detail: 'login', draft: '' }));
  it('interrupted, below older errors', shows('interrupted', { state: 'idle', detail: 'interrupted', draft: '' }));
  it('of several errors the newest', shows('errors-429-401-529-500', { state: 'idle', detail: 'error', draft: '' }));

  const errors = recorded('screen-errors-429-401-529-500.txt');
  const upTo = (prompt: string) => page(errors.slice(0, errors.indexOf(prompt)), '');
  it('a limit', () => expect(screen(upTo('❯ now [[plan:overloaded]]'))).toEqual({ state: 'limited', detail: 'limit', draft: '' }));
  it('a bad key', () => expect(screen(upTo('❯ now [[plan:ratelimit]]'))).toEqual({ state: 'idle', detail: 'auth', draft: '' }));
  it('an overload', () => expect(screen(upTo('❯ now [[plan:error]]'))).toEqual({ state: 'idle', detail: 'overloaded', draft: '' }));
  it('a retry', () =>
    expect(screen(page('❯ do it\n\n✻ 429 limit · Retrying in 3s · attempt 3/10', ''))).toEqual({
      state: 'limited',
      detail: 'retrying',
      draft: '',
    }));

  it('an error of an earlier turn is over', () =>
    expect(screen(page(`${errors.slice(0, errors.indexOf('❯ now'))}\n❯ again\n\n● Done.`, ''))).toEqual({ state: 'idle', draft: '' }));
  it('a dialog that is only talked about is none', () =>
    expect(screen(page('❯ do it\n\n● It says: Esc to cancel · Tab to amend', ''))).toEqual({ state: 'idle', draft: '' }));

  it('what somebody types is a draft, to the letter', () => expect(screen(page('', 'half a; "draft"')).draft).toBe('half a; "draft"'));
  it('a draft may have several lines', () => expect(screen(page('', 'one\n  two\n    deeper')).draft).toBe('one\ntwo\n  deeper'));
  it('a hint is no draft', () =>
    expect(screen(page('✽ Working…', 'Press up to edit queued messages'))).toEqual({ state: 'working', draft: '' }));
  it('a prompt that was sent is no draft', () => expect(screen('❯ sent before\n\n● Done.\n').draft).toBeUndefined());
  it('an empty or a foreign screen says nothing', () => {
    for (const text of ['', '\n\n', '$ ls\nREADME.md\n$ ']) expect(screen(text)).toEqual({ state: 'unknown', draft: undefined });
  });
});

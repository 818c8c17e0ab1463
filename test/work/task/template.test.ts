import { describe, expect, it } from 'vitest';
import { parseTask } from '../../../src/work/task/parse.ts';
import { type PromptInput, renderPrompt } from '../../../src/work/task/prompt.ts';

const parsed = parseTask('---\nid: 7\ntitle: Add a search box\nstatus: todo\n---\n\nFirst line.\n\n\nAfter two empty lines.\n', '7.md');
const input: PromptInput = {
  task: parsed.ok ? parsed.task : (undefined as never),
  phase: 'ui',
  attempt: 1,
  base: 'b'.repeat(40),
  branch: 'furrow/ui/calm-otter/7',
  checks: ['npm test'],
  rework: null,
  others: [],
  attached: [],
  protect: [],
};

/** Tokenizers make one token of at least 3 bytes of such text; this counts more than any of them does. */
const tokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 3);

describe('a template of the user', () => {
  it('says what it likes around the task', () => {
    const text = renderPrompt(input, 'You are on {{branch}} at {{ base }}.\n\n{{body}}\n\n{{rework}}\n\nRun:\n{{checks}}\n');
    expect(text).toBe(
      'You are on furrow/ui/calm-otter/7 at bbbbbbbbbbbb.\n\nFirst line.\n\n\nAfter two empty lines.\n\nRun:\n- `npm test`\n',
    );
  });

  it.each([
    ['names something nobody knows', '{{task}} {{tsak}}', '{{tsak}}'],
    ['leaves the task out', 'Just do it on {{branch}}.', 'neither {{task}} nor {{body}}'],
  ])('is refused when it %s', (_, template, says) => {
    expect(() => renderPrompt(input, template)).toThrow(says);
  });

  it('does not read placeholders in the task itself', () => {
    const odd = { ...input, task: { ...input.task, body: 'Print {{nothing}} and $& here.' } };
    expect(renderPrompt(odd)).toContain('Print {{nothing}} and $& here.');
  });
});

describe('what stands around the task', () => {
  it('is at most 1,000 tokens, however many others, patterns and checks there are', () => {
    const many = <T>(n: number, make: (n: number) => T) => Array.from({ length: n }, (_, at) => make(at));
    const full: PromptInput = {
      ...input,
      task: { ...input.task, body: '', paths: many(40, (n) => `packages/a-rather-long-name-${n}/**`), check: 'npm run e2e' },
      others: many(60, (n) => ({ agent: `calm-otter-${n}`, title: 'A title that goes on and on '.repeat(20) })),
      protect: many(40, (n) => `.github/workflows/number-${n}/**`),
      checks: ['npm test', 'npm run lint', 'npm run types'],
    };
    expect(tokens(renderPrompt(full))).toBeLessThanOrEqual(1000);
  });
});

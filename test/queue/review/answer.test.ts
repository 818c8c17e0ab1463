import { describe, expect, it } from 'vitest';
import { findingLine, readAnswer } from '../../../src/queue/review/answer.ts';

const json = (value: unknown) => JSON.stringify(value);

describe('the answer of a reviewer', () => {
  it.each<[string, object]>([
    [json({ verdict: 'approve', summary: 'fine' }), { verdict: 'approve', summary: 'fine', findings: [] }],
    [json({ verdict: 'approve', findings: [{ text: 'a name', severity: 'low' }] }), { verdict: 'approve', findings: [{ text: 'a name' }] }],
    [
      `\`\`\`json\n${json({ verdict: 'findings', findings: [{ path: 'a.ts', line: 3, severity: 'high', text: 'off by one' }] })}\n\`\`\``,
      { verdict: 'findings', findings: [{ path: 'a.ts', line: 3, severity: 'high', text: 'off by one' }] },
    ],
    [json({ verdict: 'findings', findings: ['no test'] }), { verdict: 'findings', findings: [{ text: 'no test' }] }],
    ['APPROVE', { verdict: 'approve', summary: '' }],
    ['**Approved**: reads well', { verdict: 'approve', summary: 'reads well' }],
    ['FINDINGS:\n- no test\n- wrong name', { verdict: 'findings', findings: [{ text: 'no test' }, { text: 'wrong name' }] }],
    ['findings: the loop never ends', { verdict: 'findings', findings: [{ text: 'the loop never ends' }] }],
  ])('%s is read', (text, expected) => expect(readAnswer(text)).toMatchObject(expected));

  it.each([
    ['looks good to me', 'neither JSON nor'],
    ['', 'neither JSON nor'],
    ['I do not APPROVE', 'neither JSON nor'],
    ['FINDINGS', 'names none'],
    [json({ verdict: 'ok' }), '"verdict" must be'],
    [json({ verdict: 'findings' }), 'has none'],
    [json({ verdict: 'findings', findings: [{ path: 'a' }] }), 'needs a "text"'],
    [json({ verdict: 'findings', findings: 'many' }), 'must be a list'],
    [json({ verdict: 'approve', findings: [{ text: 'it deletes everything', severity: 'high' }] }), 'it approves, and has findings'],
    [json([{ verdict: 'approve' }]), 'neither JSON nor'],
  ])('%s is not guessed at', (text, why) =>
    expect(readAnswer(text)).toMatchObject({ verdict: 'unreadable', trouble: expect.stringContaining(why) }),
  );

  it('carries nothing that a terminal would obey, and no more than the next attempt can read', () => {
    const { findings } = readAnswer(json({ verdict: 'findings', findings: [{ text: `\x1b[2J${'x'.repeat(5000)}`, line: -1, path: ' ' }] }));
    expect(findings).toEqual([{ text: 'x'.repeat(2000) }]);
    const many = readAnswer(json({ verdict: 'findings', findings: Array(99).fill('one') }));
    expect(many.findings).toHaveLength(50);
  });

  it('is a line for each finding', () => {
    expect(findingLine({ text: 'off by one', path: 'a.ts', line: 3, severity: 'high' })).toBe('a.ts:3 (high): off by one');
    expect(findingLine({ text: 'no test' })).toBe('no test');
  });
});

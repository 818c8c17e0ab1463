import { describe, expect, it } from 'vitest';
import { CUT_MS, decide, type FileSeen, type InputFacts, SETTLE_MS } from '../../src/config/in-force.ts';

const STRICT = 'agent: x\ncheck: strict\n';
const WEAK = 'agent: x\ncheck: weak\n';
const valid = (text: string): FileSeen => ({ kind: 'valid', text });
const missing: FileSeen = { kind: 'missing' };
const empty: FileSeen = { kind: 'empty' };
const invalid: FileSeen = { kind: 'invalid', text: 'x', why: 'furrow.yaml:1: expected a map' };

interface Change {
  inForce?: string | undefined;
  committed?: Partial<InputFacts['committed']>;
  checkout?: Partial<InputFacts['checkout']>;
}

/** All is quiet: the strict file is committed, checked out and in force. */
const facts = ({ committed, checkout, ...rest }: Change): InputFacts => ({
  target: 'main',
  inForce: STRICT,
  ...rest,
  committed: { file: valid(STRICT), there: true, changed: false, had: true, ...committed },
  checkout: { file: valid(STRICT), branch: 'main', operation: undefined, changed: false, forMs: 10_000, ...checkout },
});

const edit = (file: FileSeen, more: Partial<InputFacts['checkout']> = {}) => ({ checkout: { file, changed: true, ...more } });
const took = (source: string, text: string) => ({ do: 'take', source, text });

describe('what comes into force', () => {
  it.each<[what: string, change: Change, expected: object]>([
    ['nothing when nothing changed', {}, { do: 'keep' }],
    ['an edit in the checkout of the target', edit(valid(WEAK)), took('checkout', WEAK)],
    ['an edit that removes all checks', edit(valid('agent: y\n')), took('checkout', 'agent: y\n')],
    ['the file that a commit brings to the target', { committed: { file: valid(WEAK), changed: true } }, took('target', WEAK)],
    [
      'what is committed and checked out, as the commit’s',
      { committed: { file: valid(WEAK), changed: true }, ...edit(valid(WEAK)) },
      took('target', WEAK),
    ],
    [
      'an edit made on top of a commit',
      { committed: { file: valid(WEAK), changed: true }, ...edit(valid('agent: z\n')) },
      took('checkout', 'agent: z\n'),
    ],
    [
      'the committed file, with the old one still in the checkout',
      { committed: { file: valid(WEAK), changed: true } },
      took('target', WEAK),
    ],
    [
      'the committed file, while another branch is checked out',
      { committed: { file: valid(WEAK), changed: true }, checkout: { file: valid('q: 1\n'), branch: 'f' } },
      took('target', WEAK),
    ],
    [
      'a file that is not on the target at all, from any branch',
      { committed: { file: missing, had: false }, ...edit(valid(WEAK), { branch: 'f' }) },
      took('checkout', WEAK),
    ],
    [
      'a file in the checkout, when the target has no branch',
      { committed: { file: missing, there: false }, ...edit(valid(WEAK), { branch: null }) },
      took('checkout', WEAK),
    ],
    ['a beginning of the text in force, when it stays', edit(valid('agent: x\n'), { forMs: CUT_MS }), took('checkout', 'agent: x\n')],
    [
      'a beginning of the text in force that is committed',
      { committed: { file: valid('agent: x\n'), changed: true }, ...edit(valid('agent: x\n'), { forMs: 0 }) },
      took('target', 'agent: x\n'),
    ],
    ['other line ends are no other text', edit(valid(STRICT.replaceAll('\n', '\r\n'))), { do: 'keep' }],
  ])('%s', (_what, change, expected) => expect(decide(facts(change))).toEqual(expected));
});

describe('what changes nothing, and is said', () => {
  it.each<[what: string, change: Change, differs: RegExp]>([
    ['a missing file', edit(missing), /not in your checkout/],
    ['an empty file', edit(empty), /is empty/],
    ['a file that cannot be read', edit({ kind: 'unreadable', why: 'EACCES' }), /cannot be read: EACCES/],
    ['an invalid file', edit(invalid), /not valid/],
    ['a weaker file on another branch', edit(valid(WEAK), { branch: 'feature' }), /feature is checked out, and work lands on main/],
    ['a file on no branch', edit(valid(WEAK), { branch: null }), /no branch is checked out/],
    ['a file in the middle of a rebase of the target', edit(valid(WEAK), { operation: 'rebase' }), /a rebase is under way/],
    [
      'a file on another branch after it was deleted on the target',
      { committed: { file: missing, changed: true }, ...edit(valid(WEAK), { branch: 'f' }) },
      /f is checked out/,
    ],
    ['an older file that stayed behind in the checkout', { inForce: WEAK, committed: { file: valid(WEAK) } }, /older than the one on main/],
    ['a file saved just now', edit(valid(WEAK), { forMs: 0 }), /saved just now/],
    ['a beginning of the text in force, for a while', edit(valid('agent: x\n'), { forMs: SETTLE_MS }), /saved just now/],
  ])('%s', (_what, change, differs) =>
    expect(decide(facts(change))).toMatchObject({ do: 'keep', differs: expect.stringMatching(differs) }),
  );

  it.each<[what: string, change: Change, wrong: RegExp | undefined]>([
    ['an invalid file in the checkout of the target', edit(invalid), /furrow\.yaml:1: expected a map/],
    ['an invalid file on another branch is not', edit(invalid, { branch: 'f' }), undefined],
    ['an invalid file that is being saved is not yet', edit(invalid, { forMs: 0 }), undefined],
    ['an invalid file committed on the target', { committed: { file: invalid, changed: true } }, /main:furrow\.yaml:1: expected a map/],
    ['a file deleted on the target', { committed: { file: missing, changed: true } }, /was deleted on main/],
    ['a file emptied on the target', { committed: { file: empty, changed: true } }, /was emptied on main/],
    ['a missing file in the checkout is not', edit(missing), undefined],
  ])('needs a person: %s', (_what, change, wrong) => {
    const decision = decide(facts(change));
    expect(decision).toMatchObject({ do: 'keep' });
    if (wrong) expect(decision).toMatchObject({ wrong: expect.stringMatching(wrong) });
    else expect(decision).not.toHaveProperty('wrong');
  });
});

describe('at the very first start', () => {
  const first = (change: Change) => decide(facts({ ...change, inForce: undefined }));
  it.each<[what: string, change: Change, expected: object]>([
    ['the committed file', {}, took('target', STRICT)],
    ['an edit in the checkout of the target', edit(valid(WEAK)), took('checkout', WEAK)],
    ['the committed file, on another branch', edit(valid(WEAK), { branch: 'f' }), took('target', STRICT)],
    [
      'a file that nobody committed yet',
      { committed: { file: missing, had: false }, ...edit(valid(WEAK), { branch: 'f' }) },
      took('checkout', WEAK),
    ],
    ['the committed file, when it is missing in the checkout', edit(missing), took('target', STRICT)],
    ['no file: the defaults', { committed: { file: missing, had: false }, ...edit(missing) }, took('defaults', '')],
    ['not an invalid file', edit(invalid), { do: 'keep', wrong: 'furrow.yaml:1: expected a map' }],
    [
      'an empty file may be in the middle of a save',
      { committed: { file: missing, had: false }, ...edit(empty, { forMs: 0 }) },
      { do: 'keep', waitMs: 1500 },
    ],
  ])('%s', (_what, change, expected) => expect(first(change)).toEqual(expected));
});

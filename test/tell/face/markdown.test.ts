import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Block, parseInline, parseMarkdown } from '../../../src/tell/face/markdown.ts';

it('is read as people write it: headings, lists with boxes, code, quotes, paragraphs', () => {
  const text =
    '# Head\nTwo\nlines.\n\n- [x] done\n- [ ] open\n  goes on\n  1. deep\n\n> said\n> again\n\n```ts\n<b>code</b>\n- no list\n```\n---\nend';
  const short = (block: Block) => {
    if (block.is === 'list')
      return block.items.map(({ done, depth, line }) => `${depth} ${done} ${JSON.stringify(line.map((one) => one.text).join(''))}`);
    if (block.is === 'code') return block.text;
    return block.is === 'rule' ? '' : block.line.map((one) => one.text).join('');
  };
  expect(parseMarkdown(text).map((block) => [block.is, short(block)])).toEqual([
    ['heading', 'Head'],
    ['paragraph', 'Two\nlines.'],
    ['list', ['0 true "done"', '0 false "open\\ngoes on"', '1 undefined "deep"']],
    ['quote', 'said\nagain'],
    ['code', '<b>code</b>\n- no list'],
    ['rule', ''],
    ['paragraph', 'end'],
  ]);
});

it('a link leads to the web or to mail, and nowhere else', () => {
  expect(parseInline('see [it](https://example.org/a), `[no](https://x.y)`, **so** and *so*')).toEqual([
    { is: 'text', text: 'see ' },
    { is: 'link', text: 'it', to: 'https://example.org/a' },
    { is: 'text', text: ', ' },
    { is: 'code', text: '[no](https://x.y)' },
    { is: 'text', text: ', ' },
    { is: 'strong', text: 'so' },
    { is: 'text', text: ' and ' },
    { is: 'em', text: 'so' },
  ]);
  for (const to of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '#/agents',
    '//x.y',
    'blob:http://127.0.0.1/x',
  ])
    expect(parseInline(`[it](${to})`).filter(({ is }) => is === 'link')).toEqual([]);
  expect(parseInline('https://example.org/a.')).toEqual([
    { is: 'link', text: 'https://example.org/a', to: 'https://example.org/a' },
    { is: 'text', text: '.' },
  ]);
});

it('ends, and loses no letter, whatever is written', () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom('a', ' ', '#', '-', '1', '.', '`', '>', '*', '[', ']', '(', ')', '~', 'x') }), {
    maxLength: 12,
  });
  const count = (text: string) => text.replace(/[^a]/g, '').length;
  fc.assert(
    fc.property(lines, (some) => {
      const text = some.join('\n');
      expect(
        count(
          JSON.stringify(parseMarkdown(text)).replace(
            /"(is|info|text|line|level|items|ordered|done|depth|to)":|"(paragraph|heading|quote|code|rule|list|strong|em|text|link)"|false|true/g,
            '',
          ),
        ),
      ).toBe(count(text));
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { colour, languageOf } from '../../../src/tell/face/syntax.ts';

/** The pieces that get a colour, line by line. */
const told = (path: string, ...lines: string[]) =>
  colour(languageOf(path)!, lines).map((spans, n) => spans.map(({ from, to, is }) => `${is}:${lines[n]!.slice(from, to)}`));

it.each([
  ['a.ts', 'const a = "x\\"y" + 12; // end', ['keyword:const', 'string:"x\\"y"', 'number:12', 'comment:// end']],
  ['a.ts', "return 'it' /* so */ + 0xff", ['keyword:return', "string:'it'", 'comment:/* so */', 'number:0xff']],
  ['a.ts', 'constant.newest', []],
  ['a.py', 'def f(x): # says', ['keyword:def', 'comment:# says']],
  ['a.sh', 'if [ $# -gt 1 ]; then # go', ['keyword:if', 'number:1', 'keyword:then', 'comment:# go']],
  ['a.rs', "fn f<'a>(x: &'a str) -> u8 {", ['keyword:fn', 'keyword:str', 'keyword:u8']],
  ['a.sql', "SELECT 'a' FROM b -- all", ['keyword:SELECT', "string:'a'", 'keyword:FROM', 'comment:-- all']],
  ['a.json', '{"a": true, "b": 1.5}', ['string:"a"', 'keyword:true', 'string:"b"', 'number:1.5']],
  ['a.yaml', 'a: true # b', ['keyword:true', 'comment:# b']],
  ['Makefile', 'export A=1 # b', ['keyword:export', 'number:1', 'comment:# b']],
])('%s: %s', (path, line, spans) => expect(told(path, line)[0]).toEqual(spans));

it('what is open goes on in the next line, and a comment that only ends began before', () => {
  expect(told('a.ts', 'a /* b', 'c */ 1', '`x', 'y` 2')).toEqual([
    ['comment:/* b'],
    ['comment:c */', 'number:1'],
    ['string:`x'],
    ['string:y`', 'number:2'],
  ]);
  expect(told('a.ts', ' * words', ' */ let')).toEqual([['comment: * words'], ['comment: */', 'keyword:let']]);
  expect(told('a.py', '"""a', 'b""" 1')).toEqual([['string:"""a'], ['string:b"""', 'number:1']]);
  // A quote that was forgotten colours its own line only.
  expect(told('a.ts', 'say("x', 'let')).toEqual([['string:"x'], ['keyword:let']]);
});

it('of no other file is anything said, and never a piece that is not there', () => {
  expect(languageOf('README')).toBeUndefined();
  const text = fc.array(fc.string({ unit: fc.constantFrom('"', "'", '`', '/', '*', '#', '\\', 'a', '1', ' ', '-') }));
  fc.assert(
    fc.property(text, fc.constantFrom('a.ts', 'a.py', 'a.rb', 'a.sql', 'a.html'), (lines, path) => {
      for (const [n, spans] of colour(languageOf(path)!, lines).entries()) {
        const ends = spans.flatMap(({ from, to }) => [from, to]);
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        expect(Math.max(0, ...ends)).toBeLessThanOrEqual(lines[n]!.length);
        expect(spans.every(({ from, to }) => from < to)).toBe(true);
      }
    }),
  );
});

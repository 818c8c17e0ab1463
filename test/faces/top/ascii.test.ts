import { expect, it } from 'vitest';
import { toAscii, wantsAscii } from '../../../src/faces/top/ascii.ts';
import { frameOf } from '../../../src/faces/top/frame.ts';
import { Screen } from '../../../src/faces/top/screen.ts';
import { START } from '../../../src/faces/top/state.ts';
import { width } from '../../../src/platform/text-width.ts';
import { crowd, model, NOW, task, view } from './fixture.ts';

it.each([
  [{ LC_ALL: 'C' }, true],
  [{ LANG: 'POSIX' }, true],
  [{ LANG: 'de_DE.ISO-8859-1' }, true],
  [{ LC_ALL: '', LANG: 'C.UTF-8' }, false],
  [{ LC_ALL: 'en_US.utf8', LANG: 'C' }, false],
  [{}, false],
])('the locale %j wants ASCII: %s', (env, wants) => expect(wantsAscii(env)).toBe(wants));

it('a whole screen is drawn in ASCII, each row as wide as before', () => {
  for (const known of [model(crowd(5, 40)), model(view({ tasks: [task('1', { title: 'Grüße 漢字' })] }))]) {
    let written = '';
    const write = (text: string | Uint8Array) => {
      written += String(text);
      return true;
    };
    const screen = new Screen({ write }, false, true);
    const { lines } = frameOf(known, START, { width: 200, height: 60 }, NOW);
    screen.enter();
    screen.draw(lines);
    expect(written).toMatch(/^[\x00-\x7f]*$/);
    for (const line of lines)
      expect(toAscii(line.map(({ text }) => text).join(''))).toHaveLength(width(line.map(({ text }) => text).join('')));
  }
});

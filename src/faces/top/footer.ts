import { KEYS, keyName } from './keys.ts';
import { type Line, span, toWidth, words } from './line.ts';
import type { Model } from './model.ts';
import { found } from './search.ts';
import type { State } from './state.ts';

/** The last row: the line that is being typed, else what was just done, else the keys. */
export function footerLine(state: State, model: Model, width: number): Line {
  const { open, said } = state;
  if (open?.kind === 'answer') {
    const prompt = `${open.step.says}: `;
    return toWidth([span(prompt, 'good'), words(endOf(open.text, width - prompt.length - 30)), CURSOR, ...HOW], width);
  }
  if (open?.kind === 'search') {
    const count = open.query === '' ? '' : `  ${found(model, open.query).length} found`;
    return toWidth([span('/', 'good'), words(endOf(open.query, width - 40)), CURSOR, span(count, 'faint'), ...HOW], width);
  }
  if (said) return toWidth([words(said.text, said.tone)], width);
  return toWidth(hints(width), width);
}

const CURSOR = span(' ', 'chosen');
const HOW: Line = [span('   Enter takes it, Esc leaves it', 'faint')];

/** The end of a text that is being typed, so that its cursor is in sight. */
const endOf = (text: string, room: number) => (text.length > Math.max(10, room) ? `…${text.slice(-Math.max(10, room))}` : text);

/** as many keys as fit; the help is always among them. */
function hints(width: number): Line {
  const all = KEYS.flatMap(({ keys, hint }) => (hint ? [{ key: keyName(keys[0]!), hint }] : []));
  const wide = ({ key, hint }: (typeof all)[number]) => key.length + hint.length + 3;
  let left = width;
  const always = all.filter(({ hint }) => hint === 'help' || hint === 'quit');
  left -= always.reduce((sum, one) => sum + wide(one), 0);
  const shown = all.filter((one) => {
    if (always.includes(one)) return true;
    left -= wide(one);
    return left >= 0;
  });
  return shown.flatMap(({ key, hint }) => [span(key, 'strong'), span(` ${hint}  `, 'faint')]);
}

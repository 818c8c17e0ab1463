/** What the window shows: the last words, one line of state, the input line at the bottom. */
export interface View {
  readonly words: readonly string[];
  readonly state: 'starting' | 'idle' | 'working' | 'waiting' | 'limited';
  readonly detail: string;
  readonly draft: string;
}

const WORDS = 14;
const WIDTH = 100;

/** One write, so that nobody sees half of it. */
export function draw(view: View, title: string): string {
  const words = view.words.slice(-WORDS).map((line) => coloured([...line.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ')].slice(0, WIDTH).join('')));
  const lines = [...words, `-- ${view.state}${view.detail && `: ${view.detail}`} --`];
  const draft = view.draft.replaceAll('\n', '\r\n  ').replace(/[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, ' ');
  return `\x1b]2;${title} ${view.state}\x07\x1b[H${lines.map((line) => `${line}\x1b[K\r\n`).join('')}\x1b[J> ${draft}`;
}

/** A step has no control characters: `\e[32m` in its text stands for a colour. */
const coloured = (text: string) => text.replace(/\\e\[([\d;]*)m/g, '\x1b[$1m');

import { clean } from '../../platform/strip-controls.ts';
import type { Issue } from './forge.ts';

/** Longer texts are cut: an agent's window is not for a forge's longest logs. */
const MOST = 20_000;
const MOST_TITLE = 200;
const NAMES_NEEDED = /\b(?:depends[ -]+on|blocked[ -]+by|needs|after)\b:?((?:[\s,]|\band\b|#\d+)+)/gi;

/** A task as it can be made of an issue. */
export interface IssueTask {
  readonly title: string;
  readonly body: string;
  /** The numbers of the issues that it waits for. */
  readonly needs: readonly number[];
}

/** The task that an issue asks for. Its author is named, because what they wrote is not the person's word. */
export function taskOf({ number, title, body, author, url }: Issue): IssueTask {
  const line = clean(title).replace(/\s+/g, ' ').trim();
  const text = clean(body).trim();
  const cut = text.length > MOST ? `${text.slice(0, MOST).toWellFormed()}\n\n(cut here: the issue has ${text.length} letters)` : text;
  return {
    title: line.slice(0, MOST_TITLE).toWellFormed() || `Issue ${number}`,
    body: [`Issue #${number} by ${clean(author)}: ${url}`, cut].filter((part) => part !== '').join('\n\n'),
    needs: neededBy(text).filter((one) => one !== number),
  };
}

/** The issues that a text says it depends on: `depends on #3, #4 and #5`. Code is not read. */
function neededBy(text: string): number[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  const numbers = [...prose.matchAll(NAMES_NEEDED)].flatMap(([, list]) => [...list!.matchAll(/#(\d{1,9})/g)].map(([, n]) => Number(n)));
  return [...new Set(numbers)];
}

/** Puts issues after those of them that they need; in a circle, and else, the order stays. */
export function inOrder<T extends { readonly number: number; readonly needs: readonly number[] }>(all: readonly T[]): T[] {
  const byNumber = new Map(all.map((one) => [one.number, one]));
  const [done, open, ordered] = [new Set<number>(), new Set<number>(), [] as T[]];
  const visit = (one: T) => {
    if (done.has(one.number) || open.has(one.number)) return;
    open.add(one.number);
    for (const need of one.needs) if (byNumber.has(need)) visit(byNumber.get(need)!);
    open.delete(one.number);
    done.add(one.number);
    ordered.push(one);
  };
  for (const one of all) visit(one);
  return ordered;
}

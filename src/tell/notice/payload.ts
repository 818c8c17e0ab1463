import { redact } from '../../platform/redact.ts';
import { visible } from '../../platform/visible.ts';
import type { Item, ItemWork } from './rule.ts';
import type { Words } from './words.ts';

export const SHAPES = ['generic', 'slack', 'ntfy'] as const;
type Shape = (typeof SHAPES)[number];

interface Message extends Words {
  /** The same for each time that this message is sent: a receiver that knows it already leaves it out. */
  readonly key: string;
  readonly farm: string;
  readonly items: readonly Item[];
  /** The address of the page, without a token; left out while the page is not open. */
  readonly page?: string | undefined;
}

/** The body of a POST, and its headers. */
interface Payload {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** A message as the receiver of a webhook wants it. Pure. */
export function payloadOf(shape: Shape, message: Message): Payload {
  const { key, title, lines } = message;
  const own = { 'idempotency-key': key };
  switch (shape) {
    case 'generic':
      return { headers: { ...JSON_HEADERS, ...own }, body: JSON.stringify(generic(message)) };
    case 'slack': {
      const text = [`*${forSlack(title)}*`, ...lines.map(forSlack)].join('\n');
      return { headers: { ...JSON_HEADERS, ...own }, body: JSON.stringify({ text }) };
    }
    case 'ntfy':
      return {
        headers: { 'content-type': 'text/plain; charset=utf-8', ...own, title: forHeader(title), tags: 'seedling' },
        body: lines.length > 0 ? lines.join('\n') : title,
      };
    default:
      return shape satisfies never;
  }
}

function generic({ key, farm, title, lines, items, page }: Message) {
  return {
    key,
    farm,
    title,
    text: lines.join('\n'),
    items: items.map(({ id, kind, subject, text, at, question, work }) => ({
      id,
      kind,
      subject: plain(subject),
      text: plain(text),
      since: new Date(at).toISOString(),
      work: work ? shownWork(work) : null,
      /** The card of it; a browser in which the page is open is signed in already. */
      link: page !== undefined && question !== undefined ? `${page}/#/overview/${question}` : null,
    })),
  };
}

const shownWork = ({ task, title, agent, attempt, commit, change = null, checks }: ItemWork) => ({
  task: plain(task),
  title: plain(title),
  agent,
  attempt,
  commit,
  change,
  checks: checks.map(({ name, outcome }) => ({ name: plain(name), outcome })),
});

const MOST = 2000;
const plain = (text: string) => visible(redact(text)).slice(0, MOST).toWellFormed();

/** Slack reads `<…>` as links and mentions of people. */
const forSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A header may only have ASCII; other text is encoded by RFC 2047. */
const forHeader = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${btoa(utf8(text))}?=`);
const utf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

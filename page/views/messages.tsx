import { useMemo, useState } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { type Block, blocksOf } from '../../src/tell/face/thread.ts';
import { useCall, useControl, useEvents, useView } from '../link/use-farm.ts';
import { Asks, Reply } from '../parts/asks.tsx';
import { Compose } from '../parts/compose.tsx';
import { Jobs } from '../parts/jobs.tsx';
import { useAct } from '../shell/act.ts';
import { useKeys } from '../shell/keys.ts';
import { go, href, type ViewProps } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import '../style/messages.css';

type Message = Out<'messages'>['messages'][number];

interface Thread {
  readonly id: string;
  readonly messages: readonly Message[];
  /** A question in it waits for a person. */
  readonly open: boolean;
}

const HUMAN = 'human';

/** Conversations between agents and people, with their receipts, and jobs. */
export function Messages({ rest }: ViewProps) {
  const events = useEvents();
  const control = useControl();
  const waiting = useView((view) => view.status.inbox);
  const act = useAct();
  const [writing, setWriting] = useState(false);
  const last = useMemo(() => events.findLast(({ kind }) => /^(message|job|question)\./.test(kind))?.seq, [events]);
  const { data, error } = useCall('messages', {}, last);
  const threads = useMemo(() => threadsOf(data?.messages ?? []), [data]);
  const chosen = threads.find(({ id }) => id === rest) ?? threads[0];
  const step = (by: number) => {
    const to = threads[(chosen ? threads.indexOf(chosen) : 0) + by];
    if (to) go('messages', to.id);
  };
  const read = () => void act('inbox', { take: true }, 'Your messages count as read.');
  useKeys('Messages', [
    { key: ']', says: 'the next conversation', run: () => step(1) },
    { key: '[', says: 'the conversation before', run: () => step(-1) },
    ...(control ? [{ key: 'w', says: 'write', run: () => setWriting(true) }] : []),
  ]);
  return (
    <div className="stack">
      <header className="row">
        <h1>Messages</h1>
        {waiting > 0 && <span className="tag warn">{waiting} for you</span>}
        <span className="grow" />
        {control && waiting > 0 && (
          <button type="button" onClick={read}>
            Mark as read
          </button>
        )}
        {control && (
          <button type="button" className="main" onClick={() => setWriting(true)} aria-keyshortcuts="w">
            <kbd>w</kbd> Write
          </button>
        )}
      </header>
      {writing && <Compose close={() => setWriting(false)} />}
      {error && !data && <p className="bad">{visible(error.message)}</p>}
      <Asks />
      <div className="talk">
        <nav className="panel" aria-label="Conversations">
          <ul>
            {threads.map((thread) => (
              <li key={thread.id}>
                <ThreadLink thread={thread} current={thread === chosen} />
              </li>
            ))}
          </ul>
          {threads.length === 0 && <p className="muted">Nobody has written yet.</p>}
        </nav>
        {chosen ? <Conversation key={chosen.id} thread={chosen} /> : <p className="empty">Messages between agents and you appear here.</p>}
      </div>
      <Jobs when={last} />
    </div>
  );
}

function threadsOf(messages: readonly Message[]): Thread[] {
  const threads = [...Map.groupBy(messages, ({ thread }) => thread)].map(([id, some]) => ({
    id,
    messages: some.toSorted((a, b) => Number(a.id) - Number(b.id)),
    open: some.some(({ open, to }) => open && to === HUMAN),
  }));
  const newest = ({ messages: some }: Thread) => Date.parse(some.at(-1)!.at);
  return threads.sort((a, b) => Number(b.open) - Number(a.open) || newest(b) - newest(a));
}

function ThreadLink({ thread: { id, messages, open }, current }: { readonly thread: Thread; readonly current: boolean }) {
  const last = messages.at(-1)!;
  const people = [...new Set(messages.flatMap(({ from, to }) => [from, to]))];
  return (
    <a href={href('messages', id)} aria-current={current ? 'true' : undefined}>
      <span className="row">
        <strong className="grow cut">{people.map(visible).join(', ')}</strong>
        {open && <span className="tag warn">asks you</span>}
        <span className="muted">
          <Age at={last.at} />
        </span>
      </span>
      <span className="cut muted">{visible(last.body)}</span>
    </a>
  );
}

const RECEIPTS: Readonly<Partial<Record<Message['receipt'], string>>> = {
  seen: 'good',
  answered: 'good',
  dead: 'bad',
  expired: 'bad',
  unanswered: 'bad',
  declined: 'warn',
};

function Conversation({ thread: { messages } }: { readonly thread: Thread }) {
  const control = useControl();
  const act = useAct();
  const reply = (to: string, text: string, decline: boolean) =>
    void act('reply', { to, text, key: crypto.randomUUID(), ...(decline && { decline }) }, 'Your answer is on its way.');
  return (
    <section className="panel conversation" aria-label="Conversation">
      <ol className="stack">
        {blocksOf(messages).map(({ sent, copies }) => (
          <li key={sent.id} className={sent.from === HUMAN ? 'message own' : 'message'}>
            <div className="row">
              <strong>{visible(sent.from)}</strong>
              <span className="muted">to {copies.length > 1 ? `${copies.length} agents` : visible(sent.to)}</span>
              <span className="muted">{sent.kind}</span>
              <span className="grow" />
              <span className="row">
                {copies.length === 1 && <Receipt message={sent} />}
                <span className="muted">
                  <Age at={sent.at} />
                </span>
              </span>
            </div>
            <Body text={sent.body} />
            {copies.length === 1 && sent.reason && <p className="muted">{visible(sent.reason)}</p>}
            {copies.length > 1 && <Answers copies={copies} />}
            {control && sent.open && sent.to === HUMAN && <Reply send={(text, decline) => reply(sent.id, text, decline)} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

const Body = ({ text }: { readonly text: string }) => <pre>{text.split('\n').map(visible).join('\n')}</pre>;

const Receipt = ({ message: { receipt } }: { readonly message: Message }) => (
  <span className={`tag ${RECEIPTS[receipt] ?? ''}`}>{receipt}</span>
);

/** The answer of each of several receivers, or how far the message has come. */
function Answers({ copies }: Pick<Block, 'copies'>) {
  return (
    <ul className="answers" aria-label="Answers">
      {copies.map(({ message, answers }) => (
        <li key={message.id}>
          <div className="row">
            <a href={href('agents', message.to)}>{visible(message.to)}</a>
            <Receipt message={message} />
            {message.reason && <span className="muted">{visible(message.reason)}</span>}
          </div>
          {answers.map(({ id, body }) => (
            <Body key={id} text={body} />
          ))}
        </li>
      ))}
    </ul>
  );
}

import { useEffect, useRef, useState } from 'react';
import { subjectName } from '../../src/tell/face/subject-names.ts';
import type { Question } from '../../src/tell/face/view.ts';
import { type NextStep, stepsFor } from '../../src/work/question/next-step.ts';
import { useControl, useView } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { type Binding, useKeys } from '../shell/keys.ts';
import { go } from '../shell/route.ts';
import { askTrust } from '../shell/trust.tsx';
import { QuestionItem } from './question.tsx';
import { Read } from './read.tsx';
import { type Way, wayOf } from './steps.ts';
import { useOpen } from './unsent.tsx';

/** A key answers a question only after it was the chosen one for this long: the list may change under a finger. */
const SEEN_MS = 500;
const MOST = 30;

/** The one list of what needs a person, the most urgent first, to be answered in place. */
export function Attention({ card }: { readonly card: string }) {
  const attention = useView((view) => view.attention);
  const control = useControl();
  const [all, setAll] = useState(false);
  const { chosen, choose, since } = useChosen(attention);
  const { take, typing, unsent, reading, closeReading } = useSteps(control);
  useKeys(
    'What needs you',
    keysOf(attention, chosen, choose, control, (question, step) => performance.now() - since > SEEN_MS && take(question, step)),
  );
  const far = attention.findIndex(({ id }) => id === card) >= MOST;
  const shown = all || far ? attention : attention.slice(0, MOST);
  useEffect(() => {
    if (card === '') return;
    choose(card);
    cardOf(card)?.focus();
  }, [card, choose]);
  return (
    <section aria-label="What needs you">
      <h2>
        {attention.length === 0 ? 'Nothing needs you' : `${attention.length} ${attention.length === 1 ? 'needs' : 'need'} you`}
        {!control && attention.length > 0 && <span className="muted"> (this address can look and not answer)</span>}
      </h2>
      {card !== '' && !attention.some(({ id }) => id === card) && (
        <p className="muted">What this address was about does not need you any more.</p>
      )}
      <ul className="questions">
        {shown.map((question) => (
          <QuestionItem
            key={question.id}
            question={question}
            chosen={question.id === chosen?.id}
            control={control}
            typing={typing?.question === question.id ? stepsFor(question).find(({ key }) => key === typing.key) : undefined}
            unsent={unsent?.question.id === question.id ? unsent : undefined}
            choose={() => choose(question.id)}
            take={(step, text) => take(question, step, text)}
          />
        ))}
      </ul>
      {shown.length < attention.length && (
        <button type="button" onClick={() => setAll(true)}>
          {attention.length - shown.length} more
        </button>
      )}
      {reading && <Read what={reading.what} subject={reading.subject} close={closeReading} />}
    </section>
  );
}

const cardOf = (id: string) => document.getElementById(`question-${id}`);

/** The question that keys answer. It stays the same while the list changes around it. */
function useChosen(attention: readonly Question[]) {
  const [id, choose] = useState<string>();
  const place = useRef(0);
  // One that was answered makes room for the next: it stands at the same place.
  const found = attention.findIndex((one) => one.id === id);
  const at = found >= 0 ? found : Math.max(0, Math.min(place.current, attention.length - 1));
  const chosen = attention[at];
  const since = useRef({ id: '', at: 0 });
  if (since.current.id !== chosen?.id) since.current = { id: chosen?.id ?? '', at: performance.now() };
  useEffect(() => {
    place.current = at;
  }, [at]);
  // The first question stays chosen when a more urgent one arrives before it.
  const now = chosen?.id;
  useEffect(() => {
    if (id !== undefined && now !== undefined && id !== now) cardOf(now)?.scrollIntoView({ block: 'nearest' });
    choose(now);
  }, [id, now]);
  return { chosen, choose, since: since.current.at };
}

/** A choice that was made without a connection. */
interface Unsent {
  readonly question: Question;
  readonly step: NextStep;
  readonly text: string | undefined;
}

function useSteps(control: boolean) {
  const act = useAct();
  const open = useOpen();
  const [unsent, setUnsent] = useState<Unsent>();
  const [typing, setTyping] = useState<{ question: string; key: string }>();
  const [reading, setReading] = useState<Extract<Way, { how: 'read' }>>();
  async function take(question: Question, step: NextStep, text?: string): Promise<void> {
    if (!control && !step.looks) return;
    setUnsent(undefined);
    if (step.takes !== null && text === undefined)
      return setTyping((old) =>
        old?.question === question.id && old.key === step.key ? undefined : { question: question.id, key: step.key },
      );
    const way = wayOf(step, text ?? '');
    if (way.how === 'call' && !open) return setUnsent({ question, step, text });
    setTyping(undefined);
    if (way.how === 'go') go(way.view, way.rest);
    else if (way.how === 'read') setReading(way);
    else if (way.how === 'trust') await askTrust();
    else await act(way.call, way.args, `${subjectName(question)}: ${step.says}`);
  }
  return { take: (...of: Parameters<typeof take>) => void take(...of), typing, unsent, reading, closeReading: () => setReading(undefined) };
}

function keysOf(
  attention: readonly Question[],
  chosen: Question | undefined,
  choose: (id: string) => void,
  control: boolean,
  take: (question: Question, step: NextStep) => void,
): Binding[] {
  if (!chosen) return [];
  const move = (by: number) => {
    const to = attention[(attention.indexOf(chosen) + by + attention.length) % attention.length]!;
    choose(to.id);
    cardOf(to.id)?.focus();
  };
  return [
    { key: ']', says: 'the next question', run: () => move(1) },
    { key: '[', says: 'the question before', run: () => move(-1) },
    ...stepsFor(chosen)
      .filter((step) => control || step.looks)
      .map((step) => ({ key: step.key, says: `${step.says} (the chosen question)`, run: () => take(chosen, step) })),
  ];
}

import type { ScreenReading } from '../agent/driver.ts';
import type { AgentEvent, Source } from '../agent/event.ts';
import { hasFailed } from './derive.ts';
import { type Interventions, looksSince, nudgesSince, type Supervision } from './record.ts';
import {
  closeRequest,
  fold,
  foldHuman,
  foldScreen,
  foldTitle,
  heldUntil,
  relaunched,
  type Signals,
  withoutConversation,
} from './signals.ts';
import type { TurnDecision } from './turn-end.ts';

export type SupervisionStep =
  /** The agent said something of itself. `ends`: what ends an attempt of its kind. */
  | { readonly on: 'said'; readonly event: AgentEvent; readonly source: Source; readonly ends: 'exit' | 'turn'; readonly at: number }
  /** furrow answered the end of its turn with a text: another turn begins, and no agent tells of that. */
  | { readonly on: 'told'; readonly text: string; readonly at: number }
  /** furrow answered one of its requests; the state says so before the agent does. */
  | { readonly on: 'request-answered'; readonly request: string }
  /** The limit that it ran into named no time; this is when it is over. */
  | { readonly on: 'limited'; readonly until: number | undefined }
  /** The end of its turn was judged. */
  | { readonly on: 'turn-judged'; readonly decision: TurnDecision; readonly last: string; readonly at: number }
  /** A person typed in its window. */
  | { readonly on: 'typed'; readonly at: number }
  /** Its window was looked at; both are absent when it has none. */
  | { readonly on: 'looked'; readonly title?: TitleReading; readonly screen?: ScreenReading; readonly at: number }
  | { readonly on: 'nudged'; readonly at: number }
  /** It was told to go on after a failed turn. */
  | { readonly on: 'continued'; readonly at: number }
  /** A person was asked about it. */
  | { readonly on: 'asked'; readonly condition: string; readonly at: number }
  /** It works again after a failed turn. */
  | { readonly on: 'recovered' }
  /** The question about it is closed, for it works again. */
  | { readonly on: 'settled' }
  | { readonly on: 'process-ended'; readonly halted: boolean; readonly at: number }
  /** Its process is about to be started again. Said before it is: what the new one says counts from its first word. */
  | { readonly on: 'process-starts'; readonly sameConversation: boolean; readonly at: number }
  /** The new process could not go on with the conversation, and has begun another. */
  | { readonly on: 'conversation-lost' };

type TitleReading = { readonly reading: Pick<ScreenReading, 'state' | 'detail'> | undefined };

/** The record after a step, or `undefined` when the step does not apply. Every change of a record goes through here. */
export function step(record: Supervision, event: SupervisionStep): Supervision | undefined {
  const hear = (signals: Signals): Supervision => ({ ...record, signals });
  const did = (change: Partial<Interventions>): Supervision => ({ ...record, interventions: { ...record.interventions, ...change } });
  const { signals, interventions } = record;
  switch (event.on) {
    case 'said':
      return said(record, event);
    case 'told':
      return hear(fold(signals, { on: 'prompt', text: event.text }, 'hook', event.at));
    case 'request-answered':
      return hear(closeRequest(signals, event.request));
    case 'limited':
      return hear(heldUntil(signals, event.until));
    case 'turn-judged':
      return judged(record, event);
    case 'typed':
      return hear(foldHuman(signals, event.at));
    case 'looked':
      return { ...did({ looks: looksSince(record) + 1, lookedAt: event.at }), signals: seen(signals, event) };
    case 'nudged':
      return did({ nudges: nudgesSince(record) + 1, nudgedAt: event.at });
    case 'continued':
      return did({ continues: interventions.continues + 1, continuedAt: event.at });
    case 'asked':
      return did({ askedFor: event.condition, askedAt: event.at });
    case 'recovered':
      return interventions.continues > 0 ? did({ continues: 0, continuedAt: null }) : undefined;
    case 'settled':
      return interventions.askedFor === null ? undefined : did({ askedFor: null, askedAt: null });
    case 'process-ended':
      return record.ended ? undefined : { ...record, ended: { at: event.at, halted: event.halted } };
    case 'process-starts':
      return { ...record, signals: relaunched(signals, event.at, event.sameConversation), turn: null, ended: null };
    case 'conversation-lost':
      return signals.lastAt > signals.startedAt ? undefined : hear(withoutConversation(signals));
    default:
      return event satisfies never;
  }
}

type Of<On extends SupervisionStep['on']> = Extract<SupervisionStep, { on: On }>;

function said(record: Supervision, { event, source, ends, at }: Of<'said'>): Supervision | undefined {
  // An agent that ends with its turn also reports its end after a failure; the failure is what people must see.
  if (event.on === 'closed' && ends === 'exit' && hasFailed(record.signals, at)) return undefined;
  // A new turn voids the decision at the end of the last one.
  return { ...record, signals: fold(record.signals, event, source, at), turn: event.on === 'prompt' ? null : record.turn };
}

function judged(record: Supervision, { decision, last, at }: Of<'turn-judged'>): Supervision {
  const { interventions } = record;
  const reminders = interventions.reminders + (decision.do === 'go-on' && decision.why === 'reminder' ? 1 : 0);
  return { ...record, turn: { ...decision, at, last }, interventions: { ...interventions, reminders } };
}

/** A look only adds to what was heard. */
function seen(signals: Signals, { title, screen, at }: Of<'looked'>): Signals {
  const titled = title ? foldTitle(signals, title.reading, at) : signals;
  return screen ? foldScreen(titled, screen, at) : titled;
}

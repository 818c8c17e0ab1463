import { useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { evidenceOf } from '../../src/tell/face/evidence.ts';
import { filesText } from '../../src/tell/face/subject-names.ts';
import type { Question } from '../../src/tell/face/view.ts';
import { type NextStep, stepsFor } from '../../src/work/question/next-step.ts';
import { href } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import { Answer } from './answer.tsx';
import { TaskLink } from './task-name.tsx';
import { Unsent } from './unsent.tsx';

const LEVELS: Readonly<Record<Question['level'], string>> = { farm: 'bad', agent: 'warn', landing: 'live', task: 'warn', upkeep: '' };
const MANY_LINES = 12;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });

interface QuestionProps {
  readonly question: Question;
  readonly chosen: boolean;
  readonly control: boolean;
  /** The step whose text is being typed. */
  readonly typing: NextStep | undefined;
  /** A choice that could not be sent. */
  readonly unsent: { readonly step: NextStep; readonly text: string | undefined } | undefined;
  readonly choose: () => void;
  readonly take: (step: NextStep, text?: string) => void;
}

/** One thing that needs a person: what it is, the evidence, and the answers that make sense. */
export function QuestionItem({ question, chosen, control, typing, unsent, choose, take }: QuestionProps) {
  const { id, level, kind, subject, since, expires, output } = question;
  const { lines, input, folder, rules, graph } = evidenceOf(question);
  const steps = stepsFor(question).filter((step) => control || step.looks);
  return (
    <li>
      <article
        id={`question-${id}`}
        className={chosen ? 'question chosen' : 'question'}
        aria-label={`${kind}: ${visible(subject)}`}
        tabIndex={-1}
        onFocus={choose}
      >
        <header className="row">
          <span className={`tag ${LEVELS[level]}`}>{level}</span>
          <strong className="grow about">
            <About question={question} />
          </strong>
          <span className="muted">
            <Age at={since} />
            {expires && `, ${kind === 'permission' ? 'denied' : 'closed'} at ${clock.format(new Date(expires))}`}
          </span>
        </header>
        <Facts question={question} />
        <Lines lines={lines} mono={kind === 'permission'} />
        {input.length > 0 && <Lines lines={input} mono />}
        {graph.length > 0 && <pre className="quote">{graph.join('\n')}</pre>}
        {output && (
          <figure>
            <figcaption className="bad">
              {visible(output.check)} failed{output.detail && ` (${visible(output.detail)})`}
            </figcaption>
            <Lines lines={output.lines.map(visible)} mono />
            <code className="muted">{visible(output.path)}</code>
          </figure>
        )}
        {folder && (
          <p className="muted">
            in <code>{folder}</code>
          </p>
        )}
        {rules && <p className="muted">{rules}</p>}
        <Answer steps={steps} typing={typing} take={take} />
        {unsent && <Unsent says={unsent.step.says} send={() => take(unsent.step, unsent.text)} />}
      </article>
    </li>
  );
}

/** The task by its title, which leads to it; else the part of the farm. */
function About({ question: { kind, subject, work } }: { readonly question: Question }) {
  if (kind === 'queue') return 'queue halted';
  if (!work) return visible(subject);
  return <TaskLink task={work.task} title={work.title} />;
}

const VERDICTS = { passed: 'good', failed: 'bad', open: '' } as const;

/** Its kind, who did the work, how large the change is and what its checks say, in one line. */
function Facts({ question: { kind, agent, work } }: { readonly question: Question }) {
  const by = work?.agent ?? agent;
  const change = work?.change;
  return (
    <p className="facts muted">
      <span>{kind}</span>
      {by && (
        <span>
          <a href={href('agents', by)}>{visible(by)}</a>
          {work?.attempt && `, attempt ${work.attempt}`}
        </span>
      )}
      {change?.files === 0 && <span>nothing changed</span>}
      {work && change && change.files > 0 && (
        <a href={href('changes', work.task)} title={change.paths.map(visible).join('\n')}>
          <span className="good">+{change.added}</span> <span className="bad">−{change.removed}</span> in {filesText(change.files)}
        </a>
      )}
      {work?.checks.map(({ name, outcome }) => (
        <span key={name} className={`tag ${VERDICTS[outcome]}`}>
          {visible(name)} {outcome === 'open' ? 'not decided yet' : outcome}
        </span>
      ))}
    </p>
  );
}

/** Long texts show their beginning, and all of it after one press. */
function Lines({ lines, mono = false }: { readonly lines: readonly string[]; readonly mono?: boolean }) {
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, MANY_LINES);
  return (
    <>
      <pre className={mono ? 'quote' : 'words'}>{shown.join('\n')}</pre>
      {shown.length < lines.length && (
        <button type="button" className="quiet" onClick={() => setAll(true)}>
          {lines.length - shown.length} more lines
        </button>
      )}
    </>
  );
}

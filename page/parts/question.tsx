import { useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { evidenceOf } from '../../src/tell/face/evidence.ts';
import type { Question } from '../../src/tell/face/view.ts';
import { type NextStep, stepsFor } from '../../src/work/question/next-step.ts';
import { href } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import { Answer } from './answer.tsx';
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
  const { id, level, kind, subject, agent, since, expires, output } = question;
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
          <strong className="cut">{kind === 'queue' ? 'queue halted' : visible(subject)}</strong>
          <span className="muted">
            {kind}
            {agent && agent !== subject && (
              <>
                {' of '}
                <a href={href('agents', agent)}>{visible(agent)}</a>
              </>
            )}
          </span>
          <span className="grow" />
          <span className="muted">
            <Age at={since} />
            {expires && `, ${kind === 'permission' ? 'denied' : 'closed'} at ${clock.format(new Date(expires))}`}
          </span>
        </header>
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

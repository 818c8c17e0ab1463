import { useEffect, useState } from 'react';
import type { NextStep } from '../../src/work/question/next-step.ts';

interface AnswerProps {
  readonly steps: readonly NextStep[];
  readonly typing: NextStep | undefined;
  readonly take: (step: NextStep, text?: string) => void;
}

/** The answers as buttons with their keys; one that takes a text opens a field first. */
export function Answer({ steps, typing, take }: AnswerProps) {
  const [text, setText] = useState('');
  // What was typed is kept until it is sent.
  useEffect(() => {
    if (!typing) setText('');
  }, [typing]);
  if (steps.length === 0) return null;
  return (
    <>
      <div className="row">
        {steps.map((step) => (
          <button
            key={step.key}
            type="button"
            className={step.looks ? 'quiet' : ''}
            aria-keyshortcuts={step.key}
            aria-expanded={step.takes === null ? undefined : typing === step}
            onClick={() => take(step)}
          >
            <kbd>{step.key}</kbd> {step.says}
          </button>
        ))}
      </div>
      {typing && (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() === '') return;
            take(typing, text);
          }}
        >
          <input
            className="grow"
            // The field was opened to be typed into.
            ref={(field) => field?.focus()}
            aria-label={typing.says}
            placeholder={typing.takes?.replaceAll('"', '').toLowerCase()}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit" className="main" disabled={text.trim() === ''}>
            Send
          </button>
        </form>
      )}
    </>
  );
}

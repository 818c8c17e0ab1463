import { useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { useView } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';

const HOW = { notify: 'Tell', ask: 'Ask', jobSend: 'Send a job' } as const;
type How = keyof typeof HOW;

/** A new message to an agent or to all: something to know, a question, or a job. */
export function Compose({ close }: { readonly close: () => void }) {
  const agents = useView((view) => view.agents);
  const act = useAct();
  const [how, setHow] = useState<How>('notify');
  const [to, setTo] = useState(agents[0]?.name ?? '');
  const [text, setText] = useState('');
  const send = async () => {
    const said = `${HOW[how]} ${to}: sent.`;
    // Chosen once a message: sent again after a lost connection it is still one.
    const key = crypto.randomUUID();
    const sent = await (how === 'notify' && to === '@all'
      ? act('broadcast', { to, text, key }, said)
      : how === 'notify'
        ? act('notify', { to, text, key }, said)
        : how === 'ask'
          ? act('ask', { to, text, key }, said)
          : act('jobSend', { to, text, key }, said));
    if (!sent) return;
    setText('');
    close();
  };
  return (
    <form
      className="panel compose"
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="row">
        <label>
          <span className="hidden">Kind of message</span>
          <select value={how} onChange={(event) => setHow(event.target.value as How)}>
            {Object.entries(HOW).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className="hidden">To</span>
          <select value={to} onChange={(event) => setTo(event.target.value)}>
            {agents.map(({ name }) => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
            {how === 'notify' && <option value="@all">all agents</option>}
          </select>
        </label>
      </div>
      <textarea
        ref={(field) => field?.focus()}
        rows={3}
        aria-label="Text"
        placeholder="What to say"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '') void send();
        }}
      />
      <div className="row">
        <button type="submit" className="main" disabled={text.trim() === '' || to === ''}>
          Send
        </button>
        <button type="button" onClick={close}>
          Leave it
        </button>
        {agents.length === 0 && <span className="muted">There are no agents yet.</span>}
      </div>
    </form>
  );
}

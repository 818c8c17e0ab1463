import type { AgentCall, CallAnswer } from '../../hosts/link/frames.ts';
import type { AnswerCall } from './hosts.ts';
import type { Member } from './member.ts';

/** Calls whose answers may have been lost with a line. */
const MOST = 500;

/** The calls of agents on other machines. One that comes again, because the line was cut, gets the answer of the first time. */
export class AgentCalls {
  readonly #answer: AnswerCall;
  readonly #made = new Map<string, Promise<CallAnswer>>();

  constructor(answer: AnswerCall) {
    this.#answer = answer;
  }

  async make(member: Member, call: AgentCall): Promise<void> {
    const { life, seq } = call;
    const key = `${member.row.name} ${life} ${seq}`;
    const answered = this.#made.get(key) ?? this.#answered(member.row.name, call);
    this.#made.set(key, answered);
    if (this.#made.size > MOST) this.#made.delete(this.#made.keys().next().value!);
    const answer = await answered;
    member.tell(answer);
  }

  #answered(host: string, call: AgentCall): Promise<CallAnswer> {
    const { life, seq } = call;
    return this.#answer(host, call).then(
      (answer): CallAnswer => ({ tell: 'answer', life, seq, ...answer }),
      (error: Error): CallAnswer => ({ tell: 'answer', life, seq, error: { code: 'BUG', message: error.message } }),
    );
  }
}

import { writeFile } from 'node:fs/promises';
import { findAgent, readAgent } from '../../agent/store.ts';
import { advanceAttempt, readAttempt } from '../../attempt/store.ts';
import type { RelaunchArgs, Relaunched } from '../../farm/acts/attempt.ts';
import { attemptFiles, attemptMarker, type Farm, startName } from '../../farm/farm.ts';
import { agentEnvironment } from '../../host/agent-environment.ts';
import { handOff, isWrittenDown } from '../../host/agents/hand-off.ts';
import { startProcess } from '../../host/agents/launch.ts';
import { removeTemporary } from '../../host/agents/temporary.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { settleAttempt } from '../../leader/attempt/settle-attempt.ts';
import { FurrowError } from '../../platform/error.ts';
import { readIfThere } from '../../platform/files.ts';
import { identify } from '../../platform/process/identity.ts';
import { killTree } from '../../platform/process/kill.ts';
import { closeAgentQuestions } from '../../question/store.ts';
import { advanceSupervision, supervisionOf } from '../../supervision/store.ts';
import { splitRef } from '../../task/id.ts';

/** Starts the process of an attempt once more, in the same worktree: after a crash, or with a conversation that is full. */
export function attemptRelaunch(farm: Farm, forget: (attempt: number) => void): Act<RelaunchArgs, Relaunched> {
  const { db, places } = farm;
  const rowOf = (args: RelaunchArgs) => readAttempt(db, args.attempt);

  return {
    kind: 'attempt.relaunch',

    async begin(tx, args) {
      const relaunched = { on: 'relaunched', launch: args.launch } as const;
      if (await advanceAttempt(tx, args.attempt, relaunched, { pid: null, pid_start: null })) return;
      throw new FurrowError('STALE', `attempt ${args.attempt} was already relaunched, or has ended`);
    },

    async probe(args) {
      const row = await rowOf(args);
      const noted = await readIfThere(attemptFiles(places, row.agent, row.id, args.launch).pid);
      if (!noted?.trim()) return undefined;
      const pid = Number(noted);
      const script = `run/${startName(row.id, args.launch)}.sh`;
      const pane = (await farm.terminals.panes())?.find((p) => p.pid === pid && !p.dead && p.command.includes(script));
      return { pid, start: pane ? (identify(pid)?.start ?? '') : '' };
    },

    async run(args) {
      const row = await rowOf(args);
      const agent = await readAgent(db, row.agent);
      // What is left of the last start, and of this one if a daemon died in the middle of it.
      const killed = await killTree({ root: undefined, marker: attemptMarker(farm, row.id) }, 0);
      if (killed.survivors.length > 0) throw new FurrowError('SURVIVORS', `processes of attempt ${row.n} cannot be ended`);
      const signals = (await supervisionOf(db, row.id))?.signals;
      const env = agentEnvironment(farm, row, row.id, agent.idx, agent.port, args.launch);
      const known = args.how === 'resume' ? signals?.session : undefined;
      const resume = (await isWrittenDown(signals?.transcriptPath)) ? known : undefined;
      try {
        const prompt = await handOff(farm, row, agent, args, resume !== undefined);
        const started = await startProcess(farm, { row, agent, env, prompt, resume });
        return known === resume ? started : { ...started, forgotten: true };
      } catch (error) {
        await writeFile(attemptFiles(places, row.agent, row.id, args.launch).pid, '', { flag: 'wx' }).catch(() => {});
        await killTree({ root: undefined, marker: attemptMarker(farm, row.id) }, 0);
        await removeTemporary(farm, row.id);
        throw error;
      }
    },

    async finish(tx, args, result, now) {
      const row = await advanceAttempt(tx, args.attempt, { on: 'started' }, { pid: result.pid, pid_start: result.start });
      if (!row) return;
      const resumed = args.how === 'resume' && !result.forgotten;
      const started = { on: 'process-started', sameConversation: resumed, at: farm.clock.awake() } as const;
      await advanceSupervision(tx, args.attempt, started, now);
      // What its old process waited for nobody waits for now; what the agent asked of a person it still wants to know.
      await closeAgentQuestions(tx, row.agent, 'its process was relaunched', now, ['permission', 'question']);
      forget(args.attempt);
      const { id } = splitRef(row.task);
      await append(
        tx,
        {
          kind: 'attempt.relaunched',
          agent: row.agent,
          task: row.task,
          attempt: row.n,
          text: `${row.agent} goes on with ${id}, attempt ${row.n}, ${resumed ? 'in the same conversation' : 'in a new conversation'}: ${args.why}`,
          data: { launch: args.launch, how: resumed ? 'resume' : 'fresh', pid: result.pid },
        },
        now,
      );
    },

    async failed(tx, args, error, now) {
      const row = await tx.selectFrom('attempt').select(['id', 'agent']).where('id', '=', args.attempt).executeTakeFirstOrThrow();
      const agent = await findAgent(tx, row.agent);
      const outcome = agent?.state === 'stopping' ? 'stopped' : 'crashed';
      await settleAttempt(tx, farm, row.id, { outcome, reason: `could not resume: ${error.message}`, sha: null, kept: null }, now);
    },
  };
}

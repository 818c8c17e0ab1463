import { parse } from 'yaml';
import type { ProjectFacts } from './facts.ts';
import { programsOf } from './proposal.ts';

/** The command lines of one job of the project's own continuous integration, in order. */
export type Job = readonly string[];

/** Jobs of the GitHub workflows: the project's own account of what must be done in a fresh clone before its tests run. */
export function jobsOf(facts: ProjectFacts): Job[] {
  const files = facts.paths.filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path));
  return files.flatMap((path) => jobsIn(facts.read(path) ?? ''));
}

interface Workflow {
  readonly jobs?: Readonly<Record<string, { readonly steps?: readonly { readonly run?: unknown }[] } | null>>;
}

function jobsIn(text: string): Job[] {
  try {
    const { jobs } = parse(text, { logLevel: 'silent' }) as Workflow;
    return Object.values(jobs ?? {}).map((job) =>
      (Array.isArray(job?.steps) ? job.steps : []).flatMap((step) => (typeof step?.run === 'string' ? linesOf(step.run) : [])),
    );
  } catch {
    return [];
  }
}

const linesOf = (run: string): string[] =>
  run
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

const TESTS = /\b(c?test|tests|spec|check|verify|pytest|tox|nox|rake|rspec)\b/;

/** The command lines of CI that seem to test something. What an expression of the workflow completes is left out. */
export const testLines = (facts: ProjectFacts): string[] =>
  jobsOf(facts)
    .flat()
    .filter((line) => TESTS.test(line) && !line.includes('${{'));

/** True when CI tests with one of these programs. */
export const testsWith = (facts: ProjectFacts, tools: RegExp): boolean =>
  testLines(facts).some((line) => programsOf(line).some((program) => tools.test(program.slice(program.lastIndexOf('/') + 1))));

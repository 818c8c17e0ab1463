import { fileURLToPath } from 'node:url';
import type { Driver } from '../driver.ts';
import { shellQuote } from '../script.ts';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const program = fileURLToPath(new URL(`../scripted/main.${extension}`, import.meta.url));

/** The agent of the demo and the tests: a real program that follows the steps written in its task. */
export const scripted: Driver = {
  name: 'scripted',
  commits: 'auto',
  commandLine: () => `exec ${shellQuote(process.execPath)} ${shellQuote(program)}`,
};

import { fileURLToPath } from 'node:url';

/** Names the built window agent to the workers of a test run; storms and benches start it from its sources. */
export const BUNDLE = 'FURROW_TEST_WINDOW';

/** Names the folder in which all processes of a test run keep their compiled code. */
export const COMPILED = 'FURROW_TEST_COMPILED';

const source = fileURLToPath(new URL('window-agent/main.ts', import.meta.url));

/** Names the program that stands for an agent in a window to the driver `scripted`: it is the tests', and in no package. */
export const WINDOW_AGENT = { FURROW_SCRIPTED_WINDOW: process.env[BUNDLE] ?? source };

/** The command of a process that is such an agent. */
export const isWindowAgent = (command: string) => /window-agent\/main\.(ts|cjs)$/.test(command);

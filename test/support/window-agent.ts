import { fileURLToPath } from 'node:url';

/** Names the program that stands for an agent in a window to the driver `scripted`: it is the tests', and in no package. */
export const WINDOW_AGENT = { FURROW_SCRIPTED_WINDOW: fileURLToPath(new URL('window-agent/main.ts', import.meta.url)) };

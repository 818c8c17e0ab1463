import { isExecutable } from '../../src/platform/on-path.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Chromium of this machine; the variable names another one. */
export const CHROMIUM = process.env['CHROMIUM'] ?? PLACES.find(isExecutable) ?? '/usr/bin/chromium';

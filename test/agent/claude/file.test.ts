import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { remembers, usualFile } from '../../../src/agent/drivers/claude/file.ts';
import { place, recorded } from './support.ts';

it('a conversation is remembered once something that was said in it is written down', async () => {
  await using here = await place();
  const request = here.request();
  const file = (await usualFile(request))!;
  expect(await remembers(request, undefined)).toBe(false);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"type":"mode","mode":"normal"}\n');
  expect(await remembers(request, undefined)).toBe(false);
  await writeFile(file, recorded('conversation.jsonl'));
  expect(await remembers(request, undefined)).toBe(true);
  // What a hook has told is believed before custom.
  expect(await remembers(request, join(here.base, 'elsewhere.jsonl'))).toBe(false);
});

it('where it cannot be known, it is tried', async () => {
  await using here = await place();
  expect(await remembers(here.request({ worktree: join(here.base, 'x'.repeat(250)) }), undefined)).toBe(true);
});

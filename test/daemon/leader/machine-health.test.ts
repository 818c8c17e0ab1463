import { expect, it } from 'vitest';
import { type MachineFacts, machineProblems } from '../../../src/daemon/farm/health.ts';
import { followHealth } from '../../../src/daemon/leader/health.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { newStore } from '../../support/store.ts';

const WELL: MachineFacts = {
  freeBytes: 9 * 1024 ** 3,
  home: '/app.furrow',
  missing: [],
  isolation: { level: 'guard', why: null },
  isolationOff: false,
  waiting: [],
};
const UNFENCED = { level: 'none', why: 'bwrap is missing' } as const;
const subjects = (facts: Partial<MachineFacts>, had = true) => machineProblems({ ...WELL, ...facts }, had).map(({ subject }) => subject);

it('finds a disk that is nearly full, a program that is gone, and a fence that was there before', () => {
  expect(subjects({})).toEqual([]);
  expect(subjects({ freeBytes: 1024 ** 3 - 1 })).toEqual(['disk']);
  expect(subjects({ missing: ['tmux'] })).toEqual(['programs']);
  expect(subjects({ waiting: ['.git/packed-refs (a named pipe)'] })).toEqual(['git']);
  expect(subjects({ isolation: UNFENCED })).toEqual(['isolation']);
  expect(subjects({ isolation: UNFENCED }, false), 'it never had one').toEqual([]);
  expect(subjects({ isolation: UNFENCED, isolationOff: true }), 'the configuration wants none').toEqual([]);
});

it('asks once, and no more when it is well again', async () => {
  await using store = await newStore();
  const farm = { db: store.db, clock: { now: () => 1000, awake: () => 1000 } };
  const open = async () => (await openQuestions(store.db)).map(({ kind, subject }) => `${kind} ${subject}`);
  await followHealth(farm, WELL);
  const bad = { ...WELL, freeBytes: 0, isolation: UNFENCED };
  await followHealth(farm, bad);
  await followHealth(farm, bad);
  expect(await open()).toEqual(['doctor disk', 'doctor isolation']);
  await followHealth(farm, { ...WELL, freeBytes: 0 });
  expect(await open()).toEqual(['doctor disk']);
  await followHealth(farm, WELL);
  expect(await open()).toEqual([]);
});

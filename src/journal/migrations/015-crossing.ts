/** Messages that go to another farm of this machine, or come from one. */
export const crossing: readonly string[] = [
  `alter table message add column far text`,
  `create index message_far on message (far) where far is not null`,
  `create index message_crossing on message (id) where far is not null and ended is null`,
];

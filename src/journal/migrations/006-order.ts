/** The order in which tasks came to the board: lists show it, and no engine promises to find rows in the order of their insertion. */
export const order = [
  `alter table task add column seq integer not null default 0`,
  `update task set seq = rowid`,
  `create index task_seq on task (seq)`,
];

/** Several tries at one task. */
export const races: readonly string[] = [
  `alter table task add column race text`,
  // Their files are read again for the races that they name.
  `update task set hash = '' where standing = 'open'`,
  `create table race (id integer primary key, task text not null, token integer not null, state text not null, first integer not null,
     deadline integer, judge text, picked integer, winner integer, outcome text, why text, at integer not null, ended integer)`,
  `create index race_open on race (state) where state <> 'ended'`,
  `create index race_task on race (task)`,
  `create table entrant (race integer not null, n integer not null, ref text not null, kind text, state text not null, agent text, sha text,
     tree text, "commit" text, lines integer, reason text, at integer not null, ended integer, primary key (race, n))`,
];

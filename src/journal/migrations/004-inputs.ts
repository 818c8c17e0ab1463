/** The farm's inputs as stored facts: which target, which configuration, which checks, and what became of a landing. */
export const inputs = [
  `create table config_version (id integer primary key, at integer not null, source text not null, "commit" text, hash text not null, text text not null,
     checks text not null)`,
  `alter table attempt add column target text`,
  `alter table attempt add column settings text`,
  `alter table entry add column target text`,
  `alter table entry add column checks text`,
  `alter table landing add column checks text`,
  `alter table landing add column removed integer`,
  `alter table task add column missing integer`,
  `alter table task add column updated integer not null default 0`,
  `alter table task add column newest integer not null default 0`,
  `create index landing_commit on landing ("commit")`,
  `create index task_doubtful on task (ref) where standing = 'landed' and status not in ('done', 'archived')`,
];

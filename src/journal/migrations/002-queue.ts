/** The queue with several slots and batches: what each entry asks for, what ran beside what, the steps of a landing, reverts. */
export const queue = [
  `alter table entry add column priority integer`,
  `alter table entry add column keep integer not null default 1`,
  `alter table entry add column paths text`,
  `alter table check_run add column beside integer not null default 1`,
  `alter table check_run add column stage text not null default 'queue'`,
  `alter table landing add column steps text not null default '[]'`,
  `create table revert (id integer primary key, step text not null, task text not null, entry integer, "check" text not null, report text not null,
     at integer not null, reopened integer)`,
];

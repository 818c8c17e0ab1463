/** Errands, which the farm itself asks an agent to do: no file on the board, and nothing lands by itself. */
export const errands: readonly string[] = [
  `alter table task add column purpose text not null default 'work'`,
  `alter table task add column not_by text`,
  `create table errand (
     ref text primary key,
     about text,
     brief text,
     base text,
     result text
   )`,
  `create index errand_about on errand (about)`,
];

/** Reviews of entries by other agents, one row a review; and the word of a task file about them. */
export const reviews = [
  `alter table task add column review integer`,
  `create table review (
    id integer primary key autoincrement,
    task text not null,
    sha text not null,
    round integer not null,
    state text not null,
    kind text not null,
    errand text,
    reviewer text,
    requested integer not null default 0,
    told integer not null default 0,
    summary text,
    findings text not null default '[]',
    at integer not null,
    ended integer
  )`,
  `create index review_task on review (task, sha)`,
  `create index review_open on review (state)`,
];

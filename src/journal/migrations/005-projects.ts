/** A person's part in the work: which entries need their yes and have it, which tasks they took over, and which needed no change. */
export const projects = [
  `alter table entry add column land text`,
  `alter table entry add column approved integer`,
  `alter table task add column land text`,
  `alter table task add column taken text`,
  // The content that the verdict of a check with paths is about.
  `alter table check_run add column about text`,
  `create index check_run_about on check_run (about) where about is not null`,
  `alter table task add column unchanged text`,
  `alter table task add column claimed_by text`,
  `alter table task add column claimed_at integer not null default 0`,
  // Their files are read again for the claims that they name.
  `update task set hash = '' where standing = 'open'`,
  `alter table work add column preflight text`,
];

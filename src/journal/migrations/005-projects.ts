/** A person's part in the work: which entries need their yes and have it, which tasks they took over, and which needed no change. */
export const projects = [
  `alter table entry add column land text`,
  `alter table entry add column approved integer`,
  `alter table task add column land text`,
  `alter table task add column taken text`,
  `alter table task add column unchanged text`,
];

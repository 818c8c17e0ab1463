/** Notices: what a person was told, and by which channel. */
export const notices: readonly string[] = [
  `create table notice (id integer primary key, item text not null, channel text not null, state text not null, key text not null,
     subject text not null, text text not null, at integer not null, unique (item, channel))`,
  `create index notice_owed on notice (at) where channel = ''`,
];

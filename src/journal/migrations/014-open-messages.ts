/**
 * Open messages are found without reading what is over. Beside `message_to`, SQLite takes an index of what is open only when it matches one column more.
 */
export const openMessages: readonly string[] = [
  `drop index message_open`,
  `create index message_open on message (receiver, ended, id) where ended is null`,
  `create index message_asked on message (ask, id) where ask = 'open'`,
];

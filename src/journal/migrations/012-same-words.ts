/** The same words to many receivers, found by an index; what an attempt owes, too. */
export const sameWords: readonly string[] = [
  `alter table message add column words text`,
  `create index message_words on message (sender, words) where words is not null`,
  `drop index message_asks`,
  `create index message_asks on message (receiver, attempt) where ask = 'open'`,
  `create index job_with on job (attempt) where ended is null`,
];

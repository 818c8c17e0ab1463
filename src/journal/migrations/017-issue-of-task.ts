/** The issue that the text of a task came from. */
export const issueOfTask: readonly string[] = [`alter table task add column issue text`];

/** The model and the effort that a task asks for. */
export const modelOfTask: readonly string[] = [`alter table task add column model text`, `alter table task add column effort text`];

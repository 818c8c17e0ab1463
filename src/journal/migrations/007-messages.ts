/** Receipts, answers and deadlines of messages, and jobs. */
export const conversations: readonly string[] = [];

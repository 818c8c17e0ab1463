/** Leases on paths and on named resources. */
export const leases: readonly string[] = [];

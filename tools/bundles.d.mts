export const PROGRAMS: readonly string[];
export const LICENSES: string;

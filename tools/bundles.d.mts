export const PROGRAMS: readonly string[];
export const PARTS: readonly string[];
export const LICENSES: string;
export const TOP: string;

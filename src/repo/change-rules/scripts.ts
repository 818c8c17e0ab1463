/** Scripts that a package manager runs by itself. */
const BY_ITSELF = /^(pre|post)?(install|prepare|prepack|pack|publish|prepublish|prepublishOnly|uninstall)$/;

/** Other parts of a package.json that hold commands. */
const WITH_COMMANDS = ['husky', 'simple-git-hooks', 'lint-staged', 'pre-commit', 'gitHooks'];

/**
 * The names of the scripts and hooks that differ between two versions of a package.json. Versions of dependencies do not count. A new
 * package below the root naturally has scripts of its own: there only scripts that run by themselves count.
 */
export function changedScripts(path: string, before: string | undefined, after: string): string[] {
  const [old, now] = [commandsOf(before ?? '{}'), commandsOf(after)];
  if (!now) return ['(it is not JSON)'];
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now)])];
  const changed = names.filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(now[name]));
  const isNew = before === undefined && path.includes('/');
  return isNew ? changed.filter((name) => BY_ITSELF.test(name) || WITH_COMMANDS.includes(name)) : changed;
}

function commandsOf(text: string): Record<string, unknown> | undefined {
  try {
    const file = asMap(JSON.parse(text.replace(/^\ufeff/, '')));
    const more = WITH_COMMANDS.flatMap((key) => (file[key] === undefined ? [] : [[key, file[key]] as const]));
    return { ...asMap(file['scripts']), ...Object.fromEntries(more) };
  } catch {
    return undefined;
  }
}

const asMap = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

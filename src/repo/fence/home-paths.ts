/**
 * Folders and files below the home that people's tools need, read-only: shims of version managers, compilers, browsers of test runners. Not
 * among them: files with keys or tokens, and anything that the user's shell runs.
 */
export const READ = [
  '.local/bin',
  '.local/lib',
  '.local/opt',
  '.local/share/mise',
  '.local/share/fnm',
  '.local/share/pnpm',
  '.local/share/uv',
  '.local/share/pipx',
  '.local/share/claude',
  '.local/share/virtualenvs',
  '.local/state/nix',
  '.config/mise',
  '.tool-versions',
  '.nvm',
  '.fnm',
  '.volta',
  '.asdf',
  '.proto',
  '.pyenv',
  '.rbenv',
  '.nodenv',
  '.sdkman',
  '.rustup',
  '.cargo/bin',
  '.deno/bin',
  '.bun/bin',
  '.opencode/bin',
  'go/bin',
  '.dotnet',
  '.nix-profile',
  '.ghcup',
  '.cabal/bin',
  '.juliaup',
  '.pixi',
  '.gem',
  'miniconda3',
  'miniforge3',
  'anaconda3',
  '.cache/ms-playwright',
  '.cache/Cypress',
  '.cache/puppeteer',
  '.cache/selenium',
  '.config/git/ignore',
  '.config/git/attributes',
];

/** Settings of tools that may hold a password: the fence shows a copy without those lines. */
export const FILTERED = ['.gitconfig', '.config/git/config', '.npmrc', '.config/pip/pip.conf', '.pip/pip.conf', '.cargo/config.toml'];

/** Caches of package managers: inside they are the farm's own folders, kept from one start to the next. */
export const KEPT = [
  '.npm',
  '.yarn',
  '.bun/install/cache',
  '.local/share/pnpm/store',
  '.cache/node',
  '.cache/pnpm',
  '.cache/yarn',
  '.cache/pip',
  '.cache/uv',
  '.cache/pypoetry',
  '.cache/pre-commit',
  '.cache/go-build',
  '.cache/deno',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg',
  '.m2/repository',
  '.gradle',
  '.nuget/packages',
];

/** Folders and files below the home that hold keys and logins. A repository that names one does not open it. */
export const KEYS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.mozilla',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/op',
  '.config/google-chrome',
  '.config/chromium',
  '.local/share/keyrings',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.pgpass',
  '.my.cnf',
  '.pypirc',
];

/** Variables that lead to a process outside which acts with the user's keys. */
export const LEADING_OUT = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'DBUS_SYSTEM_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DOCKER_HOST',
  'CONTAINER_HOST',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'TMUX',
  'TMUX_PANE',
];

const SECRET = /auth(?!or)|passw|token|secret|_cert|_key\b|\bkey\s*=|:\/\/[^/\s]*@/i;

/** The text of a settings file without the lines that could hold a password. */
export function withoutSecrets(text: string): string {
  return text
    .split('\n')
    .filter((line) => !SECRET.test(line))
    .join('\n');
}

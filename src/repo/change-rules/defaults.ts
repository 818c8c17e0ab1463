/** Settings, hooks, commands and MCP servers of agents: what stands here runs, or decides what may run, at the next start of an agent. */
export const AGENT_FILES: readonly string[] = [
  '**/.claude/**',
  '**/.mcp.json',
  '**/.codex/**',
  '**/.agents/**',
  '**/.gemini/**',
  '**/.qwen/**',
  '**/opencode.json',
  '**/opencode.jsonc',
  '**/.opencode/**',
  '**/.cursor/{mcp,hooks,cli,environment}.json',
  '**/.vscode/mcp.json',
  '**/.aider.conf.yml',
  '**/.continue/**',
  '**/.windsurf/**',
  '**/.roo/**',
  '**/.kiro/**',
  '**/.amazonq/**',
  '**/{crush,.crush}.json',
];

/** Prose for agents. A task may well change it, and it reaches every agent that starts later: it is reported. */
export const AGENT_PROSE: readonly string[] = [
  '**/{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,GEMINI,QWEN}.md',
  '**/.cursorrules',
  '**/.cursor/rules/**',
  '.github/copilot-instructions.md',
  '.github/instructions/**',
];

/** Files that run elsewhere, or before anybody has looked: continuous integration, git's own hooks and filters, package managers, editors. */
export const RUNS_ELSEWHERE: readonly string[] = [
  '.github/workflows/**',
  '.github/actions/**',
  '.gitlab-ci.yml',
  '.gitlab/ci/**',
  '.circleci/**',
  '.buildkite/**',
  '.woodpecker/**',
  '.{woodpecker,travis,drone,appveyor}.yml',
  '{appveyor,bitbucket-pipelines,azure-pipelines}.yml',
  '.{forgejo,gitea}/workflows/**',
  'cloudbuild.yaml',
  'Jenkinsfile',
  '**/.gitattributes',
  '.gitmodules',
  '.lfsconfig',
  '**/.husky/**',
  '**/.githooks/**',
  '.pre-commit-config.yaml',
  '{lefthook,.lefthook}.{yml,yaml,toml,json}',
  '**/.npmrc',
  '**/.yarnrc.yml',
  '.yarn/{releases,plugins}/**',
  '**/.envrc',
  '**/.devcontainer/**',
  '**/.vscode/{tasks,settings,launch}.json',
];

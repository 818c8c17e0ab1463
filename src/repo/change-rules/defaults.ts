/** Settings, hooks, commands and MCP servers of agents: these files run, or decide what may run, when the next agent starts. */
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
  // Copies of files that a person attached to a task; git ignores them, and nobody may add them all the same.
  '.furrow-attached/**',
];

/** Instructions for agents in prose. A task may change them, and they reach every agent that starts later, so a change is reported. */
export const AGENT_PROSE: readonly string[] = [
  '**/{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,GEMINI,QWEN}.md',
  '**/.cursorrules',
  '**/.cursor/rules/**',
  '.github/copilot-instructions.md',
  '.github/instructions/**',
];

/**
 * Files that run elsewhere, or before a person has looked: continuous integration, git's own hooks and filters, package managers, editors.
 */
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

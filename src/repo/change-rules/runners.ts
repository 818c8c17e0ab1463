/** A program that does what a file of the repository says. */
interface Runner {
  /** Files that it reads without being told their names. */
  readonly reads?: readonly string[];
  /** Options that name such a file. */
  readonly file?: RegExp;
  /** Options that name the folder in which it looks. */
  readonly folder?: RegExp;
}

const MAKE: Runner = { reads: ['Makefile', 'makefile', 'GNUmakefile'], file: /^(?:-f|--file|--makefile)$/, folder: /^(?:-C|--directory)$/ };
const GRADLE: Runner = {
  reads: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  file: /^(?:-b|-c|-I|--build-file|--settings-file|--init-script)$/,
  folder: /^(?:-p|--project-dir)$/,
};
const COMPOSE: Runner = {
  reads: ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml', 'Dockerfile'],
  file: /^(?:-f|--file)$/,
  folder: /^--project-directory$/,
};
const CONFIGURED: Runner = { file: /^-c$/ };
const PACKAGES: Runner = { folder: /^(?:-C|--prefix|--cwd|--dir)$/ };

export const RUNNERS: Readonly<Record<string, Runner>> = {
  make: MAKE,
  gmake: MAKE,
  just: { reads: ['justfile', 'Justfile', '.justfile'], file: /^(?:-f|--justfile)$/, folder: /^(?:-d|--working-directory)$/ },
  task: { reads: ['Taskfile.yml', 'Taskfile.yaml', 'Taskfile.dist.yml'], file: /^(?:-t|--taskfile)$/, folder: /^(?:-d|--dir)$/ },
  rake: { reads: ['Rakefile'], file: /^(?:-f|--rakefile)$/, folder: /^(?:-C|--directory)$/ },
  tox: { reads: ['tox.ini', 'tox.toml'], file: /^(?:-c|--conf)$/, folder: /^--root$/ },
  nox: { reads: ['noxfile.py'], file: /^(?:-f|--noxfile)$/ },
  mise: { reads: ['mise.toml', '.mise.toml'], folder: /^(?:-C|--cd)$/ },
  ninja: { reads: ['build.ninja'], file: /^-f$/, folder: /^-C$/ },
  cmake: { reads: ['CMakeLists.txt', 'CMakePresets.json'], file: /^(?:-P|-C)$/, folder: /^(?:-S|--build)$/ },
  ctest: { reads: ['CTestTestfile.cmake'], file: /^(?:-S|--script)$/, folder: /^--test-dir$/ },
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: { reads: ['pom.xml'], file: /^(?:-f|--file|-s|--settings)$/ },
  mvnw: { reads: ['pom.xml'], file: /^(?:-f|--file|-s|--settings)$/ },
  ant: { reads: ['build.xml'], file: /^(?:-f|-file|-buildfile)$/ },
  bazel: { reads: ['WORKSPACE', 'MODULE.bazel', '.bazelrc'] },
  cargo: { reads: ['build.rs', '.cargo/config.toml'], file: /^--manifest-path$/, folder: /^-C$/ },
  docker: COMPOSE,
  podman: COMPOSE,
  'docker-compose': COMPOSE,
  npm: PACKAGES,
  pnpm: PACKAGES,
  yarn: PACKAGES,
  bun: PACKAGES,
  go: { folder: /^-C$/ },
  git: { folder: /^-C$/ },
  tar: {},
  ...Object.fromEntries(
    ['pytest', 'py.test', 'jest', 'eslint', 'mocha', 'nyc', 'webpack', 'rollup', 'stylelint', 'coverage', 'pylint'].map((name) => [
      name,
      CONFIGURED,
    ]),
  ),
};

/** Options whose value is a file that decides what is checked, whatever the program is. */
export const WITH_FILE =
  /^--(?:config|config-file|configfile|configuration|project|import|require|loader|experimental-loader|env-file|makefile|rcfile|rc-file|init-file|justfile|taskfile|noxfile|manifest-path|script|setup-file)$|^-(?:p|r|project)$/;
/** Options whose value is a folder to work in. */
export const WITH_FOLDER = /^--(?:directory|cwd|chdir|working-directory|workdir|project-directory|test-dir|rootdir)$/;

/** Variables whose value is a file that the program reads first. */
export const FILE_VARIABLES = /^(?:BASH_ENV|ENV|MAKEFILES|PYTHONSTARTUP|JUST_JUSTFILE|TOX_CONFIG_FILE|COMPOSE_FILE)$/;
/** Variables that hold options of a program. */
export const OPTION_VARIABLES = /^(?:NODE_OPTIONS|MAKEFLAGS|GNUMAKEFLAGS|RUBYOPT|PYTEST_ADDOPTS|BUN_OPTIONS)$/;

/** Programs that run their first word that is no option as a file. */
export const INTERPRETERS =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua|Rscript|source|\.|awk|gawk|expect|tclsh|osascript|pwsh)$/;
export const SHELLS = /^(?:ba|da|z|k|a|mk|fi|)sh$/;

/** Programs that run another command: it follows their options, and this many words of their own. */
export const WRAPPERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'env exec time nice command builtin nohup sudo doas stdbuf setsid ionice chrt unbuffer npx pnpx bunx uvx uv poetry pipenv pipx bundle run dlx x if then else elif while until do ! { xargs parallel cross-env dotenv strace ltrace catchsegv faketime xvfb-run dbus-run-session systemd-run caffeinate conda mamba nix devbox coverage watch eatmydata fakeroot chronic ts retry entr sem tini dumb-init gosu busybox'
      .split(' ')
      .map((name) => [name, 0]),
  ),
  ...{ timeout: 1, flock: 1, taskset: 1, direnv: 2, faketime: 1, gosu: 1, chroot: 1, runuser: 0, retry: 1 },
};

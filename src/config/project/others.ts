import { firstOf, has, type ProjectFacts, textOf } from './facts.ts';
import type { Candidate } from './proposal.ts';
import { testLines } from './workflows.ts';

const NOTHING = { setup: [], caches: [], regenerate: [], remarks: [] } as const;

/** Ruby with a Gemfile. */
export function bundler(facts: ProjectFacts): Candidate | undefined {
  if (!has(facts, 'Gemfile')) return undefined;
  const lock = has(facts, 'Gemfile.lock');
  const check = rubyCheck(facts);
  return {
    ...NOTHING,
    name: 'bundler',
    because: lock ? 'Gemfile and Gemfile.lock' : 'Gemfile',
    sources: /\.(rb|erb|rake)$/,
    tools: /^(bundle|rake|rspec|ruby)$/,
    setup: [{ run: lock ? 'BUNDLE_FROZEN=1 bundle install' : 'bundle install', because: lock ? 'Gemfile.lock' : 'Gemfile, no lockfile' }],
    check,
    regenerate: lock
      ? [
          {
            paths: ['Gemfile.lock'],
            run: 'bundle lock',
            because: 'Gemfile.lock is written by bundler, which keeps the versions that are locked',
          },
        ]
      : [],
  };
}

function rubyCheck(facts: ProjectFacts): Candidate['check'] {
  if (has(facts, 'bin/rails')) return { run: 'bin/rails test', because: 'bin/rails' };
  if (has(facts, '.rspec') || facts.paths.some((path) => /^spec\/.*_spec\.rb$/.test(path)))
    return { run: 'bundle exec rspec', because: 'spec/' };
  if (!has(facts, 'Rakefile')) return testedInFolder(facts);
  const task = /\btest\b/i.test(textOf(facts, 'Rakefile')) ? ' test' : '';
  return { run: `bundle exec rake${task}`, because: 'Rakefile' };
}

/** A Rakefile in a folder is found by CI, which knows its tasks. */
function testedInFolder(facts: ProjectFacts): Candidate['check'] {
  const line = testLines(facts).find((one) => /^cd [\w./-]+ && (rake|rspec)( [\w:.-]+)*$/.test(one));
  return line === undefined ? undefined : { run: line.replace('&& r', '&& bundle exec r'), because: 'its CI runs that' };
}

/** The wrapper of a build tool, which brings the version that the project wants. */
function wrapper(facts: ProjectFacts, file: string, program: string): string {
  if (!has(facts, file)) return program;
  return facts.executables.has(file) ? `./${file}` : `sh ${file}`;
}

export function maven(facts: ProjectFacts): Candidate | undefined {
  if (!has(facts, 'pom.xml')) return undefined;
  const call = wrapper(facts, 'mvnw', 'mvn');
  return {
    ...NOTHING,
    name: 'maven',
    because: call === 'mvn' ? 'pom.xml' : 'pom.xml and its wrapper mvnw',
    sources: /\.(java|kt|scala|groovy)$/,
    tools: /^mvnw?$/,
    check: { run: `${call} --batch-mode --no-transfer-progress test`, because: 'pom.xml' },
  };
}

export function gradle(facts: ProjectFacts): Candidate | undefined {
  const file = firstOf(facts, 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts');
  if (file === undefined) return undefined;
  const call = wrapper(facts, 'gradlew', 'gradle');
  return {
    ...NOTHING,
    name: 'gradle',
    because: call === 'gradle' ? file : `${file} and its wrapper gradlew`,
    sources: /\.(java|kt|scala|groovy)$/,
    tools: /^gradlew?$/,
    // A daemon would be ended with the check.
    check: { run: `${call} --no-daemon test`, because: file },
    caches: [{ path: '.gradle', because: 'gradle compares what it built with the sources' }],
  };
}

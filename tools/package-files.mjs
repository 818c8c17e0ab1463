import { LICENSES, PARTS, PROGRAMS, TOP } from './bundles.mjs';

/** Files of the repository that are published as they are; all else is built. */
const AS_IT_IS =
  /^(package\.json|README\.md|CONTEXT\.md|CHANGELOG\.md|LICENSE|bin\/furrow\.cjs|docs\/(design\/)?[^/]+\.(md|svg)|docs\/grafana\/furrow\.json)$/;
/** The command line, the daemon and `furrow top`; the names of their parts carry a hash of what is in them. */
const BUNDLE = /^dist\/((cli|daemon)\/[\w-]+-[\w-]{8}\.cjs|top\/[\w-]+-[\w-]{8}\.mjs)$/;
/** Parts of the page, named in the same way. */
const PAGE = /^dist\/page\/assets\/[\w-]+-[\w-]{8}\.(js|css|svg)$/;

/**
 * Says what is wrong with the files of a package: the launcher, the documents, the programs, the page and the command line are in it, and
 * nothing else. `tracked` are the files that git knows.
 */
export function packageProblems(packed, tracked) {
  const wanted = new Set(tracked.filter((path) => AS_IT_IS.test(path)));
  for (const path of [
    'cli/main.cjs',
    'page/index.html',
    `${TOP}.mjs`,
    ...[...PROGRAMS, ...PARTS].map((program) => `${program}.cjs`),
    LICENSES,
  ])
    wanted.add(`dist/${path}`);
  const there = new Set(packed);
  return [
    ...[...wanted].filter((path) => !there.has(path)).map((path) => `${path} is missing`),
    ...packed.filter((path) => !wanted.has(path) && !BUNDLE.test(path) && !PAGE.test(path)).map((path) => `${path} does not belong there`),
  ];
}

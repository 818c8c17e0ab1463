import { relative } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

/**
 * Code of ours that a browser may load: faces are pure, and the rest of these says so. Packages come from node_modules. Paths are those below
 * the checkout, whose own path may have any of these names in it.
 */
const FOR_BROWSERS =
  /^(page\/|src\/tell\/face\/|src\/work\/question\/next-step\.ts$|src\/api\/effects\.ts$|src\/config\/trust\/line\.ts$|src\/platform\/(visible|look-alike|page-proof)\.ts$|.*node_modules\/)/;

/**
 * Builds the page into `out/page`, and names the packages inside. Nothing becomes a `data:` address or a script in the text: the
 * page is served with `default-src 'self'`.
 */
export async function bundlePage(root, out) {
  const { output } = await build({
    configFile: false,
    root: `${root}page`,
    base: './',
    publicDir: false,
    logLevel: 'error',
    plugins: [react()],
    build: {
      outDir: `${out}/page`,
      target: 'es2024',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        onLog: (level, log) => {
          // That something took long says how busy the machine is, and nothing of the page.
          if (level === 'warn' && log.code !== 'PLUGIN_TIMINGS') throw new Error(log.message);
        },
      },
    },
  });
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? []).filter((id) => id.startsWith('/'));
  const foreign = modules.find((id) => !FOR_BROWSERS.test(relative(root, id)) || id.includes('/node_modules/zod/'));
  if (foreign) throw new Error(`${foreign} is not for browsers, and the page would load it`);
  return modules.flatMap((id) => [...id.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(([, name]) => name));
}

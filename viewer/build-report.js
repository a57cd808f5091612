/**
 * Puts the page modules that draw a report's charts into one script, which is committed: a report can then be written where
 * the bundler, a program of its own for each system, is not.
 *
 *   node viewer/build-report.js
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const OUTPUT = fileURLToPath(new URL('../analysis/report/page-script.bundle.js', import.meta.url));

/** @returns {string} the same for the same sources @throws {Error} where it could not stand in a page */
export function reportScript() {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('page/report.js', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    charset: 'utf8',
    target: 'es2022',
    legalComments: 'none',
    banner: { js: '// Written by `make report-build` from viewer/page/report.js: change that.' },
    // Paths in its comments are those of the project.
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  });
  const text = outputFiles[0]?.text ?? '';
  if (/<\/script|<!--/i.test(text))
    throw new Error("the script can't stand in a page: it has </script or <!--");
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(OUTPUT, reportScript());

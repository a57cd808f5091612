/** The script of a report's page in one text: the chart library, and the viewer's own renderers, which expect it to be there first. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = new URL('../../', import.meta.url);
const CHART_LIBRARY = new URL('node_modules/uplot/dist/uPlot.iife.min.js', ROOT);

/** @throws where it could not stand in a page. The same sources give the same text. */
export function pageScript(): string {
  const { outputFiles } = buildSync({
    entryPoints: ['viewer/page/report.js'],
    absWorkingDir: fileURLToPath(ROOT),
    bundle: true,
    write: false,
    format: 'iife',
    charset: 'utf8',
    target: 'es2022',
    legalComments: 'none',
  });
  const text = [readFileSync(CHART_LIBRARY, 'utf8'), ...outputFiles.map((file) => file.text)].join('\n');
  if (/<\/script|<!--/i.test(text))
    throw new Error("the script can't stand in a page: it has </script or <!--");
  return text;
}

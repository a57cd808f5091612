import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { toolPath } from '../../../tool.js';
import { type PublicServer, startPythonProgram } from '../public-server.ts';

const FILE = 'book.xlsx';
/** With the library that the server has itself. */
const MAKE = `
import sys, openpyxl
book = openpyxl.Workbook()
for row in range(200): book.active.append([row + column for column in range(10)])
book.save(sys.argv[1])
`;

export const server: PublicServer = {
  title: 'excel-mcp-server',
  truth: 'target_cpu',
  reason: 'reading a workbook is work of one interpreter, which has one core',
  mix: { read_range: [100, { path: FILE, sheet: 'Sheet' }] },
  rateScale: 0.04,
  start: ({ folder }) => {
    execFileSync(toolPath('server-excel'), ['-c', MAKE, join(folder, FILE)]);
    return startPythonProgram(
      'server-excel',
      'excel-mcp-server',
      (port) => ['streamable-http', '--port', port],
      () => ({ EXCEL_FILES_PATH: folder, HOME: folder }),
    );
  },
};

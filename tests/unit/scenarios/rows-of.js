/**
 * @param {import('../../../analysis/tables/report-tables.ts').ReportTable | undefined} table
 * @returns {Record<string, string | number | null | undefined>[]} its rows, by the name of the column
 */
export const rowsOf = (table) =>
  (table?.rows ?? []).map((row) =>
    Object.fromEntries((table?.columns ?? []).map(({ name }, index) => [name, row[index]])),
  );

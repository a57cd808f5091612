import { escapeMarkdown, SIGN, table } from '../render/markdown.ts';
import type { Comparison } from './comparison.ts';
import { metricTable, ruleOf, runTable } from './tables.ts';

/** @returns comparison.md, for a GitHub step summary */
export function renderMarkdown(comparison: Comparison): string {
  const { conditions, base, head, notes, verdict } = comparison;
  const what = conditions ? `${conditions.test}, profile ${conditions.profile}` : 'comparison';
  const list = (lines: string[]) => lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n');
  const sections = [
    `# ${SIGN[verdict.outcome]}: ${escapeMarkdown(what)}, ${escapeMarkdown(head.given)} against ${escapeMarkdown(base.given)}`,
    list(verdict.reasons),
    table(metricTable(comparison)),
    notes.length > 0 ? `## Notes\n\n${list(notes)}` : '',
    table(runTable(comparison)),
    `<sub>${escapeMarkdown(ruleOf(comparison))}</sub>`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

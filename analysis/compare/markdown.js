import { escapeMarkdown, SIGN, table } from '../render/markdown.js';
import { metricTable, ruleOf, runTable } from './tables.js';

/**
 * @param {import('./comparison.js').Comparison} comparison
 * @returns {string} comparison.md, for a GitHub step summary
 */
export function renderMarkdown(comparison) {
  const { conditions, base, head, notes, verdict } = comparison;
  const what = conditions ? `${conditions.test}, profile ${conditions.profile}` : 'comparison';
  const list = (/** @type {string[]} */ lines) => lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n');
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

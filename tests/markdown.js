/** The project's Markdown pages, taken apart: headings, links, commands. */
import { readFileSync } from 'node:fs';
import GithubSlugger from 'github-slugger';
import { lexer, walkTokens } from 'marked';
import { projectFiles } from './project-files.js';

/** Reports of runs, which are made, and what the reference target shows its own callers. */
const NO_PAGE = /^(docs\/reports\/.+\/|target\/rest\/sandbox\/|tests\/)/;

/** @returns {string[]} every page that people read */
export const pages = () => projectFiles().filter((name) => name.endsWith('.md') && !NO_PAGE.test(name));

/**
 * @typedef {object} Page
 * @property {Set<string>} anchors as GitHub makes them
 * @property {string[]} links addresses of links and pictures, as they are written
 * @property {string[]} codes inline code
 * @property {{language: string, text: string}[]} blocks of code
 */

/** @param {string} file @returns {Page} */
export function readPage(file) {
  const slugger = new GithubSlugger();
  /** @type {Page} */
  const page = { anchors: new Set(), links: [], codes: [], blocks: [] };
  walkTokens(lexer(readFileSync(file, 'utf8')), (token) => {
    if (token.type === 'heading') page.anchors.add(slugger.slug(plain(token.tokens ?? [])));
    if (token.type === 'link' || token.type === 'image') page.links.push(token.href);
    if (token.type === 'codespan') page.codes.push(token.text);
    if (token.type === 'code') page.blocks.push({ language: token.lang ?? '', text: token.text });
  });
  return page;
}

/** @param {import('marked').Token[]} tokens @returns {string} */
const plain = (tokens) =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('');

/** @param {string} file @returns {string[]} the commands in the page's blocks of shell, without comments and aligning blanks */
export const commandsOf = (file) =>
  readPage(file)
    .blocks.filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .map((line) =>
      line
        .replace(/(^|\s+)#.*$/, '')
        .trim()
        .replaceAll(/ +/g, ' '),
    )
    .filter((line) => line !== '');

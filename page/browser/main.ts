/**
 * The page's script: draws the charts from the embedded data. While a run is in progress, it requests updates
 * every second.
 */
import { partsOf } from '../body.ts';
import type { Page } from '../model.ts';
import { Charts } from './charts.ts';

const REFRESH_MS = 1000;
const TOKEN = 'token';

const root = document.documentElement;
const charts = new Charts((isZoomed) => {
  const zoom = document.querySelector<HTMLSelectElement>('#zoom');
  // A range that was selected by dragging is not one of the options.
  if (zoom) zoom.selectedIndex = isZoomed ? -1 : 0;
});

document.getElementById('theme')?.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  charts.redraw();
});
const isDark = () =>
  root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

function ready(page: Page) {
  for (const one of document.querySelectorAll('[data-scripted]')) one.removeAttribute('hidden');
  for (const one of document.querySelectorAll('[data-unscripted]')) one.remove();
  if (!page.plots) return;
  const { phases } = page.plots;
  charts.draw(page.plots);
  const zoom = document.querySelector<HTMLSelectElement>('#zoom');
  if (zoom)
    zoom.onchange = () => {
      const phase = zoom.value === '' ? undefined : phases[Number(zoom.value)];
      charts.show(phase ? [phase.fromS, phase.toS] : null);
    };
}

/** Opens a collapsed section if the URL links into it. */
function unfold() {
  document.getElementById(location.hash.slice(1))?.closest('details')?.setAttribute('open', '');
}

// html.ts escapes all text, so the markup is trusted.
const trusted = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(markup: string): string } };
  }
).trustedTypes?.createPolicy('page', { createHTML: (markup: string) => markup });

const markupById = new Map<string, string>();

function show(page: Page) {
  const main = document.querySelector('main');
  if (!main) return;
  document.title = page.headline;
  main.dataset.outcome = page.outcome;
  const parts = new Map(partsOf(page).map(([id, part]) => [id, String(part)]));
  for (const id of markupById.keys()) if (!parts.has(id)) main.querySelector(`[data-part="${id}"]`)?.remove();
  const elements = [...parts].map(([id, markup]) => {
    const part = main.querySelector(`[data-part="${id}"]`) ?? document.createElement('div');
    part.className = 'part';
    part.setAttribute('data-part', id);
    if (markupById.get(id) !== markup) part.innerHTML = trusted?.createHTML(markup) ?? markup;
    return part;
  });
  if (elements.some((part, index) => main.children[index] !== part)) main.append(...elements);
  markupById.clear();
  for (const [id, markup] of parts) markupById.set(id, markup);
  ready(page);
}

function note(text: string) {
  const element = document.getElementById('connection');
  if (element) element.textContent = text;
}

/** The token is in the URL's fragment, which browsers do not send. It is stored for reloads. */
function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get(TOKEN);
  if (token) {
    sessionStorage.setItem(TOKEN, token);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(TOKEN) ?? '';
}

async function follow() {
  const authorization = `Bearer ${takeToken()}`;
  for (let etag = ''; ; await pause()) {
    try {
      const answer = await fetch('/page.json', { headers: { authorization, 'if-none-match': etag } });
      if (answer.status === 401) return note('This page needs the full URL that make live printed.');
      if (!answer.ok && answer.status !== 304) throw new Error(answer.statusText);
      etag = answer.headers.get('etag') ?? etag;
      if (answer.ok) show((await answer.json()) as Page);
      note('');
    } catch {
      note('make live does not answer; this page shows the last data.');
    }
    document.body.dataset.state = 'ready';
  }
}

/** Pauses the updates while the page is hidden. */
async function pause() {
  await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  if (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}

addEventListener('hashchange', unfold);
const data = document.getElementById('data');
if (data) {
  ready(JSON.parse(data.textContent ?? '') as Page);
  unfold();
  document.body.dataset.state = 'ready';
} else {
  for (const one of document.querySelectorAll('[data-scripted]')) one.removeAttribute('hidden');
  void follow();
}

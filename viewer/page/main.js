/** The page: one dashboard, as its address says. */
import { readAddress, writeAddress } from './address.js';
import { DashboardView } from './dashboard-view.js';
import { serverDataSource } from './data-source.js';
import { seconds } from './durations.js';
import { element } from './element.js';
import { watchHints } from './hints.js';
import { Refresh } from './refresh.js';
import { isLive, resolve } from './time-range.js';
import { Toolbar } from './toolbar.js';

/** Where the reader's choice of a theme is kept. */
const THEME = 'mcp-load-lab.theme';

/** @param {string} path @returns {Promise<any>} @throws {Error} */
async function load(path) {
  const response = await fetch(path);
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.error ?? `the viewer's server answered ${response.status}`);
  return body;
}

const dark = matchMedia('(prefers-color-scheme: dark)');

/** @returns {import('./colors.js').ThemeName} */
function themeOf(/** @type {import('./address.js').Address} */ { theme }) {
  const kept = localStorage.getItem(THEME);
  return theme ?? (kept === 'dark' || kept === 'light' ? kept : dark.matches ? 'dark' : 'light');
}

async function main() {
  let address = readAddress(new URL(location.href));
  document.documentElement.dataset.theme = themeOf(address);
  const [dashboard, dashboards] = await Promise.all([
    load(`/dashboards/${address.uid}`),
    load('/dashboards'),
  ]);
  document.title = `${dashboard.title} · MCP load lab`;

  /** @type {(at: import('./address.js').Address) => import('./time-range.js').RangeText} */
  const rangeOf = ({ from, to }) => ({
    from: from ?? dashboard.time?.from ?? 'now-15m',
    to: to ?? dashboard.time?.to ?? 'now',
  });
  const refreshOf = () => address.refresh ?? dashboard.refresh ?? 'off';
  /** How many steps back are still on this page. */
  const depth = () => Number(history.state?.depth ?? 0);

  const view = new DashboardView(dashboard, serverDataSource(), themeOf(address), {
    zoom: ({ fromS, toS }) =>
      go({ from: String(Math.round(fromS * 1000)), to: String(Math.round(toS * 1000)) }),
    enlarge: (id) => go({ viewPanel: id }),
    variables: (choices) => {
      toolbar.showVariables(choices);
      const shown = choices.filter(({ variable }) => variable.type === 'query' || variable.type === 'custom');
      const variables = Object.fromEntries(
        shown
          .filter(({ variable }) => variable.hide !== 2)
          .map(({ variable, value }) => [variable.name, value]),
      );
      const isNew = Object.entries(variables).some(([name, value]) => address.variables[name] !== value);
      if (!isNew) return;
      address = { ...address, variables: { ...address.variables, ...variables } };
      history.replaceState(history.state, '', writeAddress(address));
      showToolbar();
    },
  });
  const refresh = new Refresh(() => update());
  const toolbar = new Toolbar(dashboard, {
    range: go,
    back: () => history.back(),
    zoomOut: () => {
      const range = resolve(rangeOf(address), Date.now());
      if (!range) return;
      const half = (range.toS - range.fromS) / 2;
      const toS = Math.min(Date.now() / 1000, range.toS + half);
      const fromS = toS - 4 * half;
      go({ from: String(Math.round(fromS * 1000)), to: String(Math.round(toS * 1000)) });
    },
    refresh: () => update(true),
    interval: (interval) => go({ refresh: interval }),
    theme: () => {
      const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
      localStorage.setItem(THEME, theme);
      address = { ...address, theme: address.theme === null ? null : theme };
      history.replaceState(history.state, '', writeAddress(address));
      applyTheme(theme);
    },
    variable: (name, value) => go({ variables: { ...address.variables, [name]: value } }),
  });
  const problem = element('p', { class: 'page-problem', role: 'alert', hidden: true });

  function showToolbar() {
    toolbar.show({ ...address, ...rangeOf(address), refresh: refreshOf() }, dashboards, depth() > 0);
  }

  /** @param {import('./colors.js').ThemeName} theme */
  function applyTheme(theme) {
    document.documentElement.dataset.theme = theme;
    view.setTheme(theme);
  }

  /** @param {Partial<import('./address.js').Address>} change */
  function go(change) {
    const before = address;
    address = { ...address, ...change };
    history.pushState({ depth: depth() + 1 }, '', writeAddress(address));
    apply(before);
  }

  /** @param {import('./address.js').Address} before */
  function apply(before) {
    showToolbar();
    if (before.viewPanel !== address.viewPanel) view.enlarge(address.viewPanel);
    const range = rangeOf(address);
    refresh.every(isLive(range) ? seconds(refreshOf()) : null);
    const isOther =
      JSON.stringify([rangeOf(before), before.variables]) !== JSON.stringify([range, address.variables]);
    if (isOther) update(true);
  }

  /** @param {boolean} [anew] */
  async function update(anew = false) {
    try {
      await view.load(rangeOf(address), address.variables, { anew });
      problem.hidden = true;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return;
      problem.textContent = error instanceof Error ? error.message : String(error);
      problem.hidden = false;
    }
  }

  addEventListener('popstate', () => {
    const before = address;
    address = readAddress(new URL(location.href));
    applyTheme(themeOf(address));
    apply(before);
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && address.viewPanel !== null) go({ viewPanel: null });
    if (event.key === 'p' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      print();
    }
  });
  dark.addEventListener('change', () => applyTheme(themeOf(address)));

  /** All panels, and dark ink on white paper. */
  async function print() {
    const theme = themeOf(address);
    await view.loadAll();
    applyTheme('light');
    window.print();
    applyTheme(theme);
  }

  document.body.replaceChildren(toolbar.element, problem, view.element);
  watchHints();
  showToolbar();
  view.enlarge(address.viewPanel);
  await update(true);
  refresh.every(isLive(rangeOf(address)) ? seconds(refreshOf()) : null);
}

main().catch((error) => {
  document.body.replaceChildren(
    element(
      'p',
      { class: 'page-problem', role: 'alert' },
      error.message,
      ' ',
      element('a', { href: '/' }, 'To the overview'),
    ),
  );
  document.body.dataset.state = 'ready';
});

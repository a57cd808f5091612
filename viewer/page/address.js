/**
 * What the address bar says, in Grafana's words.
 *
 * @typedef {object} Address
 * @property {string} uid of the dashboard
 * @property {string | null} from null for the dashboard's own
 * @property {string | null} to
 * @property {string | null} refresh a duration, or off
 * @property {import('./colors.js').ThemeName | null} theme null for the system's
 * @property {string | null} viewPanel the id of the enlarged panel
 * @property {Record<string, string>} variables by name
 */

/** @param {URL} url @returns {Address} */
export function readAddress({ pathname, searchParams }) {
  const theme = searchParams.get('theme');
  return {
    uid: /^\/d\/([\w-]+)/.exec(pathname)?.[1] ?? '',
    from: searchParams.get('from'),
    to: searchParams.get('to'),
    refresh: searchParams.get('refresh'),
    theme: theme === 'dark' || theme === 'light' ? theme : null,
    viewPanel: searchParams.get('viewPanel'),
    variables: Object.fromEntries(
      [...searchParams]
        .filter(([name]) => name.startsWith('var-'))
        .map(([name, value]) => [name.slice('var-'.length), value]),
    ),
  };
}

/** @param {Address} address @returns {string} path and query */
export function writeAddress({ uid, variables, ...rest }) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(variables)) parameters.set(`var-${name}`, value);
  for (const [name, value] of Object.entries(rest)) if (value !== null) parameters.set(name, value);
  const query = parameters.toString();
  return `/d/${uid}${query ? `?${query}` : ''}`;
}

/**
 * @param {any} link of a dashboard, its JSON
 * @param {Address} here
 * @param {{uid: string, title: string, tags: string[]}[]} dashboards
 * @returns {{text: string, href: string, isHere: boolean}[]}
 */
export function linksOf(link, here, dashboards) {
  /** @param {string} uid */
  const address = (uid) =>
    writeAddress({
      uid,
      variables: link.includeVars ? here.variables : {},
      from: link.keepTime ? here.from : null,
      to: link.keepTime ? here.to : null,
      refresh: here.refresh,
      theme: here.theme,
      viewPanel: null,
    });
  if (link.type !== 'dashboards') return [];
  return inOrder(dashboards)
    .filter(({ tags }) => (link.tags ?? []).every((/** @type {string} */ tag) => tags.includes(tag)))
    .map(({ uid, title }) => ({ text: title, href: address(uid), isHere: uid === here.uid }));
}

/** What every reader begins with. */
const OVERVIEW = 'mcp-overview';

/** @param {{uid: string, title: string, tags: string[]}[]} dashboards */
function inOrder(dashboards) {
  const place = (/** @type {{uid: string}} */ { uid }) => (uid === OVERVIEW ? 0 : 1);
  return dashboards.toSorted((a, b) => place(a) - place(b) || (a.title < b.title ? -1 : 1));
}

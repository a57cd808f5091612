/** What Docker holds of clones that are gone, or about to go: containers, volumes, networks and images of their Compose projects. */
import { spawnSync } from 'node:child_process';

/** @param {string[]} args @returns {string[]} lines; none where there is no engine */
const lines = (...args) =>
  (spawnSync('docker', args, { encoding: 'utf8', timeout: 60_000 }).stdout ?? '').split('\n').filter(Boolean);

/**
 * @param {string} project of Compose
 * @returns {{container: string[], volume: string[], network: string[], image: string[]}} ids or names; images also without a name
 */
export function leftOf(project) {
  const ofProject = ['--quiet', '--filter', `label=com.docker.compose.project=${project}`];
  return {
    container: lines('ps', '--all', ...ofProject),
    volume: lines('volume', 'ls', ...ofProject),
    network: lines('network', 'ls', ...ofProject),
    image: [...new Set(lines('images', '--all', ...ofProject))],
  };
}

/** @param {string} folder of clones @returns {string[]} Compose's names of the projects below it that have containers or networks */
export function projectsBelow(folder) {
  const label = (/** @type {string} */ name) => `{{.Label "com.docker.compose.${name}"}}`;
  return [
    ...new Set(
      lines('ps', '--all', '--format', `${label('project.working_dir')}\t${label('project')}`)
        .map((line) => line.split('\t'))
        .flatMap(([place = '', project = '']) => (`${place}/`.startsWith(`${folder}/`) ? [project] : [])),
    ),
  ];
}

/** @param {string} project */
export function removeProject(project) {
  for (const [kind, names] of Object.entries(leftOf(project)))
    if (names.length > 0) lines(kind, 'rm', '--force', ...names);
}

/** @param {string} folder */
export function removeProjectsBelow(folder) {
  for (const project of projectsBelow(folder)) removeProject(project);
}

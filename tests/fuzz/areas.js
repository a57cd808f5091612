/** The areas by name, and what each feeds. @type {Record<string, string>} */
export const AREAS = {
  configuration: 'every variable of contract/variables.js',
  arguments: 'NAME=value arguments of the scripts',
  workload: 'workload and payload files',
  schema: 'tool schemas, and the arguments made for them',
  prometheus: "Prometheus' answers, over a real socket",
  documents: 'what runs leave: run.json, timeline.json, measured.json, trials.json, k6.log ...',
  plan: 'scripts/run as a user calls it, with DRY_RUN=1',
};

/** @param {string} name @returns {Promise<import('./property.js').Area>} */
export async function areaOf(name) {
  const { default: area } = await import(`./${name}.js`);
  return area;
}

/** The areas by name: what each feeds, and whether it needs k6. */

/** @type {Record<string, {about: string, k6: boolean}>} */
export const AREAS = {
  configuration: { about: 'every variable of lib/config.js and experiments/variables.js', k6: false },
  arguments: { about: 'NAME=value arguments of the scripts', k6: false },
  workload: { about: 'workload and payload files', k6: false },
  schema: { about: 'tool schemas, and the arguments made for them', k6: false },
  answers: { about: "a server's answers, as JSON and as event streams", k6: false },
  prometheus: { about: "Prometheus' answers, over a real socket", k6: false },
  documents: {
    about: 'what runs leave: run.json, timeline.json, summary.json, legs.json, k6.log ...',
    k6: false,
  },
  wire: { about: "a server's answers and workload files, in k6, over a real socket", k6: true },
  plan: { about: 'scripts/run as a user calls it, with DRY_RUN=1', k6: true },
};

/** @param {string} name @returns {Promise<import('./property.js').Area>} */
export async function areaOf(name) {
  const { default: area } = await import(`./${name}.js`);
  return area;
}

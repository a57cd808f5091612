/** What an experiment exports as `lasts`: seconds that all of it takes. trialS: seconds of one k6 run with these variables. */
// biome-ignore lint/suspicious/noExplicitAny: each experiment has values of its own.
export type Lasts = (config: any, trialS: (env?: Record<string, string>) => number) => number;

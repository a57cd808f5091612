import { parseDuration } from '../../contract/duration.js';
import { optional } from '../../contract/types.js';

const durations = {
  valid: 'durations separated by commas, for example 1s,30s,2m',
  parse: (text: string) => {
    const seconds = text.split(',').map((part) => parseDuration(part.trim()));
    return seconds.includes(null) ? undefined : (seconds as number[]);
  },
};

export const variables = {
  CALL_DURATIONS: {
    type: optional(durations),
    help: 'long-calls: durations of the calls; ARGS must contain SECONDS or MILLISECONDS [smoke: 1s,5s; quick: 1s,10s,30s,61s,125s; full: also 300s]',
  },
};

/** A workload that a cache can answer almost completely. */
import reference from '../../workloads/reference.js';

export default {
  ...reference,
  name: 'cacheable',
  operations: {
    ...reference.operations,
    // Few enough ids that all are cached before the first phase ends.
    get_user: {
      ...reference.operations.get_user,
      args: () => ({ user_id: 1 + Math.floor(Math.random() * 40) }),
    },
  },
  mixes: { ...reference.mixes, mixed: { get_user: 100 } },
};

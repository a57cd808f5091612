/** What a cache can answer, and hardly anything else: it is there to be used. */
import reference from '../../workloads/reference.js';

export default {
  ...reference,
  name: 'cacheable',
  operations: {
    ...reference.operations,
    // Few enough for all of them to be in the cache before the first phase is over.
    get_user: {
      ...reference.operations.get_user,
      args: () => ({ user_id: 1 + Math.floor(Math.random() * 40) }),
    },
  },
  mixes: { ...reference.mixes, mixed: { get_user: 100 } },
};

/** The reference workload, with enough calls of the weather service to make it the bottleneck. */
import reference from '../../workloads/reference.js';

export default {
  ...reference,
  name: 'weather',
  mixes: {
    ...reference.mixes,
    mixed: { get_user: 50, search_users: 15, update_user: 25, fetch_weather: 10 },
  },
};

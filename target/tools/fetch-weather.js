import { z } from 'zod';

/** @type {import('../mcp.js').Tool} */
export default {
  name: 'fetch_weather',
  title: 'Fetch the weather',
  description: 'Returns the weather of a city from an external HTTP API. Not cached; may time out.',
  inputSchema: z.object({ city: z.string().trim().min(1).max(100) }),
  outputSchema: z.object({ city: z.string(), temperature_c: z.number(), conditions: z.string() }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  run: ({ city }, { weather }) => weather.get(city),
};

/** How clients leave. `does`: one of them; `did`: all of them. */
export const WAYS = {
  delete: { does: 'ends its session', did: 'had ended their sessions' },
  close: { does: 'closes its connections', did: 'had closed their connections' },
  reset: { does: 'resets its connections', did: 'had reset their connections' },
};

export type Leaving = keyof typeof WAYS;

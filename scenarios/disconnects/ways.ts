/** How clients leave. `does`: text for one client; `did`: for all. */
export const WAYS = {
  delete: { does: 'ends its session', did: 'had ended their sessions' },
  close: { does: 'closes its connections', did: 'had closed their connections' },
  reset: { does: 'resets its connections', did: 'had reset their connections' },
};

export type Leaving = keyof typeof WAYS;

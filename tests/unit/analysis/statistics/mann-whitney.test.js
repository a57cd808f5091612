import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mannWhitney } from '../../../../analysis/statistics/mann-whitney.ts';
import { close, REFERENCE } from './reference.js';

/** Permeability of human chorioamnion at term and at 12 to 26 weeks: Hollander & Wolfe, example 4.1. */
const TERM = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
const EARLY = [1.15, 0.88, 0.9, 0.74, 1.21];

test('the worked example of Hollander & Wolfe: 35, one-sided 0.127', () => {
  const { u, p } = mannWhitney(TERM, EARLY);
  assert.equal(u, 35);
  assert.ok(close(p, 2 * 0.1272, 1e-4), String(p));
});

test('u and p are those of SciPy: exact, exact with equal values, and approximated above a hundred', () => {
  for (const { a, b, u, p, call } of REFERENCE.mann_whitney ?? []) {
    const found = mannWhitney(a, b);
    assert.equal(found.u, u, call);
    assert.ok(
      close(found.p, p, call.includes('asymptotic') ? 1e-6 : 1e-11),
      `${call}: ${found.p}, SciPy ${p}`,
    );
  }
});

test('which side comes first makes no difference to p', () => {
  const [a, b] = [
    [1, 2, 2, 3, 9],
    [2, 4, 4, 5],
  ];
  assert.equal(mannWhitney(a, b).p, mannWhitney(b, a).p);
  assert.equal(mannWhitney(a, b).u + mannWhitney(b, a).u, 20);
});

test('nothing but one value on both sides is no difference, however many', () => {
  assert.equal(mannWhitney([5, 5, 5], [5, 5]).p, 1);
  assert.equal(mannWhitney(new Array(80).fill(5), new Array(80).fill(5)).p, 1);
});

test('a side without values is an error', () => {
  assert.throws(() => mannWhitney([], [1]), RangeError);
});

test('thirty a side are exact, and quick', () => {
  const a = Array.from({ length: 30 }, (_, index) => index);
  const b = a.map((value) => value + 100);
  const started = performance.now();
  // Two of the ways to choose 30 of 60.
  assert.ok(close(mannWhitney(a, b).p * 1.182645815648614e17, 2, 1e-9));
  assert.ok(performance.now() - started < 1000);
});

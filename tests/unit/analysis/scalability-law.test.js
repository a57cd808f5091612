import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitScalabilityLaw } from '../../../analysis/statistics/scalability-law.ts';

const CALLS = [0.2, 1, 4, 10, 30, 80, 200];

/**
 * @param {{rate: number, contention: number, coherence: number}} law
 * @param {(index: number) => number} [noise] a factor
 * @returns {import('../../../analysis/statistics/scalability-law.ts').Point[]}
 */
const pointsOf = ({ rate, contention, coherence }, noise = () => 1) =>
  CALLS.map((calls, index) => {
    const stayS = ((1 + contention * (calls - 1) + coherence * calls * (calls - 1)) / rate) * noise(index);
    return { rate: calls / stayS, stayS };
  });

/** @param {number | undefined} actual @param {number} expected @param {number} share */
const within = (actual, expected, share) =>
  assert.ok(Math.abs(Number(actual) / expected - 1) <= share, `${actual}, not ${expected}`);

test('what was put in, without noise and with some', () => {
  const law = { rate: 100, contention: 0.05, coherence: 0.001 };
  const exact = fitScalabilityLaw(pointsOf(law));
  within(exact?.rate, 100, 1e-6);
  within(exact?.contention, 0.05, 1e-6);
  within(exact?.coherence, 0.001, 1e-6);
  within(exact?.peak?.calls, Math.sqrt(0.95 / 0.001), 1e-6);
  const noisy = fitScalabilityLaw(pointsOf(law, (index) => 1 + 0.05 * (-1) ** index));
  within(noisy?.peak?.calls, Math.sqrt(0.95 / 0.001), 0.3);
  const { contention = 0, coherence = 0, error } = noisy ?? {};
  assert.ok(error && Math.abs(contention - 0.05) < error.contention, JSON.stringify(noisy));
  assert.ok(Math.abs(coherence - 0.001) < error.coherence, JSON.stringify(noisy));
});

test('without coherence there is no peak, and noise makes none', () => {
  const law = { rate: 100, contention: 0.1, coherence: 0 };
  assert.equal(fitScalabilityLaw(pointsOf(law))?.peak, null);
  assert.equal(fitScalabilityLaw(pointsOf(law, (index) => 1 + 0.1 * (-1) ** index))?.peak, null);
  const linear = fitScalabilityLaw(pointsOf({ rate: 100, contention: 0, coherence: 0 }));
  assert.deepEqual(
    [linear?.contention, linear?.coherence, linear?.peak].map((value) => value || 0),
    [0, 0, 0],
  );
});

test('the peak is where the derivative of X(n) is 0, also at less than one call a second', () => {
  // n = sqrt((1 - 0.6) / 0.001) = 20, X(20) = 0.5 x 20 / (1 + 0.6 x 19 + 0.001 x 20 x 19) = 10 / 12.78.
  const { peak } = fitScalabilityLaw(pointsOf({ rate: 0.5, contention: 0.6, coherence: 0.001 })) ?? {};
  within(peak?.calls, 20, 1e-6);
  within(peak?.rate, 10 / 12.78, 1e-6);
  // With a contention above 1 each call more does less, from the second on.
  assert.equal(fitScalabilityLaw(pointsOf({ rate: 100, contention: 1.2, coherence: 0.001 }))?.peak, null);
});

test('the errors are those of weighted least squares', () => {
  const noise = [1.02, 0.97, 1.01, 1.03, 0.98];
  const points = [1, 5, 20, 50, 100].map((calls, index) => {
    const stayS = ((1 + 0.1 * (calls - 1) + 0.002 * calls * (calls - 1)) / 100) * (noise[index] ?? 1);
    return { rate: calls / stayS, stayS };
  });
  // The normal equations by Cramer's rule, and t = 4.303 for 5 - 3 degrees of freedom.
  const law = fitScalabilityLaw(points);
  within(law?.rate, 100.0612, 1e-6);
  within(law?.contention, 0.1009406, 1e-6);
  within(law?.coherence, 0.001989351, 1e-6);
  within(law?.error.contention, 0.03677325, 1e-6);
  within(law?.error.coherence, 0.0006714124, 1e-6);
});

test('what would be negative is 0, without an error, and the other is fitted without it', () => {
  // With all three unknowns the contention of these points is -0.005.
  const noisy = (/** @type {number} */ index) => 1 + 0.05 * (-1) ** index;
  const coherent = fitScalabilityLaw(pointsOf({ rate: 100, contention: 0, coherence: 0.01 }, noisy));
  assert.deepEqual([coherent?.contention, coherent?.error.contention], [0, 0]);
  within(coherent?.coherence, 0.01, 0.1);
  within(coherent?.peak?.calls, Math.sqrt(1 / 0.01), 0.05);
  // The last stay is shorter than the law says: the coherence is below 0.
  const early = (/** @type {number} */ index) => (index === CALLS.length - 1 ? 0.9 : 1);
  const contended = fitScalabilityLaw(pointsOf({ rate: 100, contention: 0.1, coherence: 0 }, early));
  assert.deepEqual([contended?.coherence, contended?.error.coherence], [0, 0]);
  within(contended?.contention, 0.1, 0.1);
});

test('too few loads, or one without an answer, are no law', () => {
  const points = pointsOf({ rate: 100, contention: 0.05, coherence: 0.001 });
  assert.equal(fitScalabilityLaw(points.slice(0, 4)), null);
  assert.ok(fitScalabilityLaw(points.slice(0, 5)));
  assert.equal(fitScalabilityLaw([...points, { rate: 0, stayS: 0.1 }]), null);
  assert.equal(fitScalabilityLaw([...points, { rate: 10, stayS: 0 }]), null);
  const same = Array.from({ length: 6 }, () => ({ rate: 10, stayS: 0.1 }));
  assert.equal(fitScalabilityLaw(same)?.peak ?? null, null);
});

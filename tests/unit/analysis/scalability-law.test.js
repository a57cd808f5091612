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

test('too few loads, or one without an answer, are no law', () => {
  const points = pointsOf({ rate: 100, contention: 0.05, coherence: 0.001 });
  assert.equal(fitScalabilityLaw(points.slice(0, 4)), null);
  assert.equal(fitScalabilityLaw([...points, { rate: 0, stayS: 0 }]), null);
  const same = Array.from({ length: 6 }, () => ({ rate: 10, stayS: 0.1 }));
  assert.equal(fitScalabilityLaw(same)?.peak ?? null, null);
});

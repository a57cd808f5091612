/** @param digits decimal places; 3 keeps microseconds of a value in milliseconds */
export function round(value: number, digits: number = 3): number {
  return Number(value.toFixed(digits));
}

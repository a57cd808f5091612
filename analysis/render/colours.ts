/** Colours are used on a terminal, unless NO_COLOR is set (https://no-color.org). */
export const wantsColours = () => process.stdout.isTTY === true && !process.env.NO_COLOR;

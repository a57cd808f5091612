/** Does whoever reads standard output want colours? It is a terminal then, and nobody said no (https://no-color.org). */
export const wantsColours = () => process.stdout.isTTY === true && !process.env.NO_COLOR;

/** Standard error without the line that names the store. Each command writes it, and `tests/cli/store-line.test.ts` tests it. */
export const withoutStoreLine = (err: string): string => err.replace(/^Store: .*\n/m, '')

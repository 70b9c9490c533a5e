import type { Terminal } from './terminal.ts'

/** What a command has to show: names and values, as they stand in its JSON. */
export type Shown = Readonly<Record<string, string | boolean | null>>

/**
 * One record: a JSON object, or a line for each of its fields.
 *
 * @param beside what there is to say to people, who do not get the JSON
 */
export const printOne = (terminal: Terminal, json: boolean, shown: Shown, beside?: string): void => {
  if (json) {
    terminal.print(JSON.stringify(shown))
    return
  }
  const width = Math.max(...Object.keys(shown).map((name) => name.length))
  for (const [name, value] of Object.entries(shown)) terminal.print(`${name.padEnd(width)}  ${text(value)}`)
  if (beside !== undefined) terminal.say(beside)
}

/** One of a list: a JSON object, or its values, each on one line. */
export const printLine = (terminal: Terminal, json: boolean, shown: Shown): void =>
  terminal.print(json ? JSON.stringify(shown) : Object.values(shown).map(text).join('  '))

const text = (value: string | boolean | null): string => (value === null ? '-' : String(value))

/** A time as it stands everywhere in what is printed, or null when there is none. */
export const rfc3339 = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(seconds * 1000).toISOString()

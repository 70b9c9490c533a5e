import type { Writable } from 'node:stream'
import { MultiBar } from 'cli-progress'
import { printable } from './printable.ts'

/**
 * A progress bar on a terminal. It is loaded only by commands that show it.
 *
 * @param options.format a line with the placeholders of cli-progress and the names of values
 * @param options.isKept whether the bar stays on the terminal after its end
 */
export const progressBar = (
  terminal: Writable,
  { format, isKept }: Readonly<{ format: string; isKept: boolean }>,
) => {
  const bars = new MultiBar({
    stream: terminal as NodeJS.WritableStream,
    format,
    clearOnComplete: !isKept,
    linewrap: true, // leaves the terminal as it is, also if the process is killed
  })
  const bar = bars.create(0, 0)
  return {
    /** Begins anew, and is drawn at once: the work may block the process. */
    begin: (total: number, values: Values): void => {
      bar.start(total, 0, values)
      bars.update()
    },
    advance: (by: number, values: Values): void => {
      bar.increment(by, values)
    },
    /** Writes a line above the bar. */
    log: (line: string): void => bars.log(`${printable(line)}\n`),
    stop: (): void => {
      bars.update() // writes the last lines above the bar
      bars.stop()
    },
  }
}

/** What a format shows by name. */
type Values = Readonly<Record<string, string | number>>

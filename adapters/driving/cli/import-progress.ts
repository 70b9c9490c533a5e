import type { Writable } from 'node:stream'
import { MultiBar } from 'cli-progress'

/**
 * A progress bar on a terminal. Without a size it only counts lines.
 *
 * @param size the bytes of the file, if they are known
 */
export const progressBar = (terminal: Writable, size: number | undefined) => {
  const bars = new MultiBar({
    stream: terminal as NodeJS.WritableStream,
    format:
      size === undefined ? '{lines} lines' : '{bar} {percentage}% | {lines} lines | {eta_formatted} left',
    linewrap: true, // leaves the terminal as it is, also if the process is killed
  })
  const bar = bars.create(size ?? 0, 0, { lines: 0 })
  return {
    advance: ({ bytes, lines }: Readonly<{ bytes: number; lines: number }>): void => {
      bar.increment(bytes, { lines })
    },
    /** Writes a line above the bar. */
    log: (line: string): void => bars.log(`${line}\n`),
    stop: (): void => {
      bars.update() // writes the last lines above the bar
      bars.stop()
    },
  }
}

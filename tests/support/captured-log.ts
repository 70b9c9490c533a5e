import { type Logger, pino } from 'pino'

/** A log that keeps its lines of every level as they would be written. */
export const capturedLog = (): Readonly<{ log: Logger; lines: ReadonlyArray<string> }> => {
  const lines: Array<string> = []
  const log = pino(
    { level: 'trace', base: null },
    {
      write: (line: string) => {
        lines.push(line)
      },
    },
  )
  return { log, lines }
}

import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { CommandContext } from './command-context.ts'

/** What happened to a line. A bad line has reasons: sentences without any part of the line. */
export type ReportedLine = Readonly<{ number: number; outcome: 'imported' | 'known' | NonEmptyArray<string> }>

/** Counts lines, and writes bad ones to standard error. On a terminal, it shows the progress. */
export type ImportReport = Readonly<{
  counts: Readonly<{ lines: number; imported: number; known: number; bad: number }>
  add: (lines: ReadonlyArray<ReportedLine>, bytes: number) => void
  end: () => void
}>

/** @param size the bytes of the file, if they are known */
export const importReport = async (
  { writeErr, terminal }: CommandContext,
  size: number | undefined,
): Promise<ImportReport> => {
  const counts = { lines: 0, imported: 0, known: 0, bad: 0 }
  // Loaded only if it is shown.
  const bar = terminal && (await import('./import-progress.ts')).importProgress(terminal, size)
  const write = bar?.log ?? writeErr

  const addBad = (number: number, reasons: NonEmptyArray<string>): void => {
    counts.bad += 1
    if (counts.bad <= MAX_REPORTED) write(`Line ${number}: ${reasons.join(' ')}`)
    if (counts.bad === MAX_REPORTED + 1) write('More bad lines are counted, but not reported.')
  }

  return {
    counts,
    add: (lines, bytes) => {
      for (const { number, outcome } of lines) {
        counts.lines += 1
        if (typeof outcome === 'string') counts[outcome] += 1
        else addBad(number, outcome)
      }
      bar?.advance({ bytes, lines: counts.lines })
    },
    end: () => bar?.stop(),
  }
}

/** A file of another format has only bad lines. */
const MAX_REPORTED = 1_000

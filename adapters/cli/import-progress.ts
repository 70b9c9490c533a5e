import type { Writable } from 'node:stream'
import { progressBar } from './progress-bar.ts'

/**
 * The progress of an import. Without a size it only counts lines.
 *
 * @param size the bytes of the file, if they are known
 */
export const importProgress = (terminal: Writable, size: number | undefined) => {
  const format =
    size === undefined ? '{lines} lines' : '{bar} {percentage}% | {lines} lines | {eta_formatted} left'
  const bar = progressBar(terminal, { format, isKept: true })
  bar.begin(size ?? 0, { lines: 0 })
  return {
    ...bar,
    advance: ({ bytes, lines }: Readonly<{ bytes: number; lines: number }>): void =>
      bar.advance(bytes, { lines }),
  }
}

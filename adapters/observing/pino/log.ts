import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

/** What stands in every line beside what it is about; asked for each, and an object of its own each time. */
export type Everywhere = () => Record<string, unknown>

/**
 * The service's own log: one JSON object a line on standard error, so that what a command prints stays apart from
 * it. Whoever logs names each field; no request, answer or error is ever given to it whole.
 *
 * Where standard error takes nothing (a full disk), lines wait up to a bound and are dropped beyond it: a log that
 * cannot be written stops neither an answer nor the end of the process.
 */
export const jsonLog = (level: string, everywhere?: Everywhere): Logger =>
  pino(
    {
      level,
      base: null,
      ...(everywhere === undefined ? {} : { mixin: everywhere }),
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    standardError(),
  )

/** Resolves when the lines logged so far are written, or cannot be. */
export const flushed = (log: Logger): Promise<void> => new Promise((resolve) => log.flush(() => resolve()))

const standardError = () => {
  const sink = destination({
    dest: 2,
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
    maxLength: MAX_WAITING_BYTES,
  })
  let failing = false
  sink.on('error', () => {
    failing = true
  })
  sink.on('write', () => {
    failing = false
  })
  // pino calls this as the process exits, and it would try for ever what has just failed.
  const flushSync = sink.flushSync.bind(sink)
  sink.flushSync = () => {
    if (!failing) flushSync()
  }
  return sink
}

/** Lines are written together, for a write costs more than a line; none waits longer than a moment for company. */
const BUFFER_BYTES = 4_096
const FLUSH_EVERY_MS = 200
const MAX_WAITING_BYTES = 1024 * 1024

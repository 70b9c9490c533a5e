import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

/**
 * The service's own log: one JSON object a line on standard error, so that what a command prints stays apart from
 * it. Whoever logs names each field; no request, answer or error is ever given to it whole.
 */
export const jsonLog = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination({ dest: 2, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_EVERY_MS }),
  )

/** Lines are written together, for a write costs more than a line; none waits longer than a moment for company. */
const BUFFER_BYTES = 4_096
const FLUSH_EVERY_MS = 200

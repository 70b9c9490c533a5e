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
    destination({ dest: 2, sync: false }),
  )

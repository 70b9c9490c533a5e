import { destination, type Logger, pino } from 'pino'

/** Returns the fields to add to every line, as a new object for each line. */
export type CommonFields = () => Record<string, unknown>

/**
 * The log of the service: one JSON object per line on standard error. Standard output is free for the output of commands. Callers
 * name each field and never pass a whole request, response or error, because these can contain secrets.
 *
 * If standard error cannot be written (a full disk, a reader that has stalled), lines wait up to a bound and are then dropped. So a failing
 * log delays no response, and the end of the process by `END_WAIT_MS` at most.
 */
export const jsonLog = (level: string, commonFields?: CommonFields): Logger =>
  pino(
    {
      level,
      base: null,
      ...(commonFields === undefined ? {} : { mixin: commonFields }),
      timestamp: isoTime(),
      formatters: { level: (label) => ({ level: label }) },
      // The sink takes bytes, see `contentMode`. pino passes on what this returns, but declares it as a string.
      hooks: { streamWrite: Buffer.from as unknown as (line: string) => string },
    },
    standardError(),
  )

/** Returns the field of the time. Many lines share a millisecond. */
const isoTime = (): (() => string) => {
  let at = 0
  let field = ''
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      field = `,"time":"${new Date(now).toISOString()}"`
    }
    return field
  }
}

/** Resolves when the lines logged so far are written, have failed, or have waited for `END_WAIT_MS`. Then they are dropped. */
export const flushed = (log: Logger): Promise<void> =>
  new Promise((resolve) => {
    retriesEndMs = performance.now() + END_WAIT_MS
    const late = setTimeout(resolve, 2 * END_WAIT_MS) // a write that blocks tells nothing
    log.flush(() => {
      clearTimeout(late)
      resolve()
    })
  })

/** Until then, the sink retries a pipe that has no room. */
let retriesEndMs = Number.POSITIVE_INFINITY

/** All logs of a process share one, because each has a timer for as long as the process runs. */
let shared: ReturnType<typeof destination> | undefined

const standardError = () => {
  retriesEndMs = Number.POSITIVE_INFINITY
  shared ??= newStandardError()
  return shared
}

const newStandardError = () => {
  void process.stderr // with the first use, Node makes a pipe non-blocking: a write without room fails, and blocks no thread
  const sink = destination({
    dest: 2,
    contentMode: 'buffer', // with strings, each line would copy all lines that wait
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < retriesEndMs,
  })
  let failing = false
  sink.on('error', () => {
    failing = true
  })
  sink.on('write', () => {
    failing = false
  })
  // pino calls this when the process exits, and would retry a failing write for ever.
  const flushSync = sink.flushSync.bind(sink)
  sink.flushSync = () => {
    retriesEndMs = Math.min(retriesEndMs, performance.now() + END_WAIT_MS)
    try {
      if (!failing) flushSync()
    } catch {} // the lines are dropped
  }
  return sink
}

/** Lines are written in batches, because a write costs more than a line. No line waits longer than `FLUSH_EVERY_MS`. */
const BUFFER_BYTES = 8_192
const FLUSH_EVERY_MS = 200
const MAX_WAITING_BYTES = 1024 * 1024

/** How long the end of a service or a process waits for a reader that has stalled. */
const END_WAIT_MS = 2_000

/**
 * The kind of an unexpected error and where it happened, for the log. The message is left out: it may quote what a client sent,
 * line breaks included.
 */
export const loggableError = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof Error
    ? {
        name: error.name,
        code: 'code' in error ? String(error.code) : undefined,
        at: framesOf(error),
      }
    : { name: typeof error }

/** The lines after the message. None if the message has changed since the error was created. */
const framesOf = ({ stack = '', message }: Error): ReadonlyArray<string> => {
  const at = stack.indexOf(message)
  const frames = at === -1 ? '' : stack.slice(at + message.length)
  return frames.split('\n').filter((line) => /^\s+at /.test(line))
}

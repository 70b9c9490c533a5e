/**
 * An unexpected error as a log may show it: what kind it is and where it happened. Its message is left out, for it
 * may quote what a client sent, in as many lines as it likes.
 */
export const stackOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof Error
    ? {
        name: error.name,
        code: 'code' in error ? String(error.code) : undefined,
        at: framesOf(error),
      }
    : { name: typeof error }

/** The lines behind the message; none when the message is not where it was when the error was made. */
const framesOf = ({ stack = '', message }: Error): ReadonlyArray<string> => {
  const at = stack.indexOf(message)
  const frames = at === -1 ? '' : stack.slice(at + message.length)
  return frames.split('\n').filter((line) => /^\s+at /.test(line))
}

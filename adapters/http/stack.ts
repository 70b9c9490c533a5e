/**
 * An unexpected error as a log may show it: what kind it is and where it happened. Its message is left out, for it
 * may quote what a client sent.
 */
export const stackOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof Error
    ? {
        name: error.name,
        code: 'code' in error ? String(error.code) : undefined,
        at: (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)),
      }
    : { name: typeof error }

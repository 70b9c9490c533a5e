import { context, propagation, trace } from '@opentelemetry/api'
import { NodeTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-node'

export type CollectedSpans = Readonly<{
  /** Those that began since they were taken the last time and have ended, in the order in which they began. */
  taken: () => ReadonlyArray<ReadableSpan>
}>

/** Registers an SDK that keeps spans in memory, for the tests of a `describe`. Services have to be made after that. */
export const collectedSpans = (): CollectedSpans => {
  const begun: Array<ReadableSpan> = []
  const keeping: SpanProcessor = {
    onStart: (span) => void begun.push(span), // to the millisecond most begin at once, so times do not say it
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const provider = new NodeTracerProvider({ spanProcessors: [keeping] })
  before(() => provider.register())
  after(async () => {
    trace.disable()
    context.disable()
    propagation.disable()
    await provider.shutdown()
  })
  return {
    taken: () => {
      const all = begun.splice(0)
      begun.push(...all.filter(({ ended }) => !ended))
      return all.filter(({ ended }) => ended)
    },
  }
}

import { context, propagation, trace } from '@opentelemetry/api'
import { NodeTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-node'

export type CollectedSpans = Readonly<{
  /** Spans that began since the last call and have ended, in the order of their starts. */
  taken: () => ReadonlyArray<ReadableSpan>
}>

/** Registers an SDK that keeps spans in memory, for the tests of a `describe`. Start services after that. */
export const collectedSpans = (): CollectedSpans => {
  const begun: Array<ReadableSpan> = []
  const keeping: SpanProcessor = {
    onStart: (span) => void begun.push(span), // many start in the same millisecond, so times cannot order them
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

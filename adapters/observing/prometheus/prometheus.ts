import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { KeyPurpose } from '../../../domain/signing-key.ts'
import { measuredHasher } from './hashing.ts'
import { logPosition } from './log-position.ts'
import type { Meters } from './meters.ts'
import { countedRefusals, countedThrottle } from './refusals.ts'
import { requestMeters } from './requests.ts'
import { measuredStore } from './store.ts'
import { counter, histogram } from './tallies.ts'

/**
 * Meters for Prometheus, in a registry of their own: two services in one process do not count each other's.
 *
 * @param version of this package
 */
export const prometheusMeters = (version: string): Meters => {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'portcullis_build_info',
    help: 'Always 1; what runs stands in the labels.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1)
  const position = logPosition(registry)
  const batch = histogram(
    registry,
    {
      name: 'portcullis_store_commit_batch_changes',
      help: 'Changes that were committed in one transaction.',
      labelNames: [],
    },
    BATCH_BUCKETS,
  )({})
  const lookedUp = tokenLookUps(registry)

  return {
    store: (store) => {
      position.of(store)
      return measuredStore(registry, store)
    },
    passwordHasher: (hasher) => measuredHasher(registry, hasher),
    refusals: (refusals) => countedRefusals(registry, refusals),
    throttle: (throttle) => countedThrottle(registry, throttle),
    committedTogether: (changes) => {
      if (changes > 0) batch(changes)
    },
    tokenLookedUp: lookedUp,
    requests: requestMeters(registry),
    exposition: async () => {
      const all = Registry.merge([registry, processRegistry()])
      return { type: all.contentType, data: await all.metrics() }
    },
  }
}

/** Powers of two, up to what one transaction takes at most. */
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256]

const tokenLookUps = (registry: Registry): Meters['tokenLookedUp'] => {
  const lookUps = counter(registry, {
    name: 'portcullis_token_cache_lookups_total',
    help: 'Tokens that came, by the kind whose form they have, and whether their signature was known to be good.',
    labelNames: ['kind', 'result'],
  })
  const of = (kind: KeyPurpose) => ({
    hit: lookUps({ kind, result: 'hit' }),
    miss: lookUps({ kind, result: 'miss' }),
  })
  const byKind = { application: of('application'), user: of('user') }
  return (kind, isKnown) => byKind[kind][isKnown ? 'hit' : 'miss']()
}

/**
 * What is the process's own, whatever it runs: CPU, memory, garbage collection, how late its event loop is. It is measured from the
 * first scrape on, for it costs a little all the time; and once however many services there are, for nothing that measures it can
 * be taken away again.
 */
const processRegistry = (): Registry => {
  if (ofThisProcess === undefined) {
    ofThisProcess = new Registry()
    collectDefaultMetrics({ register: ofThisProcess })
  }
  return ofThisProcess
}

let ofThisProcess: Registry | undefined

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { EXPIRING_TABLES } from '../../../application/ports/store.ts'
import { hashingMetrics } from './hashing.ts'
import { identityMeters } from './identities.ts'
import { logPosition } from './log-position.ts'
import { mailMeters } from './mails.ts'
import type { Meters } from './meters.ts'
import { openIdMeters } from './openid.ts'
import { countedRefusals, countedThrottle } from './refusals.ts'
import { requestMeters } from './requests.ts'
import { counter, histogram } from './series.ts'
import { storeMetrics } from './store.ts'

/**
 * Meters for Prometheus in a new registry, so that two services in one process have separate metrics.
 *
 * @param version of this package
 */
export const prometheusMeters = (version: string): Meters => {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'portcullis_build_info',
    help: 'Always 1. The labels name the versions of Portcullis and Node.js.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1)
  const position = logPosition(registry)
  const batch = histogram(
    registry,
    {
      name: 'portcullis_store_commit_batch_changes',
      help: 'Changes per transaction.',
      labelNames: [],
    },
    BATCH_BUCKETS,
  )({})
  const lookedUp = tokenLookUps(registry)

  return {
    store: (store) => {
      position.of(store)
      return [storeMetrics(registry)]
    },
    passwordHasher: [hashingMetrics(registry)],
    refusals: (refusals) => countedRefusals(registry, refusals),
    throttle: (throttle) => countedThrottle(registry, throttle),
    committedTogether: (changes) => {
      if (changes > 0) batch(changes)
    },
    expiredDeleted: deletedRows(registry),
    ...treeMeters(registry),
    tokenLookedUp: lookedUp,
    mails: mailMeters(registry),
    openId: openIdMeters(registry),
    identities: identityMeters(registry),
    requests: requestMeters(registry),
    exposition: async () => {
      const all = Registry.merge([registry, processRegistry()])
      return { type: all.contentType, data: await all.metrics() }
    },
  }
}

/** Powers of two, up to the largest batch of one transaction. */
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256]

const deletedRows = (registry: Registry): Meters['expiredDeleted'] => {
  const counter = new Counter({
    name: 'portcullis_expired_rows_deleted_total',
    help: 'Expired rows that housekeeping has deleted, by table.',
    labelNames: ['table'],
    registers: [registry],
  })
  for (const table of [...EXPIRING_TABLES, 'mails', 'protocol_state']) counter.inc({ table }, 0)
  return (table, rows) => counter.inc({ table }, rows)
}

const treeMeters = (
  registry: Registry,
): Pick<Meters, 'logEntriesPending' | 'logSignerWorks' | 'logSignerStopped'> => {
  const registers = [registry]
  const pending = new Gauge({
    name: 'portcullis_log_entries_not_integrated',
    help: 'Entries of the event log that were not in its tree when this instance last looked.',
    registers,
  })
  const stopped = new Gauge({
    name: 'portcullis_log_signer_stopped',
    help: '1 while this instance signs no checkpoint because the event log or its tree is damaged, otherwise 0.',
    registers,
  })
  return {
    logEntriesPending: (entries) => pending.set(entries),
    logSignerWorks: () => stopped.set(0),
    logSignerStopped: () => stopped.set(1),
  }
}

const tokenLookUps = (registry: Registry): Meters['tokenLookedUp'] => {
  const lookUps = counter(registry, {
    name: 'portcullis_token_cache_lookups_total',
    help: 'Tokens received, by kind, and whether their signature was already verified (hit) or not (miss).',
    labelNames: ['kind', 'result'],
  })
  const of = (kind: 'application' | 'user') => ({
    hit: lookUps({ kind, result: 'hit' }),
    miss: lookUps({ kind, result: 'miss' }),
  })
  const byKind = { application: of('application'), user: of('user') }
  return (kind, isKnown) => byKind[kind][isKnown ? 'hit' : 'miss']()
}

/**
 * The metrics of the process: CPU, memory, garbage collection and event loop lag. They are collected from the first scrape on,
 * because they cost a little all the time. All services in the process share them, because their collectors cannot be removed.
 */
const processRegistry = (): Registry => {
  if (ofThisProcess === undefined) {
    ofThisProcess = new Registry()
    collectDefaultMetrics({ register: ofThisProcess })
  }
  return ofThisProcess
}

let ofThisProcess: Registry | undefined

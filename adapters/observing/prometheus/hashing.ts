import { isLeft } from 'fp-ts/lib/Either.js'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { HashingRefused } from '../../../application/ports/password-hasher.ts'
import type { HasherObserver, HashingCall } from '../instrumentation/password-hasher.ts'

/** Counts and times password hashes. The `onStart` of a hash ends its time in the queue. */
export const hashingMetrics = (registry: Registry): HasherObserver => {
  const meters = hashingMeters(registry)
  return (operation, hashing) => (request) => async () => {
    const askedAt = performance.now()
    let begunAt: number | undefined
    const onStart = (): void => {
      request.onStart?.()
      if (begunAt !== undefined) return
      begunAt = performance.now()
      meters.begun((begunAt - askedAt) / 1000)
    }
    meters.asked()
    try {
      const outcome = await hashing({ ...request, onStart })()
      if (isLeft(outcome)) meters.refused(outcome.left)
      else meters.done(operation, (performance.now() - (begunAt ?? askedAt)) / 1000)
      return outcome
    } finally {
      meters.over(begunAt !== undefined)
    }
  }
}

const hashingMeters = (registry: Registry) => {
  const registers = [registry]
  const waiting = new Gauge({
    name: 'portcullis_hash_queue_length',
    help: 'Password hashes that wait.',
    registers,
  })
  const running = new Gauge({
    name: 'portcullis_hashes_running',
    help: 'Password hashes in progress.',
    registers,
  })
  const waits = new Histogram({
    name: 'portcullis_hash_wait_seconds',
    help: 'Time of a password hash in the queue.',
    buckets: SECONDS,
    registers,
  })
  const durations = new Histogram({
    name: 'portcullis_hash_duration_seconds',
    help: 'Time of a password hash after the queue.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'portcullis_hashes_refused_total',
    help: 'Password hashes refused: too many were waiting, or the request had ended.',
    labelNames: ['reason'],
    registers,
  })
  for (const operation of ['hash', 'verify']) durations.zero({ operation })
  for (const reason of Object.values(REASONS)) refusals.inc({ reason }, 0)

  return {
    asked: () => waiting.inc(),
    begun: (waitedSeconds: number) => {
      waiting.dec()
      running.inc()
      waits.observe(waitedSeconds)
    },
    over: (hasBegun: boolean) => (hasBegun ? running : waiting).dec(),
    done: (operation: HashingCall, seconds: number) => durations.observe({ operation }, seconds),
    refused: ({ _tag }: HashingRefused) => refusals.inc({ reason: REASONS[_tag] }),
  }
}

const REASONS: Readonly<Record<HashingRefused['_tag'], string>> = {
  Overloaded: 'overloaded',
  Abandoned: 'abandoned',
}

/** By default, a hash takes about 0.25 s, and waits at most 2 s. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10]

import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type {
  HashingRefused,
  HashingRequest,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'

/**
 * A password hasher that is measured. A hasher asks whether its result is still wanted right before the expensive work begins,
 * so that whoever listens to that knows what waits and what is worked on, whichever hasher it is.
 */
export const measuredHasher = (registry: Registry, hasher: PasswordHasher): PasswordHasher => {
  const meters = hashingMeters(registry)

  const measured =
    <A>(
      operation: Operation,
      work: (request: HashingRequest) => TaskEither<HashingRefused, A>,
      request: HashingRequest,
    ): TaskEither<HashingRefused, A> =>
    async () => {
      const askedAt = performance.now()
      let begunAt: number | undefined
      const wanted = (): boolean => {
        const isWanted = request.wanted()
        if (isWanted && begunAt === undefined) {
          begunAt = performance.now()
          meters.begun((begunAt - askedAt) / 1000)
        }
        return isWanted
      }
      meters.asked()
      try {
        const outcome = await work({ ...request, wanted })()
        if (isLeft(outcome)) meters.refused(outcome.left)
        else meters.done(operation, (performance.now() - (begunAt ?? askedAt)) / 1000)
        return outcome
      } finally {
        meters.over(begunAt !== undefined)
      }
    }

  return {
    hash: (password, request) => measured('hash', (asked) => hasher.hash(password, asked), request),
    verify: (password, record, request) =>
      measured('verify', (asked) => hasher.verify(password, record, asked), request),
    verifyMs: (scheme) => hasher.verifyMs(scheme),
    assess: (record) => hasher.assess(record),
  }
}

type Operation = 'hash' | 'verify'

const hashingMeters = (registry: Registry) => {
  const registers = [registry]
  const waiting = new Gauge({
    name: 'portcullis_hash_queue_length',
    help: 'Password hashes that wait for their turn.',
    registers,
  })
  const running = new Gauge({
    name: 'portcullis_hashes_running',
    help: 'Password hashes that are being worked on.',
    registers,
  })
  const waits = new Histogram({
    name: 'portcullis_hash_wait_seconds',
    help: 'Time that a password hash waited for its turn.',
    buckets: SECONDS,
    registers,
  })
  const durations = new Histogram({
    name: 'portcullis_hash_duration_seconds',
    help: 'Time that a password hash took once its turn had come.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'portcullis_hashes_refused_total',
    help: 'Password hashes that were not done: there was too much to do, or nobody waited for them any more.',
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
    /** Whatever came of it. */
    over: (hasBegun: boolean) => (hasBegun ? running : waiting).dec(),
    done: (operation: Operation, seconds: number) => durations.observe({ operation }, seconds),
    refused: ({ _tag }: HashingRefused) => refusals.inc({ reason: REASONS[_tag] }),
  }
}

const REASONS: Readonly<Record<HashingRefused['_tag'], string>> = {
  Overloaded: 'overloaded',
  Abandoned: 'abandoned',
}

/** A hash takes a quarter of a second on purpose, and waits for two at most unless somebody says otherwise. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10]

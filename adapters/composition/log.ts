import { isSome, toUndefined } from 'fp-ts/lib/Option.js'
import { housekeeping } from '../../application/log/housekeeping.ts'
import { type IntegrationObserver, integrateLog } from '../../application/log/integrate-log.ts'
import { logWaiters } from '../../application/log/log-waiters.ts'
import { publishedLog } from '../../application/log/published-log.ts'
import { treeOf } from '../../application/ports/log-tree.ts'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { noteRefusals } from '../../application/recording/note-refusals.ts'
import { recorder } from '../../application/recording/recorder.ts'
import { steadyClock } from '../../application/recording/steady-clock.ts'
import { ed25519Notes } from '../credentials/signing/notes.ts'
import { nodeTreeDigests } from '../node/environment.ts'
import { Dependency, needs } from './dependencies.ts'
import { type Module, provide } from './provide.ts'

/** The event log: what writes it, keeps it in order and publishes it. */
export const log: ReadonlyArray<Module> = [
  provide(
    Dependency.recorder,
    needs('store', 'clock', 'random', 'digests', 'settings', 'outbox', 'mailBell'),
    ({ settings: { mail }, outbox, mailBell, ...needed }) => {
      const notices = isSome(outbox) ? mail : undefined
      return recorder({ ...needed, notices, onMails: mailBell.ring })
    },
  ),
  provide(
    Dependency.refusals,
    { ...needs('background', 'clock'), record: Dependency.recorder },
    noteRefusals,
  ),
  provide(Dependency.steadyClock, needs('store', 'clock', 'timer'), async (needed) => {
    const read = steadyClock(needed)
    await read() // before the service exists and writes with its own clock; after a failure, the first use reads again
    return read
  }),
  provide(
    Dependency.housekeeping,
    {
      ...needs('store', 'storage', 'protocolState', 'background', 'log', 'meters'),
      now: Dependency.steadyClock,
    },
    ({ log, meters, storage: { outbox }, protocolState, ...needed }) => {
      const failed = ({ reason }: StoreUnavailable) =>
        log.warn({ cause: reason }, 'expired rows could not be deleted')
      return housekeeping({
        ...needed,
        outbox,
        protocolState: toUndefined(protocolState),
        observer: { deleted: meters.expiredDeleted, failed },
      })
    },
  ),
  provide(
    Dependency.logIntegration,
    needs('store', 'settings', 'background', 'timer', 'log', 'meters'),
    ({ store, settings: { eventLogKeys, publicUrl }, background, timer, log, meters }) => {
      const tree = treeOf(store)
      if (tree === undefined) return { start: () => {} }
      const observer: IntegrationObserver = {
        looked: meters.logEntriesPending,
        passed: meters.logSignerWorks,
        stopped: (finding) => {
          meters.logSignerStopped()
          log.error({ cause: finding }, 'no checkpoint is signed: the event log or its tree is damaged')
        },
        failed: ({ reason }) => log.warn({ cause: reason }, 'the tree of the event log was not extended'),
      }
      const notes = ed25519Notes(eventLogKeys)
      const treeDigests = nodeTreeDigests
      return integrateLog({ log: tree, background, timer, publicUrl, notes, treeDigests, observer })
    },
  ),
  provide(Dependency.publishedLog, needs('store', 'settings'), ({ store, settings: { publicUrl } }) => {
    const log = treeOf(store)
    return log === undefined ? undefined : publishedLog({ log, publicUrl })
  }),
  provide(Dependency.logWaiters, needs('store', 'background'), logWaiters),
]

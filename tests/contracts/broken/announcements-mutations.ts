import type { Announcements } from '../../../application/ports/announcements.ts'
import type { OpenedAnnouncements } from '../../testkit/announcements.ts'
import type { PortMutation } from './port-mutations.ts'

/** An in-memory channel whose announcements pass through `mutate`. */
export const announcementsInMemory = (
  mutate: (good: Announcements) => Announcements = (good) => good,
): OpenedAnnouncements => {
  const listeners = new Set<() => void>()
  return {
    listen: async () => {
      const own = new Set<() => void>()
      let isClosed = false
      return mutate({
        onKeysChanged: (listener) => {
          if (isClosed) return
          own.add(listener)
          listeners.add(listener)
        },
        close: async () => {
          isClosed = true
          for (const listener of own) listeners.delete(listener)
        },
      })
    },
    announce: async () => {
      for (const listener of listeners) setImmediate(listener)
    },
  }
}

const EACH_TIME = 'tells a listener each time'
const EVERY_LISTENER = 'tells every listener'
const TO_THE_END = 'tells nothing after its end'

export const ANNOUNCEMENTS_MUTATIONS: ReadonlyArray<PortMutation<Announcements>> = [
  ['tells nothing', () => ({ onKeysChanged: () => undefined }), EACH_TIME],
  [
    'tells only the last listener',
    ({ onKeysChanged }) => {
      let last = (): void => undefined
      onKeysChanged(() => last())
      return {
        onKeysChanged: (listener) => {
          last = listener
        },
      }
    },
    EVERY_LISTENER,
  ],
  ['announces after its end', () => ({ close: async () => undefined }), TO_THE_END],
  [
    'cannot be closed twice',
    ({ close }) => {
      let isClosed = false
      return {
        close: async () => {
          if (isClosed) throw new Error('closed already')
          isClosed = true
          await close()
        },
      }
    },
    'may be ended twice, and before it has told anything',
  ],
]

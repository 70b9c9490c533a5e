import { FIRST_RELAY_PAUSE_MS, LONGEST_RELAY_PAUSE_MS } from '../../domain/mail.ts'
import type { Clock, Timer } from '../ports/environment.ts'
import type { MailObserver } from './mail-parts.ts'

/** Permits one attempt. `isProbe`: no other one runs. */
export type Permit = Readonly<{ round: number; isProbe: boolean }>

/** What an attempt has shown about the relay. `nothing`: it did not come so far. */
export type Shown = 'works' | 'nothing' | Readonly<{ downBecause: string }>

/**
 * Says whether mails may be sent. After the relay could not be used, none may for a second, then one, which probes it. Each failed probe
 * doubles the pause, up to a minute; the first answer ends it.
 */
export const relayPause = ({
  timer,
  clock,
  observer,
}: Readonly<{
  timer: Pick<Timer, 'now'>
  clock: Clock
  observer: Pick<MailObserver, 'relayDown'>
}>) => {
  let pauseMs = 0
  let endsAtMs = 0
  let isProbing = false
  let round = 0

  return {
    /** Undefined while no mail may be sent. */
    begin: (): Permit | undefined => {
      if (pauseMs === 0) return { round, isProbe: false }
      if (isProbing || timer.now() < endsAtMs) return undefined
      isProbing = true
      return { round, isProbe: true }
    },

    /**
     * Ends an attempt; a second call does nothing. One that began before the last pause shows nothing new: four at once must not count as four
     * probes.
     */
    end: (permit: Permit, shown: Shown): void => {
      if (permit.round !== round) return
      if (permit.isProbe) isProbing = false
      if (shown === 'nothing') return
      if (shown !== 'works') {
        if (pauseMs === 0) observer.relayDown({ atMilliseconds: clock(), code: shown.downBecause })
        pauseMs = pauseMs === 0 ? FIRST_RELAY_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_RELAY_PAUSE_MS)
        endsAtMs = timer.now() + pauseMs
        round += 1
      } else if (permit.isProbe) {
        observer.relayDown(undefined)
        pauseMs = 0
        round += 1
      }
    },

    /** The length of the pause. 0 if the relay works. */
    seconds: (): number => Math.ceil(pauseMs / 1000),
  }
}

export type RelayPause = ReturnType<typeof relayPause>

import { isLeft } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { Finding } from '../../application/ports/inspection.ts'
import type { CheckedRelay } from '../../application/ports/mail.ts'
import { LATE_SECONDS } from '../../domain/mail.ts'
import { rfc3339OfSeconds } from '../../domain/rfc3339.ts'
import { relayText } from '../config/mail-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { Composition, Operations } from './composition.ts'
import { unavailableText } from './operations.ts'
import { relayProblem } from './relay-problems.ts'

/** Whether the relay takes mails of these settings. It takes at most a minute. No finding without `MAIL_URL`. */
export const relayFinding = async (
  composition: Pick<Composition, 'openMail'>,
  settings: Settings,
  nowMs: number,
): Promise<ReadonlyArray<Finding>> => {
  if (settings.mail === undefined) return []
  const { relay } = settings.mail
  const finding = (ok: boolean, detail: string): ReadonlyArray<Finding> => [{ name: 'relay', ok, detail }]
  try {
    const opened = await composition.openMail(settings)
    if (isNone(opened)) return []
    const { mailer } = opened.value
    const checked = await mailer.check()()
    await mailer.close()
    if (isLeft(checked))
      return finding(false, `${relayProblem(relayText(relay), checked.left)} Mails wait until then.`)
    const { tlsVersion, certificateEndsAtSeconds: ends } = checked.right
    const isVerified = relay !== 'terminal' && relay.tls !== 'offered'
    const endsSoon = isVerified && ends !== undefined && ends < nowMs / 1000 + WARNED_SECONDS
    return finding(
      !endsSoon,
      [
        `The relay ${relayText(relay)} takes mails, ${tlsVersion === undefined ? 'without TLS' : `with ${tlsVersion}`}.`,
        ...certificateText(checked.right),
        ...(endsSoon ? [ENDS_SOON] : []),
      ].join(' '),
    )
  } catch (error) {
    return finding(false, error instanceof Error ? error.message : 'The relay cannot be checked.')
  }
}

const certificateText = ({ certificateEndsAtSeconds: ends }: CheckedRelay): ReadonlyArray<string> =>
  ends === undefined ? [] : [`Its certificate ends at ${rfc3339OfSeconds(ends)}.`]

const WARNED_SECONDS = 14 * 86_400
const ENDS_SOON =
  'That is within 14 days: mails wait from then on. Renew it, or tell those who run the relay.'

/** The mails that wait or failed. No finding without `MAIL_URL` if there are none. */
export const mailsFinding = async (
  { mails, settings }: Pick<Operations, 'mails'> & Readonly<{ settings: Pick<Settings, 'mail'> }>,
  nowMs: number,
): Promise<ReadonlyArray<Finding>> => {
  if (mails === undefined) return []
  const finding = (ok: boolean, detail: string): ReadonlyArray<Finding> => [{ name: 'mails', ok, detail }]
  const counted = await mails.counts()()
  if (isLeft(counted)) return finding(false, unavailableText(counted.left))
  const { waiting, failed, oldestDueAtSeconds: oldest } = counted.right
  if (settings.mail === undefined && waiting + failed === 0) return []
  const late = isSome(oldest) && nowMs / 1000 - oldest.value > LATE_SECONDS ? oldest.value : undefined
  const wrong = [
    ...(settings.mail === undefined && waiting > 0 ? [NO_RELAY] : []),
    ...(settings.mail !== undefined && late !== undefined
      ? [`The oldest is due since ${rfc3339OfSeconds(late)}, for more than 15 minutes. ${LATE}`]
      : []),
  ]
  const counts = `${waiting} ${waiting === 1 ? 'waits' : 'wait'}. ${failed} failed.`
  return finding(wrong.length === 0, [counts, ...wrong, ...(failed === 0 ? [] : [FAILED])].join(' '))
}

const LATE =
  'Start a service with these settings. If one runs, its log and the check relay say why mails wait.'
const NO_RELAY =
  'MAIL_URL is not set here, so none is sent. Set it as the server has it, or delete the mails: portcullis mail drop --all.'

/** No failure: a mailbox that does not exist is no fault of the service. */
const FAILED =
  'To see the codes: portcullis mail list --state failed. Then send them again (portcullis mail retry --all), or let them go after seven days.'

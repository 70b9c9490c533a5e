import { isLeft } from 'fp-ts/lib/Either.js'
import type { CheckedStore } from '../../application/log/check-store.ts'
import type { EarlyDeletion } from '../../application/log/clock-ahead.ts'
import type { VerifiedLog } from '../../application/log/verify-log.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import { countOf } from '../../domain/position-runs.ts'
import type { Operations } from './composition.ts'
import { historySentence, NO_TREE } from './history.ts'
import { unavailableText } from './operations.ts'

/** Whether the log explains every row. */
export const logFinding = (checked: CheckedStore['log']): Finding => {
  if (isLeft(checked)) return { name: 'log', ok: false, detail: unavailableText(checked.left) }
  const { entries, rows, disagreements, earlyDeletion } = checked.right
  const [first, ...more] = disagreements
  if (first === undefined)
    return { name: 'log', ok: true, detail: `${entries} entries and ${rows} rows agree.` }
  const shown = [first, ...more.slice(0, MAX_DISAGREEMENTS - 1)].join('; ')
  const hidden = more.length + 1 - MAX_DISAGREEMENTS
  const rest = hidden > 0 ? `; and ${hidden} more` : ''
  return { name: 'log', ok: false, detail: `${shown}${rest}. ${logAdvice(earlyDeletion)}` }
}

/** The disagreements that the detail lists. */
const MAX_DISAGREEMENTS = 5

/** What to do about rows that disagree with the log. Without a back-up, rows that a wrong clock has deleted are soon made again. */
export const logAdvice = (early: EarlyDeletion | undefined): string => {
  if (early === undefined) return RESTORE
  const { tables, clock } = early
  const replace = tables.includes('revoked_tokens') ? ` ${REPLACE_KEYS}` : ''
  return clock === undefined
    ? `If the clock was ahead when a server started, that server has deleted them too early. ${REPEAT}${replace} Otherwise something else has deleted them: restore a back-up.`
    : `A clock was ${spanOf(clock.seconds)} ahead at position ${clock.position}, so a server has deleted them too early. Correct the clock, then restart the servers. Restore nothing. ${REPEAT}${replace}`
}

const RESTORE = 'Restore a back-up.'
const REPEAT = 'Users sign in again and ask for new links.'
const REPLACE_KEYS = 'Revoked tokens are valid again: portcullis keys rotate --purpose application --leaked'

/** About this time, in its largest unit. */
const spanOf = (seconds: number): string => {
  const [size, unit] = UNITS.find(([least]) => seconds >= 2 * least) ?? [60, 'minutes']
  return `${Math.round(seconds / size)} ${unit}`
}

const UNITS = [
  [24 * 3600, 'days'],
  [3600, 'hours'],
] as const

/** Whether the log agrees with its tree, and who can prove that it was not changed. */
export const historyFinding = async (
  { history }: Pick<Operations, 'history'>,
  verified: CheckedStore['history'],
): Promise<Finding> => {
  const finding = (ok: boolean, detail: string): Finding => ({ name: 'history', ok, detail })
  if (history === undefined || verified === undefined) return finding(true, `${NO_TREE}.`)
  if (isLeft(verified))
    return finding(
      false,
      verified.left._tag === 'StoreUnavailable'
        ? unavailableText(verified.left)
        : historySentence(verified.left),
    )
  const { size, findings } = verified.right
  const [first] = findings
  if (first !== undefined) return finding(false, historySentence({ _tag: 'DamagedLog', finding: first }))
  const keys = await history.verifierKeys()
  if (isLeft(keys)) return finding(false, unavailableText(keys.left))
  const many = keys.right.length
  const signing =
    many === 0
      ? 'EVENT_LOG_KEY is not set, so nothing signs checkpoints.'
      : `${many === 1 ? 'One key signs' : `${many} keys sign`} checkpoints. Keep some elsewhere.`
  return finding(true, `${size} entries agree with their tree. ${signing}${provingHint(verified.right)}`)
}

/** What to do about proofs: nothing if every key proves all prunings, and they are complete. */
export const provingHint = ({
  provedBySome,
  stillPresent,
}: Pick<VerifiedLog, 'provedBySome' | 'stillPresent'>): string => {
  const [first] = stillPresent
  const some =
    provedBySome === 0
      ? ''
      : ` Not every key proves that ${provedBySome} missing entries were pruned: run events prune before you remove a key.`
  return first === undefined
    ? some
    : `${some} Position ${first[0]} is present although LogPruned says that it is pruned, one of ${countOf(stillPresent)}: run an interrupted events prune again. If there is none, a key signed what you did not prune.`
}

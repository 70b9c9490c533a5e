import { isLeft } from 'fp-ts/lib/Either.js'
import type { Finding } from '../../application/ports/inspection.ts'
import { SHARE_OF_COMMANDS } from '../../application/throttling/hashing-shares.ts'
import { isCheaperThanRecommended, type Settings } from '../config/settings.ts'
import { applicationsFinding } from './applications-finding.ts'
import type { Composition, Operations } from './composition.ts'
import { historySentence, NO_TREE } from './history.ts'
import { keysFinding } from './keys-finding.ts'
import { logAdvice } from './log-advice.ts'
import { notedBy } from './noted-server.ts'
import { storeText, unavailableText } from './operations.ts'
import { passwordsFinding } from './passwords-finding.ts'
import { serversFinding } from './servers-finding.ts'
import { settingsFinding } from './settings-finding.ts'

/** How far a long check is: `done` of about `total` items, or of an unknown number. */
export type Progress = Readonly<{ check: string; done: number; total: number | undefined }>

type OnProgress = (progress: Progress) => void

/** Checks the settings, the place of the store, and the store itself. */
export const findingsOf = async (
  composition: Composition,
  settings: Settings,
  onProgress: OnProgress = () => {},
): Promise<ReadonlyArray<Finding>> => {
  onProgress({ check: 'store', done: 0, total: undefined })
  const haveHasher = composition.parts?.havePasswordHasher ?? false
  const outside = [
    settingsFinding(settings, { store: storeText(composition, settings), haveHasher }),
    ...(await composition.inspectStore(settings)),
  ]
  if (outside.some(({ name, ok }) => name === 'store' && !ok)) return outside
  const inside = await storeFindings(composition, settings, onProgress)
  const isReplaced = ({ name }: Finding) => inside.some((finding) => finding.name === name) // the open store tells more
  return [...outside.filter((finding) => !isReplaced(finding)), ...inside]
}

/** The checks that need the open store. */
const storeFindings = async (
  composition: Composition,
  settings: Settings,
  onProgress: OnProgress,
): Promise<ReadonlyArray<Finding>> => {
  const haveHasher = composition.parts?.havePasswordHasher ?? false
  let users: number | undefined
  const onLogProgress: OnProgress = (progress) => {
    if (progress.check === 'users') users = progress.done
    onProgress(progress)
  }
  try {
    const operations = await composition.composeOperations(settings, 'read-only')
    try {
      return [
        await serversFinding(operations.serverNotes, notedBy(composition, settings), Date.now()),
        await logFinding(operations, onLogProgress),
        await historyFinding(operations, onProgress),
        await applicationsFinding(operations),
        await keysFinding(operations),
        await passwordsFinding(operations, haveHasher, (done) =>
          onProgress({ check: 'passwords', done, total: users }),
        ),
        await hashingFinding(operations, haveHasher),
      ]
    } finally {
      await operations.close()
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'The store cannot be opened.'
    return [{ name: 'store', ok: false, detail }]
  }
}

/** Compares the log with its tree, and says who can prove that it was not changed. */
const historyFinding = async ({ history }: Operations, onProgress: OnProgress): Promise<Finding> => {
  const finding = (ok: boolean, detail: string): Finding => ({ name: 'history', ok, detail })
  if (history === undefined) return finding(true, `${NO_TREE}.`)
  const verified = await history.verifyLog([], (done, total) =>
    onProgress({ check: 'history', done, total }),
  )()
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
  return finding(true, `${size} entries agree with their tree. ${signing}`)
}

const logFinding = async ({ checkLog }: Operations, onProgress: OnProgress): Promise<Finding> => {
  const checked = await checkLog(({ of, ...progress }) => onProgress({ check: of, ...progress }))
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

const hashingFinding = async (
  { passwordHasher, settings: { scrypt, hashing } }: Operations,
  haveHasher: boolean,
): Promise<Finding> => {
  const startedAt = performance.now()
  const hashed = await passwordHasher.hash('a password to measure', { share: SHARE_OF_COMMANDS })()
  if (isLeft(hashed))
    return {
      name: 'hashing',
      ok: false,
      detail: 'A hash failed: the machine lacks memory, or it is overloaded.',
    }
  const milliseconds = Math.max(1, Math.round(performance.now() - startedAt))
  if (haveHasher) return { name: 'hashing', ok: true, detail: `A hash takes ${milliseconds} ms.` }
  const perSecond = Math.round((hashing.concurrency * 1000) / milliseconds)
  const detail = `A hash takes ${milliseconds} ms, so about ${perSecond} sign-ins per second are possible.`
  return isCheaperThanRecommended(scrypt)
    ? {
        name: 'hashing',
        ok: false,
        detail: `${detail} It costs less than OWASP recommends: raise SCRYPT_LOG_N, SCRYPT_R or SCRYPT_P.`,
      }
    : { name: 'hashing', ok: true, detail }
}

import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import { pages } from '../../../application/pages.ts'
import type { Finding } from '../../../application/ports/inspection.ts'
import { SHARE_OF_COMMANDS } from '../../../application/throttling/hashing-shares.ts'
import { isCheaperThanRecommended, type Settings } from '../../config/settings.ts'
import { parseForeignScheme } from '../../driven/records/foreign-scheme.ts'
import { applicationsFinding } from './applications-finding.ts'
import type { Composition, Operations } from './composition.ts'
import { historySentence, NO_TREE } from './history.ts'
import { keysFinding } from './keys-finding.ts'
import { storeText, unavailableText } from './operations.ts'
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
  const { entries, rows, disagreements } = checked.right
  const [first, ...more] = disagreements
  if (first === undefined)
    return { name: 'log', ok: true, detail: `${entries} entries and ${rows} rows agree.` }
  const shown = [first, ...more.slice(0, MAX_DISAGREEMENTS - 1)].join('; ')
  const hidden = more.length + 1 - MAX_DISAGREEMENTS
  const rest = hidden > 0 ? `; and ${hidden} more` : ''
  return { name: 'log', ok: false, detail: `${shown}${rest}. Restore a back-up.` }
}

/** The disagreements that the detail lists. */
const MAX_DISAGREEMENTS = 5

const passwordsFinding = async (
  { store, passwordHasher }: Operations,
  haveHasher: boolean,
  onProgress: (users: number) => void,
): Promise<Finding> => {
  const counts = { current: 0, outdated: 0, unreadable: 0 }
  let users = 0
  onProgress(users)
  const schemes = new Map<string, number>()
  let imported = 0
  const read = (after: string, limit: number) => store.listRows({ table: 'users', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return { name: 'passwords', ok: false, detail: unavailableText(page.left) }
    for (const { status, passwordRecord, passwordScheme } of page.right) {
      if (status === 'removed') continue
      counts[passwordHasher.assess(passwordRecord)] += 1
      if (parseForeignScheme(passwordScheme) !== undefined) imported += 1
      const isShown = schemes.has(passwordScheme) || schemes.size < MAX_SCHEMES
      const key = isShown ? passwordScheme : OTHER_SCHEMES
      schemes.set(key, (schemes.get(key) ?? 0) + 1)
    }
    users += page.right.length
    onProgress(users)
  }
  const { current, outdated, unreadable } = counts
  const inUse = schemesText(schemes, (scheme) => isSome(passwordHasher.verifyMs(some(scheme))))
  const detail =
    unreadable === 0
      ? `${current} are up to date. ${outdated} will be rehashed at the next sign-in.${importedText(imported)}`
      : `${unreadable} cannot be verified. ${haveHasher ? OTHER_HASHER_MADE_THEM : PEPPER_IS_MISSING} Or they are damaged: restore a back-up.`
  return { name: 'passwords', ok: unreadable === 0, detail: `${detail}${inUse}` }
}

const PEPPER_IS_MISSING =
  'Either PASSWORD_PEPPER lacks their pepper: add it. Or another password hasher made them: name the module that provides it with --with.'
const OTHER_HASHER_MADE_THEM =
  'Either another password hasher made them than the one of --with: name the module that provides it.'

const importedText = (users: number): string =>
  users === 0
    ? ''
    : ` ${users} of them came from another system. If such a user does not return, start a recovery or run user set-password.`

/** The schemes in use, each with its number of users and a mark if these settings cannot read it. */
const schemesText = (
  schemes: ReadonlyMap<string, number>,
  isReadable: (scheme: string) => boolean,
): string => {
  const each = [...schemes].map(([scheme, users]) => {
    if (scheme === '') return `unlabelled (${users})`
    return scheme === OTHER_SCHEMES || isReadable(scheme)
      ? `${scheme} (${users})`
      : `${scheme} (${users}, unreadable here)`
  })
  return each.length === 0 ? '' : ` Schemes: ${each.sort().join('; ')}.`
}

/** The schemes that the detail lists. It counts the others together. */
const MAX_SCHEMES = 20
const OTHER_SCHEMES = 'others'

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

import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import { pages } from '../../../application/pages.ts'
import type { Finding } from '../../../application/ports/inspection.ts'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import { SHARE_OF_COMMANDS } from '../../../application/throttling/hashing-shares.ts'
import { isCheaperThanRecommended, type Settings } from '../../config/settings.ts'
import type { Composition, Operations } from './composition.ts'
import { keysFinding } from './keys-finding.ts'
import { awayBecause } from './operations.ts'
import { settingsFinding } from './settings-finding.ts'

/** What there is to say of a service with these settings, all of it looked at now. */
export const findingsOf = async (
  composition: Composition,
  settings: Settings,
): Promise<ReadonlyArray<Finding>> => {
  const outside = [settingsFinding(settings), ...(await composition.inspectStore(settings))]
  if (outside.some(({ name, ok }) => name === 'store' && !ok)) return outside
  const inside = await insideOf(composition, settings)
  const isSaidInside = ({ name }: Finding) => inside.some((one) => one.name === name) // what opening it finds says more
  return [...outside.filter((one) => !isSaidInside(one)), ...inside]
}

/** What only the store itself can tell. */
const insideOf = async (composition: Composition, settings: Settings): Promise<ReadonlyArray<Finding>> => {
  try {
    const operations = await composition.composeOperations(settings, 'read-only')
    try {
      return [
        await logFinding(operations),
        await keysFinding(operations),
        await passwordsFinding(operations),
        await hashingFinding(operations),
      ]
    } finally {
      await operations.close()
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'it cannot be opened.'
    return [{ name: 'store', ok: false, detail }]
  }
}

const logFinding = async ({ checkLog }: Operations): Promise<Finding> => {
  const checked = await checkLog()
  if (isLeft(checked)) return { name: 'log', ok: false, detail: awayBecause(checked.left) }
  const { entries, rows, disagreements } = checked.right
  const [first, ...more] = disagreements
  return first === undefined
    ? { name: 'log', ok: true, detail: `${entries} entries and ${rows} rows agree.` }
    : {
        name: 'log',
        ok: false,
        detail: `${[first, ...more.slice(0, SHOWN - 1)].join('; ')}${more.length >= SHOWN ? `; and ${more.length + 1 - SHOWN} more` : ''}. Restore a back-up.`,
      }
}

/** Disagreements that are spelled out. */
const SHOWN = 5

const passwordsFinding = async ({ store, passwordHasher }: Operations): Promise<Finding> => {
  const counts = { current: 0, outdated: 0, unreadable: 0 }
  const schemes = new Map<string, number>()
  const read = (after: string, limit: number) => store.listRows({ table: 'users', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return { name: 'passwords', ok: false, detail: awayBecause(page.left) }
    for (const { status, passwordRecord, passwordScheme } of page.right) {
      if (status === 'removed') continue
      counts[passwordHasher.assess(passwordRecord)] += 1
      const isShown = schemes.has(passwordScheme) || schemes.size < SCHEMES_SHOWN
      const key = isShown ? passwordScheme : OTHER_SCHEMES
      schemes.set(key, (schemes.get(key) ?? 0) + 1)
    }
  }
  const { current, outdated, unreadable } = counts
  const inUse = schemesText(schemes, (scheme) => isSome(passwordHasher.verifyMs(some(scheme))))
  return unreadable === 0
    ? {
        name: 'passwords',
        ok: true,
        detail: `${current} are as they should be, ${outdated} become so at the next sign-in.${inUse}`,
      }
    : {
        name: 'passwords',
        ok: false,
        detail: `${unreadable} cannot be checked: PASSWORD_PEPPER lacks the pepper they were made with, another password hasher made them, or they are damaged.${inUse}`,
      }
}

/** The schemes in use, each with the number of its users, and whether it can be read here. */
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

/** The rest is counted together. */
const SCHEMES_SHOWN = 20
const OTHER_SCHEMES = 'others'

const hashingFinding = async ({
  passwordHasher,
  settings: { scrypt, hashing },
}: Operations): Promise<Finding> => {
  const startedAt = performance.now()
  const hashed = await passwordHasher.hash('a password to take the time of', {
    wanted: NO_REQUEST.wanted,
    share: SHARE_OF_COMMANDS,
  })()
  if (isLeft(hashed))
    return { name: 'hashing', ok: false, detail: 'the machine has no memory or time for a hash.' }
  const milliseconds = Math.max(1, Math.round(performance.now() - startedAt))
  const perSecond = Math.round((hashing.concurrency * 1000) / milliseconds)
  const detail = `one takes ${milliseconds} ms, so about ${perSecond} sign-ins a second are possible.`
  return isCheaperThanRecommended(scrypt)
    ? {
        name: 'hashing',
        ok: false,
        detail: `${detail} It is cheaper than OWASP recommends: raise SCRYPT_LOG_N, SCRYPT_R or SCRYPT_P.`,
      }
    : { name: 'hashing', ok: true, detail }
}

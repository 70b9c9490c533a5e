import { isLeft } from 'fp-ts/lib/Either.js'
import { SHARE_OF_COMMANDS } from '../../application/hashing-shares.ts'
import { pages } from '../../application/pages.ts'
import { NO_REQUEST } from '../../application/recorder.ts'
import {
  composeOperations,
  type Finding,
  inspectStore,
  type Operations,
  type Settings,
  storeAsItIs,
} from '../composition.ts'
import { isCheaperThanRecommended } from '../config.ts'
import { keysFinding } from './keys-finding.ts'
import { awayBecause } from './operations.ts'
import { settingsFinding } from './settings-finding.ts'

/** What there is to say of a service with these settings, all of it looked at now. */
export const findingsOf = async (settings: Settings): Promise<ReadonlyArray<Finding>> => {
  const outside = [settingsFinding(settings), ...(await inspectStore(settings))]
  if (outside.some(({ name, ok }) => name === 'store' && !ok)) return outside
  const inside = await insideOf(settings)
  const isSaidInside = ({ name }: Finding) => inside.some((one) => one.name === name) // what opening it finds says more
  return [...outside.filter((one) => !isSaidInside(one)), ...inside]
}

/** What only the store itself can tell. */
const insideOf = async (settings: Settings): Promise<ReadonlyArray<Finding>> => {
  try {
    const operations = await composeOperations(settings, storeAsItIs)
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
  const read = (after: string, limit: number) => store.listRows({ table: 'users', after, limit })
  for await (const page of pages(read, '', ({ id }) => id)) {
    if (isLeft(page)) return { name: 'passwords', ok: false, detail: awayBecause(page.left) }
    for (const { status, passwordRecord } of page.right) {
      if (status !== 'removed') counts[passwordHasher.assess(passwordRecord)] += 1
    }
  }
  const { current, outdated, unreadable } = counts
  return unreadable === 0
    ? {
        name: 'passwords',
        ok: true,
        detail: `${current} are as they should be, ${outdated} become so at the next sign-in.`,
      }
    : {
        name: 'passwords',
        ok: false,
        detail: `${unreadable} cannot be checked: PASSWORD_PEPPER lacks the pepper they were made with, or they are damaged.`,
      }
}

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
